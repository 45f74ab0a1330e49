import CTestResolver
import PatchbayCurl
import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("CurlTransport stops when asked", .timeLimit(.minutes(5)))
struct CurlStopTests {
    private static let stopped = Result<ExchangeTimings, TransportFailure>.failure(
        TransportFailure(.stopped, "the exchange was stopped"))

    enum Moment: String, Sendable, CaseIterable, CustomTestStringConvertible {
        case beforeStart = "before the start"
        case beforeHead = "before the head"
        case insideHead = "inside the head"
        case afterHead = "after the head"
        case insideBody = "inside the body"
        case whilePaused = "while paused"

        var testDescription: String { rawValue }

        /// What the server does until the exchange is stopped.
        var reply: RawReply {
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n"
            let sent =
                switch self {
                case .beforeStart, .beforeHead: ""
                case .insideHead: head
                case .afterHead: head + "\r\n"
                case .insideBody, .whilePaused: head + "\r\nabc"
                }
            return RawReply([.send(Array(sent.utf8)), .hang])
        }

        func isReached(_ record: RecordingReceiver.Record, _ server: RawServer) -> Bool {
            switch self {
            case .beforeStart: true
            case .beforeHead, .insideHead: !server.requests.isEmpty
            case .afterHead: record.counts.heads == 1
            case .insideBody: record.counts.chunks == 1
            case .whilePaused: record.counts.offers == 1
            }
        }
    }

    enum Way: String, Sendable, CaseIterable {
        case signal, task
    }

    @Test(
        "Inside a body without a length, after a kept connection was lost before the head", arguments: ["GET", "PUT"])
    func afterLostConnection(_ method: String) async throws {
        let isLost = Guarded(false)
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
        let server = try RawServer { request in
            guard request.target != "/first" else { return .response(body: "1") }
            let loses = isLost.withLock { isLost in
                defer { isLost.toggle() }
                return !isLost
            }
            return loses ? RawReply([.close]) : RawReply([.send(Array(head.utf8)), .hang])
        }
        for round in 1...10 {
            let transport = CurlTransport()
            #expect(await transport.exchange(server.url("/first")).record.text == "1")
            let receiver = RecordingReceiver()
            let task = Task {
                await transport.exchange(
                    server.url("/next"), method: method, body: method == "PUT" ? Array("text".utf8) : nil,
                    receiver: receiver)
            }
            await until { receiver.record.counts.chunks == 1 }
            receiver.stop.fire()
            #expect(await task.value.result == Self.stopped, "round \(round)")
        }
    }

    @Test("At any moment, both ways, with exactly one end", arguments: Moment.allCases, Way.allCases)
    func atAnyMoment(_ moment: Moment, _ way: Way) async throws {
        let server = try RawServer(always: moment.reply)
        let transport = CurlTransport()
        let never = OneShot()
        let receiver = RecordingReceiver(answerChunk: { _ in moment == .whilePaused ? .wait(never) : .proceed })
        let start = OneShot()
        let task = Task {
            await withCheckedContinuation { continuation in start.whenFired { continuation.resume() } }
            return await transport.exchange(server.url(), isSuspendable: true, receiver: receiver)
        }
        if moment != .beforeStart { start.fire() }
        await until { moment.isReached(receiver.record, server) }
        switch way {
        case .signal:
            receiver.stop.fire()
            receiver.stop.fire()
        case .task:
            task.cancel()
            task.cancel()
        }
        start.fire()
        let exchange = await task.value
        #expect(exchange.result == Self.stopped)
        never.fire()
        // Nothing more was heard after the end, the transport lives, and the connection is gone.
        let other = try RawServer(always: .response(body: "next"))
        #expect(await transport.exchange(other.url()).record.text == "next")
        #expect(receiver.counts.offers == exchange.record.counts.offers)
        await until { server.openConnections == 0 }
    }

