import Foundation
import Patchbay
import TestSupport
import Testing

/// The writing side of a table, as `explain --write` and `routes` show it.
@Suite(.timeLimit(.minutes(5))) struct WritingTests {
    static let manifest = """
        { "manifestVersion": 1, "inherit": false,
          "plugins": [
            { "id": "json", "factory": "json", "match": { "types": ["@json"] } },
            { "id": "lines", "factory": "ndjson", "match": { "types": ["application/x-ndjson"] } },
            { "id": "text", "factory": "text", "match": { "types": ["text/*"] } },
            { "id": "plist", "factory": "property-list", "match": { "types": ["application/x-apple-binary-plist"] }, "reads": false }
          ],
          "hosts": { "forms.example": {
            "policy": { "requestContentType": "application/x-www-form-urlencoded" },
            "plugins": [
              { "id": "form", "factory": "form", "match": { "types": ["application/x-www-form-urlencoded"] } } ] } } }
        """

    struct Row: Sendable, CustomTestStringConvertible {
        let words: [String]
        let output: [String]
        /// How standard error begins, and what else is in it; empty for none.
        var errors: [String] = []
        var code: Int32 = 0
        var testDescription: String { words.joined(separator: " ") }
    }

    static let rows = [
        Row(
            words: [],
            output: ["an empty object in application/json: entry json", "json: chosen: writes application/json"]),
        Row(
            words: ["--host", "forms.example", "--body", #"{ "a": 1, "b": "x y" }"#],
            output: [
                "the body in application/x-www-form-urlencoded: entry form",
                "form: chosen: writes application/x-www-form-urlencoded", "9 bytes:", "a=1&b=x+y",
            ]),
        Row(
            words: ["--host", "forms.example", "--content-type", "application/json", "--body", "[1]"],
            output: [
                "the body in application/json: entry json",
                "form: declined: application/json is outside application/x-www-form-urlencoded",
                "json: chosen: writes application/json", "3 bytes:", "[1]",
            ]),
        Row(
            words: ["--content-type", "application/x-ndjson", "--elements", "--body", "[1,{}]"],
            output: [
                "the elements of the body in application/x-ndjson: entry lines",
                "json: declined: application/x-ndjson is outside @json", "lines: chosen: writes application/x-ndjson",
                "5 bytes:", "1", "{}",
            ]),
        Row(
            words: ["--elements"],
            output: [
                "elements in application/json: error",
                "json: declined: it writes whole values, not elements one by one",
                "lines: declined: application/json is outside application/x-ndjson",
                "text: declined: application/json is outside text/*",
                "plist: declined: application/json is outside application/x-apple-binary-plist", "error: noWriter",
            ], errors: ["patchbay: no entry writes elements of the type JSON as application/json; "], code: 6),
        Row(
            words: ["--content-type", "text/plain"],
            output: [
                "an empty object in text/plain: error", "json: declined: text/plain is outside @json",
                "lines: declined: text/plain is outside application/x-ndjson",
                "text: declined: it only reads responses",
                "plist: declined: text/plain is outside application/x-apple-binary-plist", "error: noWriter",
            ], errors: ["patchbay: no entry writes JSON as text/plain; "], code: 6),
        Row(
            words: ["--host", "forms.example", "--body", "[1]"],
            output: [
                "the body in application/x-www-form-urlencoded: error",
                "form: failed: form: a form needs an object with named members",
            ],
            errors: [
                "patchbay: the entry form could not write application/x-www-form-urlencoded: ",
                "a form needs an object with named members",
            ], code: 6),
    ]

    @Test(arguments: rows) func `explain --write says which entry writes, why, and what`(_ row: Row) async throws {
        let folder = TemporaryFolder()
        try folder.write(Self.manifest, to: "Plugins.json")
        let run = try await Binary.run(["explain", "--write"] + row.words, in: folder.path)
        // The keys of the chosen entry are for `SaidKeyTests`.
        let lines = run.output.split(separator: "\n").filter { !$0.hasPrefix("  ") }
        #expect(lines.map(String.init) == row.output)
        #expect(run.code == row.code)
        #expect(run.errors.isEmpty == row.errors.isEmpty)
        if let start = row.errors.first { #expect(run.errors.hasPrefix(start), "\(run.errors)") }
        for words in row.errors { #expect(run.errors.contains(words), "\(run.errors)") }
    }

    @Test func `explain --write writes the body as it is, whatever keys and dates of json say`() async throws {
        let folder = TemporaryFolder()
        try folder.write(
            """
            { "manifestVersion": 1, "plugins": [
              { "id": "json", "options": { "keys": "snakeCase", "dates": "iso8601", "sortedKeys": true } } ] }
            """, to: "Plugins.json")
        let run = try await Binary.run(
            ["explain", "--write", "--body", #"{"userName":"ada","at":0}"#], in: folder.path)
        #expect(run.output.hasSuffix("\n25 bytes:\n{\"at\":0,\"userName\":\"ada\"}\n"), "\(run.output)")
        let help = try await Binary.run(["explain", "--help"]).output
        let words = help.split { " \n".contains($0) }.joined(separator: " ")
        #expect(words.contains("without the options keys and dates of json"))
    }

    @Test func `explain --write prints one JSON document`() async throws {
        let folder = TemporaryFolder()
        try folder.write(Self.manifest, to: "Plugins.json")
        func document(_ words: String...) async throws -> JSON {
            try JSON(
                parsing: await Binary.run(["explain", "--write", "--format", "json"] + words, in: folder.path).output)
        }
        let written = try await document("--body", #"{"a":"\u0007"}"#)
        #expect(written["entry"] == "json")
        #expect(written["outcome"] == "entry")
        #expect(written["status"] == .null)
        #expect(written["contentType"]?["essence"] == "application/json")
        #expect(written["asked"] == "the body")
        #expect(written["body"]?.string == #"{"a":"\u0007"}"#)
        #expect(written["tried"]?[0]?["verdict"] == "chosen")
        #expect(written["error"] == .null)
        let binary = try await document("--content-type", "application/x-apple-binary-plist", "--body", "{}")
        #expect(binary["body"]?["base64"]?.string?.hasPrefix("YnBsaXN0") == true)
        let asked = try await document()
        #expect(asked["asked"] == "an empty object")
        #expect(asked["body"] == .null)
        let nobody = try await document("--content-type", "text/plain")
        #expect(nobody["entry"] == .null)
        #expect(nobody["outcome"] == "error")
        #expect(nobody["error"]?["code"] == "noWriter")
        let failed = try await document("--host", "forms.example", "--body", "[1]")
        #expect(failed["entry"] == "form")
        #expect(failed["error"]?["code"] == "writing")
        #expect(failed["error"]?["attempts"]?.count == 1)
    }

    @Test func `bytes that are not text are printed in base64`() async throws {
        let folder = TemporaryFolder()
        try folder.write(Self.manifest, to: "Plugins.json")
        let run = try await Binary.run(
            ["explain", "--write", "--content-type", "application/x-apple-binary-plist", "--body", "{}"],
            in: folder.path)
        #expect(run.code == 0)
        #expect(run.output.contains(" bytes in base64:\nYnBsaXN0"))
    }

    @Test func `routes say what each entry writes`() async throws {
        let folder = TemporaryFolder()
        try folder.write(Self.manifest, to: "Plugins.json")
        let text = try await Binary.run(["routes"], in: folder.path).output
        let rows = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(
            rows.first == ["ENTRY", "FACTORY", "TYPES", "STATUS", "MAKES", "WRITES", "LIMIT", "ON", "FAILURE", "FROM"])
        #expect(
            rows.dropFirst().map { $0[4...5].joined(separator: " ") } == [
                "JSON values", "[JSON] elements", "String -", "- values",
            ])
        let routes = try JSON(parsing: await Binary.run(["routes", "--format", "json"], in: folder.path).output)[
            "routes"]
        #expect(routes?.array?.map { $0["writes"] } == ["values", "elements", .null, "values"])
        #expect(routes?.array?.map { $0["output"] } == ["JSON", "[JSON]", "String", .null])
        let page = try await Binary.run(["routes", "--html", "-"], in: folder.path).output
        #expect(page.contains("<th scope=\"col\">Writes</th>"))
        #expect(page.contains("<td>-</td><td>values</td>"))
    }

    @Test func `get says that no entry writes a form`() async throws {
        let folder = TemporaryFolder()
        try folder.write(Self.manifest, to: "Plugins.json")
        // Nothing is sent, so that nobody needs to listen.
        let run = try await Binary.run(
            ["get", "http://127.0.0.1:9/", "--form", "a=1", "--format", "json"], in: folder.path)
        #expect(run.code == 6)
        let document = try JSON(parsing: run.output)
        #expect(document["error"]?["code"] == "noWriter")
        #expect(document["tried"]?.array?.map { $0["entry"] } == ["json", "lines", "text", "plist"])
        #expect(run.errors.hasPrefix("patchbay: POST 127.0.0.1:9: the request was not sent: no entry writes "))
    }
}
