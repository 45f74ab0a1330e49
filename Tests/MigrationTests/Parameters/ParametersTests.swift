import Foundation
import PatchbayJSON
import PatchbayMigration
import Testing

@Suite struct ParametersTests {
    struct Everything: Encodable {
        struct Inner: Encodable { var x = 1 }
        enum Choice: String, Encodable { case first }
        var bool = true
        var integers: [Int] = [-1, 2]
        var big = UInt64.max
        var float: Float = 0.1
        var text = "t"
        var data = Data([1])
        var date = Date(timeIntervalSinceReferenceDate: 0)
        var url = URL(string: "http://h.test/a")
        var decimal = Decimal(12)
        var inner = Inner()
        var choice = Choice.first
        var absent: Int?
        var nested: [String: [Inner?]] = ["k": [Inner(), nil]]
        var parameters: Parameters = .set([1])
    }

    @Test("1.9.3: any Encodable value, dates and bytes kept as such")
    func encodable() throws {
        let expected: Parameters = [
            "bool": true, "integers": [-1, 2], "big": .integer(Int128(UInt64.max)), "float": 0.1, "text": "t",
            "data": .data(Data([1])), "date": .date(Date(timeIntervalSinceReferenceDate: 0)), "url": "http://h.test/a",
            "decimal": 12, "inner": ["x": 1], "choice": "first", "nested": ["k": [["x": 1], nil]],
            "parameters": .set([1]),
        ]
        #expect(try Parameters(encoding: Everything()) == expected)
        guard case .object(let members) = try Parameters(encoding: Everything(), keepingNil: true) else {
            Issue.record("no object")
            return
        }
        #expect(members.first { $0.name == "absent" }?.value == .null)
    }