    @Test("A receiver that wants no more gets no more", arguments: [1, 2, 3])
    func answeredStop(_ chunk: Int) async throws {
        let server = try RawServer(always: .response(body: [UInt8](repeating: 0x61, count: 1 << 20)))
        let receiver = RecordingReceiver(answerChunk: { $0.offers >= chunk ? .stop : .proceed })
        let exchange = await CurlTransport().exchange(server.url(), receiver: receiver)
        #expect(exchange.result == Self.stopped)
        #expect(exchange.record.counts.offers == chunk)
        let atHead = RecordingReceiver(answerHead: { _ in .stop })
        let refused = await CurlTransport().exchange(server.url(), receiver: atHead)
        #expect(refused.result == Self.stopped)
        #expect(refused.record.counts.offers == 0)
    }

    @Test("A stop after the end changes nothing")
    func late() async throws {
        let server = try RawServer(always: .response(body: "x"))
        let transport = CurlTransport()
        for _ in 0..<20 {
            let receiver = RecordingReceiver()
            #expect(await transport.exchange(server.url(), receiver: receiver).code == nil)
            receiver.stop.fire()
        }
        #expect(server.connections == 1)
    }

    @Test("A storm of stops: 500 exchanges, 500 ends, each a value or stopped")
    func storm() async throws {
        let body = [UInt8](repeating: 0x62, count: 50_000)
        let server = try RawServer { request in
            let number = Int(request.target.dropFirst()) ?? 0
            return number % 3 == 0 ? RawReply([.hang]) : .response(body: body).sliced(into: 10_000)
        }
        let transport = ConnectedTransport(connectionsPerHost: 32)
        let ends = await withTaskGroup { group in
            for number in 0..<500 {
                group.addTask {
                    let receiver = RecordingReceiver(answerChunk: { counts in
                        // One in seven stops in the middle; one in five answers so.
                        if number % 7 == 0, counts.chunks == number % 4 { return .stop }
                        return .proceed
                    })
                    if number % 3 == 0 || number % 5 == 0 {
                        Task {
                            for _ in 0..<(number % 50) { await Task.yield() }
                            receiver.stop.fire()
                        }
                    }
                    return await transport.exchange(server.url("/\(number)"), receiver: receiver)
                }
            }
            return await group.reduce(into: [Exchange]()) { $0.append($1) }
        }
        #expect(ends.count == 500)
        #expect(ends.allSatisfy { $0.code == .stopped || ($0.code == nil && $0.record.body == body) })
        #expect(ends.count { $0.code == nil } >= 200)
        #expect(await transport.exchange(server.url("/1")).record.body == body)
    }

    @Test(
        "A name look-up that hangs delays nobody, and ends when asked",
        .enabled(if: patchbay_test_resolver_is_there() == 1, "the tests' own resolver is not in this build"))
    func hangingLookup() async throws {
        let server = try RawServer(always: .response(body: "there"))
        let url = try #require(URL(string: "http://hang.test:\(server.port)/"))
        let transport = CurlTransport()
        let receivers = (0..<3).map { _ in RecordingReceiver() }
        var request = TransportRequest(head: RequestHead(url: url))
        // The look-ups must not end by themselves, however long the other exchanges take.
        request.connection.connectTimeout = nil
        let hanging = request
        let tasks = receivers.map { receiver in Task { await transport.exchange(hanging, receiver) } }
        await until { patchbay_test_resolver_hanging() >= 3 }
        for _ in 0..<20 { #expect(await transport.exchange(server.url()).record.text == "there") }
        let clock = ContinuousClock()
        let before = clock.now
        receivers[0].stop.fire()
        tasks[1].cancel()
        receivers[2].stop.fire()
        for task in tasks { #expect(await task.value.result == Self.stopped) }
        #expect(before.duration(to: clock.now) < .seconds(10))
        #expect(await transport.exchange(server.url()).record.text == "there")
        #expect(server.connections == 1)
    }
}
