import Foundation
import Patchbay
import PatchbayCurl
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayManager

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A connection on which nothing arrives any more, though it is open: the network has forgotten it, or the host does
/// not read it.
@Suite("Silent connections", .timeLimit(.minutes(5)), .enabled(if: HTTP2Server.isPossible, HTTP2Server.absence))
struct CurlSilenceTests {
    /// A manager with one connection, which the host has answered on.
    private static func warm(
        _ server: HTTP2Server, _ policy: RetryPolicy? = nil,
        _ configure: (inout SessionConfiguration) -> Void = { _ in }
    ) async throws -> SessionManager {
        var configuration = SessionConfiguration()
        configuration.idleTimeout = .seconds(1)
        if var policy {
            policy.scale = .milliseconds(10)
            policy.maximumExtraLoad = nil
            configuration.interceptors = [policy]
        }
        configure(&configuration)
        let manager = SessionManager(
            baseURL: try server.url, registry: .standard, transport: try server.transport(),
            configuration: configuration)
        var first = SessionRequest("first")
        (first.idleTimeout, first.totalTimeout) = (.seconds(60), .seconds(60))
        first.interceptors = []
        #expect(try await manager.send(first, as: String.self).value == "ok")
        return manager
    }

    /// A call that is to succeed: it has more time than the manager gives to those that are to be silent.
    private static func answer(_ target: String, by manager: SessionManager) async throws -> String {
        var request = SessionRequest(target)
        request.idleTimeout = .seconds(60)
        return try await manager.send(request, as: String.self).value
    }

    /// Answers the first request of the first connection, and then nothing on it.
    private static let silent: HTTP2Server.Script = { $0.connection == 0 && $0.number > 1 ? [] : $0.ok }

    /// Has retries for new connections that are slow beside other work.
    private static var patient: RetryPolicy {
        var policy = RetryPolicy()
        policy.limit = 5
        return policy
    }

    private static func firstConnection(_ server: HTTP2Server) -> Int { server.requests.count { $0.connection == 0 } }

    // MARK: What leaves a connection

    @Test("A retry does not use the connection that was silent", arguments: [1, 10])
    func retries(calls: Int) async throws {
        try await HTTP2Server.run { server in
            server.begin(Self.silent)
            let manager = try await Self.warm(server, Self.patient)
            try await withThrowingTaskGroup { group in
                for _ in 0..<calls { group.addTask { try await manager.send(SessionRequest("a"), as: String.self) } }
                for try await reply in group {
                    #expect(reply.value == "ok")
                    #expect(reply.timeline.retries > 0)
                }
            }
            #expect(Self.firstConnection(server) == 1 + calls)
            #expect(try await Self.answer("later", by: manager) == "ok")
            #expect(Self.firstConnection(server) == 1 + calls)
        }
    }

