import Foundation
import PatchbayJSON
import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// Good property lists, in both formats: the same value from each, and the same as Foundation reads.
@Suite struct PropertyListTests {
    private let serializer = PropertyListSerializer()
    private let head = Sample.head("application/x-plist")

    struct Value: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let foundation: @Sendable () -> Any
        let expected: PropertyList

        init(_ name: String, _ expected: PropertyList, _ foundation: @autoclosure @escaping @Sendable () -> Any) {
            testDescription = name
            self.expected = expected
            self.foundation = foundation
        }
    }

    static let values: [Value] = [
        Value("string", .string("hello"), "hello"),
        Value("empty string", .string(""), ""),
        Value("long string", .string(String(repeating: "x", count: 300)), String(repeating: "x", count: 300)),
        Value("string beyond ASCII", .string("é 中 😀"), "é 中 😀"),
        Value("markup in a string", .string("<a> & \"b\""), "<a> & \"b\""),
        Value("zero", .integer(0), 0),
        Value("one byte", .integer(255), 255),
        Value("two bytes", .integer(65_535), 65_535),
        Value("four bytes", .integer(4_294_967_295), 4_294_967_295),
        Value("eight bytes", .integer(.max), Int64.max),
        Value("minus one", .integer(-1), -1),
        Value("smallest", .integer(.min), Int64.min),
        Value("unsigned", .unsigned(.max), UInt64.max),
        Value("real", .real(1.5), 1.5),
        Value("tiny real", .real(-1e-300), -1e-300),
        Value("infinity", .real(.infinity), Double.infinity),
        Value("true", .bool(true), true),
        Value("false", .bool(false), false),
        Value(
            "date", .date(Date(timeIntervalSinceReferenceDate: 123_456_789)),
            Date(timeIntervalSinceReferenceDate: 123_456_789)),
        Value(
            "date before the reference", .date(Date(timeIntervalSince1970: -86_400 * 365.0)),
            Date(timeIntervalSince1970: -86_400 * 365.0)),
        Value("leap day", .date(Date(timeIntervalSince1970: 951_782_400)), Date(timeIntervalSince1970: 951_782_400)),
        Value("data", .data(Data([0, 1, 254, 255])), Data([0, 1, 254, 255])),
        Value("no data", .data(Data()), Data()),
        Value("empty array", .array([]), [Any]()),
        Value("array", .array([.integer(1), .string("two"), .array([.bool(true)])]), [1, "two", [true]] as [Any]),
        Value("empty dictionary", .dictionary([:]), [String: Any]()),
        Value(
            "dictionary", .dictionary(["a": .integer(1), "b": .dictionary(["c": .real(0.5)])]),
            ["a": 1, "b": ["c": 0.5]] as [String: Any]),
    ]

    @Test(arguments: values)
    func binary(_ value: Value) throws {
        let data = try PropertyListSerialization.data(fromPropertyList: value.foundation(), format: .binary, options: 0)
        #expect(try serializer.serialize(ResponseBody(data), head) == value.expected)
    }

    @Test(arguments: values)
    func xml(_ value: Value) throws {
        let data = try PropertyListSerialization.data(fromPropertyList: value.foundation(), format: .xml, options: 0)
        #expect(try serializer.serialize(ResponseBody(data), head) == value.expected)
    }

    @Test("Written by hand: spaces, comments, CDATA, hexadecimal, encodings")
    func byHand() throws {
        let xml = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <!-- a comment --><plist version="1.0"><dict>
              <key>h</key><integer> 0xFF </integer><!-- in between -->
              <key>n</key><integer>-0x10</integer> <key>p</key><integer>+7</integer>
              <key>s</key><string>a<![CDATA[<b>]]>c</string>
              <key>d</key><data> AA
                EC </data>
              <key>t</key><true></true>
            </dict></plist>
            """
        let expected: PropertyList = .dictionary([
            "h": .integer(255), "n": .integer(-16), "p": .integer(7), "s": .string("a<b>c"),
            "d": .data(Data([0, 1, 2])),
            "t": .bool(true),
        ])
        #expect(try serializer.serialize(Sample.body(xml), head) == expected)
        let utf16 = xml.replacing("UTF-8", with: "UTF-16")
        #expect(try serializer.serialize(ResponseBody(Sample.utf16(utf16)), head) == expected)
        #expect(try serializer.serialize(Sample.body("<plist><string>x</string></plist>"), head) == .string("x"))
    }

    @Test func accessors() throws {
        let list: PropertyList = .dictionary([
            "i": .integer(3), "u": .unsigned(.max), "a": .array([.string("x")]), "r": .real(2.5), "b": .bool(true),
            "d": .data(Data([1])), "t": .date(Date(timeIntervalSinceReferenceDate: 0)),
        ])
        #expect(list["i"]?.int == 3)
        #expect(list["i"]?.double == 3)
        #expect(list["u"]?.int == nil)
        #expect(list["a"]?[0]?.string == "x")
        #expect(list["a"]?[1] == nil)
        #expect(list["a"]?[-1] == nil)
        #expect(list["r"]?.double == 2.5)
        #expect(list["b"]?.bool == true)
        #expect(list["d"]?.data == Data([1]))
        #expect(list["t"]?.date == Date(timeIntervalSinceReferenceDate: 0))
        #expect(list["missing"] == nil)
        #expect(list.string == nil && list[0] == nil && list["i"]?["x"] == nil)
    }

    struct Settings: Codable, Sendable, Equatable {
        var name: String
        var level: Int
        var ratio: Double?
        var on: Bool
        var since: Date
        var blob: Data
        var tags: [String]
        var nested: [String: [Int]]
    }

    @Test(
        "1.1.21, 1.2.11: any Decodable, from both formats",
        arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func decoding(_ format: PropertyListSerialization.PropertyListFormat) throws {
        let settings = Settings(
            name: "é", level: -3, ratio: nil, on: true, since: Date(timeIntervalSinceReferenceDate: 1_000),
            blob: Data([9]),
            tags: ["a", "b"], nested: ["x": [1, 2]])
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        let body = ResponseBody(try encoder.encode(settings))
        #expect(try serializer.decode(Settings.self, from: body, head) == settings)
        #expect(throws: DecodingError.self) { try serializer.decode([Int].self, from: body, head) }
    }

    @Test("Typed decoding from UTF-16, which Foundation's decoder does not take")
    func decodingUTF16() throws {
        let xml =
            "<?xml version='1.0' encoding='UTF-16'?><plist version='1.0'><array><string>é</string></array></plist>"
        let body = ResponseBody(Sample.utf16(xml, bigEndian: true))
        #expect(try serializer.decode([String].self, from: body, head) == ["é"])
    }

    @Test("both formats are read without a response, and what is wrong is a FormatFailure")
    func parsing() throws {
        let list = PropertyList.dictionary(["a": .array([.integer(1), .bool(true)])])
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let data = try PropertyListSerialization.data(
                fromPropertyList: ["a": [1, true]], format: format, options: 0)
            #expect(try PropertyList(parsing: data) == list)
        }
        let other = #expect(throws: FormatFailure.self) { try PropertyList(parsing: Data("{}".utf8)) }
        #expect(other?.format == "property-list" && other?.code == .wrongFormat)
        let broken = #expect(throws: FormatFailure.self) {
            try PropertyList(parsing: Data("<plist><array></plist>".utf8))
        }
        #expect(broken?.format == "xml" && broken?.line == 1)
    }

    /// A list with every kind of value.
    private static let every = PropertyList.dictionary([
        "text": .string("YWJj"), "integer": .integer(-1), "unsigned": .unsigned(.max), "real": .real(0.5),
        "bool": .bool(true), "date": .date(Date(timeIntervalSinceReferenceDate: 1_000)),
        "data": .data(Data([1, 2, 3])),
        "array": .array([.string("$null"), .array([]), .dictionary([:])]),
    ])

    private struct Holder: Codable, Equatable { var list: PropertyList }

    @Test(
        "a list goes through the coders of property lists as it is",
        arguments: [
            PropertyListSerialization.PropertyListFormat.xml, .binary,
        ])
    func coding(_ format: PropertyListSerialization.PropertyListFormat) throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        let data = try encoder.encode(Holder(list: Self.every))
        #expect(try PropertyListDecoder().decode(Holder.self, from: data) == Holder(list: Self.every))
        #expect(try serializer.decode(Holder.self, from: ResponseBody(data), head) == Holder(list: Self.every))
        #expect(try PropertyList(parsing: data)["list"] == Self.every)
    }

    @Test("a list in JSON has texts, numbers, booleans and null, and they are read as such")
    func codingAsJSON() throws {
        let json = try JSON(encoding: Self.every)
        #expect(json["data"] == "AQID" && json["date"] == 1_000 && json["array"] == [nil, [], [:]])
        var expected = try #require(Self.every.dictionary)
        expected["data"] = .string("AQID")
        expected["date"] = .integer(1_000)
        #expect(try json.decode(PropertyList.self) == .dictionary(expected))
        let data = try JSONEncoder().encode(Self.every)
        #expect(try JSONDecoder().decode(PropertyList.self, from: data) == .dictionary(expected))
    }
}
