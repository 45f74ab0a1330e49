import Foundation
import Patchbay
import Testing

@testable import CBOR

/// Types into CBOR and back.
@Suite(.timeLimit(.minutes(5))) struct CBORCodingTests {
    /// A value of a type, and its bytes.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let hex: String
        let encode: @Sendable () throws -> CBORValue
        let isReadBack: @Sendable (CBORValue) throws -> Bool

        init<Value: Codable & Equatable & Sendable>(_ name: String, _ value: Value, _ hex: String) {
            testDescription = name
            self.hex = hex
            encode = { try CBORValue(encoding: value) }
            isReadBack = { try $0.decode(Value.self) == value }
        }
    }

    struct Empty: Codable, Equatable {}
    struct Leaf: Codable, Equatable {
        var a: Int?
        var b: [Bool]
    }
    struct Holder: Codable, Equatable { var x: CBORValue }
    enum Shape: Codable, Equatable {
        case circle(radius: Double)
        case none
    }
    enum Level: String, Codable { case low, high }

    /// Two nested containers under keys, and one of elements.
    struct Nested: Codable, Equatable {
        enum Keys: String, CodingKey { case x, y }

        init() {}

        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Keys.self)
            var inner = members.nestedContainer(keyedBy: Keys.self, forKey: .x)
            try inner.encodeNil(forKey: .y)
            var elements = members.nestedUnkeyedContainer(forKey: .y)
            try elements.encodeNil()
            var first = elements.nestedContainer(keyedBy: Keys.self)
            try first.encode(1, forKey: .x)
            var last = elements.nestedUnkeyedContainer()
            try last.encode("a")
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Keys.self)
            let inner = try members.nestedContainer(keyedBy: Keys.self, forKey: .x)
            var elements = try members.nestedUnkeyedContainer(forKey: .y)
            let areNil = try (inner.decodeNil(forKey: .y), elements.decodeNil())
            let first = try elements.nestedContainer(keyedBy: Keys.self).decode(Int.self, forKey: .x)
            var last = try elements.nestedUnkeyedContainer()
            guard areNil == (true, true), first == 1, try last.decode(String.self) == "a", elements.isAtEnd else {
                throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "other"))
            }
        }
    }

    class Base: Codable, Equatable, @unchecked Sendable {
        var a = 1
        init() {}
        static func == (left: Base, right: Base) -> Bool { left.a == right.a }
    }

    final class Derived: Base, @unchecked Sendable {
        var b = 2
        enum Keys: String, CodingKey { case b }
        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Keys.self)
            b = try members.decode(Int.self, forKey: .b)
            try super.init(from: members.superDecoder())
        }
        override func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Keys.self)
            try members.encode(b, forKey: .b)
            try super.encode(to: members.superEncoder())
        }
    }

    /// Integers of 128 bits as members, as elements and alone.
    struct Integers: Codable, Equatable {
        var a = Int128(-1)
        var b = UInt128(7)
        var c = Alone()
    }
    struct Alone: Codable, Equatable {
        var elements = [Int128(1), -2]
        init() {}
        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            elements = [try container.decode(Int128.self), try container.decode(Int128.self)]
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        }
    }
    struct Single: Codable, Equatable {
        var value = UInt128(9)
        init() {}
        init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(UInt128.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    static let rows = [
        Row("members of 128 bits", Integers(), "a3616120616207616382" + "0121"), Row("alone", Single(), "09"),
        Row("a string", "a", "6161"), Row("a bool", true, "f5"), Row("a double", 1.1, "fb3ff199999999999a"),
        Row("a whole double stays one", 2.0, "f94000"), Row("a float", Float(0.1), "fa3dcccccd"),
        Row("the largest integer", UInt64.max, "1bffffffffffffffff"), Row("the smallest", Int8.min, "387f"),
        Row("nil", Int?.none, "f6"), Row("data", Data([1, 2, 3]), "43010203"),
        Row("bytes", [1, 2] as [UInt8], "820102"),
        Row("a date", Date(timeIntervalSince1970: 1_363_896_240), "c11a514b67b0"),
        Row("half a second", Date(timeIntervalSince1970: 1_363_896_240.5), "c1fb41d452d9ec200000"),
        Row("before 1970", Date(timeIntervalSince1970: -1), "c120"),
        Row("a URL", URL(filePath: "/a"), "d82069" + Data("file:///a".utf8).hex),
        Row("a struct", Leaf(a: 1, b: [true]), "a2616101616281f5"),
        Row("a struct without a member", Leaf(a: nil, b: []), "a1616280"), Row("an empty struct", Empty(), "a0"),
        Row("a dictionary", ["b": 1, "a": 2], "a2616102616201"), Row("integer keys", [1: "a"], "a161316161"),
        Row("an enumeration", [Level.low, .high], "82636c6f776468696768"),
        Row("with values", Shape.circle(radius: 1), "a166636972636c65a166726164697573f93c00"),
        Row("without them", Shape.none, "a1646e6f6e65a0"),
        Row("a value of CBOR", Holder(x: [1: [.undefined, .bytes(Data([7]))]]), "a16178a10182f74107"),
        Row("nested containers", Nested(), "a26178a16179f6617983f6a1617801816161"),
        Row("a superclass", Derived(), "a2616202657375706572a1616101"),
    ]

    @Test(arguments: rows) func roundTrip(_ row: Row) throws {
        let value = try row.encode()
        #expect(try value.encoded().hex == row.hex)
        #expect(try row.isReadBack(CBORValue(parsing: Data(hex: row.hex))))
    }

    /// What is read, though it is not how it would be written.
    static let otherwise = [
        Row("a tag of the whole", 7, "d9d9f707"), Row("a tag inside", [7], "81d9d9f707"), Row("null", Int?.none, "f7"),
        Row("an integer as a double", 7.0, "07"), Row("a negative one", -7.0, "26"),
        Row("the smallest integer", Double(sign: .minus, exponent: 64, significand: 1), "3bffffffffffffffff"),
        Row("integer keys", [1: 2, 3: 4, -1: 0], "a3010203042000"),
        Row("a URL without its tag", URL(filePath: "/a"), "69" + Data("file:///a".utf8).hex),
        Row(
            "text of a date", Date(timeIntervalSince1970: 1_363_896_240),
            "c074323031332d30332d32315432303a30343a30305a"),
        Row(
            "with a fraction", Date(timeIntervalSince1970: 1_363_896_240.5),
            "c076" + Data("2013-03-21T20:04:00.5Z".utf8).hex),
        Row("a tag around a date", Date(timeIntervalSince1970: 1), "d9d9f7c101"),
        Row("a tag in a date's place", 1, "c101"), Row("an unknown key", Leaf(a: nil, b: []), "a2616280617af4"),
    ]

    @Test(arguments: otherwise) func reads(_ row: Row) throws {
        #expect(try row.isReadBack(CBORValue(parsing: Data(hex: row.hex))))
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let hex: String
        let path: String
        let kind: String
        let decode: @Sendable (CBORValue) throws -> Void

        init<Value: Decodable & Sendable>(
            _ type: Value.Type, _ hex: String, at path: String = "", _ kind: String
        ) {
            testDescription = "\(type) in \(hex)"
            (self.hex, self.path, self.kind) = (hex, path, kind)
            decode = { _ = try $0.decode(Value.self) }
        }
    }

    static let refusals = [
        Refusal(Int.self, "6161", "typeMismatch"), Refusal(Int8.self, "1880", "typeMismatch"),
        Refusal(UInt.self, "20", "typeMismatch"), Refusal(Int64.self, "3b8000000000000000", "typeMismatch"),
        Refusal(Int.self, "f93c00", "typeMismatch"), Refusal(Float.self, "fb7e37e43c8800759c", "typeMismatch"),
        Refusal(Bool.self, "01", "typeMismatch"), Refusal(String.self, "4161", "typeMismatch"),
        Refusal(Data.self, "6161", "typeMismatch"), Refusal(Date.self, "01", "typeMismatch"),
        Refusal(Date.self, "c1f97c00", "typeMismatch"), Refusal(Date.self, "c06161", "typeMismatch"),
        Refusal(Date.self, "c16161", "typeMismatch"), Refusal(URL.self, "60", "typeMismatch"),
        Refusal([Int].self, "a0", "typeMismatch"),
        Refusal([Int].self, "8300016161", at: "Index 2", "typeMismatch"),
        Refusal([String: [Int]].self, "a1616181f4", at: "a.Index 0", "typeMismatch"),
        Refusal(Leaf.self, "a0", "keyNotFound"), Refusal(Leaf.self, "a1616281f6", at: "b.Index 0", "valueNotFound"),
        Refusal(Leaf.self, "f7", "valueNotFound"), Refusal(Leaf.self, "80", "typeMismatch"),
        Refusal([Leaf].self, "81a1616180", at: "Index 0.a", "typeMismatch"),
    ]

    @Test(arguments: refusals) func refuses(_ refusal: Refusal) throws {
        let value = try CBORValue(parsing: Data(hex: refusal.hex))
        let error = try #require(throws: DecodingError.self) { try refusal.decode(value) }
        let (kind, context) =
            switch error {
            case .typeMismatch(_, let context): ("typeMismatch", context)
            case .valueNotFound(_, let context): ("valueNotFound", context)
            case .keyNotFound(_, let context): ("keyNotFound", context)
            case .dataCorrupted(let context): ("dataCorrupted", context)
            @unknown default: ("another", .init(codingPath: [], debugDescription: ""))
            }
        #expect(kind == refusal.kind)
        #expect(context.codingPath.map(\.stringValue).joined(separator: ".") == refusal.path)
    }

    struct Dates: Encodable { var a = [Date(timeIntervalSince1970: .infinity)] }
    struct Wide: Encodable { var a = [Int128.max] }
    struct Nothing: Encodable { func encode(to encoder: any Encoder) throws {} }
    final class Cycle: Encodable {
        var next: Cycle?
        enum Keys: String, CodingKey { case next }
        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Keys.self)
            try members.encodeIfPresent(next, forKey: .next)
        }
    }

    enum Keys: String, CodingKey { case a, b, c }

    struct Endless: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(self)
        }
    }

    /// Nests containers without end, but for the limit of its own.
    struct Burrow: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            for _ in 0..<1000 { container = container.nestedUnkeyedContainer() }
        }
    }

    struct TwoForms: Encodable {
        let isValue: Bool
        func encode(to encoder: any Encoder) throws {
            var elements = encoder.unkeyedContainer()
            try elements.encode(1)
            if isValue {
                var value = encoder.singleValueContainer()
                try value.encode("a")
            } else {
                var members = encoder.container(keyedBy: Keys.self)
                try members.encode(1, forKey: .a)
            }
        }
    }

    @Test("A value without end, or of two forms, is refused") func refusesMisuse() throws {
        #expect(try Self.path { try CBORValue(encoding: [Endless()]) } == "Index 0")
        #expect(try Self.path { try CBORValue(encoding: ["a": Burrow()]) }.hasPrefix("a.Index 0.Index 0."))
        for isValue in [true, false] {
            #expect(try Self.path { try CBORValue(encoding: ["a": TwoForms(isValue: isValue)]) } == "a")
        }
    }

    /// Opens the containers under its keys twice.
    struct Reopened: Encodable {
        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Keys.self)
            var inner = members.nestedContainer(keyedBy: Keys.self, forKey: .a)
            try inner.encode(1, forKey: .a)
            inner = members.nestedContainer(keyedBy: Keys.self, forKey: .a)
            try inner.encode(2, forKey: .b)
            var elements = members.nestedUnkeyedContainer(forKey: .b)
            try elements.encode(3)
            elements = members.nestedUnkeyedContainer(forKey: .b)
            try elements.encode(4)
        }
    }

    @Test("Containers under one key are one") func reopens() throws {
        #expect(try CBORValue(encoding: Reopened()) == ["a": ["a": 1, "b": 2], "b": [3, 4]])
    }

    /// Encodes another value in place of one that throws.
    struct Fallback: Encodable {
        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Keys.self)
            try? members.encode(Wide(), forKey: .a)
            try members.encode(1, forKey: .b)
        }
    }

    @Test("A member that throws is not written") func throwingMember() throws {
        #expect(try CBORValue(encoding: Fallback()) == ["b": 1])
    }

    @Test("What CBOR cannot hold is refused with its place") func refusesToWrite() throws {
        #expect(try Self.path { try CBORValue(encoding: Dates()) } == "a.Index 0")
        #expect(try Self.path { try CBORValue(encoding: Wide()) } == "a.Index 0")
        #expect(try Self.path { try CBORValue(encoding: Nothing()) } == "")
        let cycle = Cycle()
        cycle.next = cycle
        defer { cycle.next = nil }
        #expect(try Self.path { try CBORValue(encoding: cycle) }.hasPrefix("next.next."))
    }

    @Test("A value of CBOR is refused by the coders of other formats") func otherFormats() throws {
        #expect(try Self.path { try JSONEncoder().encode(["a": 1 as CBORValue]) } == "a")
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([CBORValue].self, from: Data("[1]".utf8)) }
    }

    private static func path(_ encode: () throws -> some Any) throws -> String {
        let error = try #require(throws: EncodingError.self) { _ = try encode() }
        guard case .invalidValue(_, let context) = error else { return "another error" }
        return context.codingPath.map(\.stringValue).joined(separator: ".")
    }
}