    @Test("A later call does not use it, after each of the timeouts", arguments: ["idle", "attempt", "total"], [1, 3])
    func timeouts(_ timeout: String, calls: Int) async throws {
        try await HTTP2Server.run { server in
            server.begin(Self.silent)
            let manager = try await Self.warm(server)
            var request = SessionRequest("a", method: "POST", content: .data(Data("abc".utf8)))
            request.idleTimeout = .seconds(10)
            let later = request
            var policy = RetryPolicy()
            (policy.limit, policy.attemptTimeout) = (0, timeout == "attempt" ? .seconds(2) : nil)
            var short = later
            short.interceptors = [policy]
            if timeout == "idle" { short.idleTimeout = .seconds(2) }
            if timeout == "total" { short.totalTimeout = .seconds(2) }
            let post = short
            await withTaskGroup { group in
                for _ in 0..<calls {
                    group.addTask { try? await manager.send(post, as: String.self) }
                }
                for await reply in group { #expect(reply == nil) }
            }
            let reply = try await manager.send(later, as: String.self)
            #expect(reply.value == "ok")
            #expect(Self.firstConnection(server) == 1 + calls)
        }
    }

    @Test("Calls on it keep their own clocks, and the last one closes it")
    func others() async throws {
        try await HTTP2Server.run { server in
            let isAnswered = Shared(false)
            defer { isAnswered.withLock { $0 = true } }
            // The third request on the first connection is answered late, and blocks those behind it.
            server.begin { request in
                guard request.connection == 0, request.number > 1 else { return request.ok }
                while request.number == 3, !isAnswered.withLock({ $0 }) { usleep(2_000) }
                return request.number == 3 ? request.ok : []
            }
            let manager = try await Self.warm(server)
            async let short = try? manager.get("short", as: String.self)
            await until { Self.firstConnection(server) == 2 }
            var request = SessionRequest("long")
            request.idleTimeout = .seconds(60)
            async let long = manager.send(request, as: String.self)
            await until { Self.firstConnection(server) == 3 }
            #expect(await short == nil)
            #expect(try await Self.answer("new", by: manager) == "ok")
            #expect(Self.sockets(to: try server.url) == 2)
            isAnswered.withLock { $0 = true }
            #expect(try await long.value == "ok")
            #expect(try await Self.answer("new", by: manager) == "ok")
            await until { (try? Self.sockets(to: server.url)) == 1 }
            #expect(Self.firstConnection(server) == 3)
        }
    }

    @Test("A limit of one connection does not keep calls behind the silent one")
    func limited() async throws {
        try await HTTP2Server.run { server in
            server.begin(Self.silent)
            let manager = try await Self.warm(server, Self.patient) { $0.connection.connectionsPerHost = 1 }
            var request = SessionRequest("held")
            request.idleTimeout = .seconds(60)
            let held = Task { try await manager.send(request, as: String.self) }
            await until { Self.firstConnection(server) == 2 }
            #expect(try await manager.get("a", as: String.self) == "ok")
            held.cancel()
            _ = await held.result
        }
    }

    @Test("Silence again and again leaves no connections behind")
    func again() async throws {
        try await HTTP2Server.run { server in
            // Each connection answers one request.
            server.begin { $0.number == 1 ? $0.ok : [] }
            let manager = try await Self.warm(server, RetryPolicy()) { $0.idleTimeout = .seconds(0.2) }
            var values: [String?] = []
            for _ in 0..<5 {
                await withTaskGroup { group in
                    for _ in 0..<2 { group.addTask { try? await manager.get("a", as: String.self) } }
                    for await value in group { values.append(value) }
                }
            }
            #expect(values.contains("ok"))
            #expect(Set(server.requests.map(\.connection)).count >= 5)
            await until { (try? Self.sockets(to: server.url)).map { $0 <= 2 } ?? false }
        }
    }

    /// Answers the requests of connections that began with the target `first`, until the hush, and then nothing on them.
    private static func hushed(_ first: Int, _ hush: Gate) throws -> RawServer {
        let (old, gate) = (Shared(0), Gate())
        return try RawServer { request in
            // Each connection has a thread.
            let own = Thread.current.threadDictionary
            guard request.target.hasSuffix("/first") else {
                return own["isOld"] != nil ? RawReply([.wait(hush), .close]) : .response(body: "ok")
            }
            own["isOld"] = true
            let count = old.withLock { old in
                old += 1
                return old
            }
            if count == first { gate.open() }
            return RawReply([.wait(gate)] + RawReply.response(body: "first").steps)
        }
    }

    @Test("Where kept HTTP/1.1 connections died together, one retry is enough", arguments: [1, 3, 10])
    func kept(count: Int) async throws {
        let hush = Gate()
        defer { hush.open() }
        let server = try Self.hushed(count, hush)
        var policy = RetryPolicy()
        (policy.limit, policy.scale) = (1, .milliseconds(10))
        var configuration = SessionConfiguration()
        configuration.interceptors = [policy]
        let manager = SessionManager(
            baseURL: server.url("/"), registry: .standard, transport: CurlTransport(), configuration: configuration)
        await withTaskGroup { group in
            for _ in 0..<count { group.addTask { try? await manager.get("first", as: String.self) } }
            for await value in group { #expect(value == "first") }
        }
        #expect(server.connections == count)
        // Long enough for the retry beside other work.
        var request = SessionRequest("a")
        request.idleTimeout = .seconds(4)
        let reply = try await manager.send(request, as: String.self)
        #expect(reply.value == "ok")
        #expect(reply.timeline.retries == 1)
        #expect(try await manager.send(request, as: String.self).timeline.retries == 0)
        #expect(server.connections == count + 1)
        await until { server.openConnections == 1 }
    }

    @Test("A new connection that is silent says nothing about the idle ones")
    func slow() async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try RawServer { request in
            request.target == "/slow" ? RawReply([.wait(gate), .close]) : .response(body: "ok")
        }
        let transport = CurlTransport()
        let held = Task { await transport.exchange(server.url("/slow")) }
        await server.requests(atLeast: 1)
        #expect(await transport.exchange(server.url("/a")).record.text == "ok")
        held.cancel()
        _ = await held.value
        #expect(await transport.exchange(server.url("/b")).timings?.reusedConnection == true)
    }

    @Test("Silent hosts one after the other leave twice the allowed connections at most")
    func hosts() async throws {
        let hush = Gate()
        defer { hush.open() }
        let server = try Self.hushed(1, hush)
        var configuration = SessionConfiguration()
        configuration.connection.address = "127.0.0.1:\(server.port)"
        let transport = CurlTransport(maximumConnections: 3)
        let manager = SessionManager(registry: .standard, transport: transport, configuration: configuration)
        for host in 0..<20 {
            let url = try #require(URL(string: "http://host\(host).example/first"))
            #expect(try await manager.send(SessionRequest(url: url), as: String.self).value == "first")
            var request = SessionRequest(url: url.deletingLastPathComponent())
            request.idleTimeout = .seconds(0.3)
            // The first of these calls is silent; the next ones can be too late beside other work.
            var value: String?
            for _ in 0..<50 where value == nil { value = try? await manager.send(request, as: String.self).value }
            #expect(value == "ok")
        }
        await until { server.openConnections <= 6 }
    }

    @Test("A silent connection over a Unix socket is left, too")
    func unixSocket() async throws {
        try await HTTP2Server.run { server in
            server.begin(Self.silent)
            let manager = SessionManager(
                baseURL: try server.url, registry: .standard, transport: try server.unixTransport())
            #expect(try await manager.get("first", as: String.self) == "ok")
            var request = SessionRequest("silent")
            request.idleTimeout = .seconds(0.5)
            let silent = try? await manager.send(request, as: String.self)
            #expect(silent == nil)
            #expect(try await Self.answer("later", by: manager) == "ok")
            #expect(Self.firstConnection(server) <= 2)
            #expect(server.requests.last?.connection == 1)
        }
    }

    // MARK: What does not

    @Test("A connection on which anything arrived is kept")
    func alive() async throws {
        try await HTTP2Server.run { server in
            server.begin { $0.number == 2 ? [] : $0.ok }
            let manager = try await Self.warm(server) { $0.idleTimeout = .seconds(4) }
            async let silent = try? manager.get("silent", as: String.self)
            await until { server.requests.count == 2 }
            #expect(try await Self.answer("other", by: manager) == "ok")
            #expect(await silent == nil)
            #expect(try await Self.answer("later", by: manager) == "ok")
            #expect(server.requests.map(\.connection) == [0, 0, 0, 0])
        }
    }

    @Test("So is one on which anything arrived since the beginning of a body that was not sent to its end")
    func upload() async throws {
        try await HTTP2Server.run { server in
            // Longer where the other call did not come in time.
            for limit in [1, 4, 16] {
                server.begin { $0.ok }
                let manager = try await Self.warm(server)
                // The server lets the client send 65,535 bytes.
                var request = SessionRequest("long", method: "POST", content: .data(Data(count: 200_000)))
                (request.idleTimeout, request.totalTimeout) = (.seconds(60), .seconds(limit))
                let (isSent, isOver) = (Shared(false), Shared(false))
                let start = ContinuousClock.now
                request.onUploadProgress = { _ in isSent.withLock { $0 = true } }
                let upload = Task { [request] in
                    defer { isOver.withLock { $0 = true } }
                    return try await manager.send(request, as: String.self)
                }
                await until { isSent.withLock { $0 } || isOver.withLock { $0 } }
                let other = try? await Self.answer("other", by: manager)
                // The upload cannot have ended by its limit before.
                let isInTime = start.duration(to: .now) < .seconds(limit)
                await #expect(throws: SessionError.self) { try await upload.value }
                guard other == "ok", isInTime else { continue }
                #expect(try await Self.answer("later", by: manager) == "ok")
                #expect(server.requests.map(\.connection) == [0, 0, 0])
                return
            }
            Issue.record("no other call came in time")
        }
    }

    @Test("A call that is cancelled says nothing about its connection")
    func cancelled() async throws {
        try await HTTP2Server.run { server in
            server.begin { $0.number == 2 ? [] : $0.ok }
            let manager = try await Self.warm(server) { $0.idleTimeout = .seconds(60) }
            let task = Task { try await manager.get("silent", as: String.self) }
            await until { server.requests.count == 2 }
            task.cancel()
            _ = await task.result
            #expect(try await Self.answer("later", by: manager) == "ok")
            #expect(server.requests.map(\.connection) == [0, 0, 0])
        }
    }

    @Test("Other hosts keep their connections")
    func otherHosts() async throws {
        try await HTTP2Server.run { server in
            let other = try RawServer(always: .response(body: "other"))
            server.begin(Self.silent)
            let manager = try await Self.warm(server)
            // Its answers come late on a busy machine; the limit of the manager is for the silent host.
            var request = SessionRequest(url: other.url("/"))
            request.idleTimeout = .seconds(60)
            #expect(try await manager.send(request, as: String.self).value == "other")
            await withTaskGroup { group in
                for _ in 0..<3 { group.addTask { try? await manager.get("a", as: String.self) } }
            }
            #expect(try await Self.answer("later", by: manager) == "ok")
            let reply = try await manager.send(request, as: String.self)
            #expect(reply.timeline.exchange.reusedConnection == true)
        }
    }

    // MARK: The system's limit

    @Test("The system asks a peer that is silent, and ends the connection after two minutes")
    func system() async throws {
        try await HTTP2Server.run { server in
            server.begin { $0.ok }
            let manager = try await Self.warm(server)
            var found: [[Int32]] = []
            try Self.eachSocket(to: server.url) { socket in
                var options = [
                    (SOL_SOCKET, SO_KEEPALIVE), (Int32(IPPROTO_TCP), TCP_KEEPINTVL), (Int32(IPPROTO_TCP), TCP_KEEPCNT),
                ]
                #if canImport(Glibc)
                    options += [(Int32(IPPROTO_TCP), TCP_KEEPIDLE), (Int32(IPPROTO_TCP), TCP_USER_TIMEOUT)]
                #endif
                found.append(
                    options.map { level, name in
                        var (value, size) = (Int32(-1), socklen_t(4))
                        getsockopt(socket, level, name, &value, &size)
                        return value
                    })
            }
            #if canImport(Glibc)
                #expect(found == [[1, 15, 4, 60, 120_000]])
            #else
                #expect(found.count == 1)
            #endif
            withExtendedLifetime(manager) {}
        }
    }

    /// The number of sockets of this process that are connected to a server.
    private static func sockets(to url: URL) -> Int {
        var count = 0
        try? eachSocket(to: url) { _ in count += 1 }
        return count
    }

    private static func eachSocket(to url: URL, _ body: (Int32) -> Void) throws {
        let port = try #require(url.port)
        for socket in 0..<Int32(4_096) {
            var (address, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
            let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &size) == 0 }
            }
            if isConnected, address.sin_family == sa_family_t(AF_INET), Int(UInt16(bigEndian: address.sin_port)) == port
            {
                body(socket)
            }
        }
    }
}
