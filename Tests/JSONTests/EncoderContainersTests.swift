import Foundation
import PatchbayJSON
import Testing

/// What the encoder does with containers that types make themselves: how deep they may be, and in how many forms.
@Suite struct EncoderContainersTests {
    typealias Key = KeyList.Key

    struct Nothing: Encodable { func encode(to encoder: any Encoder) throws {} }

    /// Not Encodable, because the test library encodes such arguments with Foundation's encoder, which ends the process.
    struct Writing: Sendable, CustomTestStringConvertible {
        let name: String
        let write: @Sendable (any Encoder) throws -> Void
        var testDescription: String { name }

        init(_ name: String, _ write: @escaping @Sendable (any Encoder) throws -> Void) {
            self.name = name
            self.write = write
        }
    }

    struct Written: Encodable {
        let write: @Sendable (any Encoder) throws -> Void
        func encode(to encoder: any Encoder) throws { try write(encoder) }
    }

    static func text(_ value: some Encodable, _ options: JSON.CodingOptions = .init()) throws -> String {
        var bytes: [UInt8] = []
        try JSON.serialize(encoding: value, options: options, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    static func context(of body: () throws -> Void) throws -> EncodingError.Context {
        let error = try #require(throws: EncodingError.self, performing: body)
        guard case .invalidValue(_, let context) = error else { throw error }
        return context
    }

    @Test("512 containers are written and read again, and not one more", arguments: Nest.Way.allCases)
    func depth(_ way: Nest.Way) throws {
        for element in [nil, 1] {
            let most = Nest(way, depth: 512, element: element)
            let text = try Self.text(most)
            #expect(try JSON(parsing: text) == JSON(encoding: most))
            #expect(text.utf8.count { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") } == 512)
            let tooDeep = Nest(way, depth: 513, element: element)
            for context in [
                try Self.context { _ = try Self.text(tooDeep) }, try Self.context { _ = try JSON(encoding: tooDeep) },
            ] {
                #expect(context.debugDescription == "More than 512 values lie inside each other.")
                #expect(512...513 ~= context.codingPath.count)
            }
        }
    }

    @Test("a value that encodes nothing is an object, and counts as one")
    func depthOfNothing() throws {
        let value = Written { encoder in
            var container = encoder.unkeyedContainer()
            for _ in 1..<511 { container = container.nestedUnkeyedContainer() }
            try container.encode(Nothing())
            var last = container.nestedUnkeyedContainer()
            #expect(throws: EncodingError.self) { try last.encode(Nothing()) }
            #expect(throws: EncodingError.self) { try last.encode([String: Int]()) }
            try last.encode(1)
        }
        #expect(try JSON(parsing: Self.text(value)) == JSON(encoding: value))
        #expect(try Self.text(value).contains("[{},[1]]"))
    }

    @Test("a container that is too deep says so at the next encode, too")
    func nextEncode() {
        let value = Written { encoder in
            var container = encoder.unkeyedContainer()
            for _ in 1..<600 { container = container.nestedUnkeyedContainer() }
            #expect(throws: EncodingError.self) { try container.encode(1) }
            #expect(throws: EncodingError.self) { try container.encode([1]) }
            #expect(throws: EncodingError.self) { try container.encodeNil() }
            var members = container.nestedContainer(keyedBy: Key.self)
            #expect(throws: EncodingError.self) { try members.encode("x", forKey: Key(stringValue: "a")) }
            #expect(throws: EncodingError.self) { try members.encodeNil(forKey: Key(stringValue: "a")) }
            #expect(throws: EncodingError.self) { try 1.encode(to: container.superEncoder()) }
        }
        #expect(throws: EncodingError.self) { try JSON(encoding: value) }
    }

    static let twoForms: [Writing] = [
        Writing("an object, then an array") { encoder in
            var object = encoder.container(keyedBy: Key.self)
            try object.encode(1, forKey: Key(stringValue: "p"))
            var array = encoder.unkeyedContainer()
            try array.encode(5)
        },
        Writing("an array, then an object without members") { encoder in
            var array = encoder.unkeyedContainer()
            try array.encode(5)
            _ = encoder.container(keyedBy: Key.self)
        },
        Writing("a single value, then an array") { encoder in
            var single = encoder.singleValueContainer()
            try single.encode(5)
            _ = encoder.unkeyedContainer()
        },
        Writing("an object, then a single value") { encoder in
            var object = encoder.container(keyedBy: Key.self)
            try object.encode(1, forKey: Key(stringValue: "p"))
            var single = encoder.singleValueContainer()
            try single.encode(5)
        },
        Writing("an object, then a date") { encoder in
            _ = encoder.container(keyedBy: Key.self)
            var single = encoder.singleValueContainer()
            try single.encode(Date())
        },
        Writing("an object, then nil") { encoder in
            _ = encoder.container(keyedBy: Key.self)
            var single = encoder.singleValueContainer()
            try single.encodeNil()
        },
        Writing("an object, then JSON") { encoder in
            _ = encoder.container(keyedBy: Key.self)
            try (["a": 1] as JSON).encode(to: encoder)
        },
        Writing("an object, then an array as a single value") { encoder in
            _ = encoder.container(keyedBy: Key.self)
            var single = encoder.singleValueContainer()
            try single.encode([1])
        },
        Writing("an array, then a dictionary as a single value") { encoder in
            _ = encoder.unkeyedContainer()
            var single = encoder.singleValueContainer()
            try single.encode([String: Int]())
        },
        Writing("an object and an array under one key") { encoder in
            var outer = encoder.container(keyedBy: Key.self)
            var object = outer.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: "n"))
            try object.encode(1, forKey: Key(stringValue: "p"))
            _ = outer.nestedUnkeyedContainer(forKey: Key(stringValue: "n"))
        },
    ]

