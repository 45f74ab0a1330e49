import Foundation
import Patchbay
import TestSupport
import Testing

/// Holds the README to the code: its Swift is compiled, its manifests load, its output is what is printed.
@Suite(.timeLimit(.minutes(1)))
struct ReadmeTests {
    private let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL

    @Test func itsSwiftIsCompiled() throws {
        let files =
            ["Tests/PatchbayTests/ReadmeExamples.swift"]
            + ["CustomHandler", "OrderByManifest", "PerHost"].map { "Examples/\($0)/main.swift" }
        let compiled = try files.map { try Self.lines(String(contentsOf: root.appending(path: $0), encoding: .utf8)) }
        let blocks = try blocks(of: "swift")
        #expect(blocks.count >= 4)
        for block in blocks {
            let lines = Self.lines(block)
            let isThere = compiled.contains { file in
                file.indices.contains { file[$0...].starts(with: lines) }
            }
            #expect(isThere, "in no compiled file:\n\(block)")
        }
    }

    @Test func itsManifestsLoad() throws {
        var factories = SerializerFactories.standard
        try factories.register("csv") { (_: NoOptions, _) in TextResponseSerializer() }
        let blocks = try blocks(of: "json")
        #expect(blocks.count >= 2)
        for block in blocks {
            _ = try SerializerRegistry.standard.overlaid(
                by: ManifestSource(name: "README", block), factories: factories)
        }
    }

    @Test func itsOutputIsWhatIsPrinted() async throws {
        let server = try RawServer { request in
            switch request.target {
            case "/users/1": .response(["Content-Type": "application/json"], body: #"{"id": 1, "name": "Ada"}"#)
            case "/users/2":
                .response(
                    status: 404, ["Content-Type": "application/problem+json"],
                    body: #"{"title": "Not found", "detail": "There is no user 2."}"#)
            default: .response(["Content-Type": "application/json"], body: #"{"id": 3, "name"}"#)
            }
        }
        let first = Guarded<[String]>([])
        try await Printed.$lines.withValue(first) { try await meet(at: server.url()) }
        let second = Guarded<[String]>([])
        await Printed.$lines.withValue(second) { await fail(at: server.url()) }
        for (shown, printed) in zip(try blocks(of: "text"), [first, second]) {
            let lines = printed.withLock { $0 }.map { $0.replacing("127.0.0.1", with: "api.example.com") }
            #expect(shown == lines.joined(separator: "\n") + "\n")
        }
        #expect(try blocks(of: "text").count == 2)
    }

    @Test func itsTableNamesEveryFactory() throws {
        let readme = try readme()
        for name in SerializerFactories.standard.names {
            #expect(readme.contains("\n| `\(name)` |"), "the table has no row for \(name)")
        }
    }

    private func readme() throws -> String {
        try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    }

    /// The fenced blocks of a language, in order.
    private func blocks(of language: String) throws -> [String] {
        try readme().components(separatedBy: "\n```\(language)\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
    }

    /// The lines that say something, without their indentation.
    private static func lines(_ text: String) -> [String] {
        text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
}
