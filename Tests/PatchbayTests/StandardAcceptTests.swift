import Foundation
import PatchbayMigration
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import Patchbay

/// The Accept field over the built-in table, and over tables that read formats under other types.
@Suite("Accept of the built-in formats")
struct StandardAcceptTests {
    struct User: Decodable, Equatable, Sendable { let name: String }
    struct Other: Sendable {}

    private static func registry(_ manifest: String) throws -> SerializerRegistry {
        var factories = SerializerFactories()
        try factories.register("settings") { JSONSerializer() }
        return try SerializerRegistry.standard.with(factories).overlaid(
            by: .text(#"{ "manifestVersion": 1\#(manifest.isEmpty ? "" : ", " + manifest) }"#, name: "m"))
    }

    @Test("The values of the built-in table", arguments: AcceptRow.standard)
    func standard(_ row: AcceptRow) throws { try expect(row) }

    @Test("Types that an entry only tolerates come last, and its format is asked for", arguments: AcceptRow.tolerated)
    func tolerated(_ row: AcceptRow) throws { try expect(row) }

    @Test(
        "Types that name the format, a vendor's and those of a format of one's own keep their place",
        arguments: AcceptRow.own)
    func own(_ row: AcceptRow) throws { try expect(row) }

    @Test("Entries for failures only come last, even if their statuses are acceptable", arguments: AcceptRow.failures)
    func failures(_ row: AcceptRow) throws { try expect(row, isOfSuccess: false) }

    @Test("A failure that is acceptable is read by the entry that it has", arguments: ["2XX", "404"])
    func accepted(_ status: String) throws {
        let registry = try Self.registry(#""policy": { "acceptableStatus": ["\#(status)"] }"#)
        let decision = registry.explain(
            contentType: "application/problem+json", status: 404, producing: .type(User.self))
        #expect(decision.isAcceptable == (status == "404"))
        #expect(decision.entry == "problem")
        let body = ResponseBody(Data(#"{ "name": "Ada" }"#.utf8))
        if status == "404" { #expect(try decision.serialize(body, as: User.self).value == User(name: "Ada")) }
    }

    @Test("A stream that reconnects asks for events first, whatever its elements are")
    func reconnecting() async throws {
        let none = try Self.registry(#""policy": { "accept": "none" }"#)
        let all = try Self.registry(#""policy": { "noMatch": "error" }"#)
        for (registry, own, accept) in [
            (.standard, nil, "text/event-stream, */*;q=0.1"), (.standard, "a/b", "a/b"), (none, nil, nil),
            (all, nil, all.accept(for: nil, producing: .elements(of: User.self), acceptable: nil)),
        ] as [(SerializerRegistry, String?, String?)] {
            let stub = StubTransport { _ in StubReply(status: 204) }
            let base = URL(string: "https://api.example.com")
            let manager = SessionManager(baseURL: base, registry: registry, transport: stub)
            var request = SessionRequest("events")
            request.headers["Accept"] = own
            for try await _ in try await manager.stream(request, of: User.self, reconnecting: .standard) {}
            for try await _ in try await manager.stream(request, of: User.self) {}
            #expect(stub.requests.first?.head.fields["Accept"] == accept)
            if accept?.hasPrefix("text/event-stream,") == true {
                #expect(stub.requests.last?.head.fields["Accept"]?.hasPrefix("application/x-ndjson, ") == true)
            }
        }
    }

    /// - Parameter isOfSuccess: whether the field is the same if only successes are acceptable.
    private func expect(_ row: AcceptRow, isOfSuccess: Bool = true) throws {
        let registry = try Self.registry(row.manifest)
        let host = row.host.flatMap { CanonicalHost($0) }
        // The second value is the one that was kept.
        for _ in 1...2 {
            #expect(registry.accept(for: host, producing: row.wanted, acceptable: row.acceptable) == row.accept)
        }
        if row.acceptable == nil, isOfSuccess {
            #expect(registry.accept(for: host, producing: row.wanted, acceptable: .successful) == row.accept)
        }
    }

    private struct Options: Decodable, Sendable { var removeNulls: String? }

    @Test("The types of a serializer from code are its own, unless it takes the place of one with the same output")
    func code() throws {
        let html = "text/html, application/json;q=0.9, application/problem+json;q=0.8, */*;q=0.1"
        let added = try SerializerRegistry.standard.adding("page", JSONSerializer(), types: ["text/html"])
        #expect(added.accept(for: nil, producing: .type(User.self)) == html)
        let registry = try Self.registry(#""plugins": [\#(AcceptRow.page)]"#)
        let same = try registry.replacing("page", with: JSONSerializer(decoder: JSONDecoder()))
        #expect(same.accept(for: nil, producing: .type(User.self)) == AcceptRow.with("text/html", AcceptRow.typed))
        let other = try registry.replacing("page", with: ClosureResponseSerializer { body, _ in body.count })
        #expect(other.accept(for: nil)?.hasPrefix("text/html, application/json;q=0.9, ") == true)
        var factories = SerializerFactories.standard
        try factories.register("json", replacing: true) { (_: Options) in JSONSerializer() }
        let replaced = try registry.with(factories)
        #expect(
            replaced.accept(for: nil, producing: .type(User.self))
                == "text/html, application/json;q=0.9, application/problem+json;q=0.8, */*;q=0.1")
    }

    private struct Pair<First, Second>: Decodable, Sendable {
        init(from decoder: any Decoder) throws {}
    }

    @Test("The values of more types than are kept are the same")
    func manyTypes() {
        func ask<First, Second>(_ first: First.Type, _ second: Second.Type) {
            let wanted = WantedValue.type(Pair<First, Second>.self)
            #expect(SerializerRegistry.standard.accept(for: nil, producing: wanted) == AcceptRow.typed)
        }
        let types: [any Sendable.Type] = [
            Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self, UInt32.self,
            UInt64.self, Float.self, Double.self, Bool.self, String.self, Character.self, Data.self, URL.self,
            Date.self,
        ]
        for first in types + types { for second in types { ask(first, second) } }
    }

    @Test("A host that sends a page to who asks for one first sends JSON to the entry of init and of the walk")
    func negotiation() async throws {
        let entry = #"{ "id": "legacy-json", "factory": "json", "match": { "types": ["text/html"] } }"#
        let command = try Markdown("Sources/CLI/Commands/InitCommand.swift").text
        #expect(command.contains(entry))
        let stub = StubTransport { request in
            // The member with the highest weight, and the first of those.
            let isPage = request.head.fields["Accept"]?.hasPrefix("text/html") ?? true
            return StubReply(
                fields: ["Content-Type": isPage ? "text/html" : "application/json"],
                body: isPage ? "<p>Ada</p>" : #"{"name":"Ada"}"#)
        }
        for manifest in [
            #"{ "manifestVersion": 1, "hosts": { "legacy.example.com": { "plugins": [\#(entry)] } } }"#,
            try #require(
                try Markdown("Documentation/Walk.md").blocks(of: "json").first {
                    $0.contains(#""types": ["text/html"]"#)
                }),
        ] {
            let registry = try SerializerRegistry([.text(manifest, name: "m")])
            let manager = SessionManager(registry: registry, transport: stub)
            for host in ["legacy.example.com", "127.0.0.1"] {
                #expect(try await manager.get("http://\(host)/users/1", as: User.self) == User(name: "Ada"))
                #expect(try await manager.get("http://\(host)/users/1", as: User?.self) == User(name: "Ada"))
                #expect(try await manager.send("http://\(host)/users/1").value as? JSON == ["name": "Ada"])
            }
        }
        #expect(stub.requests.contains { $0.head.fields["Accept"]?.contains("text/html;q=0.2") == true })
    }
}