    @Test("a value in two forms is refused: nothing of it is lost in silence", arguments: twoForms)
    func refusesTwoForms(_ writing: Writing) throws {
        let value = [Written(write: writing.write)]
        for keys in JSON.CodingOptions.Keys.allCases {
            for context in [
                try Self.context { _ = try Self.text(value, .init(keys: keys)) },
                try Self.context { _ = try JSON(encoding: value, options: .init(keys: keys)) },
            ] {
                #expect(
                    context.debugDescription
                        == "One value is encoded in two forms: an object, an array or a single value.")
                #expect(context.codingPath.first?.intValue == 0)
            }
        }
    }

    @Test("the error names the value that is in two forms, also below members and behind single values")
    func namesTwoForms() throws {
        for value in [
            ["a": Written(write: Self.twoForms[0].write)],
            ["a": Written(write: Self.twoForms[2].write)],
        ] {
            guard
                case .invalidValue(let refused, let context)? = #expect(
                    throws: EncodingError.self,
                    performing: {
                        try JSON(encoding: value)
                    })
            else { return }
            #expect(refused is Written)
            #expect(context.codingPath.map(\.stringValue) == ["a"])
        }
    }

    @Test("containers of one kind are one, as with JSONEncoder, and a value replaces")
    func merges() throws {
        let value = Written { encoder in
            var outer = encoder.container(keyedBy: Key.self)
            let n = Key(stringValue: "n")
            var first = outer.nestedContainer(keyedBy: Key.self, forKey: n)
            try first.encode(1, forKey: Key(stringValue: "p"))
            var second = outer.nestedContainer(keyedBy: Key.self, forKey: n)
            try second.encode(2, forKey: Key(stringValue: "q"))
            try first.encode(3, forKey: n)
            var list = outer.nestedUnkeyedContainer(forKey: Key(stringValue: "p"))
            try list.encode(1)
            var more = outer.nestedUnkeyedContainer(forKey: Key(stringValue: "p"))
            try more.encode(2)
            var replaced = outer.nestedUnkeyedContainer(forKey: Key(stringValue: "q"))
            try replaced.encode(1)
            try outer.encode(2, forKey: Key(stringValue: "q"))
            var again = encoder.container(keyedBy: Key.self)
            try again.encode("r", forKey: Key(stringValue: "r"))
        }
        #expect(try Self.text(value) == #"{"n":{"p":1,"q":2,"n":3},"p":[1,2],"q":2,"r":"r"}"#)
        #expect(try JSON(encoding: value) == JSON(parsing: JSONEncoder().encode(value)))
    }

    @Test("a value that could not be encoded leaves its place to another")
    func instead() throws {
        let failing = Written { encoder in
            var object = encoder.container(keyedBy: Key.self)
            try object.encode(1, forKey: Key(stringValue: "p"))
            try object.encode(Double.nan, forKey: Key(stringValue: "q"))
        }
        let value = Written { encoder in
            var single = encoder.singleValueContainer()
            do { try single.encode(failing) } catch { try single.encode("x") }
        }
        #expect(try Self.text([value]) == #"["x"]"#)
    }

    struct Wide: Encodable {
        var a: Int128 = -7
        var b: Int128? = 8
        var c: UInt128 = UInt128(UInt64.max)
        var d: UInt128?
        var e: [Int128] = [Int128(Int64.min)]
        var f: [UInt128?] = [1, nil]
        var g: [String: Int128] = ["x": 2]
        var h: [Int: UInt128] = [3: 4]
    }

    @Test("integers of 128 bits are numbers, wherever they are")
    func wideIntegers() throws {
        let text =
            #"{"a":-7,"b":8,"c":18446744073709551615,"e":[-9223372036854775808],"f":[1,null],"g":{"x":2},"h":{"3":4}}"#
        #expect(try Self.text(Wide()) == text)
        #expect(try JSON(encoding: Wide()).description == text)
    }

    static let tooWide: [(path: [String], value: any Encodable & Sendable)] = [
        ([], Int128.max), ([], UInt128.max), (["Index 1"], [Int128(0), Int128(UInt64.max) + 1]),
        (["Index 0"], [Int128(Int64.min) - 1]), (["Index 0"], [UInt128?.some(.max)]), (["x"], ["x": Int128.min]),
        (["x"], ["x": UInt128?.some(.max)]), (["a", "Index 0"], ["a": [UInt128.max]]),
    ]

    @Test("an integer of more than 64 bits is refused with its path")
    func tooWideIntegers() throws {
        let members: [(path: [String], value: any Encodable & Sendable)] = [
            (["a"], WideMember(a: .max)), (["b"], WideMember(b: .min)), (["c"], WideMember(c: .max)),
            (["d"], WideMember(d: .max)),
        ]
        for (path, value) in Self.tooWide + members {
            let context = try Self.context { _ = try JSON(encoding: value) }
            #expect(context.codingPath.map(\.stringValue) == path)
            #expect(context.debugDescription == "The integer does not fit in 64 bits.")
        }
    }

    struct WideMember: Encodable {
        var a: Int128 = 0
        var b: Int128?
        var c: UInt128 = 0
        var d: UInt128?
    }
}
