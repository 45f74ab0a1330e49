import Foundation
import Patchbay
import PatchbayCurl
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayManager

/// Streams over a socket: what arrives when, who waits for whom, and how an exchange ends.
@Suite("Streams over CurlTransport", .timeLimit(.minutes(5)))
struct CurlStreamTests {
    private static func head(_ fields: [String] = [], type: String = "application/x-ndjson") -> [UInt8] {
        let lines = ["HTTP/1.1 200 OK", "Content-Type: \(type)"] + fields
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// Bytes in the framing of Transfer-Encoding.
    private static func chunk(_ bytes: [UInt8]) -> [UInt8] {
        Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
    }

    private static func manager(_ server: RawServer, _ configuration: SessionConfiguration = .init()) -> SessionManager
    {
        SessionManager(
            baseURL: server.url(), registry: .standard, transport: CurlTransport(), configuration: configuration)
    }

    @Test("the first piece is given before the server sends the second")
    func early() async throws {
        let gate = Gate()
        let server = try RawServer(
            always: RawReply([
                .send(Self.head()), .send(Array("1\n".utf8)), .wait(gate), .send(Array("2\n".utf8)), .close,
            ]))
        var text = ""
        for try await piece in try await Self.manager(server).stream("a", of: Data.self) {
            text += String(decoding: piece, as: UTF8.self)
            gate.open()
        }
        #expect(text == "1\n2\n")
    }

    @Test("a reader that stops reading stops the server, and what waits is bounded")
    func backPressure() async throws {
        let piece = [UInt8](repeating: 0x20, count: 1 << 16)
        let sent = Shared(0)
        let server = try RawServer(
            always: RawReply(
                [.send(Self.head())]
                    + (0..<1_024).flatMap { _ -> [RawReply.Step] in
                        [.send(piece), .run { sent.withLock { $0 += 1 } }]
                    } + [.close]))
        let stream = try await Self.manager(server).stream("a", of: Data.self)
        // Until nothing more arrives for a while.
        var received = Int64(-1)
        while stream.task.downloadProgress.completedBytes != received {
            received = stream.task.downloadProgress.completedBytes
            try await Task.sleep(for: .milliseconds(300))
        }
        #expect(received <= 1 << 20)
        // 64 MiB are to come; what the sockets hold is a few.
        #expect(sent.withLock { $0 } < 512)
        var count = 0
        for try await bytes in stream { count += bytes.count }
        #expect(count == 64 << 20)
    }

    @Test("leaving the loop closes the connection", .timeLimit(.minutes(5)))
    func leaving() async throws {
        let server = try RawServer(always: RawReply([.send(Self.head()), .send(Array("1\n".utf8)), .hang]))
        for try await _ in try await Self.manager(server).stream("a", of: Data.self) { break }
        await until { server.openConnections == 0 }
    }

    @Test("letting go of a stream that nobody reads closes the connection", .timeLimit(.minutes(5)))
    func dropping() async throws {
        let server = try RawServer(always: RawReply([.send(Self.head()), .send(Array("1\n".utf8)), .hang]))
        _ = try await Self.manager(server).stream("a", of: Data.self)
        await until { server.openConnections == 0 }
    }

    @Test(
        "a connection that is lost in the middle is an error behind what came before",
        arguments: [false, true])
    func cut(_ resets: Bool) async throws {
        let gate = Gate()
        let server = try RawServer(
            always: RawReply([
                .send(Self.head(["Transfer-Encoding: chunked"])), .send(Self.chunk(Array("1\n".utf8))), .wait(gate),
                resets ? .reset : .close,
            ]))
        var text = ""
        let error = await #expect(throws: SessionError.self) {
            for try await piece in try await Self.manager(server).stream("a", of: Data.self) {
                text += String(decoding: piece, as: UTF8.self)
                gate.open()
            }
        }
        #expect(text == "1\n")
        #expect(error?.code == .transport)
    }

    @Test("a call that waits for the connection of a stream goes on when that is let go of", arguments: [true, false])
    func oneConnection(timesOutFirst: Bool) async throws {
        let endless = RawReply(
            [.send(Self.head())] + (0..<1_024).map { _ in .send([UInt8](repeating: 0x20, count: 1 << 16)) } + [.close])
        let server = try RawServer { $0.target == "/endless" ? endless : .response(body: "a") }
        let manager = SessionManager(
            baseURL: server.url(), registry: .standard,
            transport: ConnectedTransport(connectionsPerHost: 1))
        var stream: ResponseStream<Data>? = try await manager.stream("endless", of: Data.self)
        var iterator = stream?.makeAsyncIterator()
        _ = try await iterator?.next()
        var request = SessionRequest("a")
        request.idleTimeout = timesOutFirst ? .milliseconds(200) : .seconds(30)
        let waiting = Task { [request] in try await manager.send(request, as: Data.self).value }
        if timesOutFirst {
            let error = await #expect(throws: SessionError.self) { _ = try await waiting.value }
            #expect(error?.code == .idleTimeout)
        } else {
            try await Task.sleep(for: .milliseconds(200))
        }
        (iterator, stream) = (nil, nil)
        let reply = timesOutFirst ? try await manager.get("a", as: Data.self) : try await waiting.value
        #expect(reply == Data("a".utf8))
    }

