import Foundation
import Patchbay
import TestSupport
import Testing

/// What the files of a command line lie over, and what is said of it.
@Suite(.timeLimit(.minutes(5))) struct LayerCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = TemporaryFolder()
        for (name, text) in Self.files { try folder.write(text, to: name) }
    }

    private static let files = [
        "over.json":
            #"{ "manifestVersion": 1, "plugins": [{ "id": "over", "factory": "text", "match": { "types": ["a/b"] } }] }"#,
        "more.json":
            #"{ "manifestVersion": 1, "plugins": [{ "id": "more", "factory": "text", "match": { "types": ["a/c"] } }] }"#,
        "whole.json":
            #"{ "manifestVersion": 1, "inherit": false, "plugins": [{ "id": "whole", "factory": "json", "match": { "types": ["@json"] } }] }"#,
        "reordered.json": #"{ "manifestVersion": 1, "plugins": [{ "id": "text" }, { "id": "json" }] }"#,
        "ordered.json": #"{ "manifestVersion": 1, "order": ["text", "json"] }"#,
        "greedy.json":
            #"{ "manifestVersion": 1, "plugins": [{ "id": "t", "factory": "text", "match": { "types": ["@json"] } }] }"#,
        "meant.json":
            #"{ "manifestVersion": 1, "plugins": [{ "id": "t", "factory": "text", "match": { "types": ["@json"] }, "hides": ["json", "problem"] }] }"#,
        "unwrapping.json": #"{ "manifestVersion": 1, "plugins": [{ "id": "xssi", "enabled": true }] }"#,
        "parser.json": #"{ "manifestVersion": 1, "order": ["xml-parser", "xml"] }"#,
        "wrong.json": #"{ "manifestVersion": 1, "order": ["txet", "json"] }"#,
        "unknown.json": #"{ "manifestVersion": 1, "plugins": [{ "id": "a", "factory": "jsno" }] }"#,
    ]

    private static let standard =
        "xssi problem json property-list xml xml-parser form image javascript-json text"
        + " ndjson json-seq server-sent-events csv-rows multipart-parts"

    struct Table: Sendable, CustomTestStringConvertible {
        let words: [String]
        /// What stands in the folder as `Plugins.json`.
        var usual: String?
        let ids: String
        var testDescription: String { words.joined(separator: " ") + (usual.map { " beside \($0)" } ?? "") }

        init(_ words: String..., beside usual: String? = nil, gives ids: String) {
            self.words = words
            self.usual = usual
            self.ids = ids
        }
    }

    static let tables = [
        Table(gives: standard),
        Table("--manifest", "over.json", gives: "over \(standard)"),
        Table("--manifest", "over.json", "--manifest", "more.json", gives: "more over \(standard)"),
        Table("--manifest", "whole.json", gives: "whole"),
        Table("--manifest", "whole.json", "--manifest", "over.json", gives: "over whole"),
        Table("--manifest", "over.json", "--manifest", "whole.json", gives: "whole"),
        Table(beside: "over.json", gives: "over \(standard)"),
        Table(beside: "whole.json", gives: "whole"),
        Table("--manifest", "more.json", beside: "over.json", gives: "more \(standard)"),
        Table("--bare", gives: ""),
        Table("--bare", beside: "over.json", gives: "over"),
        Table("--bare", "--manifest", "over.json", "--manifest", "more.json", gives: "more over"),
        Table(
            "--manifest", "ordered.json",
            gives: standard.split(separator: " ").map { $0 == "json" ? "text" : $0 == "text" ? "json" : $0 }.joined(
                separator: " ")),
    ]

    @Test("files lie over the built-in table, unless they are the whole table or it is left out", arguments: tables)
    func table(_ test: Table) async throws {
        if let usual = test.usual { try folder.write(Self.files[usual] ?? "", to: "Plugins.json") }
        let run = try await Binary.run(["routes", "--format", "json"] + test.words, in: folder.path)
        #expect(run.errors == "")
        let routes = try JSON(parsing: run.output)["routes"]?.array
        #expect(routes?.compactMap { $0["entry"]?.string }.joined(separator: " ") == test.ids)
        // What `manifest` prints is a file that gives the same.
        let printed = try await Binary.run(["manifest"] + test.words, in: folder.path)
        #expect(printed.code == 0)
        try folder.write(printed.output, to: "printed.json")
        for words in [[], ["--bare"]] {
            let again = try await Binary.run(
                ["routes", "--format", "json", "--manifest", "printed.json"] + words, in: folder.path)
            #expect(try JSON(parsing: again.output)["digest"] == JSON(parsing: run.output)["digest"])
        }
    }

    @Test("the built-in manifest is printed as it is")
    func builtIn() async throws {
        let run = try await Binary.run(["manifest"])
        #expect(try JSON(parsing: run.output) == SerializerRegistry.standard.effectiveManifest)
    }

    struct Check: Sendable, CustomTestStringConvertible {
        let words: [String]
        let code: Int32
        /// Standard output, with `DIGEST` for sixteen digits, and standard error.
        let output: String
        var errors = ""
        var testDescription: String { words.joined(separator: " ") }

        init(_ words: String..., code: Int32 = 0, prints output: String = "", says errors: String = "") {
            self.words = words
            self.code = code
            self.output = output
            self.errors = errors
        }
    }

    private static let reordered =
        #"reordered.json:1: /plugins: the list names text, json in this order, and they stay in the order json, text; list them in the order of the table to end the warning; "order" changes that order, "place" moves one, and "inherit": false at the top level makes the manifest the whole table"#

    private static let greedy = """
        the built-in table + greedy.json: 16 entries, 0 host sections, no errors; digest DIGEST
        warning: greedy.json:1: /plugins/0: the entry "t" takes responses from "problem" (application/problem+json, 404, any host: was problem, now t); if that is meant, "hides": ["problem"] says so
        warning: greedy.json:1: /plugins/0: the entry "t" takes responses from "json" (application/json, 200, any host: was json, now t); if that is meant, "hides": ["json"] says so

        """

    static let checks = [
        Check(prints: "the built-in table: 15 entries, 0 host sections, no errors; digest DIGEST\n"),
        Check("--bare", prints: "nothing: 0 entries, 0 host sections, no errors; digest DIGEST\nUNUSED"),
        Check(
            "over.json", "more.json",
            prints:
                "the built-in table + over.json + more.json: 17 entries, 0 host sections, no errors; digest DIGEST\n"),
        Check(
            "over.json", "--strict",
            prints: "the built-in table + over.json: 16 entries, 0 host sections, no errors; digest DIGEST\n"),
        Check("--bare", "over.json", prints: "over.json: 1 entry, 0 host sections, no errors; digest DIGEST\nUNUSED"),
        Check("whole.json", prints: "whole.json: 1 entry, 0 host sections, no errors; digest DIGEST\nUNUSED"),
        Check(
            "reordered.json",
            prints:
                "the built-in table + reordered.json: 15 entries, 0 host sections, no errors; digest DIGEST\nwarning: \(reordered)\n"
        ),
        Check("greedy.json", prints: greedy),
        Check("greedy.json", "--strict", code: 3, prints: greedy),
        Check(
            "meant.json", "--strict",
            prints: "the built-in table + meant.json: 16 entries, 0 host sections, no errors; digest DIGEST\n"),
        Check(
            "unwrapping.json", "parser.json", "--strict",
            prints:
                "the built-in table + unwrapping.json + parser.json: 15 entries, 0 host sections, no errors; digest DIGEST\n"
        ),
        Check(
            "wrong.json", code: 3,
            says: #"wrong.json:1: /order/0: there is no entry "txet" in this list; did you mean "text"?"# + "\n"),
        Check(
            "wrong.json", "unknown.json", code: 3,
            says: """
                wrong.json:1: /order/0: there is no entry "txet" in this list; did you mean "text"?
                unknown.json:1: /plugins/0/factory: the factory "jsno" of the entry "a" is not registered; did you mean "json"?

                """),
    ]

    @Test("check says what it lies over, what is wrong and what may not be meant", arguments: checks)
    func check(_ test: Check) async throws {
        let run = try await Binary.run(["check"] + test.words, in: folder.path)
        #expect(run.code == test.code)
        #expect(run.errors == test.errors)
        var lines = run.output.replacing(/digest [0-9a-f]{16}/, with: "digest DIGEST")
        // Notes about Accept and factories of the build, and images where they are not in it, are not what this is about.
        let notes = lines.split(separator: "\n").filter { $0.hasPrefix("note: ") }
        #expect(
            notes.isEmpty || test.output.hasSuffix("UNUSED")
                || notes.allSatisfy { note in ["image", "is hidden by", ": Accept, "].contains { note.contains($0) } })
        for note in notes { lines = lines.replacing(note + "\n", with: "") }
        #expect(lines == test.output.replacing("UNUSED", with: ""))
    }

    @Test("check --format json has warnings apart from notes, with file, pointer and line")
    func document() async throws {
        let run = try await Binary.run(["check", "greedy.json", "--format", "json"], in: folder.path)
        let document = try JSON(parsing: run.output)
        #expect(document["manifests"] == ["the built-in table", "greedy.json"])
        let warnings = try #require(document["warnings"]?.array)
        #expect(warnings.map { $0["code"] } == ["takenResponse", "takenResponse"])
        #expect(warnings.allSatisfy { $0["file"] == "greedy.json" && $0["pointer"] == "/plugins/0" && $0["line"] == 1 })
    }

    @Test("every other command says on standard error that an order has no effect")
    func ineffectiveOrder() async throws {
        let run = try await Binary.run(
            ["explain", "--content-type", "application/json", "--manifest", "reordered.json"], in: folder.path)
        #expect(run.errors == "warning: \(Self.reordered)\n")
        #expect(run.code == 0)
        #expect(run.output.hasPrefix("application/json with status 200: entry json\n"))
    }
}
