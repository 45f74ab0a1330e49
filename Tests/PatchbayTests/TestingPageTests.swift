import Foundation
import Patchbay
import PatchbayTesting
import TestSupport
import Testing

/// The tests that `Documentation/Testing.md` shows.
@Suite struct TestingPageTests {
    struct User: Decodable, Sendable { let id: Int, name: String }

    private let folder = TemporaryFolder()
    /// The manifest of a program with a factory of its own.
    private let manifest: URL

    init() throws {
        manifest = folder.url.appending(path: "settings.json")
        let text = try Markdown("Documentation/Manifest.md").blocks(of: "json").last { $0.contains("\"settings\"") }
        try Data(try #require(text).utf8).write(to: manifest)
    }

    @Test func theTableOfTheProgramLoads() throws {
        let registry = try settingsRegistry(.file(manifest))
        #expect(registry.notes == [])
        #expect(registry.explain(contentType: "text/x-settings").entry == "settings")
    }

    @Test(
        "a program without the trait is told that its table needs it, and one that is optional is left out",
        .enabled(if: !SerializerFactories.standard.names.contains("image"), "this build has the trait"))
    func missingTrait() throws {
        func text(_ more: String) -> String {
            #"{ "manifestVersion": 1, "plugins": [{ "id": "photos", "factory": "image", "match": { "types": ["image/*"] }\#(more) }] }"#
        }
        try Data(text("").utf8).write(to: manifest)
        let failure = #expect(throws: ManifestFailure.self) { try settingsRegistry(.file(manifest)) }
        let sentence = #"the factory "image" of the entry "photos" is not registered; it needs the trait Images"#
        #expect(failure?.issues.map(\.message) == [sentence])
        #expect(try Markdown("Documentation/Testing.md").text.contains("\n`\(sentence)`.\n"))
        try Data(text(#", "optional": true"#).utf8).write(to: manifest)
        let registry = try settingsRegistry(.file(manifest))
        let reason = registry.explain(contentType: "image/png").candidates.first { $0.entry == "photos" }?.reason
        #expect(reason == "factory image needs the trait Images")
        #expect(registry.explain(contentType: "image/png").outcome == .raw)
        #expect(registry.notes.map(\.code) == ["unusedFactory"])
    }

    @Test func aUserIsRead() async throws {
        let stub = StubTransport { request in
            switch request.head.url.path() {
            case "/users/1": StubReply(fields: ["Content-Type": "application/json"], body: #"{"id": 1, "name": "Ada"}"#)
            default: StubReply(status: 404)
            }
        }
        let manager = SessionManager(baseURL: URL(string: "https://api.example.com"), transport: stub)
        #expect(try await manager.get("users/1", as: User.self).name == "Ada")
        let error = await #expect(throws: SessionError.self) { try await manager.get("users/2", as: User.self) }
        #expect(error?.code == .status)
        #expect(stub.requests.map { $0.head.url.path() } == ["/users/1", "/users/2"])
    }

    @Test func legacyIsReadAsJSON() throws {
        let manifest = ManifestSource.text(
            """
            {
              "manifestVersion": 1,
              "hosts": {
                "legacy.example": {
                  "plugins": [{ "id": "legacy-json", "factory": "json", "match": { "types": ["text/html"] } }]
                }
              }
            }
            """)
        let registry = try SerializerRegistry([manifest])
        let decision = registry.explain(contentType: "text/html", host: "legacy.example")
        #expect(decision.entry == "legacy-json")
        #expect(registry.explain(contentType: "text/html").entry == "text")
    }

    @Test func tabsAndLines() async throws {
        let type = "text/tab-separated-values"
        try await checkConformance(
            of: TSV(),
            good: [ConformanceSample("two rows", text: "a\tb\nc\td", contentType: type)],
            bad: [ConformanceSample("not UTF-8", [0x61, 0xFF], contentType: type)])
    }

    private typealias TSV = RequestExamples.TSV
}

/// The picture of `EditingTheTable.md` shows the decision of the manifest above it.
@Suite struct DecisionPictureTests {
    @Test("each row of the picture is a line of the decision, in its order")
    func rows() async throws {
        let manifest = try #require(try Markdown("Documentation/EditingTheTable.md").blocks(of: "json").first)
        let stub = StubTransport { _ in StubReply(fields: ["Content-Type": "text/html"], body: "<p>Ada</p>") }
        let manager = SessionManager(
            baseURL: URL(string: "https://legacy.example"), registry: try SerializerRegistry([.text(manifest)]),
            transport: stub)
        let reply = try await manager.send("users")
        let shown = try Markdown("Documentation/Pictures/decision.txt").text.split(separator: "\n")
            .filter { $0.hasPrefix("|") }.dropFirst().dropLast()
            .map {
                $0.split(separator: "|", omittingEmptySubsequences: false).map {
                    $0.trimmingCharacters(in: .whitespaces)
                }
            }
        #expect(shown.map { $0[2] } == reply.decision.candidates.map(\.entry))
        #expect(
            shown.map { String($0[4].prefix { $0 != ":" }) } == reply.decision.candidates.map(\.verdict.rawValue))
        #expect(reply.value as? String == "<p>Ada</p>")
    }
}