    @Test("a value that calls for several containers, and for its superclass")
    func containers() throws {
        class Base: Encodable {
            var base = 1
        }
        final class Derived: Base {
            enum Key: String, CodingKey { case list, object }
            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                var list = container.nestedUnkeyedContainer(forKey: .list)
                try list.encode(1)
                try list.encodeNil()
                var inner = list.nestedUnkeyedContainer()
                try inner.encode("x")
                #expect(list.count == 3)
                var object = container.nestedContainer(keyedBy: Key.self, forKey: .object)
                try object.encodeNil(forKey: .list)
                try object.encode(1, forKey: .object)
                try object.encode(2, forKey: .object)
                try super.encode(to: container.superEncoder())
            }
        }
        #expect(
            try Parameters(encoding: Derived())
                == ["list": [1, nil, ["x"]], "object": ["list": nil, "object": 2], "super": ["base": 1]])
    }

    @Test("a value inside itself is refused")
    func endless() {
        struct Endless: Encodable {
            enum Key: String, CodingKey { case next }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(Endless(), forKey: .next)
            }
        }
        #expect(throws: EncodingError.self) { try Parameters(encoding: Endless()) }
    }

    @Test("1.9.2: a JSON value")
    func json() throws {
        let json = try JSON(parsing: Data(#"{"a":[1,1.5,1e2,true,null,"x",18446744073709551615],"b":{}}"#.utf8))
        #expect(
            try Parameters(json)
                == [
                    "a": [1, 1.5, .number(100), true, nil, "x", .integer(Int128(UInt64.max))], "b": [:],
                ])
    }

    /// An array or a single value around itself, so many times.
    private struct Nested: Encodable {
        enum Form: String, CaseIterable { case single, array, nestedArrays }
        let form: Form
        let levels: Int

        func encode(to encoder: any Encoder) throws {
            guard levels > 0 else { return try true.encode(to: encoder) }
            let inner = Nested(form: form, levels: levels - 1)
            switch form {
            case .single:
                var container = encoder.singleValueContainer()
                try container.encode(inner)
            case .array:
                var container = encoder.unkeyedContainer()
                try container.encode(inner)
            case .nestedArrays:
                // Nothing is encoded on the way, and so nothing throws.
                var container = encoder.unkeyedContainer()
                for _ in 1..<levels { container = container.nestedUnkeyedContainer() }
            }
        }
    }

    /// In a child process, as what has no limit overflows the stack.
    @Test(
        "values inside each other are refused beyond a depth, in whatever way they lie there",
        arguments: Nested.Form.allCases)
    private func depth(_ form: Nested.Form) async throws {
        #expect(throws: Never.self) { try Parameters(encoding: Nested(form: form, levels: 500)) }
        let name = form.rawValue
        await #expect(processExitsWith: .success) { [name = name as String] in
            let form = try #require(Nested.Form(rawValue: name))
            for levels in [1_100, 100_000] {
                #expect(throws: EncodingError.self) { try Parameters(encoding: Nested(form: form, levels: levels)) }
            }
        }
    }

    @Test("a JSON value is refused beyond 512 levels, alone and as a value that is encoded")
    func deepJSON() async throws {
        func deep(_ levels: Int) throws -> JSON {
            let text = String(repeating: "[", count: levels) + "1" + String(repeating: "]", count: levels)
            return try JSON(parsing: Data(text.utf8), options: .init(maximumDepth: levels))
        }
        var expected: Parameters = 1
        for _ in 1...512 { expected = [expected] }
        #expect(try Parameters(deep(512)) == expected)
        #expect(throws: ParametersFailure("more than 512 values lie inside each other")) { try Parameters(deep(513)) }
        #expect(throws: EncodingError.self) { try Parameters(encoding: ["a": deep(512)]) }
        await #expect(processExitsWith: .success) {
            let text = String(repeating: "[", count: 100_001) + String(repeating: "]", count: 100_001)
            let json = try JSON(parsing: Data(text.utf8), options: .init(maximumDepth: 100_001))
            #expect(throws: ParametersFailure.self) { try Parameters(json) }
            #expect(throws: EncodingError.self) { try Parameters(encoding: json) }
        }
    }

    /// What is quadratic takes minutes for so many.
    @Test("many members, some with one key: the last counts, in the place of the first", .timeLimit(.minutes(5)))
    func manyMembers() throws {
        struct Many: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: PathKey.self)
                for number in 0..<200_000 { try container.encode(number, forKey: .name("\(number)")) }
                for number in 0..<1000 { try container.encode(-number, forKey: .name("\(number)")) }
            }
        }
        guard case .object(let members) = try Parameters(encoding: Many()) else {
            Issue.record("no object")
            return
        }
        #expect(members.count == 200_000)
        #expect(
            members.enumerated().allSatisfy { $1.name == "\($0)" && $1.value == .integer(Int128($0 < 1000 ? -$0 : $0)) }
        )
    }

    private enum Key: String, CodingKey { case n, p, q }

    /// Not Encodable, so that the test library, which encodes arguments to name them, leaves it alone: Foundation ends the process.
    private struct Writing: Sendable {
        let write: @Sendable (any Encoder) throws -> Void
    }

    private struct Written: Encodable {
        let write: @Sendable (any Encoder) throws -> Void
        func encode(to encoder: any Encoder) throws { try write(encoder) }
    }

    @Test("containers nested under one key are one, as with JSONEncoder")
    func nestedTwice() throws {
        let value = Written { encoder in
            var outer = encoder.container(keyedBy: Key.self)
            var first = outer.nestedContainer(keyedBy: Key.self, forKey: .n)
            try first.encode(1, forKey: .p)
            var second = outer.nestedContainer(keyedBy: Key.self, forKey: .n)
            try second.encode(2, forKey: .q)
            try first.encode(3, forKey: .n)
            var list = outer.nestedUnkeyedContainer(forKey: .p)
            try list.encode(1)
            var more = outer.nestedUnkeyedContainer(forKey: .p)
            try more.encode(2)
            // A value replaces, as everywhere.
            var replaced = outer.nestedUnkeyedContainer(forKey: .q)
            try replaced.encode(1)
            try outer.encode(2, forKey: .q)
        }
        #expect(try Parameters(encoding: value) == ["n": ["p": 1, "q": 2, "n": 3], "p": [1, 2], "q": 2])
        let foundation = try JSON(parsing: JSONEncoder().encode(value))
        let members = try Parameters(encoding: value)
        #expect(try JSON(encoding: members) == foundation)
    }

    @Test(
        "a value in two forms is refused: nothing of it is lost in silence",
        arguments: [
            (
                name: "an object, then an array",
                value: Writing { encoder in
                    var object = encoder.container(keyedBy: Key.self)
                    try object.encode(1, forKey: .p)
                    var array = encoder.unkeyedContainer()
                    try array.encode(5)
                }
            ),
            (
                name: "an array, then an object",
                value: Writing { encoder in
                    var array = encoder.unkeyedContainer()
                    try array.encode(5)
                    _ = encoder.container(keyedBy: Key.self)
                }
            ),
            (
                name: "a single value, then an array",
                value: Writing { encoder in
                    var single = encoder.singleValueContainer()
                    try single.encode(5)
                    _ = encoder.unkeyedContainer()
                }
            ),
            (
                name: "an object, then a single value",
                value: Writing { encoder in
                    var object = encoder.container(keyedBy: Key.self)
                    try object.encode(1, forKey: .p)
                    var single = encoder.singleValueContainer()
                    try single.encode(5)
                }
            ),
            (
                name: "an object and an array under one key",
                value: Writing { encoder in
                    var outer = encoder.container(keyedBy: Key.self)
                    var object = outer.nestedContainer(keyedBy: Key.self, forKey: .n)
                    try object.encode(1, forKey: .p)
                    _ = outer.nestedUnkeyedContainer(forKey: .n)
                }
            ),
        ])
    private func twoForms(name: String, value: Writing) throws {
        let error = try #require(
            #expect(throws: EncodingError.self) { try Parameters(encoding: [Written(write: value.write)]) })
        guard case .invalidValue(_, let context) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(context.debugDescription == "One value is encoded in two forms: an object, an array or a single value.")
        #expect(context.codingPath.first?.intValue == 0)
    }

    @Test("a value that could not be encoded leaves its place to another")
    func instead() throws {
        struct Failing: Encodable {
            struct Failure: Error {}
            func encode(to encoder: any Encoder) throws {
                var object = encoder.container(keyedBy: Key.self)
                try object.encode(1, forKey: .p)
                throw Failure()
            }
        }
        let value = Written { encoder in
            var single = encoder.singleValueContainer()
            do { try single.encode(Failing()) } catch { try single.encode("x") }
        }
        #expect(try Parameters(encoding: value) == "x")
    }

    @Test("an integer of 128 bits that no signed one holds is refused in a sentence that is true")
    func bigIntegers() throws {
        #expect(try Parameters(encoding: UInt128(Int128.max)) == .integer(.max))
        #expect(try Parameters(encoding: Int128.min) == .integer(.min))
        let error = try #require(#expect(throws: EncodingError.self) { try Parameters(encoding: UInt128.max) })
        guard case .invalidValue(_, let context) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(context.debugDescription == "The integer does not fit in a signed integer of 128 bits.")
    }
}
