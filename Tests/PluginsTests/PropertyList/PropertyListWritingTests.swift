import Foundation
import PatchbayJSON
import PatchbayMigration
import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// Property lists that are written, held against Foundation and read back.
@Suite struct PropertyListWritingTests {
    struct User: Codable, Equatable, Sendable {
        var name = "Ada <é> & \"L\""
        var born = Date(timeIntervalSince1970: -4_861_728_000)
        var key = Data([1, 2])
        var size = 1.5
        var age = 36
        var isHere = true
        var tags = ["x", "y"]
        var note: String?
    }

    private let serializer = PropertyListSerializer()
    private static let binary: MediaType = "application/x-apple-binary-plist"

    private func read<Value: Decodable & Sendable>(_ data: Data, _ type: Value.Type) throws -> Value {
        try serializer.decode(type, from: ResponseBody(data), Sample.head("application/x-plist"))
    }

    @Test(
        "it is XML, but for the type of binary lists",
        arguments: [
            ("application/x-plist", false), ("application/x-apple-plist", false), ("text/x-apple-plist+xml", false),
            ("application/vnd.acme+plist", false), ("application/x-plist; charset=UTF8", false),
            ("application/x-apple-binary-plist", true),
        ])
    func format(_ type: String, _ isBinary: Bool) throws {
        let type = try #require(MediaType(parsing: type))
        let written = try serializer.write(User(), as: type)
        var format = PropertyListSerialization.PropertyListFormat.openStep
        _ = try PropertyListSerialization.propertyList(from: written, options: [], format: &format)
        #expect(format == (isBinary ? .binary : .xml))
        #expect(try PropertyListDecoder().decode(User.self, from: written) == User())
        #expect(try read(written, User.self) == User())
    }

    @Test(
        "a property list is written as it is", arguments: ["application/x-plist", "application/x-apple-binary-plist"])
    func lists(_ type: String) throws {
        let type = try #require(MediaType(parsing: type))
        let list = PropertyList.dictionary([
            "a": .array([.integer(.min), .unsigned(.max), .real(0.1), .real(.infinity), .bool(false), .string("")]),
            "b": .dictionary(["c": .data(Data([0, 255])), "d": .date(Date(timeIntervalSinceReferenceDate: 5))]),
        ])
        #expect(try read(try serializer.write(list, as: type), PropertyList.self) == list)
    }

    @Test("NaN is a number of property lists", arguments: ["application/x-plist", "application/x-apple-binary-plist"])
    func notANumber(_ type: String) throws {
        let type = try #require(MediaType(parsing: type))
        #expect(try read(try serializer.write([Double.nan], as: type), [Double].self).first?.isNaN == true)
    }

    @Test("a list may be nested 512 deep, as one that is read", arguments: [(512, true), (513, false), (2000, false)])
    func depth(_ depth: Int, _ isWritten: Bool) throws {
        let list = (1..<depth).reduce(PropertyList.array([])) { list, _ in .array([list]) }
        if isWritten {
            #expect(try read(try serializer.write(list, as: "application/x-plist"), PropertyList.self) == list)
        } else {
            #expect(throws: EncodingError.self) { try serializer.write(list, as: "application/x-plist") }
        }
    }

    static let unwritable: [any Encodable & Sendable] = [1, "a", true, Int?.none, PropertyList.string("a")]

    @Test("a value that is neither an array nor a dictionary is an error", arguments: unwritable.indices)
    func fragment(_ index: Int) {
        #expect(throws: EncodingError.self) { try serializer.write(Self.unwritable[index], as: "application/x-plist") }
    }

    private static let xml: MediaType = "application/x-plist"

    struct Numbers: Codable, Equatable, Sendable {
        var whole = Decimal(36)
        var half = Decimal(string: "0.1")
        var page = URL(filePath: "/a b")
        var large = UInt64.max
        var small = Int128(Int64.min)
        var none: Int?
    }

