import Foundation
import Patchbay
import PatchbayManager
import PatchbayRegistry
import TestSupport
import Testing

/// A call that wants no value, and whose status is good.
@Suite("Bodies that a call does not want", .timeLimit(.minutes(5)))
struct UnwantedBodyTests {
    private static let reason: Comment = """
        a call that wants no value reads its body to the end; the state machine that will replace ResponseReceiver \
        leaves the body after 128 KiB or one second
        """

    enum Verb: String, Sendable, CaseIterable {
        case get, post, put, patch, delete, upload

        func call(_ manager: SessionManager) async throws(SessionError) {
            switch self {
            case .get: try await manager.get("a", as: Void.self)
            case .post: try await manager.post("a")
            case .put: try await manager.put("a")
            case .patch: try await manager.patch("a")
            case .delete: try await manager.delete("a")
            case .upload: try await manager.upload(.data(Data("x".utf8)), to: "a")
            }
        }
    }

    private static func manager(_ server: RawServer, total: Duration = .seconds(60)) -> SessionManager {
        var configuration = SessionConfiguration()
        configuration.totalTimeout = total
        return SessionManager(baseURL: server.url(), configuration: configuration)
    }

    @Test("An endless body is left, and the call succeeds", arguments: Verb.allCases)
    func endless(_ verb: Verb) async throws {
        let overdue = OneShot()
        let server = try RawServer(always: HeldBody.endless.reply(200, overdue: overdue))
        let manager = Self.manager(server, total: .seconds(1))
        // An upload has no total timeout, so the test ends it.
        let isUpload = verb == .upload
        let result = await outcome(until: isUpload ? overdue : OneShot()) { try await verb.call(manager) }
        try withKnownIssue(Self.reason) {
            try result.get()
        } matching: {
            ($0.error as? SessionError)?.code == (isUpload ? .cancelled : .totalTimeout)
        }
    }

    @Test("An endless body is left, and the reply of send has none of it")
    func endlessReply() async throws {
        let server = try RawServer(always: HeldBody.endless.reply(200, overdue: OneShot()))
        let manager = Self.manager(server, total: .seconds(1))
        var request = SessionRequest("a", method: "POST")
        request.maximumBodyBytes = 1 << 20
        let result = await outcome(until: OneShot()) { [request] in
            try await manager.send(request, as: Void.self).body.count
        }
        try withKnownIssue(Self.reason) {
            let count = try result.get()
            #expect(count == 0)
        } matching: {
            ($0.error as? SessionError)?.code == .totalTimeout
        }
    }

    @Test(
        "A body that trickles or hangs is left after a second, and the call succeeds",
        arguments: [HeldBody.trickled, .hung], [Verb.post, .upload])
    func slow(_ body: HeldBody, _ verb: Verb) async throws {
        let overdue = OneShot()
        let server = try RawServer(always: body.reply(201, overdue: overdue))
        let manager = Self.manager(server)
        let result = await outcome(until: overdue) { try await verb.call(manager) }
        try withKnownIssue(Self.reason) {
            try result.get()
        } matching: {
            ($0.error as? SessionError)?.code == .cancelled
        }
    }

    private static func served(_ count: Int) throws -> RawServer {
        try RawServer(
            always: .response(["Content-Type": "text/plain"], body: [UInt8](repeating: 0x78, count: count)))
    }

    @Test("A body of 128 KiB is read, and its connection is kept", arguments: Verb.allCases)
    func kept(_ verb: Verb) async throws {
        let server = try Self.served(128 << 10)
        let manager = Self.manager(server)
        for _ in 0..<3 { try await verb.call(manager) }
        #expect(server.connections == 1)
    }

    @Test("A reply of send has the whole body, or none of it", arguments: [0, 1, 100_000, 128 << 10, 1 << 20])
    func reply(_ count: Int) async throws {
        let server = try Self.served(count)
        let received = try await Self.manager(server).send("a", as: Void.self).body.count
        #expect(received == count || (received == 0 && count > 128 << 10))
    }

    @Test("A validator gets the whole body")
    func validated() async throws {
        let server = try Self.served(1 << 20)
        let received = Shared(0)
        var request = SessionRequest("a", method: "POST")
        request.validators = [{ _, body in received.withLock { $0 = body.count } }]
        _ = try await Self.manager(server).send(request, as: Void.self)
        #expect(received.withLock { $0 } == 1 << 20)
    }
}
