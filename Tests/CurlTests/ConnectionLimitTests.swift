import Foundation
import Patchbay
import PatchbayPlatform
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayCurl
@testable import PatchbayManager

/// How many connections there may be, who waits for one, and what is said of a wait that is too long.
@Suite("CurlTransport's connections are limited", .timeLimit(.minutes(5)))
struct ConnectionLimitTests {
    struct Limit: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let total, perHost: Int
        /// How many streams take all of the connections.
        let streams: Int
        let reason: String

        var transport: ConnectedTransport {
            ConnectedTransport(CurlTransport(maximumConnections: total), connectionsPerHost: perHost)
        }
    }

    private static let perHost = "ConnectionSettings.connectionsPerHost allows more"
    private static let limits = [
        Limit(
            testDescription: "two to a host", total: 256, perHost: 2, streams: 2,
            reason: "all 2 connections to the host are in use; \(perHost)"),
        Limit(
            testDescription: "one to a host", total: 256, perHost: 1, streams: 1,
            reason: "the one connection to the host is in use; \(perHost)"),
        Limit(
            testDescription: "two in all", total: 2, perHost: 64, streams: 2,
            reason: "all 2 connections are in use; CurlTransport(maximumConnections:) allows more"),
        Limit(
            testDescription: "no more to a host than in all", total: 2, perHost: 2, streams: 2,
            reason: "all 2 connections to the host are in use; \(perHost)"),
        Limit(
            testDescription: "limits below one are one", total: 0, perHost: -1, streams: 1,
            reason: "the one connection to the host is in use; \(perHost)"),
    ]

    /// Answers `/held` with a body that ends when the gate opens, and anything else with `a`.
    private static func server(_ gate: Gate) throws -> RawServer {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"
        let held = RawReply([.send(Array(head.utf8)), .send(Array("line\n".utf8)), .wait(gate), .close])
        return try RawServer { $0.target.hasPrefix("/held") ? held : .response(body: "a") }
    }

    private static func manager(_ server: RawServer, _ transport: any Transport) -> SessionManager {
        SessionManager(baseURL: server.url(), registry: .standard, transport: transport)
    }

    private static func failure(_ work: () async throws -> Void) async -> SessionError? {
        do {
            try await work()
            return nil
        } catch {
            return error as? SessionError
        }
    }

    /// Nothing moves until the test says so, however busy the machine is.
    private static let held: SessionRequest = {
        var request = SessionRequest("held")
        request.idleTimeout = .seconds(3_600)
        return request
    }()

    @Test("A wait for a connection ends with a sentence that says which limit it is", arguments: limits)
    func sentence(_ limit: Limit) async throws {
        let gate = Gate()
        let server = try Self.server(gate)
        let manager = Self.manager(server, limit.transport)
        var streams: [ResponseStream<String>] = []
        for _ in 0..<limit.streams { streams.append(try await manager.stream(Self.held, of: String.self)) }
        for (isIdle, isStream) in [(true, false), (true, true), (false, false), (false, true)] {
            // A busy machine may not begin the wait within the first of these.
            for seconds in [isIdle ? 2 : 3, 20] {
                var request = SessionRequest("held")
                (request.idleTimeout, request.totalTimeout) =
                    isIdle ? (.seconds(seconds), nil) : (.seconds(60), .seconds(seconds))
                let error = await Self.failure { [request] in
                    if isStream {
                        _ = try await manager.stream(request, of: String.self)
                    } else {
                        _ = try await manager.send(request)
                    }
                }
                let words = "until its \(isIdle ? "idle" : "total") timeout of \(seconds) s ran out"
                let sentence =
                    "GET 127.0.0.1:\(server.port)/held: the call waited for a connection \(words): \(limit.reason)"
                guard seconds == 20 || error?.description == sentence else { continue }
                #expect(error?.description == sentence)
                #expect(error?.code == (isIdle ? .idleTimeout : .totalTimeout))
                break
            }
        }
        #expect(server.requests.count == limit.streams)
        gate.open()
        for stream in streams {
            var lines: [String] = []
            for try await line in stream { lines.append(line) }
            #expect(lines == ["line"])
        }
        #expect(try await manager.get("a", as: String.self) == "a")
    }

    @Test("The worst case that the page on security tells is that of the limits")
    func worstCase() throws {
        let body = try #require(
            SerializerRegistry.standard.effectiveManifest["policy"]?["limits"]?["maxBodyBytes"]?.int)
        let (limits, page) = (CurlLimits(), try Markdown("Documentation/Security.md").text)
        for (connections, most, amount) in [
            (limits.connectionsPerHost, 4 << 30, "4 GiB"), (limits.connections, 16 << 30, "16 GiB"),
            (8, 512 << 20, "512 MiB"),
        ] {
            #expect(connections * body == most)
            #expect(page.contains("\(connections) × \(body >> 20) MiB = \(amount)"))
        }
    }

    @Test("A call that has its connection and gets no byte is idle, whoever waited before")
    func idle() async throws {
        let gate = Gate()
        let server = try RawServer(always: RawReply([.wait(gate), .close]))
        let manager = Self.manager(server, ConnectedTransport(connectionsPerHost: 1))
        var request = SessionRequest("a")
        request.idleTimeout = .milliseconds(1_500)
        let error = await Self.failure { _ = try await manager.send(request) }
        #expect(
            error?.description == "GET 127.0.0.1:\(server.port)/a: connected, request sent, and no answer for 1.5 s")
    }

    @Test("Whoever waits for a connection to one host keeps nobody from the connections to another")
    func hosts() async throws {
        let (gate, other) = (Gate(), Gate())
        let server = try Self.server(gate)
        let second = try Self.server(other)
        let transport = ConnectedTransport(connectionsPerHost: 1)
        let (held, free) = (Self.manager(server, transport), Self.manager(second, transport))
        let stream = try await held.stream(Self.held, of: String.self)
        let waiting = (0..<8).map { number in Task { try await held.get("\(number)", as: String.self) } }
        await withTaskGroup { group in
            for number in 0..<20 {
                group.addTask {
                    var request = SessionRequest("\(number)")
                    request.idleTimeout = .seconds(20)
                    let reply = try? await free.send(request, as: String.self)
                    #expect(reply?.value == "a")
                }
            }
        }
        #expect(second.connections == 1)
        #expect(server.requests.count == 1)
        gate.open()
        for try await _ in stream {}
        for task in waiting { #expect(try await task.value == "a") }
        // Those that waited shared one beside that of the stream.
        #expect(server.connections == 2)
    }

    @Test("Hosts have limits of their own on one transport, and a limit that grows lets those that wait go on")
    func limitsByHost() async throws {
        let gate = Gate()
        let server = try Self.server(gate)
        let transport = CurlTransport()
        let narrow = ConnectedTransport(transport, connectionsPerHost: 1)
        async let first = narrow.exchange(server.url("/held"))
        await server.requests(atLeast: 1)
        let waiting = WaitingReceiver()
        async let second = narrow.perform(
            TransportRequest(head: RequestHead(method: "GET", url: server.url("/a"))), for: waiting)
        await waiting.waits.fired()
        #expect(waiting.steps == ["the one connection to the host is in use; \(Self.perHost)"])
        // Another host has the transport's own limit, and so has this one with the next exchange.
        let other = try Self.server(gate)
        await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { await transport.exchange(other.url("/held")).code } }
            await other.requests(atLeast: 8)
            let third = await ConnectedTransport(transport, connectionsPerHost: 100).exchange(server.url("/b"))
            #expect(third.record.text == "a")
            gate.open()
            for await code in group { #expect(code == nil) }
        }
        _ = try await second
        #expect(await first.code == nil)
        #expect(Set(server.requests.map(\.target)) == ["/held", "/a", "/b"])
    }

    @Test("A call that is cancelled while it waits ends at once, and gives up no connection")
    func cancelled() async throws {
        let gate = Gate()
        let server = try Self.server(gate)
        let manager = Self.manager(server, ConnectedTransport(connectionsPerHost: 1))
        let stream = try await manager.stream(Self.held, of: String.self)
        for _ in 0..<50 {
            let call = Task { try await manager.get("never", as: String.self) }
            await Task.yield()
            call.cancel()
            let error = await Self.failure { _ = try await call.value }
            #expect(error?.code == .cancelled)
        }
        gate.open()
        for try await _ in stream {}
        for _ in 0..<3 { #expect(try await manager.get("a", as: String.self) == "a") }
        #expect(!server.requests.contains { $0.target == "/never" })
        #expect(server.connections == 2)
    }

    /// Notes what it is told of a wait, and the head.
    private final class WaitingReceiver: TimedReceiver {
        let stop = OneShot()
        let isOutOfTime = false
        let waits = OneShot()
        private let noted = Shared<[String]>([])

        var steps: [String] { noted.withLock { $0 } }

        func waitForConnection(because reason: String) {
            noted.withLock { $0.append(reason) }
            waits.fire()
        }

        func endWaitForConnection() { noted.withLock { $0.append("goes on") } }

        func note(_ clause: String) {}

        func moved() {}

        func receive(status: Int, fields: HeaderFields) -> TransportFlow {
            noted.withLock { $0.append("\(status)") }
            return .proceed
        }

        func receive(_ chunk: UnsafeRawBufferPointer) -> TransportFlow { .proceed }

        func sent(_ bytes: Int) {}
    }

    @Test(
        "Who waits first goes first, those whose host is full apart, and hears when the wait begins and ends",
        arguments: [false, true])
    func order(inAll: Bool) async throws {
        let gate = Gate()
        let servers = [try Self.server(gate), try Self.server(gate)]
        let transport = ConnectedTransport(
            CurlTransport(maximumConnections: inAll ? 1 : 256), connectionsPerHost: inAll ? nil : 1)
        let order = Shared<[String]>([])
        func start(_ url: URL) -> (WaitingReceiver, Task<Void, any Error>) {
            let receiver = WaitingReceiver()
            return (
                receiver,
                Task {
                    let request = TransportRequest(head: RequestHead(method: "GET", url: url))
                    _ = try await transport.perform(request, for: receiver)
                    order.withLock { $0.append(url.lastPathComponent) }
                }
            )
        }
        var all = [start(servers[0].url("/held"))]
        await servers[0].requests(atLeast: 1)
        for number in 0..<12 {
            let made = start(servers[inAll ? number % 3 % 2 : 0].url("/\(number)"))
            await made.0.waits.fired()
            all.append(made)
        }
        // In the middle of the queue one gives up.
        all[6].0.stop.fire()
        await #expect(throws: TransportFailure.self) { try await all[6].1.value }
        #expect(all[6].0.steps.count == 1)
        gate.open()
        let place = inAll ? "" : " to the host"
        let setting = inAll ? "CurlTransport(maximumConnections:)" : "ConnectionSettings.connectionsPerHost"
        for (number, (receiver, task)) in all.enumerated() where number != 6 {
            try await task.value
            let reason = "the one connection\(place) is in use; \(setting) allows more"
            #expect(receiver.steps == (number == 0 ? ["200"] : [reason, "goes on", "200"]))
        }
        let left = ["held"] + (0..<12).filter { $0 != 5 }.map { "\($0)" }
        let asked = servers.map { $0.requests.map { String($0.target.dropFirst()) } }
        for list in asked { #expect(list == left.filter { list.contains($0) }) }
        #expect(asked[0].count + asked[1].count == left.count)
        #expect(order.withLock { $0.count } == left.count)
    }

    @Test("A connection that is lost while others wait for it lets them go on")
    func lost() async throws {
        let gate = Gate()
        let server = try RawServer {
            $0.target == "/lost" ? RawReply([.wait(gate), .reset]) : .response(body: "a")
        }
        let transport = ConnectedTransport(connectionsPerHost: 1)
        async let first = transport.exchange(server.url("/lost"))
        await server.requests(atLeast: 1)
        async let second = transport.exchange(server.url("/a"))
        async let third = transport.exchange(server.url("/a"))
        gate.open()
        #expect(await first.code == .lostConnection)
        #expect(await [second.record.text, third.record.text] == ["a", "a"])
    }

    @Test("Exchanges that libcurl does not take let all that wait behind them go on")
    func refused() async throws {
        let gate = Gate()
        let server = try Self.server(gate)
        // No settings for TLS: an https exchange fails when its turn comes.
        let transport = ConnectedTransport(CurlTransport(maximumConnections: 1), tls: nil)
        async let held = transport.exchange(server.url("/held"))
        await server.requests(atLeast: 1)
        let secure = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        let codes = await withTaskGroup { group in
            for _ in 0..<2_000 { group.addTask { await transport.exchange(secure).code } }
            group.addTask {
                gate.open()
                return await transport.exchange(server.url("/a")).code
            }
            return await group.reduce(into: [TransportFailure.Code?: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(codes == [.unlistedHost: 2_000, nil: 1])
        #expect(await held.code == nil)
    }

    // MARK: Over TLS, where a host may have both versions

    /// Holds exchanges at their heads until as many have one.
    private static func meeting(_ count: Int) -> @Sendable (Int) -> TransportFlow {
        let (arrived, all) = (Shared(0), OneShot())
        return { time in
            let number = arrived.withLock { arrived in
                if time == 1 { arrived += 1 }
                return arrived
            }
            if number == count { all.fire() }
            return all.hasFired ? .proceed : .wait(all)
        }
    }

    @Test(
        "A call and a stream share one limit, though they share no connection",
        .enabled(if: CurlHTTP2Tests.isPossible, "needs nginx and openssl (Debian: nginx-light, openssl)"))
    func bothVersions() async throws {
        let body = [UInt8](repeating: 0x61, count: 8 << 20)
        try await CurlHTTP2Tests.serving([("large", body)], total: 1) { transport, origin in
            let manager = SessionManager(baseURL: origin, registry: .standard, transport: transport)
            for round in 0..<3 {
                // Nobody reads it, and so it is not over.
                let stream = try await manager.stream("large", of: Data.self)
                var request = SessionRequest("small")
                request.idleTimeout = .seconds(5)
                let error = await Self.failure { _ = try await manager.send(request) }
                #expect(error?.code == .idleTimeout)
                #expect(
                    error?.description
                        == "GET 127.0.0.1:\(origin.port ?? 0)/small: the call waited for a connection until its idle "
                        + "timeout of 5 s ran out: the one connection is in use; "
                        + "CurlTransport(maximumConnections:) allows more")
                if round < 2 {
                    var count = 0
                    for try await piece in stream { count += piece.count }
                    #expect(count == body.count)
                }
                stream.task.cancel()
                let reply = try await manager.send(SessionRequest("small"), as: String.self)
                #expect(reply.value == "small")
                #expect(reply.timeline.exchange.httpVersion == "2")
            }
        }
    }

    @Test(
        "Exchanges over HTTP/2 share connections beside a stream, as many as the host lets them",
        .enabled(if: CurlHTTP2Tests.isPossible, "needs nginx and openssl (Debian: nginx-light, openssl)"),
        arguments: [(1, false), (2, true)])
    func sharing(_ perHost: Int, besideStream: Bool) async throws {
        let body = [UInt8](repeating: 0x61, count: 8 << 20)
        try await CurlHTTP2Tests.serving([("large", body)], perHost: perHost) { transport, origin in
            let manager = SessionManager(baseURL: origin, registry: .standard, transport: transport)
            let stream = besideStream ? try await manager.stream("large", of: Data.self) : nil
            for (all, together) in [(80, 80), (400, 60)] {
                let meet = Self.meeting(together)
                await withTaskGroup { group in
                    for _ in 0..<all {
                        group.addTask {
                            let exchange = await transport.exchange(
                                origin.appending(path: "small"), receiver: RecordingReceiver(answerHead: meet))
                            #expect(exchange.record.text == "small")
                            #expect(exchange.timings?.httpVersion == "2")
                        }
                    }
                }
            }
            if let stream {
                var count = 0
                for try await piece in stream { count += piece.count }
                #expect(count == body.count)
            }
        }
    }
}
