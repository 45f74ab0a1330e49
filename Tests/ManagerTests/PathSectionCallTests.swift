import Foundation
import PatchbayJSON
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// Calls to hosts that have sections for paths.
@Suite(.timeLimit(.minutes(5))) struct PathSectionCallTests {
    private static let hosts = """
        { "origin.test/export": {
            "plugins": [{ "id": "export", "factory": "words", "match": { "types": ["text/plain"] } }],
            "policy": { "limits": { "maxBodyBytes": 20 }, "acceptableStatus": ["2XX", "404"] } },
          "origin.test/small": { "policy": { "limits": { "maxBodyBytes": 1 } } } }
        """

    private static func text(_ text: String, status: Int = 200) -> StubReply {
        StubReply(status: status, fields: ["Content-Type": "text/plain"], body: text)
    }

    @Test("after redirects the last URL counts, for the entry, the limit, the statuses and Accept of each hop")
    func redirected() async throws {
        let (manager, stub) = try stubManager(try TestRegistry.make(hosts: Self.hosts)) { request in
            switch request.head.url.path() {
            case "/export/start": .redirect(302, to: "/elsewhere")
            case "/start": .redirect(302, to: "/export/2026")
            default: Self.text("a long text of words")
            }
        }
        let reply = try await manager.send("start", as: [String].self)
        #expect(reply.value.count == 5 && reply.decision.entryID == "export")
        #expect(reply.decision.hostSection == "origin.test/export")
        #expect(stub.requests.map { $0.head.fields["Accept"]?.contains("text/plain") } == [false, true])
        let raw = try await manager.send("export/start")
        #expect(raw.decision.entryID == nil && raw.decision.hostSection == nil)
        #expect(stub.requests.suffix(2).map { $0.head.fields["Accept"]?.contains("text/plain") } == [true, false])
    }

    @Test("the limit and the acceptable statuses of a path hold for its responses alone")
    func policies() async throws {
        let (manager, _) = try stubManager(try TestRegistry.make(hosts: Self.hosts)) { request in
            request.head.url.path().hasPrefix("/small") ? .json("[1]") : Self.text("not there", status: 404)
        }
        let large = await #expect(throws: SessionError.self) { try await manager.send("small/a") }
        #expect(large?.code == .bodyTooLarge)
        #expect(try await manager.send("export/x", as: [String].self).value == ["not", "there"])
        for path in ["exports/x", "EXPORT/x", "export%2Fx", "a/export"] {
            #expect(
                await #expect(throws: SessionError.self) { try await manager.send(path) }?.code == .status, "\(path)")
        }
    }

    @Test("the entry of the path writes, and a redirect to another one sends the same bytes")
    func written() async throws {
        let log = Shared<[String]>([])
        let registry = try MarkedWriter.registry(
            #"[{ "id": "a", "factory": "a", "match": { "types": ["x/a"] } }]"#,
            policy: #"{ "requestContentType": "x/a" }"#,
            hosts:
                #"{ "origin.test/own": { "plugins": [{ "id": "c", "factory": "c", "match": { "types": ["x/a"] } }] } }"#,
            log)
        let (manager, stub) = try stubManager(registry) { request in
            request.head.url.path() == "/start" ? .redirect(308, to: "/own/end") : .json("1")
        }
        #expect(try await manager.send(SessionRequest("own/x", body: [1])).written?.entry == "c")
        #expect(try await manager.send(SessionRequest("start", body: [1])).written?.entry == "a")
        #expect(log.withLock { $0 } == ["c x/a", "a x/a"])
        let bodies = stub.requests.map { $0.body?.data.map { String(decoding: $0, as: UTF8.self) } }
        #expect(bodies == ["c x/a [1]", "a x/a [1]", "a x/a [1]"])
    }

    @Test("connections and credentials know no path")
    func connections() throws {
        for text in ["origin.test/export", "*.test/a"] {
            let failure = #expect(throws: FormatFailure.self) { try HostPattern(parsing: text) }
            #expect(failure?.description.contains("has a path") == true)
        }
    }
}
