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
        let folder = try TemporaryFolder()
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
        let edit = #"new.json:1: "match" of the entry own changed"#
        #expect(Self.edits(try await run("old.json", "new.json")) == [edit])
        #expect(Self.edits(try await run("built-in", "new.json")) == [edit])
        #expect(
            Self.edits(try await run("new.json", "built-in")) == [#"base.json:1: "match" of the entry own changed"#])
        _ = try await run("built-in", "built-in", code: 0)
        // Without the base, the overlay has no entry to change.
        #expect(try await Binary.run(["diff", "built-in", "new.json"], in: folder.path).code == 3)
        try folder.write(#"{ "manifestVersion": 1, "hosts": {"#, to: "broken.json")
        #expect(try await run("old.json", "broken.json", code: 3).errors.hasPrefix("broken.json:"))
    }

    @Test func `a table is read from standard input or from a pipe`() async throws {
        let folder = try TemporaryFolder()
        let text = DiffCommandTests.manifest(DiffCommandTests.json())
        try folder.write(text, to: "a.json")
        try folder.write(DiffCommandTests.manifest(DiffCommandTests.json(#", "onFailure": "raw""#)), to: "b.json")
        let edit = #"b.json:1: "onFailure" of the entry json was added"#
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

    @Test func `six edits of the built-in table are six groups, with one Accept each at most`() async throws {
        let folder = try TemporaryFolder()
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
