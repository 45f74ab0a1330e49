import Foundation
import Patchbay
import TestSupport
import Testing

/// The tables of `diff`, from layers, standard input and pipes, and the groups that it prints.
@Suite(.timeLimit(.minutes(5))) struct DiffTablesTests {
    /// The lines of edits: those without indentation.
    private static func edits(_ run: Binary.Run) -> [String] {
        run.output.split(separator: "\n").map(String.init).filter { !$0.hasPrefix(" ") }
    }

    @Test func `both tables lie over the manifests of --manifest, and built-in lays nothing over them`() async throws {
        let folder = TemporaryFolder()
        try folder.write(
            #"{ "manifestVersion": 1, "plugins": [{ "id": "own", "factory": "json", "match": { "types": ["a/b"] } }] }"#,
            to: "base.json")
        try folder.write(
            #"{ "manifestVersion": 1, "plugins": [{ "id": "own", "match": { "types": ["a/c"] } }] }"#, to: "old.json")
        try folder.write(
            #"{ "manifestVersion": 1, "plugins": [{ "id": "own", "match": { "types": ["a/d"] } }] }"#, to: "new.json")
        func run(_ words: String..., code: Int32 = 1) async throws -> Binary.Run {
            let run = try await Binary.run(["diff", "--manifest", "base.json"] + words, in: folder.path)
            #expect(run.code == code)
            return run
        }
        func edit(_ file: String, _ before: String, _ after: String) -> String {
            #"\#(file):1: "match" of the entry own: was {"types":["\#(before)"]}, now {"types":["\#(after)"]}"#
        }
        #expect(Self.edits(try await run("old.json", "new.json")) == [edit("new.json", "a/c", "a/d")])
        #expect(Self.edits(try await run("built-in", "new.json")) == [edit("new.json", "a/b", "a/d")])
        #expect(Self.edits(try await run("new.json", "built-in")) == [edit("base.json", "a/d", "a/b")])
        _ = try await run("built-in", "built-in", code: 0)
        // Without the base, the overlay has no entry to change.
        #expect(try await Binary.run(["diff", "built-in", "new.json"], in: folder.path).code == 3)
        try folder.write(#"{ "manifestVersion": 1, "hosts": {"#, to: "broken.json")
        #expect(try await run("old.json", "broken.json", code: 3).errors.hasPrefix("broken.json:"))
    }

    @Test func `a table is read from standard input or from a pipe`() async throws {
        let folder = TemporaryFolder()
        let text = DiffCommandTests.manifest(DiffCommandTests.json())
        try folder.write(text, to: "a.json")
        try folder.write(DiffCommandTests.manifest(DiffCommandTests.json(#", "onFailure": "raw""#)), to: "b.json")
        let edit = #"b.json:1: "onFailure" of the entry json was added: "raw""#
        for (words, names) in [
            (["diff", "-", "b.json"], [edit]), (["diff", "/dev/stdin", "b.json"], [edit]),
            (["diff", "b.json", "-"], [edit.replacing("was added", with: "was removed")]),
        ] {
            let run = try await Binary.run(words, input: Array(text.utf8), in: folder.path)
            #expect(run.code == 1 && run.errors == "")
            #expect(Self.edits(run) == names)
        }
        let words = "mkfifo p && { cat a.json > p & } && \"$0\" diff p b.json"
        let child = try await ChildProcess.run(
            "/bin/sh", ["-c", "cd \"$1\" && " + words, try Binary.path, folder.path])
        #expect(child.outputText.hasPrefix(edit + "\n"))
        let broken = try await Binary.run(["diff", "-", "b.json"], input: Array("{".utf8), in: folder.path)
        #expect(broken.code == 3 && broken.errors.hasPrefix("<stdin>:"))
        let long = [UInt8](repeating: UInt8(ascii: " "), count: 1 << 20) + Array("{}".utf8)
        #expect(try await Binary.run(["diff", "-", "b.json"], input: long, in: folder.path).code == 3)
        #expect(try await Binary.run(["diff", "none.json", "b.json"], in: folder.path).code == 3)
    }

    @Test func `every edit has a line, and every set of causes a heading of its own`() async throws {
        let folder = TemporaryFolder()
        try folder.write(
            """
            { "manifestVersion": 1,
              "plugins": [
                { "id": "page", "factory": "text", "match": { "types": ["text/html"] } },
                { "id": "rows", "factory": "csv-rows", "match": { "types": ["text/x-rows"] } } ],
              "hosts": { "a.example.com": {
                "plugins": [{ "id": "wild", "factory": "json", "match": { "types": ["text/x-wild"] } }] } } }
            """, to: "old.json")
        try folder.write(
            """
            { "manifestVersion": 1,
              "plugins": [
                { "id": "html", "factory": "text", "match": { "types": ["text/html"] } },
                { "id": "rows", "factory": "csv-rows", "match": { "types": ["text/x-rows"] }, "writes": false },
                { "id": "text", "place": { "before": "json" } } ],
              "hosts": { "a.example.com": {
                "plugins": [{ "id": "wild", "factory": "json", "match": { "types": ["text/x-wild"] } }],
                "policy": { "accept": "all" } } },
              "order": ["javascript-json", "xml", "form"] }
            """, to: "new.json")
        let words = ["diff", "old.json", "new.json"]
        let lines = try await Binary.run(words, in: folder.path).output.split(separator: "\n").map(String.init)
        let document = try JSON(parsing: await Binary.run(words + ["--format", "json"], in: folder.path).output)
        let edits = try #require(document["edits"]?.array)
        let sets = Set((document["changes"]?.array ?? []).compactMap { $0["causes"]?.array })
        let headings = lines.filter { !$0.hasPrefix(" ") }
        let own = headings.filter { !$0.hasPrefix("several edits: ") }
        #expect(own.count == edits.count)
        for edit in edits {
            let place = "\(edit["file"]?.string ?? ""):\(edit["line"]?.int ?? 0): "
            #expect(own.contains { $0.hasPrefix(place) }, "\(edit)")
        }
        #expect(headings.count - own.count == sets.count { $0.count > 1 })
        #expect(Set(headings).count == headings.count)
        let accept =
            #"new.json:8: "accept" of the policy of a.example.com was added: "all"; only with other edits, below"#
        #expect(headings.contains(accept))
        let moves = try #require(
            lines.firstIndex(of: "several edits: new.json:5: the entry text moved; new.json:9: the entry xml moved"))
        #expect(lines[moves + 1].hasPrefix("  text/xml, 200, any host, any value: was xml, now text ["))
        let gone = try #require(lines.firstIndex(of: "old.json:3: the entry page is gone"))
        #expect(lines[gone + 1].contains("any value: was page, now html (new.json:3)"))
    }

    @Test func `six edits of the built-in table are six groups, with one Accept each at most`() async throws {
        let folder = TemporaryFolder()
        try folder.write(
            """
            { "manifestVersion": 1,
              "policy": { "limits": { "maxBodyBytes": 1000 } },
              "plugins": [
                { "id": "legacy", "factory": "json", "match": { "types": ["text/x-legacy"] } },
                { "id": "csv-rows", "enabled": false },
                { "id": "json", "options": { "keys": "snakeCase" } }
              ],
              "order": ["xml-parser", "xml"],
              "hosts": {
                "a.example": { "plugins": [{ "id": "page", "factory": "json", "match": { "types": ["text/html"] } }] } } }
            """, to: "m.json")
        let run = try await Binary.run(["diff", "built-in", "m.json"], in: folder.path)
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(lines.count < 30)
        let groups = lines.split { !$0.hasPrefix(" ") }
        #expect(groups.allSatisfy { $0.count { $0.hasPrefix("  Accept, ") } <= 1 })
        let document = try JSON(
            parsing: await Binary.run(["diff", "built-in", "m.json", "--format", "json"], in: folder.path).output)
        let changes = try #require(document["changes"]?.array)
        #expect(changes.count > lines.count)
        #expect(changes.allSatisfy { $0["causes"]?.array?.isEmpty == false })
    }
}
