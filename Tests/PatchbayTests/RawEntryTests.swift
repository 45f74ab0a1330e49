import Foundation
import Patchbay
import PatchbayTesting
import TestSupport
import Testing

/// The manifest of `EditingTheTable.md` that keeps the bodies of a server's errors, in calls.
@Suite struct RawEntryTests {
    private struct User: Decodable, Sendable { let name: String }

    private static func manager(
        _ reply: StubReply, _ manifest: String? = nil
    ) throws -> (SessionManager, StubTransport) {
        let page = try Markdown("Documentation/EditingTheTable.md").blocks(of: "json")
        let text = try manifest ?? #require(page.first { $0.contains("server-errors") })
        let stub = StubTransport { _ in reply }
        let registry = try SerializerRegistry([.text(text, name: "page")])
        return (SessionManager(baseURL: URL(string: "https://api.example"), registry: registry, transport: stub), stub)
    }

    @Test(
        "an error has the bytes of the body as its value, whatever the call wants",
        arguments: ["text/html", "application/problem+json", nil])
    func error(_ type: String?) async throws {
        let fields: HeaderFields = type.map { ["Content-Type": $0] } ?? [:]
        let (manager, stub) = try Self.manager(StubReply(status: 502, fields: fields, body: #"{"title": "no"}"#))
        let errors = [
            await #expect(throws: SessionError.self) { try await manager.get("a", as: User.self) },
            await #expect(throws: SessionError.self) { try await manager.send(SessionRequest("a")) },
            await #expect(throws: SessionError.self) { try await manager.stream("a", of: User.self) },
        ]
        for case let error? in errors {
            #expect(error.code == .status)
            #expect(error.reason == "the status is 502, which is not acceptable (2XX)")
            #expect((error.value as? ResponseBody)?.data == Data(#"{"title": "no"}"#.utf8))
            #expect(error.body?.data == Data(#"{"title": "no"}"#.utf8))
            #expect(error.bodyFailure == nil)
            #expect(error.decision?.entry == "server-errors")
            #expect(
                error.decision?.description
                    == "server-errors: chosen: covers \(type ?? "a response without Content-Type") with status 502, and gives its bytes"
            )
        }
        #expect(errors.count == 3)
        let plain = try Self.manager(StubReply(), #"{ "manifestVersion": 1 }"#)
        _ = try await plain.0.send(SessionRequest("a"))
        #expect(stub.requests[1].head.fields["Accept"] == plain.1.requests[0].head.fields["Accept"])
    }

    @Test("an error of the client is still problem details, and one without a body has no value to give")
    func others() async throws {
        let fields: HeaderFields = ["Content-Type": "application/problem+json"]
        let client = await #expect(throws: SessionError.self) {
            try await Self.manager(StubReply(status: 404, fields: fields, body: #"{"title": "no"}"#)).0.send(
                SessionRequest("a"))
        }
        #expect((client?.value as? Problem)?.title == "no")
        let empty = await #expect(throws: SessionError.self) {
            try await Self.manager(StubReply(status: 502, fields: fields)).0.send(SessionRequest("a"))
        }
        #expect(empty?.value is Void)
        #expect(empty?.decision?.outcome == .empty)
    }

    private static let all =
        #"{ "manifestVersion": 1, "plugins": [{ "id": "kept", "factory": "raw", "match": { "types": ["*/*"] }, "limits": { "maxBodyBytes": 16 } }] }"#

    @Test("a call gets the bytes, and a reply decodes them later")
    func value() async throws {
        let reply = StubReply(fields: ["Content-Type": "application/json"], body: #"{"id": 1, "n":2}"#)
        let manager = try Self.manager(reply, Self.all).0
        let made = try await manager.send(SessionRequest("a"))
        #expect((made.value as? ResponseBody)?.data == Data(#"{"id": 1, "n":2}"#.utf8))
        #expect(made.entry == "kept")
        #expect(made.outcome == .entry)
        #expect(try made.decode(as: [String: Int].self) == ["id": 1, "n": 2])
        #expect(try await manager.get("a", as: [String: Int].self) == ["id": 1, "n": 2])
        #expect(try await manager.get("a", as: String.self) == #"{"id": 1, "n":2}"#)
        let large = StubReply(fields: ["Content-Type": "application/json"], body: #"{"id": 1, "name": 2}"#)
        let refused = await #expect(throws: SessionError.self) {
            try await Self.manager(large, Self.all).0.send(SessionRequest("a"))
        }
        #expect(refused?.code == .bodyTooLarge)
        #expect(refused?.reason == "the body is larger than 16 bytes, the limit of entry kept (maxBodyBytes)")
    }

    @Test(
        "a stream without a type gives the pieces as they arrive, also of a format with elements and beyond the limit")
    func stream() async throws {
        for type in ["application/x-ndjson", "text/event-stream", "text/plain"] {
            let pieces = ["data: 1\n\ndata: 2\n\n", "data: 3\n\n"].map { Data($0.utf8) }
            let reply = StubReply(fields: ["Content-Type": type], chunks: pieces)
            var got = Data()
            var count = 0
            for try await piece in try await Self.manager(reply, Self.all).0.stream("a") {
                got += try #require(piece as? Data)
                count += 1
            }
            #expect(got == pieces[0] + pieces[1])
            #expect(count > 0)
        }
    }

    @Test("a download is the file, whatever the entry and its limit are")
    func download() async throws {
        let folder = TemporaryFolder()
        let file = folder.url.appending(path: "a.html")
        let reply = StubReply(fields: ["Content-Type": "text/html"], body: String(repeating: "x", count: 100))
        let made = try await Self.manager(reply, Self.all).0.download("a", to: .file(file))
        #expect(try Data(contentsOf: made.value).count == 100)
    }
}
