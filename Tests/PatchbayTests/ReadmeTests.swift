import Foundation
import Patchbay
import PatchbayTools
import TestSupport
import Testing

/// Holds the README to the code: its Swift is compiled, its manifests load, its output is what is printed.
@Suite(.timeLimit(.minutes(5)))
struct ReadmeTests {
    private let readme: Markdown

    init() throws { readme = try Markdown("README.md") }

    @Test func itsSwiftIsCompiled() throws {
        #expect(readme.blocks(of: "swift").count >= 4)
        // The first two are a package of their own, which NewPackageTests builds.
        try readme.expectSwift(
            in: ["Tests/PatchbayTests/ReadmeExamples.swift"]
                + ["CustomHandler", "OrderByManifest", "PerHost"].map { "Examples/\($0)/main.swift" }, behind: 2)
    }

    /// The rest of that page is replayed by `WalkTests`.
    @Test func theSwiftOfTheWalkIsCompiled() throws {
        let walk = try Markdown("Documentation/Walk.md")
        #expect(walk.blocks(of: "swift").count == 1)
        try walk.expectSwift(in: ["Tests/PatchbayTests/ReadmeExamples.swift"])
    }

    @Test func itsManifestsLoad() throws {
        var factories = SerializerFactories.standard
        try factories.register("csv") { TextSerializer() }
        let blocks = readme.blocks(of: "json")
        #expect(blocks.count >= 2)
        for block in blocks {
            let registry = try SerializerRegistry.standard.with(factories).overlaid(
                by: .text(block, name: "README"))
            #expect((registry.notes + registry.lint()).filter(\.isWarning) == [])
        }
    }

    @Test func itsOutputIsWhatIsPrinted() async throws {
        let server = try RawServer { request in
            switch request.target {
            case "/users/2":
                .response(
                    status: 404, ["Content-Type": "application/problem+json"],
                    body: #"{"title": "Not found", "detail": "There is no user 2."}"#)
            default: .response(["Content-Type": "application/json"], body: #"{"id": 3, "name"}"#)
            }
        }
        let printed = Shared<[String]>([])
        await Printed.$lines.withValue(printed) { await fail(at: server.url()) }
        let lines = printed.withLock { $0 }.map { $0.replacing("127.0.0.1:\(server.port)", with: "api.example.com") }
        // The first is what the program prints that NewPackageTests builds.
        #expect(readme.blocks(of: "text").dropFirst() == [lines.joined(separator: "\n") + "\n"])
    }

    @Test func itsTableNamesEveryFactory() throws {
        for name in SerializerFactories.standard.names {
            #expect(readme.text.contains("\n| `\(name)` |"), "the table has no row for \(name)")
        }
    }
}
