import Foundation
import Patchbay
import PatchbayManager
import PatchbayRegistry
import TestSupport
import Testing

/// A call that wants no value, and whose status is good.
@Suite("Bodies that a call does not want", .timeLimit(.minutes(5)))
struct CurlUnwantedBodyTests {
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

    private static func manager(_ server: RawServer) -> SessionManager { SessionManager(baseURL: server.url()) }

    @Test("An endless body is left, and the call succeeds", arguments: Verb.allCases)
    func endless(_ verb: Verb) async throws {
        let overdue = OneShot()
        let server = try RawServer(always: HeldBody.endless(200, overdue: overdue))
        let manager = Self.manager(server)
        try await outcome(until: overdue) { try await verb.call(manager) }.get()
    }

    @Test("An endless body is left, and the reply of send has none of it")
    func endlessReply() async throws {
        let server = try RawServer(always: HeldBody.endless(200, overdue: OneShot()))
        let manager = Self.manager(server)
        var request = SessionRequest("a", method: "POST")
        request.maximumBodyBytes = 1 << 20
        let result = await outcome(until: OneShot()) { [request] in
            try await manager.send(request, as: Void.self).body.count
        }
        #expect(try result.get() == 0)
    }

    @Test(
        "A body that trickles or hangs is left after a second, and the call succeeds",
        arguments: [HeldBody.trickled, .hung], [Verb.post, .upload])
    func slow(_ body: HeldBody, _ verb: Verb) async throws {
        let server = try RawServer(always: body.reply(201))
        var configuration = SessionConfiguration()
        // Otherwise these end the body, too.
        (configuration.idleTimeout, configuration.totalTimeout) = (nil, nil)
        try await verb.call(SessionManager(baseURL: server.url(), configuration: configuration))
    }

    /// More than the buffers of a connection hold.
    private static let piece = Data(count: 1 << 20)
    private static let pieces = 16

    private static func content(_ kind: String, _ folder: TemporaryFolder) throws -> RequestContent {
        let whole = Data(count: pieces * piece.count)
        switch kind {
        case "data": return .data(whole)
        case "file":
            let file = folder.url.appending(path: "film")
            try whole.write(to: file)
            return .file(file)
        default:
            let numbers = AsyncStream { continuation in
                for _ in 0..<pieces { continuation.yield(piece) }
                continuation.finish()
            }
            return .stream(numbers)
        }
    }

    @Test(
        "A request is sent to its end, whatever the server sends before it, and then the body is left",
        arguments: ["data", "file", "stream"], [1, 1 << 20])
    func uploaded(_ kind: String, _ first: Int) async throws {
        let (received, folder) = (Shared(0), TemporaryFolder())
        let reading = RawReply.Step.converse { peer in
            guard kind == "stream" else {
                for _ in 0..<Self.pieces {
                    guard let bytes = peer.read(Self.piece.count) else { return }
                    received.withLock { $0 += bytes.count }
                }
                return
            }
            while let chunk = peer.readChunk(), !chunk.isEmpty { received.withLock { $0 += chunk.count } }
        }
        let head = "HTTP/1.1 200 Status\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"
        let chunk = "\(String(first, radix: 16))\r\n\(String(repeating: "x", count: first))\r\n"
        let server = try RawServer(readsBodies: false) { _ in
            RawReply([.send(Array((head + chunk).utf8)), .pause(.milliseconds(1_500)), reading, .hang])
        }
        var configuration = SessionConfiguration()
        (configuration.idleTimeout, configuration.totalTimeout) = (nil, nil)
        let manager = SessionManager(baseURL: server.url(), configuration: configuration)
        try await manager.upload(Self.content(kind, folder), to: "a")
        #expect(received.withLock { $0 } == Self.pieces * Self.piece.count)
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

    @Test(
        "Over HTTP/2, only the stream of a body that is left ends",
        .enabled(if: HTTP2Server.isPossible, HTTP2Server.absence))
    func stream() async throws {
        try await HTTP2Server.run { server in
            server.begin { $0.number == 1 ? $0.head + HTTP2Server.frame(0, $0.stream, [0x78]) : $0.ok }
            let manager = SessionManager(
                baseURL: try server.url, registry: .standard, transport: try server.transport())
            try await manager.post("a")
            #expect(try await manager.get("later", as: String.self) == "ok")
            #expect(server.requests.map(\.connection) == [0, 0])
        }
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
