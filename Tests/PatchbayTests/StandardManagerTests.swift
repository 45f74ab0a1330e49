import Foundation
import Patchbay
import PatchbayMigration
import PatchbayPlatform
import PatchbayTesting
import TestSupport
import Testing

/// A manager that is given nothing.
@Suite(.timeLimit(.minutes(5))) struct StandardManagerTests {
    @Test("1.5.2: a manager that is given no registry decodes JSON and the rest, and any other can take its place")
    func defaults() async throws {
        #expect(SessionManager().registry.digest == SerializerRegistry.standard.digest)
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: .standard,
            transport: StubTransport { _ in
                StubReply(fields: ["Content-Type": "application/json"], body: #"{"a":[1]}"#)
            })
        #expect(try await manager.send("x").value as? JSON == ["a": [1]])
        manager.registry = try .standard.replacing("json", with: ClosureResponseSerializer { body, _ in body.count })
        #expect(try await manager.send("x").value as? Int == 9)
    }

    @Test("1.5.1: making a manager sends nothing and opens nothing; the first call does")
    func lazy() async throws {
        let stub = StubTransport { _ in StubReply(fields: ["Content-Type": "text/plain"], body: "hello") }
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: .standard, transport: stub)
        #expect(stub.requests.isEmpty && manager.tasks.isEmpty)
        #expect(try await manager.send("a").value as? String == "hello")
        #expect(stub.requests.count == 1)
    }

    private static func manifest(_ entry: String) -> ManifestSource {
        .text(#"{ "manifestVersion": 1,\#n"plugins": [\#(entry)] }"#, name: "new")
    }

    private static let snakeCase = manifest(#"{ "id": "json", "options": { "keys": "snakeCase" } }"#)

    @Test("options in a manifest have no effect on a serializer from code, and a note of the reload names the entry")
    func optionsOfCode() async throws {
        struct User: Codable, Equatable, Sendable { let userName: String }
        let stub = StubTransport { _ in
            StubReply(fields: ["Content-Type": "application/json"], body: #"{"userName":"Ada"}"#)
        }
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: .standard, transport: stub)
        manager.registry = try manager.registry.replacing("json", with: JSONSerializer(coding: .init()))
        #expect(Self.idle(manager.registry) == [])
        let watched = Guarded<[[String]]>([])
        let (changes, change) = AsyncStream<Void>.makeStream()
        let watch = Task {
            await manager.watch([Self.snakeCase]) { result in
                watched.withLock { $0.append((try? result.get()).map(Self.idle) ?? ["failure"]) }
                change.yield()
            }
        }
        for await _ in changes { break }
        watch.cancel()
        let note =
            #"new:2: /plugins/0/options: the entry "json" has its serializer from code, so its options have no effect"#
        #expect(watched.withLock { $0 } == [[note]])
        #expect(Self.idle(manager.registry) == [note])
        #expect(try await manager.get("x", as: User.self) == User(userName: "Ada"))
        #expect(
            try Markdown("Documentation/EditingTheTable.md").text.contains("`manager.registry.notes` names the entry"))
    }

    @Test("the note needs options of a manifest, and code for all that the entry does")
    func optionsWithEffect() throws {
        let (standard, json) = (SerializerRegistry.standard, JSONSerializer(coding: .init()))
        let reader = ClosureResponseSerializer { body, _ in body.count }
        let own = Self.manifest(#"{ "id": "own", "options": { "a": 1 } }"#)
        let rows: [(registry: SerializerRegistry, count: Int)] = [
            (try standard.overlaid(by: Self.snakeCase).replacing("json", with: json), 1),
            (try standard.overlaid(by: Self.snakeCase).replacing("json", with: json, host: "a.test"), 0),
            (try standard.overlaid(by: Self.snakeCase).replacing("json", with: reader), 0),
            (try standard.replacing("xml", with: reader).overlaid(by: Self.manifest(#"{ "id": "xml" }"#)), 0),
            (try standard.adding("own", json).overlaid(by: own), 1),
            (try standard.adding("own", reader).overlaid(by: own), 1),
            (
                try standard.adding("own", factory: "json", options: ["keys": "snakeCase"]).replacing(
                    "own", with: json), 0
            ),
        ]
        for (index, row) in rows.enumerated() { #expect(Self.idle(row.registry).count == row.count, "\(index)") }
    }

    private static func idle(_ registry: SerializerRegistry) -> [String] {
        registry.notes.filter { $0.code == "ineffectiveOptions" }.map(\.description)
    }

    @Test("1.5.23: what a manager decides by is archived as its manifest, and comes back the same")
    func archived() throws {
        let overlay = #"{ "manifestVersion": 1, "plugins": [{ "id": "json", "options": { "removeNulls": "keys" } }] }"#
        let registry = try SerializerRegistry.standard.overlaid(by: .text(overlay, name: "own"))
        let archive = Data(registry.effectiveManifest.serialized(pretty: true).utf8)
        let again = try SerializerRegistry(
            sources: [.text(String(decoding: archive, as: UTF8.self), name: "archive")], factories: .standard)
        #expect(again.digest == registry.digest)
        #expect(again.digest != SerializerRegistry.standard.digest)
    }
}
