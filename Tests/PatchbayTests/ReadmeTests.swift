import Foundation
import Patchbay
import PatchbayTesting
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

    @Test("the entry of one host keeps JSON in Accept; with text/html alone it would not", arguments: [false, true])
    func accept(_ isPageAlone: Bool) async throws {
        let block = try #require(readme.blocks(of: "json").first { $0.contains("legacy-json") })
        let manifest = isPageAlone ? block.replacing(#""@json", "#, with: "") : block
        #expect((manifest == block) == !isPageAlone)
        let stub = StubTransport { _ in
            StubReply(fields: ["Content-Type": "text/html"], body: #"{"id":1,"name":"Ada"}"#)
        }
        let manager = SessionManager(
            registry: try SerializerRegistry([.text(manifest, name: "README")]), transport: stub)
        #expect(try await manager.get("https://legacy.example/users/1", as: User.self).name == "Ada")
        let accept = try #require(stub.requests.first?.head.fields["Accept"])
        #expect(accept.contains("text/html"))
        #expect(accept.contains("application/json") == !isPageAlone)
    }

    @Test("DELETE with a body, as the page has it")
    func delete() async throws {
        #expect(readme.text.contains(#"`SessionRequest("orders/1", method: "DELETE", body: value)`"#))
        let stub = StubTransport { _ in StubReply() }
        let manager = SessionManager(
            baseURL: URL(string: "https://api.example.com"), registry: .standard, transport: stub)
        let value = ["reason": "sold out"]
        _ = try await manager.send(SessionRequest("orders/1", method: "DELETE", body: value))
        #expect(stub.requests.map(\.head.method) == ["DELETE"])
        #expect(stub.requests.map { $0.body?.data } == [Data(#"{"reason":"sold out"}"#.utf8)])
    }

    @Test func itsTableNamesEveryFactory() throws {
        for name in SerializerFactories.standard.names {
            #expect(readme.text.contains("\n| `\(name)` |"), "the table has no row for \(name)")
        }
    }
}
