import Foundation
import PatchbayJSON
import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// JSON, lines of JSON and JSON text sequences that are written, held against Foundation and read back.
@Suite struct JSONWritingTests {
    struct User: Codable, Equatable, Sendable {
        var fullName = "Ada \"L\" é\n"
        var born: Date? = Date(timeIntervalSince1970: 1)
        var key = Data([1, 2])
        var size = 1.5
        var tags: [String?] = ["x", nil]
        var note: String?
    }

    /// Writes itself by a coding key, and then throws.
    struct Halting: Encodable, Sendable {
        enum Halt: Error { case halt }
        enum Key: CodingKey { case a }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(1, forKey: .a)
            throw Halt.halt
        }
    }

    /// An array in an array, so many times.
    struct Deep: Encodable, Sendable {
        let depth: Int

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            if depth > 0 { try container.encode(Deep(depth: depth - 1)) }
        }
    }

    private func serializer(_ options: String) throws -> JSONSerializer {
        try JSON(parsing: options).decode(JSONOptions.self).serializer
    }

    private func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }

    static let values: [any Encodable & Sendable] = [
        User(), [User(), User(note: "n")], ["a": 1], [1, 2], 1, 1.5, true, "a/b", [Int](), [Int?.none],
        Optional(1), Int64.min, UInt64.max, URL(string: "http://a.test/b"), Decimal(string: "1.25"),
    ]

    @Test("the default is the JSON that JSONEncoder writes", arguments: values.indices)
    func foundation(_ index: Int) throws {
        let value = Self.values[index]
        #expect(
            try JSON(parsing: JSONSerializer().write(value, as: .json)) == JSON(parsing: JSONEncoder().encode(value)))
    }

    static let options: [(options: String, value: any Encodable & Sendable, text: String)] = [
        ("{}", ["b": 1, "a": 2] as JSON, #"{"b":1,"a":2}"#),
        (#"{"sortedKeys": true}"#, ["b": 1, "a": ["d": 1, "c": 2]] as JSON, #"{"a":{"c":2,"d":1},"b":1}"#),
        (#"{"pretty": true}"#, ["b": [1], "a": [:]] as JSON, "{\n  \"b\": [\n    1\n  ],\n  \"a\": {}\n}"),
        (#"{"pretty": true, "sortedKeys": true}"#, ["b": 1, "a": 2] as JSON, "{\n  \"a\": 2,\n  \"b\": 1\n}"),
        (#"{"keys": "snakeCase"}"#, ["fullName": Halves(halfSize: 1)], #"{"fullName":{"half_size":1.0}}"#),
        (#"{"dates": "iso8601"}"#, [Date(timeIntervalSince1970: 0)], #"["1970-01-01T00:00:00Z"]"#),
        (#"{"dates": "secondsSince1970"}"#, [Date(timeIntervalSince1970: 2)], "[2.0]"),
        (#"{"dates": "millisecondsSince1970"}"#, [Date(timeIntervalSince1970: 2)], "[2000.0]"),
        (#"{"data": "deferred"}"#, [Data([1, 2])], "[[1,2]]"),
        (
            #"{"nonConformingFloats": {"positiveInfinity": "INF", "negativeInfinity": "-INF", "nan": "NaN"}}"#,
            [Double.infinity, -.infinity, .nan], #"["INF","-INF","NaN"]"#
        ),
        // Options that say what is read say nothing of what is written.
        (
            #"{"fragments": false, "removeNulls": "keysAndElements", "duplicateKeys": "error"}"#, Int?.none, "null"
        ),
    ]

    struct Halves: Encodable, Sendable { var halfSize: Double }

    @Test("the options of the entry count for what it writes", arguments: options.indices)
    func option(_ index: Int) throws {
        let row = Self.options[index]
        #expect(text(try serializer(row.options).write(row.value, as: .json)) == row.text)
    }

    @Test("what is written is read back by the same options", arguments: ["asIs", "snakeCase"])
    func roundTrip(_ keys: String) throws {
        let serializer = try serializer(#"{"keys": "\#(keys)", "dates": "iso8601", "pretty": true}"#)
        let written = try serializer.write([User(), User(note: "n")], as: .json)
        let read = try serializer.decode([User].self, from: ResponseBody(written), Sample.head("application/json"))
        #expect(read == [User(), User(note: "n")])
    }

    @Test("JSON is UTF-8, and a type that says another charset is refused")
    func charset() throws {
        #expect(text(try JSONSerializer().write(["é"], as: "application/json; charset=UTF8")) == #"["é"]"#)
        #expect(throws: FormatFailure.self) {
            try JSONSerializer().write(["é"], as: "application/json; charset=utf-16")
        }
        let failure = #expect(throws: FormatFailure.self) {
            try NDJSONSerializer().writeElement("é", at: 0, as: "application/x-ndjson; charset=latin1")
        }
        #expect(failure?.reason == #"it is always written in UTF-8, not in "latin1""#)
        #expect(throws: FormatFailure.self) {
            try JSONSequenceSerializer().writeElement("é", at: 0, as: "application/json-seq; charset=koi8-r")
        }
    }

    @Test("coders of Foundation write what they write, and a JSON stays as it is")
    func coders() throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let value = ["a": Halves(halfSize: 1)]
        let foundation = JSONSerializer(decoder: JSONDecoder(), encoder: encoder)
        #expect(text(try foundation.write(value, as: .json)) == text(try encoder.encode(value)))
        let number = try JSON(parsing: "[0.10000000000000000001]")
        #expect(text(try foundation.write(number, as: .json)) == "[0.10000000000000000001]")
        let alone = JSONSerializer(decoder: JSONDecoder())
        #expect(try alone.write(User(), as: .json) == JSONSerializer().write(User(), as: .json))
    }

    @Test("a value that JSON cannot hold is an error with the path to it")
    func unwritable() throws {
        let error = try #require(throws: EncodingError.self) {
            try JSONSerializer().write(["a": [1, Double.nan]], as: .json)
        }
        #expect(FailureReason(error).description == "a value of the type Double cannot be written at /a/1")
        #expect(throws: Halting.Halt.halt) { try JSONSerializer().write([Halting()], as: .json) }
        #expect(throws: EncodingError.self) { try JSONSerializer().write(Deep(depth: 600), as: .json) }
        #expect(try JSONSerializer().write(Deep(depth: 500), as: .json).count == 1002)
    }

    @Test("the options of how JSON is written are those of the entry json alone", arguments: ["pretty", "sortedKeys"])
    func otherFactories(_ key: String) throws {
        let options = JSON.object([(key, true)])
        #expect(throws: Never.self) { try options.decodeRefusingUnknownKeys(JSONOptions.self) }
        #expect(throws: (any Error).self) { try options.decodeRefusingUnknownKeys(JSONDocumentOptions.self) }
        #expect(throws: (any Error).self) {
            try options.decodeRefusingUnknownKeys(JSONElementOptions<NDJSONOptions>.self)
        }
        #expect(throws: (any Error).self) {
            try options.decodeRefusingUnknownKeys(JSONElementOptions<JSONSequenceOptions>.self)
        }
    }

    // MARK: Lines and texts

    /// RFC 7464, section 2.2: each text stands between a record separator and an LF.
    @Test("each element is a line of its own, or a text between a record separator and an LF")
    func elements() throws {
        let values: JSON = [["a": "x\ny"], [1, 2], "\u{1E}", nil]
        let lines = try NDJSONSerializer().write(values, as: .ndjson)
        #expect(text(lines) == "{\"a\":\"x\\ny\"}\n[1,2]\n\"\\u001e\"\nnull\n")
        #expect(
            try NDJSONSerializer().serialize(ResponseBody(lines), Sample.head("application/x-ndjson"))
                == values.array)
        let texts = try JSONSequenceSerializer().write(values, as: "application/json-seq")
        #expect(
            text(texts) == "\u{1E}{\"a\":\"x\\ny\"}\n\u{1E}[1,2]\n\u{1E}\"\\u001e\"\n\u{1E}null\n")
        #expect(
            try JSONSequenceSerializer().serialize(ResponseBody(texts), Sample.head("application/json-seq"))
                == values.array)
    }

    @Test("whole values and single elements have the same frames", arguments: [true, false])
    func frames(_ isSequence: Bool) throws {
        let serializer: any ElementWritingSerializer = isSequence ? JSONSequenceSerializer() : NDJSONSerializer()
        let users = [User(), User(note: "n")]
        let single = try users.enumerated().map { try serializer.writeElement($1, at: $0, as: .ndjson) }
        #expect(try serializer.write(users, as: .ndjson) == single[0] + single[1])
        #expect(try serializer.write([User](), as: .ndjson).isEmpty)
        #expect(serializer.declineReason(writing: User(), as: .ndjson) != nil)
        #expect(throws: Halting.Halt.halt) { try serializer.write([Halting()], as: .ndjson) }
        #expect(throws: EncodingError.self) { try serializer.write([1, Double.nan], as: .ndjson) }
    }

    @Test("lines and texts have the options of their own entries")
    func ownOptions() throws {
        let options: JSON = ["keys": "snakeCase", "dates": "iso8601", "data": "deferred"]
        let lines = try options.decode(JSONElementOptions<NDJSONOptions>.self)
        let texts = try options.decode(JSONElementOptions<JSONSequenceOptions>.self)
        let writers: [any ElementWritingSerializer] = [
            try lines.format.serializer(lines.values.serializer),
            try texts.format.serializer(texts.values.serializer),
        ]
        for (writer, mark) in zip(writers, ["", "\u{1E}"]) {
            let line = try writer.write([User(tags: [])], as: .ndjson)
            let name = #""full_name":"Ada \"L\" é\n""#
            #expect(
                text(line)
                    == mark + "{\(name),\"born\":\"1970-01-01T00:00:01Z\",\"key\":[1,2],\"size\":1.5,\"tags\":[]}\n")
        }
    }
}
