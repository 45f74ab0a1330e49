import Foundation
import Patchbay
import PatchbayManager
import PatchbayRegistry
import PatchbayURLSession
import TestSupport
import Testing

/// Waiting, stopping, cancelling: each exchange ends once, and its receiver hears no more after that.
@Suite(.timeLimit(.minutes(5)))
struct URLSessionFlowTests {
    private static let stopped = TransportFailure(.stopped, "the exchange was stopped")

    private func request(_ server: RawServer, _ path: String = "/") -> TransportRequest {
        TransportRequest(head: RequestHead(url: server.url(path)))
    }

    @Test(arguments: [1, 2, 3]) func offersAgainWhatHadToWait(piece waiting: Int) async throws {
        let body = String(repeating: "0123456789", count: 20_000)
        let server = try RawServer(always: .response(body: body).sliced(into: 50_000))
        let reached = OneShot()
        let ready = OneShot()
        let recorder = Recorder { piece in
            guard piece == waiting else { return .proceed }
            reached.fire()
            return .wait(ready)
        }
        async let timings = URLSessionTransport().perform(request(server), for: recorder)
        await reached.fired()
        ready.fire()
        _ = try await timings
        #expect(recorder.record.status == 200)
        #expect(recorder.record.text == body)
    }

    @Test func oneThatWaitsHoldsUpNoOther() async throws {
        let server = try RawServer(always: .response(body: "ok"))
        let transport = URLSessionTransport()
        let reached = OneShot()
        let ready = OneShot()
        let slow = Recorder { piece in
            guard piece == 1 else { return .proceed }
            reached.fire()
            return .wait(ready)
        }
        async let waiting = transport.perform(request(server), for: slow)
        await reached.fired()
        let other = Recorder()
        _ = try await transport.perform(request(server), for: other)
        #expect(other.record.text == "ok")
        ready.fire()
        _ = try await waiting
        #expect(slow.record.text == "ok")
    }

    @Test func failsWhenTheReaderFallsTooFarBehind() async throws {
        let server = try RawServer(always: .response(body: [UInt8](repeating: 0x61, count: 17 << 20)))
        let recorder = Recorder { _ in .wait(OneShot()) }
        let failure = TransportFailure(
            .undeliveredBytes, "the reader fell more than 16777216 bytes behind, and URLSession cannot be paused")
        await #expect(throws: failure) { try await URLSessionTransport().perform(request(server), for: recorder) }
        #expect(recorder.record.pieces == 1)
    }

    @Test func aFastReaderTakesAnyLength() async throws {
        let server = try RawServer(always: .response(body: [UInt8](repeating: 0x61, count: 20 << 20)))
        let recorder = Recorder()
        _ = try await URLSessionTransport().perform(request(server), for: recorder)
        #expect(recorder.record.body.count == 20 << 20)
    }

