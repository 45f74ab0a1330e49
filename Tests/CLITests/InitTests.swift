import Foundation
import Patchbay
import TestSupport
import Testing

@testable import PatchbayCLI

/// `init` and `schema`: what they print and write, and how they end. `FOLDER` stands for the folder they run in.
@Suite(.timeLimit(.minutes(5))) struct InitTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let words: [String]
        var standing: [String: String] = [:]
        var output = ""
        var errors = ""
        var code: Int32 = 0
        /// The files afterwards; nil text is that of the starter or the schema.
        let files: [String: String?]
        var testDescription: String { (words + standing.keys.sorted()).joined(separator: " ") }
    }

    static func says(_ file: String, _ schema: String, _ more: String = "") -> String {
        """
        \(file): an overlay of the built-in table that changes nothing yet
        \(schema): its keys, for an editor\(more)

        Next: take the x- of "x-hosts" away, name a host and a type of yours, and ask
          patchbay check \(file)
          patchbay explain --manifest \(file) --host HOST --content-type TYPE

        """
    }

    static let both: [String: String?] = ["Plugins.json": nil, "Plugins.schema.json": nil]

    static let rows = [
        Row(words: ["init"], output: says("Plugins.json", "Plugins.schema.json"), files: both),
        Row(
            words: ["init", "over.json"], output: says("over.json", "Plugins.schema.json"),
            files: ["over.json": nil, "Plugins.schema.json": nil]),
        Row(
            words: ["init", "FOLDER/over.json"], output: says("FOLDER/over.json", "FOLDER/Plugins.schema.json"),
            files: ["over.json": nil, "Plugins.schema.json": nil]),
        Row(
            words: ["init", "--format", "json"],
            output: """
                {
                  "manifest": "Plugins.json",
                  "schema": "Plugins.schema.json",
                  "wroteSchema": true
                }

                """, files: both),
        Row(
            words: ["init"], standing: ["Plugins.json": "mine"],
            errors: "patchbay: Plugins.json is there already, and init writes over no file\n", code: 7,
            files: ["Plugins.json": "mine"]),
        Row(
            words: ["init"], standing: ["Plugins.schema.json": "mine"],
            output: says("Plugins.json", "Plugins.schema.json", " (was there already)"),
            files: ["Plugins.json": nil, "Plugins.schema.json": "mine"]),
        Row(
            words: ["init", "none/Plugins.json"],
            errors: "patchbay: none/Plugins.json cannot be written: No such file or directory\n", code: 7, files: [:]),
        Row(
            words: ["init", "FOLDER"], errors: "patchbay: FOLDER is there already, and init writes over no file\n",
            code: 7, files: [:]),
        Row(
            words: ["init", ""], errors: "patchbay:  cannot be written: No such file or directory\n", code: 7,
            files: [:]),
        Row(words: ["schema"], output: SchemaCommand.text, files: [:]),
        Row(words: ["schema", "--format", "json"], output: SchemaCommand.text, files: [:]),
    ]

    @Test(arguments: rows) func `what is printed and written, and how it ends`(_ row: Row) async throws {
        let folder = TemporaryFolder()
        for (name, text) in row.standing { try folder.write(text, to: name) }
        func filled(_ text: String) -> String { text.replacingOccurrences(of: "FOLDER", with: folder.path) }
        let run = try await Binary.run(row.words.map(filled), in: folder.path)
        #expect(run.output == filled(row.output))
        #expect(run.errors == filled(row.errors))
        #expect(run.code == row.code)
        #expect(folder.names == row.files.keys.sorted())
        for (name, text) in row.files {
            let expected = text ?? (name.contains("schema") ? SchemaCommand.text : InitCommand.starter)
            #expect(try String(contentsOfFile: folder.path + "/" + name, encoding: .utf8) == expected)
        }
    }

    @Test func `a link that leads nowhere is a file that is there`() async throws {
        let folder = TemporaryFolder()
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/Plugins.json", withDestinationPath: folder.path + "/elsewhere")
        let run = try await Binary.run(["init"], in: folder.path)
        #expect(run.code == 7)
        #expect(folder.names == ["Plugins.json"])
    }

    @Test func `what is written changes nothing, and does what it says once the x- is gone`() async throws {
        let folder = TemporaryFolder()
        #expect(try await Binary.run(["init"], in: folder.path).code == 0)
        let check = try await Binary.run(["check", "Plugins.json"], in: folder.path)
        #expect(check.code == 0)
        #expect(check.errors.isEmpty)
        let source = ManifestSource.text(InitCommand.starter, name: "Plugins.json")
        #expect(try SerializerRegistry.standard.overlaid(by: source).digest == SerializerRegistry.standard.digest)
        let text = InitCommand.starter.replacing("\"x-hosts\"", with: "\"hosts\"")
        try folder.write(text, to: "on.json")
        #expect(try await Binary.run(["check", "on.json"], in: folder.path).code == 0)
        let registry = try SerializerRegistry.standard.overlaid(by: .text(text, name: "on.json"))
        #expect(registry.explain(contentType: "text/html", host: "legacy.example.com").entryID == "legacy-json")
        #expect(registry.explain(contentType: "text/html", host: "example.com").entryID == "text")
    }

    @Test func `Plugins.schema.json at the root is what schema prints`() throws {
        #expect(
            try Markdown("Plugins.schema.json").text == SchemaCommand.text, "scripts/run schema > Plugins.schema.json")
    }
}
