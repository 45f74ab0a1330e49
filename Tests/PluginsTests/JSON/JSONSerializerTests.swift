import Foundation
import PatchbayJSON
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayPlugins

/// JSON by its options. The grammar itself is PatchbayJSON's tests.
@Suite struct JSONSerializerTests {
    private let head = Sample.head("application/json")

    private func serializer(_ options: String) throws -> JSONSerializer {
        try JSON(parsing: options).decode(JSONOptions.self).serializer
    }

    @Test(
        "1.1.16, 1.1.18, 1.2.10: values by option",
        arguments: [
            ("{}", #"{"a":[1,null],"b":null}"#, #"{"a":[1,null],"b":null}"#),
            (#"{"removeNulls":"none"}"#, #"{"a":[1,null],"b":null}"#, #"{"a":[1,null],"b":null}"#),
            (#"{"removeNulls":"keys"}"#, #"{"a":[1,null],"b":null}"#, #"{"a":[1,null]}"#),
            (#"{"removeNulls":"keysAndElements"}"#, #"{"a":[1,null],"b":null}"#, #"{"a":[1]}"#),
            (#"{"removeNulls":"keysAndElements"}"#, "null", "null"),
            ("{}", #"{"a":1,"a":2}"#, #"{"a":2}"#),
            ("{}", "\u{FEFF}[1]", "[1]"),
            ("{}", " ", "null"),
            ("{}", "3", "3"),
        ])
    func values(_ options: String, _ body: String, _ expected: String) throws {
        #expect(try serializer(options).serialize(Sample.body(body), head) == JSON(parsing: expected))
    }

    @Test(
        "1.1.14, 1.2.10: refusals by option",
        arguments: [
            ("{}", "", FormatFailure.Code.empty, "the text is empty"),
            ("{}", "  ", .truncated, "expected a value before the end of the text"),
            ("{}", "[1,]", .malformed, "expected a value"),
            ("{}", "\u{FEFF}\u{FEFF}[1]", .malformed, "expected a value"),
            (
                #"{"singleSpaceIsEmpty":false}"#, " ", .truncated, "expected a value before the end of the text"
            ),
            (#"{"fragments":false}"#, "3", .unsupported, "expected an object or an array"),
            (
                #"{"duplicateKeys":"error"}"#, #"{"a":1,"a":2}"#, .duplicateKey,
                #"the key "a" appears twice in one object"#
            ),
        ])
    func refusals(_ options: String, _ body: String, _ code: FormatFailure.Code, _ reason: String) throws {
        let serializer = try serializer(options)
        let failure = try #require(throws: FormatFailure.self) { try serializer.serialize(Sample.body(body), head) }
        #expect(failure.code == code)
        #expect(failure.reason == reason)
        let other = #expect(throws: FormatFailure.self) {
            try serializer.decode([String: Int].self, from: Sample.body(body), head)
        }
        #expect(other?.description == failure.description)
    }

    private struct User: Decodable, Equatable, Sendable {
        var firstName: String
        var born: Date
        var key: Data
        var score: Double
    }

    @Test("1.2.11: a type by the strategies of the entry's options, and an error without them")
    func decoding() throws {
        let body = Sample.body(
            #"{"first_name":"Ada","born":"2001-01-01T00:00:10Z","key":[1,2],"score":"inf","more":null}"#)
        let serializer = try serializer(
            """
            {"keys": "snakeCase", "dates": "iso8601", "data": "deferred",
             "nonConformingFloats": {"positiveInfinity": "inf", "negativeInfinity": "-inf", "nan": "nan"}}
            """)
        let expected = User(
            firstName: "Ada", born: Date(timeIntervalSinceReferenceDate: 10), key: Data([1, 2]), score: .infinity)
        #expect(try serializer.decode(User.self, from: body, head) == expected)
        #expect(throws: DecodingError.self) { try JSONSerializer().decode(User.self, from: body, head) }
    }

    @Test("1.2.11: a decoder of Foundation, configured in code, decodes types; the rules of parsing stay")
    func foundationDecoder() throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .custom { decoder in
            Date(timeIntervalSinceReferenceDate: try decoder.singleValueContainer().decode(Double.self) * 60)
        }
        var serializer = JSONSerializer(decoder: decoder)
        serializer.removeNulls = .keysAndElements
        struct Visit: Decodable, Equatable, Sendable {
            var atMinute: Date
            var tags: [String]
        }
        let body = Sample.body(#"{"at_minute":2,"tags":[null,"a"]}"#)
        #expect(
            try serializer.decode(Visit.self, from: body, head)
                == Visit(atMinute: Date(timeIntervalSinceReferenceDate: 120), tags: ["a"]))
        #expect(throws: FormatFailure.self) { try serializer.decode(Visit.self, from: Sample.body("{"), head) }
    }

    @Test("1.1.16: a single space is the empty value of a type that has one, and an error for one that has not")
    func singleSpace() throws {
        let serializer = JSONSerializer()
        let body = Sample.body(" ")
        #expect(try serializer.decode(Int?.self, from: body, head) == nil)
        #expect(try serializer.decode(Nothing.self, from: body, head) == Nothing())
        #expect(try serializer.decode(JSON.self, from: body, head) == .null)
        #expect(throws: DecodingError.self) { try serializer.decode([Int].self, from: body, head) }
    }
}