    @Test(arguments: [1, 2]) func theReceiverCanRefuseAPiece(_ refused: Int) async throws {
        let server = try RawServer(always: .response(body: "ok"))
        let recorder = Recorder { $0 == refused ? .stop : .proceed }
        await #expect(throws: TransportFailure(.stopped, "the receiver stopped the exchange")) {
            try await URLSessionTransport().perform(request(server), for: recorder)
        }
        #expect(recorder.record.pieces == refused)
    }

    @Test func theSignalEndsAnExchangeWithoutAnswer() async throws {
        let server = try RawServer(always: RawReply([.hang]))
        let recorder = Recorder()
        let task = Task { try await URLSessionTransport().perform(request(server), for: recorder) }
        await server.requests(atLeast: 1)
        recorder.stop.fire()
        let result = await task.result
        #expect(throws: Self.stopped) { try result.get() }
    }

    @Test func aSignalThatFiredBeforeEndsItAtOnce() async throws {
        let server = try RawServer(always: .response(body: "ok"))
        let recorder = Recorder()
        recorder.stop.fire()
        await #expect(throws: Self.stopped) {
            try await URLSessionTransport().perform(request(server), for: recorder)
        }
        #expect(recorder.record.pieces == 0)
    }

    @Test func cancellingTheTaskEndsAPausedExchange() async throws {
        let server = try RawServer(always: .response(body: "ok"))
        let reached = OneShot()
        let recorder = Recorder { _ in
            reached.fire()
            return .wait(OneShot())
        }
        let task = Task { try await URLSessionTransport().perform(request(server), for: recorder) }
        await reached.fired()
        task.cancel()
        let result = await task.result
        #expect(throws: Self.stopped) { try result.get() }
    }

    /// Half of the exchanges are cancelled, at whatever point they have reached; all of them end.
    @Test func survivesManyCancellations() async throws {
        let server = try RawServer { request in
            .response(body: String(repeating: "x", count: 3_000)).sliced(
                into: 1_000, every: .milliseconds(request.target.utf8.count % 3))
        }
        let transport = URLSessionTransport(maximumConnectionsPerHost: 16)
        let ends = await withTaskGroup(of: String.self) { group in
            for number in 0..<300 {
                let request = request(server, "/\(String(repeating: "n", count: number % 5))")
                group.addTask {
                    let recorder = Recorder()
                    let task = Task { try await transport.perform(request, for: recorder) }
                    if number.isMultiple(of: 2) {
                        for _ in 0..<(number % 50) { await Task.yield() }
                        task.cancel()
                    }
                    switch await task.result {
                    case .success: return recorder.record.body.count == 3_000 ? "whole" : "short"
                    case .failure(let failure as TransportFailure): return failure.code.rawValue
                    case .failure: return "untyped"
                    }
                }
            }
            return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(ends["whole", default: 0] >= 150)
        #expect(ends["whole", default: 0] + ends["stopped", default: 0] == 300, "\(ends)")
    }

    @Test func carriesAThousandAtOnce() async throws {
        let server = try RawServer(always: .response(body: "ok"))
        let transport = URLSessionTransport()
        let whole = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<1_000 {
                group.addTask {
                    let recorder = Recorder()
                    _ = try? await transport.perform(request(server), for: recorder)
                    return recorder.record.text == "ok"
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(whole == 1_000)
    }

    /// As many as `CurlTransport` has.
    @Test func carriesSixtyFourToAHostAtOnce() async throws {
        let (arrived, all) = (Shared(0), Gate())
        let server = try RawServer { _ in
            let number = arrived.withLock { arrived in
                arrived += 1
                return arrived
            }
            if number == 64 { all.open() }
            return .response(body: "ok").after(all)
        }
        let manager = SessionManager(
            baseURL: server.url(), registry: .standard, transport: URLSessionTransport())
        let statuses = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    var request = SessionRequest("a")
                    request.idleTimeout = .seconds(20)
                    return try? await manager.send(request, as: Data.self).head.status
                }
            }
            return await group.reduce(into: [Int?]()) { $0.append($1) }
        }
        #expect(statuses == [Int?](repeating: 200, count: 64))
    }

    @Test func manyTransportsComeAndGo() async throws {
        let server = try RawServer(always: .response(body: "ok"))
        for _ in 0..<100 {
            let recorder = Recorder()
            _ = try await URLSessionTransport().perform(request(server), for: recorder)
            #expect(recorder.record.text == "ok")
        }
    }

    /// Neither the transport nor a signal that never fires keeps anything of an exchange that is over.
    @Test(arguments: [true, false]) func letsGoOfWhatIsOver(isWhole: Bool) async throws {
        let server = try RawServer(always: .response(body: "ok"))
        let transport = URLSessionTransport()
        let never = OneShot()
        let released = await { () -> OneShot in
            let reached = OneShot()
            let recorder = Recorder { piece in
                reached.fire()
                return isWhole ? .proceed : .wait(never)
            }
            let task = Task { try await transport.perform(request(server), for: recorder) }
            await reached.fired()
            if !isWhole { task.cancel() }
            _ = await task.result
            return recorder.released
        }()
        await released.fired()
        #expect(!never.hasFired)
        withExtendedLifetime(transport) {}
    }
}