    @Test("numbers, URLs and nil", arguments: [xml, binary])
    func kinds(_ type: MediaType) throws {
        let list = try read(try serializer.write(Numbers(), as: type), PropertyList.self)
        #expect(
            list
                == .dictionary([
                    "whole": .integer(36), "half": .real(0.1), "page": .string(Numbers().page.absoluteString),
                    "large": .unsigned(.max), "small": .integer(.min),
                ]))
    }

    @Test(
        "texts come back as they were", arguments: ["\r", "a\r\nb\rc\n", "\t \n", "<&>\"'", "😀é", "]]>", "&#13;", ""])
    func texts(_ text: String) throws {
        for type in [Self.xml, Self.binary] {
            let list = [text + "k": [text]]
            let written = try serializer.write(list, as: type)
            #expect(try read(written, [String: [String]].self) == list)
            #expect(try PropertyListDecoder().decode([String: [String]].self, from: written) == list)
        }
    }

    @Test(
        "a character that XML 1.0 lacks is refused in XML alone",
        arguments: ["\0", "\u{1}", "\u{8}", "\u{B}", "\u{1F}", "\u{FFFE}", "a\u{FFFF}"])
    func characters(_ text: String) throws {
        #expect(Sample.path { _ = try serializer.write(["a": [text]], as: Self.xml) } == "a.Index 0")
        #expect(Sample.path { _ = try serializer.write([text: 1], as: Self.xml) } == text)
        #expect(
            Sample.path { _ = try serializer.write(PropertyList.array([.string(text)]), as: Self.xml) } == "Index 0")
        #expect(
            try read(try serializer.write([text: [text]], as: Self.binary), [String: [String]].self) == [text: [text]])
    }

    /// Encodes itself as a single value, without end.
    struct Endless: Encodable, Sendable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(self)
        }
    }

    static let refused: [(name: String, value: any Encodable & Sendable, path: String)] = [
        ("null", [1, nil, 3], "Index 1"), ("null in JSON", ["a": nil] as JSON, "a"),
        ("null at the top", Int?.none, ""), ("nothing", FormWritingTests.Nothing(), ""),
        ("two forms", ["a": FormWritingTests.TwoForms()], "a"), ("no end", [Endless()], "Index 0"),
        ("a wide integer", ["a": UInt128(UInt64.max) + 1], "a"), ("a low integer", [Int128(Int64.min) - 1], "Index 0"),
        ("long digits", [Decimal(string: "0.12345678901234567890123")], "Index 0"),
        ("the year 10000", [Date(timeIntervalSinceReferenceDate: 252_423_993_600)], "Index 0"),
        ("a far date", ["a": [Date(timeIntervalSinceReferenceDate: 1e15)]], "a.Index 0"),
        ("no date", [Date(timeIntervalSinceReferenceDate: .nan)], "Index 0"),
        ("a date of a list", PropertyList.array([.date(Date(timeIntervalSinceReferenceDate: -1e15))]), "Index 0"),
        ("a set", Parameters.object([.init("a", .set([1]))]), "a"),
    ]

    @Test("what property lists do not have is refused with its place", arguments: refused.indices)
    func refusal(_ index: Int) {
        for type in [Self.xml, Self.binary] {
            #expect(
                Sample.path { _ = try serializer.write(Self.refused[index].value, as: type) }
                    == Self.refused[index].path)
        }
    }

    @Test("the error of a date that is refused can be printed", arguments: [1e15, -1e15, .nan])
    func printable(_ seconds: Double) throws {
        let error = try #require(throws: EncodingError.self) {
            try serializer.write([Date(timeIntervalSinceReferenceDate: seconds)], as: Self.xml)
        }
        guard case .invalidValue(let value, _) = error else { return }
        // Foundation ends the process where such a Date is printed.
        try #require(!(value is Date))
        #expect("\(error)".contains("s since 2001"))
    }

    @Test("parameters that are nested too deep are refused")
    func deepParameters() {
        let parameters = (1...1000).reduce(Parameters.array([])) { inner, _ in .array([inner]) }
        #expect(throws: EncodingError.self) { try serializer.write(parameters, as: Self.xml) }
    }

    @Test("a value that throws, and another charset, are errors")
    func refusals() throws {
        #expect(throws: JSONWritingTests.Halting.Halt.halt) {
            try serializer.write([JSONWritingTests.Halting()], as: "application/x-plist")
        }
        let list = (1...512).reduce(PropertyList.array([])) { list, _ in .array([list]) }
        let error = try #require(throws: EncodingError.self) {
            try serializer.write(["a": list], as: "application/x-plist")
        }
        #expect(
            FailureReason(error).description.hasPrefix("a value of the type PropertyList cannot be written at /a/0/0"))
        guard case .invalidValue(_, let context) = error else { return }
        #expect(context.codingPath.count == 512)
        let sentence = Sample.sentence {
            _ = try serializer.write([1], as: "application/x-plist; charset=utf-16")
        }
        #expect(sentence == #"property-list: it is always written in UTF-8, not in "utf-16""#)
    }
}
