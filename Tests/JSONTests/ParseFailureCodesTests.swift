import PatchbayJSON
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Every reason for refusing a document has a row with its exact sentence, in the tables or here.
@Suite struct ParseFailureCodesTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let reason: JSON.ParseFailure.Reason
        let text: String
        var options = JSON.ParseOptions()
        let sentence: String
        var testDescription: String { reason.rawValue }
    }

    static let rows = [
        Row(
            reason: .depth, text: " [[[1]]]", options: JSON.ParseOptions(maximumDepth: 2),
            sentence: "line 1, column 4: more than 2 containers are open here"),
        Row(
            reason: .fragment, text: "\n 1", options: JSON.ParseOptions(allowsFragments: false),
            sentence: "line 2, column 2: expected an object or an array"),
        Row(
            reason: .duplicateKey, text: #"{"a":1,"a":2}"#, options: JSON.ParseOptions(refusesDuplicateKeys: true),
            sentence: #"line 1, column 8: the key "a" appears twice in one object"#),
    ]

    @Test("what only options or limits refuse", arguments: rows)
    func sentence(_ row: Row) {
        let failure = #expect(throws: JSON.ParseFailure.self) { try JSON(document: row.text, options: row.options) }
        #expect(failure?.reason == row.reason)
        #expect(failure?.description == row.sentence)
    }

    /// Address space without memory behind it: no byte after the first page is ever looked at.
    @Test("size: a text beyond 2 GiB")
    func size() throws {
        let count = 1 << 31
        let pages = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        let base = try #require(pages)
        defer { munmap(base, count) }
        base.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: " "), count: 8)
        let failure = #expect(throws: JSON.ParseFailure.self) {
            try JSON(document: UnsafeRawBufferPointer(start: base, count: count))
        }
        #expect(failure?.reason == .size)
        #expect(failure?.description == "line 1, column 1: the text is larger than 2 GiB")
    }

    static let codes: [(text: String, options: JSON.ParseOptions, code: FormatFailure.Code)] = [
        ("", .init(), .empty), ("\u{0}[", .init(), .encoding), ("[", .init(), .truncated), ("[1e999]", .init(), .range),
        ("[x]", .init(), .malformed), (" [[[1]]]", .init(maximumDepth: 2), .depth),
        ("1", .init(allowsFragments: false), .unsupported),
        (#"{"a":1,"a":2}"#, .init(refusesDuplicateKeys: true), .duplicateKey),
        ("[1,2,3]", .init(maximumSize: 24), .limit),
    ]

    @Test("callers are thrown a FormatFailure, with the same sentence and place", arguments: codes.indices)
    func published(_ index: Int) throws {
        let (text, options, code) = Self.codes[index]
        let inner = try #require(throws: JSON.ParseFailure.self) { try JSON(document: text, options: options) }
        let failure = try #require(throws: FormatFailure.self) { try JSON(parsing: text, options: options) }
        #expect(failure.code == code)
        #expect(failure.format == "json")
        #expect(failure.reason == inner.message)
        #expect(failure.description == inner.description)
        #expect([failure.line, failure.column, failure.offset] == [inner.line, inner.column, inner.offset])
        let bytes = try #require(throws: FormatFailure.self) { try JSON(parsing: Array(text.utf8), options: options) }
        #expect(bytes.description == failure.description)
    }

    @Test("no reason is without a row")
    func complete() throws {
        let tables = [
            RefusedTextTests.structure, RefusedTextTests.numbers, RefusedTextTests.strings, RefusedTextTests.encodings,
        ]
        let reasons = tables.flatMap { $0.map(\.reason) } + Self.rows.map(\.reason) + [.size]
        #expect(try DeclaredErrors.codes(of: "JSON.ParseFailure.Reason") == Set(reasons.map(\.rawValue)))
    }
}
