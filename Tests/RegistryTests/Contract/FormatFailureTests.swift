import Foundation
import PatchbayJSON
import TestSupport
import Testing

@testable import PatchbayRegistry

/// The error for a serializer of one's own: the sentence that it shows, and what it keeps to itself.
@Suite struct FormatFailureTests {
    private struct Quoting: Error, CustomStringConvertible {
        var description: String { "bad: s3cret" }
    }

    static let sentences: [(FormatFailure, String)] = [
        (FormatFailure("csv", .malformed, "it is no row"), "csv: it is no row"),
        (FormatFailure("csv", .malformed, "it is no row", line: 3), "csv, line 3: it is no row"),
        (FormatFailure("csv", .malformed, "it is no row", line: 3, column: 7), "csv, line 3, column 7: it is no row"),
        (FormatFailure("form", .range, "it is 0", offset: 12), "form, byte 12: it is 0"),
        (FormatFailure("ndjson", .element, "it is none", element: 2), "ndjson, element 2: it is none"),
        (
            FormatFailure("a", .limit, "b", line: 1, column: 2, offset: 3, element: 4),
            "a, element 4, line 1, column 2, byte 3: b"
        ),
        (FormatFailure("csv", .malformed, "it is no row", cause: Quoting()), "csv: it is no row"),
        (FormatFailure("csv", .malformed, "one\nbad: s3cret"), "csv: one"),
        (FormatFailure("csv", .malformed, "one\r\nbad: s3cret"), "csv: one"),
        (FormatFailure("csv", .malformed, "one\rbad: s3cret"), "csv: one"),
        (FormatFailure("csv", .malformed, "one\u{2028}bad: s3cret"), "csv: one"),
        (FormatFailure("csv", .malformed, "one\u{85}bad: s3cret"), "csv: one"),
        (FormatFailure("csv\ns3cret", .malformed, "one"), "csv: one"),
        (FormatFailure("csv", .malformed, "a\u{1B}[31m\u{202E}b\tc"), "csv: a [31m b c"),
        (
            FormatFailure("csv", .malformed, String(repeating: "x", count: 200)),
            "csv: " + String(repeating: "x", count: 200)
        ),
        (
            FormatFailure("csv", .malformed, String(repeating: "x", count: 200) + "s3cret"),
            "csv: " + String(repeating: "x", count: 200) + "…"
        ),
        // A character of any number of scalars counts for as many.
        (
            FormatFailure("csv", .malformed, "e" + String(repeating: "\u{301}", count: 5_000)),
            "csv: e" + String(repeating: "\u{301}", count: 199) + "…"
        ),
        (
            FormatFailure(String(repeating: "f", count: 500), .malformed, "one"),
            String(repeating: "f", count: 40) + "…: one"
        ),
        (
            FormatFailure("csv", .malformed, "one", line: .max, column: .min),
            "csv, line \(Int.max), column \(Int.min): one"
        ),
    ]

    @Test("its sentence, however it is printed", arguments: sentences.indices)
    func sentence(_ index: Int) {
        let (failure, sentence) = Self.sentences[index]
        #expect(failure.description == sentence)
        #expect(failure.localizedDescription == sentence)
        #expect(String(reflecting: failure) == sentence)
        var dumped = ""
        dump(failure, to: &dumped)
        #expect(dumped == "- \(sentence)\n")
        #expect(Attempt(entry: "a", error: failure).description == "a: \(sentence)")
    }

    @Test("what it was made of is kept")
    func kept() {
        let failure = FormatFailure(
            "csv", .init(rawValue: "mine"), "one\ntwo", line: 1, column: 2, offset: 3, element: 4, cause: Quoting())
        #expect(failure.format == "csv")
        #expect(failure.code.rawValue == "mine")
        #expect(failure.reason == "one\ntwo")
        #expect([failure.line, failure.column, failure.offset, failure.element] == [1, 2, 3, 4])
        #expect(failure.cause is Quoting)
    }

    @Test("every code")
    func codes() throws {
        let codes: [FormatFailure.Code] = [
            .depth, .duplicateKey, .element, .empty, .encoding, .limit, .malformed, .range, .truncated, .unsupported,
            .wrongFormat,
        ]
        #expect(try DeclaredErrors.codes(of: "FormatFailure.Code") == Set(codes.map(\.rawValue)))
        for code in codes { #expect("\(code)" == code.rawValue) }
    }

    @Test("a factory that refuses its options by it: the whole reason is shown")
    func factory() throws {
        let reason = "the delimiter \"s3cret\" is not one character" + String(repeating: ", no", count: 100)
        var factories = SerializerFactories()
        try factories.register("csv") {
            throw FormatFailure("csv", .range, reason + "\nbut two")
        }
        let manifest = #"{ "manifestVersion": 1, "plugins": [{ "id": "a", "factory": "csv", "options": {} }] }"#
        let failure = try #require(throws: ManifestFailure.self) {
            try SerializerRegistry(sources: [.text(manifest, name: "m")], factories: factories)
        }
        #expect(failure.issues.map(\.message) == ["the factory \"csv\" refused the entry \"a\": \(reason) but two"])
        #expect(failure.issues.map(\.pointer) == ["/plugins/0/options"])
    }

    @Test("a factory that refuses its options by a DecodingError: its text, at its coding path")
    func decodingError() throws {
        struct Options: Decodable, Sendable {
            struct Quotes: Decodable, Sendable {
                enum CodingKeys: CodingKey { case open }
                var open: String
            }
            enum CodingKeys: CodingKey { case quotes }
            var quotes: Quotes
        }
        var factories = SerializerFactories()
        try factories.register("csv") { (options: Options) in
            guard options.quotes.open.count == 1 else {
                throw DecodingError.dataCorrupted(
                    .init(
                        codingPath: [Options.CodingKeys.quotes, Options.Quotes.CodingKeys.open],
                        debugDescription: "a quote is one character"))
            }
            return CountFixture()
        }
        func registry(_ quote: String) throws -> SerializerRegistry {
            let text = """
                { "manifestVersion": 1,
                  "plugins": [{ "id": "a", "factory": "csv", "options": { "quotes": {
                    "open": "\(quote)" } } }] }
                """
            return try SerializerRegistry(sources: [.text(text, name: "m")], factories: factories)
        }
        #expect(try registry("'").explain(contentType: "a/b").entry == "a")
        let failure = try #require(throws: ManifestFailure.self) { try registry("''") }
        #expect(
            failure.description
                == #"m:3: /plugins/0/options/quotes/open: the factory "csv" refused the entry "a": a quote is one character"#
        )
    }
}
