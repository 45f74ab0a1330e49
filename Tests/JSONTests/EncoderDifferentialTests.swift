import Foundation
import PatchbayJSON
import Testing

/// Every value goes through both encoders, which must write equal documents or both refuse.
@Suite struct EncoderDifferentialTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let value: any Encodable & Sendable
        var testDescription: String { name }

        init(_ name: String, _ value: any Encodable & Sendable) {
            self.name = name
            self.value = value
        }
    }

    struct Nothing: Encodable { func encode(to encoder: any Encoder) throws {} }

    struct Twice: Encodable {
        private enum CodingKeys: CodingKey { case a, b }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(1, forKey: .a)
            try container.encode(2, forKey: .b)
            try container.encode("again", forKey: .a)
            try container.encodeNil(forKey: .b)
        }
    }

    /// Writes to both containers of an array in turn, and to a superclass encoder last of all.
    struct Interleaved: Encodable {
        func encode(to encoder: any Encoder) throws {
            var outer = encoder.unkeyedContainer()
            var first = outer.nestedUnkeyedContainer()
            var second = outer.nestedContainer(keyedBy: KeyList.Key.self)
            let third = outer.superEncoder()
            try first.encode(1)
            try second.encode(2, forKey: KeyList.Key(stringValue: "two"))
            try first.encode(3)
            try outer.encodeNil()
            try "late".encode(to: third)
        }
    }

    static let person = Person(
        name: "Ann", age: 41, role: .admin,
        addresses: [Address(street: "A \"x\"", houseNumber: nil, isHome: true)], scores: ["x": 1.5], nickname: "é")

    static let snake = Snake(
        userName: "a", homeURL: URL(string: "https://example.com/?q=1"), _private: 1, extraInfo: ["someKey": 2],
        nestedThing: .init(innerKey: 3))

    static let values: [Case] = [
        Case("person", person),
        Case("array of structs", [person, person]),
        Case("shapes", [Shape.circle(radius: 0.5), .square(side: 1, label: nil), .nothing]),
        Case("superclass", Grid(rows: [[1, 2], [], [3]], title: "t")),
        Case("snake", snake),
        Case("top-level integer", 7),
        Case("top-level string", "a\n\u{1}"),
        Case("top-level nil", Int?.none as Int?),
        Case("array of optionals", [1, nil, 3] as [Int?]),
        Case("dictionary by integer", [5: "a"]),
        Case("dictionary of optionals", ["a": nil, "b": 1] as [String: Int?]),
        Case("nested dictionaries", ["someKey": ["otherKey": snake]]),
        Case("extremes", [Int64.min, .max]),
        Case("unsigned extremes", [UInt64.min, .max]),
        Case("small integers", [Int8.min, .max]),
        Case("wide integers", [Int128(Int64.min), 7]),
        Case("wide unsigned integers", [UInt128(UInt64.max)]),
        Case("floats", [Float(0.1), 1, -3.5e20, .leastNonzeroMagnitude]),
        Case("doubles", [0.1, -0.0, 1e300, .leastNonzeroMagnitude, 123456789.125]),
        Case("infinity", [Double.infinity]),
        Case("minus infinity", [-Float.infinity]),
        Case("not a number", [Double.nan]),
        Case("booleans", [true, false]),
        Case("raw values", Tagged(rawValue: "x")),
        Case("empty struct", Empty()),
        Case("nothing at the top", Nothing()),
        Case("nothing inside", ["a": Nothing()]),
        Case("keys twice", Twice()),
        Case("interleaved", Interleaved()),
        Case("date", Moment(at: Date(timeIntervalSinceReferenceDate: 123456789.25))),
        Case("top-level date", Date(timeIntervalSince1970: 1_700_000_000)),
        Case("data", Blob(data: Data([0, 1, 254, 255]))),
        Case("decimal", Price(amount: Decimal(string: "12.75") ?? 0)),
        Case("long decimal", Price(amount: Decimal(string: "-0.12345678901234567890123456789") ?? 0)),
        Case("whole decimal", [Decimal(UInt64.max), Decimal(Int64.min)]),
        Case("url", Link(url: URL(filePath: "/a b"))),
        Case("json", ["a": [1, nil, ["b": 2.5, "c": true]]] as JSON),
        Case("json inside", ["key": [1] as JSON]),
    ]

    static func encoded(_ value: some Encodable, _ options: JSON.CodingOptions, _ encoder: JSONEncoder) throws
        -> (ours: JSON?, theirs: JSON?)
    {
        let theirs = try? JSON(parsing: encoder.encode(value))
        do {
            return (try JSON(encoding: value, options: options), theirs)
        } catch is EncodingError {
            return (nil, theirs)
        }
    }

    @Test(arguments: values) func agreesByDefault(_ item: Case) throws {
        let (ours, theirs) = try Self.encoded(item.value, .init(), JSONEncoder())
        #expect(ours == theirs)
    }

    @Test(arguments: values) func agreesOnEveryStrategy(_ item: Case) throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dataEncodingStrategy = .deferredToData
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "+", negativeInfinity: "-", nan: "?")
        let pairs: [(JSON.CodingOptions.Dates, JSONEncoder.DateEncodingStrategy)] = [
            (.iso8601, .iso8601), (.secondsSince1970, .secondsSince1970),
            (.millisecondsSince1970, .millisecondsSince1970), (.deferred, .deferredToDate),
        ]
        for (ours, theirs) in pairs {
            encoder.dateEncodingStrategy = theirs
            var options = JSON.CodingOptions(keys: .snakeCase, dates: ours)
            options.data = .deferred
            options.nonConformingFloats = .convert(positiveInfinity: "+", negativeInfinity: "-", nan: "?")
            let result = try Self.encoded(item.value, options, encoder)
            #expect(result.ours == result.theirs)
        }
    }

    @Test func membersKeepTheirOrder() throws {
        let text = try JSON(encoding: Self.person).description
        #expect(text.hasPrefix(#"{"name":"Ann","age":41,"role":"admin","addresses":["#))
    }

    @Test func superclassesEncode() throws {
        let json = try JSON(encoding: Dog(name: "Rex", legs: 4))
        #expect(json == ["name": "Rex", "super": ["legs": 4]])
        #expect(try json.decode(Dog.self).description == "Rex 4")
    }

    @Test func refusalsNameThePlace() throws {
        let error = #expect(throws: EncodingError.self) { try JSON(encoding: ["a": [1, Double.nan]]) }
        guard case .invalidValue(_, let context) = error else {
            Issue.record("expected an invalid value")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["a", "Index 1"])
        #expect(context.debugDescription == "JSON has no number for nan.")
    }

    final class Loop: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(self)
        }
    }

    @Test func aCycleEndsInAnError() {
        #expect(throws: EncodingError.self) { try JSON(encoding: Loop()) }
    }
}
