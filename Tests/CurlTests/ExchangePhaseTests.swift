import Foundation
import Patchbay
import PatchbayCurl
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayManager

/// The steps of an exchange that a call tells: of its response, of its redirects, and of its failure.
@Suite("A call over CurlTransport says which step was not over", .timeLimit(.minutes(5)))
struct ExchangePhaseTests {
    /// The error of a GET, or nil.
    private static func failure(
        _ url: String, _ settings: ConnectionSettings = ConnectionSettings(), idle: Duration? = nil,
        total: Duration? = nil, body: RequestContent? = nil, interceptors: [any RequestInterceptor] = []
    ) async -> SessionError? {
        var configuration = SessionConfiguration()
        configuration.connection = settings
        configuration.interceptors = interceptors
        let manager = SessionManager(transport: CurlTransport(), configuration: configuration)
        var request = SessionRequest(url, method: body == nil ? "GET" : "PUT", content: body)
        (request.idleTimeout, request.totalTimeout) = (idle, total)
        do throws(SessionError) {
            _ = try await manager.send(request)
            return nil
        } catch {
            return error
        }
    }

    /// Checks the reason of a call that a limit ends. A busy machine may not reach the step within a short limit, so the
    /// limit grows until the reason is the expected one.
    @discardableResult
    private static func expect(
        _ reason: (Duration) -> String, limits: [Duration] = [.seconds(0.3), .seconds(2), .seconds(10)],
        sourceLocation: SourceLocation = #_sourceLocation, of call: (Duration) async -> SessionError?
    ) async -> SessionError? {
        for limit in limits.dropLast() {
            if let error = await call(limit), error.reason == reason(limit) { return error }
        }
        guard let limit = limits.last else { return nil }
        let error = await call(limit)
        #expect(error?.reason == reason(limit), sourceLocation: sourceLocation)
        return error
    }

