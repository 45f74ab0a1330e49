import Foundation
import Patchbay
import PatchbayMigration
import PatchbayTesting
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
