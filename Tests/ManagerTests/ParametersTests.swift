import Foundation
import PatchbayJSON
import Testing

@testable import PatchbayManager

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
            Parameters(json)
                == [
                    "a": [1, 1.5, .number(100), true, nil, "x", .integer(Int128(UInt64.max))], "b": [:],
                ])
    }
}