    @Test("a server that never answers: the request was sent")
    func unanswered() async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try RawServer { _ in RawReply([.wait(gate), .close]) }
        let url = "http://127.0.0.1:\(server.port)/a"
        let idle = try #require(
            await Self.expect {
                "connected, request sent, and no answer for \($0.text)"
            } of: { limit in
                await Self.failure(url, idle: limit)
            })
        #expect(idle.code == .idleTimeout)
        let exchange = try #require(idle.timeline?.exchange)
        #expect(exchange.remoteAddress == "127.0.0.1")
        #expect(exchange.remotePort == Int(server.port))
        let steps = [exchange.nameLookup, exchange.connect, exchange.requestSent, exchange.total].compactMap(\.self)
        #expect(steps.count == 4, "\(exchange)")
        #expect(steps == steps.sorted())
        #expect(exchange.total > exchange.requestSent ?? .zero)
        #expect(exchange.firstByte == nil)
        #expect(exchange.queue == nil)
        #expect(exchange.reusedConnection == false)
        await Self.expect {
            "the call was not over after \($0.text): the request was sent, and no answer had come"
        } of: {
            await Self.failure(url, total: $0)
        }
        let attempt = await Self.expect {
            "the attempt was not over after \($0.text): the request was sent, and no answer had come"
        } of: { limit in
            var policy = RetryPolicy()
            (policy.limit, policy.attemptTimeout) = (0, limit)
            return await Self.failure(url, interceptors: [policy])
        }
        #expect(attempt?.code == .attemptTimeout)
    }

    @Test(
        "a call that is cancelled has the steps of its exchange, before the head and in the body",
        arguments: [false, true])
    func cancelled(hasHead: Bool) async throws {
        let gate = Gate()
        defer { gate.open() }
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nabc"
        let server = try RawServer { request in
            request.target == "/a"
                ? .response(status: 302, ["Location": "/b"])
                : RawReply((hasHead ? [.send(Array(head.utf8))] : []) + [.wait(gate), .close])
        }
        let call = Task { await Self.failure(server.target("/a")) }
        _ = await server.requests(atLeast: 2)
        if hasHead { try await Task.sleep(for: .milliseconds(300)) }
        call.cancel()
        let error = try #require(await call.value)
        #expect(error.reason == "the call was cancelled")
        let timeline = try #require(error.timeline)
        #expect(timeline.exchange.remotePort == Int(server.port))
        #expect(timeline.exchange.requestSent != nil)
        #expect(timeline.exchange.total >= timeline.exchange.requestSent ?? .zero)
        #expect(hasHead || timeline.exchange.firstByte == nil)
        #expect(timeline.hops.count == 1)
    }

    #if os(Linux)
        @Test("a host that takes no connection")
        func unconnected() async throws {
            let full = try FullListener()
            defer { full.close() }
            let url = "http://127.0.0.1:\(full.port)/"
            await Self.expect {
                "no byte moved for \($0.text): the connection was being made"
            } of: {
                await Self.failure(url, idle: $0)
            }
            let connect = await Self.expect {
                "no connection to 127.0.0.1:\(full.port) within \($0.text) (1 address tried)"
            } of: {
                await Self.failure(url, ConnectionSettings(connectTimeout: $0))
            }
            let exchange = try #require(connect?.timeline?.exchange)
            #expect(exchange.remoteAddress == nil)
            #expect(exchange.requestSent == nil)
        }
    #endif

    @Test("a server that accepts, and never speaks TLS")
    func handshake() async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try RawServer(onConnect: RawReply([.wait(gate), .close]))
        let url = "https://127.0.0.1:\(server.port)/"
        let idle = await Self.expect {
            "no byte moved for \($0.text): the TLS handshake was not over"
        } of: {
            await Self.failure(url, idle: $0)
        }
        let exchange = try #require(idle?.timeline?.exchange)
        #expect(exchange.secureConnect == nil)
        #expect(exchange.requestSent == nil)
    }

    @Test("a proxy that never answers CONNECT: not the TLS handshake with the host")
    func tunnel() async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try RawServer { _ in RawReply([.wait(gate), .close]) }
        let proxy = try ProxySettings("http://127.0.0.1:\(server.port)")
        let url = "https://host.example/"
        await Self.expect {
            "the proxy made no connection to the host within \($0.text)"
        } of: {
            await Self.failure(url, ConnectionSettings(connectTimeout: $0, proxy: proxy))
        }
        await Self.expect {
            "no byte moved for \($0.text): the proxy had made no connection to the host"
        } of: {
            await Self.failure(url, ConnectionSettings(proxy: proxy), idle: $0)
        }
    }

    @Test("a server that reads no more of the request")
    func unsent() async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try RawServer(onConnect: RawReply([.wait(gate), .close]))
        let body = RequestContent.data(Data(count: 64 << 20))
        await Self.expect {
            "no byte moved for \($0.text): the request was being sent"
        } of: {
            await Self.failure("http://127.0.0.1:\(server.port)/", idle: $0, body: body)
        }
    }

    @Test("a body that stops on its way")
    func body() async throws {
        let gate = Gate()
        defer { gate.open() }
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nabc"
        let server = try RawServer { _ in RawReply([.send(Array(head.utf8)), .wait(gate), .close]) }
        await Self.expect {
            "no byte moved for \($0.text)"
        } of: { limit in
            let error = await Self.failure("http://127.0.0.1:\(server.port)/", idle: limit)
            return error?.timeline?.exchange.firstByte == nil ? nil : error
        }
    }

    @Test("each redirect has its own steps, and so has the failure after it")
    func redirects() async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try RawServer { request in
            switch request.target {
            case "/a": .response(status: 302, ["Location": "/b"])
            case "/b": .response(status: 302, ["Location": "/c"])
            case "/c": .response(body: "c")
            case "/d": .response(status: 302, ["Location": "/e"])
            default: RawReply([.wait(gate), .close])
            }
        }
        let manager = SessionManager(baseURL: server.url(), registry: .standard, transport: CurlTransport())
        let timeline = try await manager.send(SessionRequest("a")).timeline
        #expect(timeline.redirects == 2)
        #expect(timeline.hops.count == 2)
        #expect(timeline.hops.allSatisfy { $0.firstByte != nil && $0.remoteAddress == "127.0.0.1" })
        #expect(timeline.hops.map(\.reusedConnection) == [false, true])
        let failed = await Self.failure("http://127.0.0.1:\(server.port)/d", idle: .seconds(2))
        #expect(failed?.timeline?.hops.count == 1)
        #expect(failed?.timeline?.redirects == 1)
        #expect(failed?.timeline?.exchange.firstByte == nil)
    }

    @Test("a wait for a connection comes before the other steps")
    func queue() async throws {
        let gate = Gate()
        let server = try RawServer { request in
            request.target == "/slow"
                ? RawReply([.wait(gate)] + RawReply.response(body: "a").steps) : .response(body: "b")
        }
        let transport = ConnectedTransport(connectionsPerHost: 1)
        async let slow = transport.exchange(server.url("/slow"))
        while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        async let second = transport.exchange(server.url("/b"))
        try await Task.sleep(for: .milliseconds(300))
        gate.open()
        _ = await slow
        let timings = try #require(await second.timings)
        let steps = [timings.queue, timings.requestSent, timings.firstByte, timings.total].compactMap(\.self)
        #expect(steps.count == 4, "\(timings)")
        #expect(steps == steps.sorted())
    }

    @Test("a body was sent before the answer came", arguments: [true, false])
    func sent(hasLength: Bool) async throws {
        let server = try RawServer { _ in RawReply.response(body: "a").delayed(by: .milliseconds(200)) }
        let source = PiecesBody(pieces: [Array(repeating: 0x61, count: 1_000)], hasLength: hasLength)
        let found = await CurlTransport().exchange(server.url("/"), method: "PUT", source: source)
        let timings = try #require(found.timings)
        let (sent, first) = (try #require(timings.requestSent), try #require(timings.firstByte))
        #expect(sent < first - .milliseconds(100), "\(timings)")
    }

    @Test(
        "the version of TLS and the address stand in the reply",
        .enabled(if: CertificateFolder.isPossible, "\(CertificateFolder.absence)"))
    func secure() async throws {
        let folder = try await CertificateFolder()
        defer { folder.remove() }
        try await folder.issue("host")
        try await TLSServer.run("host", in: folder, ["-tls1_2"]) { port in
            let transport = ConnectedTransport(tls: TLSSettings(certificateAuthorities: folder.path("ca.pem")))
            let url = try #require(URL(string: "https://localhost:\(port)/"))
            let timings = try #require(await transport.exchange(url).timings)
            #expect(timings.tlsVersion == "TLSv1.2")
            #expect(timings.remotePort == port)
            #expect("\(timings)".contains("TLSv1.2, 127.0.0.1:\(port)"), "\(timings)")
        }
    }
}

/// A body of fixed pieces.
private final class PiecesBody: RequestBodySource {
    private let pieces: Shared<[[UInt8]]>
    let length: Int64?

    init(pieces: [[UInt8]], hasLength: Bool) {
        length = hasLength ? Int64(pieces.joined().count) : nil
        self.pieces = Shared(pieces)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
        guard let piece = pieces.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return .end() }
        buffer.copyBytes(from: piece)
        return .bytes(piece.count)
    }

    func rewind() throws { throw POSIXError(.ESPIPE) }
}