    @Test("a coded body is decoded piece by piece, as it arrives", arguments: StoredCoding.allCases)
    func coded(_ coding: StoredCoding) async throws {
        let (first, second) = (Array("first\n".utf8), Array("second\n".utf8))
        let gate = Gate()
        let server = try RawServer(
            always: RawReply([
                .send(Self.head(["Content-Encoding: \(coding.rawValue)"]) + coding.head + coding.block(first)),
                .wait(gate), .send(coding.block(second) + coding.end(of: first + second)), .close,
            ]))
        var text = ""
        for try await piece in try await Self.manager(server).stream("a", of: Data.self) {
            text += String(decoding: piece, as: UTF8.self)
            if text.hasPrefix("first") { gate.open() }
        }
        #expect(text == "first\nsecond\n")
    }

    @Test(
        "events are asked for again from where the connection broke off, until the server has no more",
        arguments: [false, true])
    func reconnected(_ isChunked: Bool) async throws {
        let server = try RawServer { request in
            // The body ends with the connection, or has a chunk too few.
            func events(_ text: String) -> RawReply {
                let bytes = Array(text.utf8)
                let head = Self.head(isChunked ? ["Transfer-Encoding: chunked"] : [], type: "text/event-stream")
                return RawReply([.send(head + (isChunked ? Self.chunk(bytes) : bytes)), .close])
            }
            return switch request.fields["Last-Event-ID"] {
            case nil: events("retry: 10\nid: é1\ndata: one\n\nid: 2\ndata: two\n")
            case "é1": events(": hello\n\nid: 2\ndata: two\n\ndata: three\n\n")
            case "2": .response(status: 204)
            default: .response(status: 500)
            }
        }
        var reconnection = EventReconnection()
        reconnection.allowedDelays = .zero ... .seconds(1)
        var events: [ServerSentEvent] = []
        let stream = try await Self.manager(server).stream("a", of: ServerSentEvent.self, reconnecting: reconnection)
        for try await event in stream { events.append(event) }
        #expect(events.map(\.data) == ["one", "two", "three"])
        #expect(events.map(\.lastEventID) == ["é1", "2", "2"])
        #expect(server.requests.map { $0.fields["Last-Event-ID"] } == [nil, "é1", "2"])
        #expect(stream.head.status == 204)
    }

    @Test("fields behind the body are there when it has ended")
    func trailers() async throws {
        let gate = Gate()
        let server = try RawServer(
            always: RawReply([
                .send(Self.head(["Transfer-Encoding: chunked"]) + Self.chunk(Array("1\n".utf8))), .wait(gate),
                .send(Array("0\r\nX-Sum: 6\r\nX-More: a\r\n\r\n".utf8)),
            ]))
        let manager = Self.manager(server)
        let stream = try await manager.stream("a", of: Data.self)
        #expect(stream.trailers == nil)
        gate.open()
        for try await _ in stream {}
        #expect(stream.trailers == ["X-Sum": "6", "X-More": "a"])
        let reply = try await manager.send("a")
        #expect(reply.trailers == ["X-Sum": "6", "X-More": "a"])
        #expect(reply.head.fields["X-Sum"] == nil)
    }

    @Test("a response without such fields has none")
    func noTrailers() async throws {
        let server = try RawServer(always: .response(["Content-Type": "text/plain"], body: "a"))
        let manager = Self.manager(server)
        let stream = try await manager.stream("a", of: Data.self)
        for try await _ in stream {}
        #expect(stream.trailers == [:])
        #expect(try await manager.send("a").trailers == [:])
    }

    @Test("many streams of one manager are read side by side")
    func sideBySide() async throws {
        let lines = (0..<2_000).map { "line \($0)\n" }.joined()
        let server = try RawServer(always: .response(["Content-Type": "text/plain"], body: lines))
        let manager = Self.manager(server)
        try await withThrowingTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    var text = Data()
                    for try await piece in try await manager.stream("a", of: Data.self) { text += piece }
                    #expect(text == Data(lines.utf8))
                }
            }
            try await group.waitForAll()
        }
        #expect(manager.tasks.isEmpty)
    }
}
