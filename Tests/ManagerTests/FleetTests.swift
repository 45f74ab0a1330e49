import Foundation
import PatchbayPlatform
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayManager

/// Many clients of one server that is down for a while, in simulated time. Each client has its own `RetryPolicy`.
@Suite("A fleet of clients spares a server that is down", .timeLimit(.minutes(5)))
struct FleetTests {
    @Test("a fleet adds at most a fifth to the load, never comes in a wave, and recovers")
    func fleet() async {
        let outcome = await Fleet(RetryPolicy()).run()
        #expect(outcome.faults == [])
        #expect(outcome.requestsWhileDown > 10_000, "\(outcome)")
    }

    @Test("without the spread of pauses, it comes in waves")
    func waves() async {
        var policy = RetryPolicy()
        policy.spreadsPauses = false
        #expect(await Fleet(policy).run().faults == [.wave])
    }

    @Test("without a limit of the extra load, it adds more")
    func load() async {
        var policy = RetryPolicy()
        policy.maximumExtraLoad = nil
        #expect(await Fleet(policy).run().faults.contains(.load))
    }

    @Test("without retries, too many calls fail")
    func failures() async {
        var policy = RetryPolicy()
        policy.limit = 0
        #expect(await Fleet(policy).run().faults == [.recovery])
    }

    @Test("without Retry-After, it comes too early")
    func early() async {
        var policy = RetryPolicy()
        policy.obeysRetryAfter = false
        #expect(await Fleet(policy).run().faults == [.early])
    }
}

/// A thousand clients, each of which makes a call a second for 40 seconds. An answer takes half a second.
///
/// The server is down from second 10 to second 20: the answers under way are lost, and then half of the clients lose
/// their connection and the others get status 503 with `Retry-After: 3`. Once it is back, it fails one request in 30.
private final class Fleet {
    enum Fault { case load, wave, early, recovery }

    struct Outcome: CustomStringConvertible {
        var requestsWhileDown = 0
        /// The requests of each 100 ms.
        var requests = [Int](repeating: 0, count: 500)
        var early = 0
        /// Of the calls that began when the server was back.
        var calls = 0
        var failed = 0

        /// From the beginning of the outage to five seconds after it.
        private var around: ArraySlice<Int> { requests[100..<250] }
        private var peak: Double { Double((around.max() ?? 0) * around.count) / Double(around.reduce(0, +)) }

        var faults: Set<Fault> {
            var faults: Set<Fault> = []
            if Double(requestsWhileDown) > 1.2 * 10_000 { faults.insert(.load) }
            if peak > 3 { faults.insert(.wave) }
            if early > 0 { faults.insert(.early) }
            if Double(failed) > 0.01 * Double(calls) { faults.insert(.recovery) }
            return faults
        }

        var description: String {
            "\(requestsWhileDown) requests while down, peak \(peak) of the mean, \(early) early, \(failed) of \(calls) failed"
        }
    }

    private enum Event {
        case send(Try)
        case end(Try, SessionError?)
    }

    private struct Try {
        let client: Int
        let begun: Int
        var retries = 0
        /// The time before which the server wants no request, in milliseconds.
        var earliest = 0
    }

    private static let request = RequestHead(
        method: "GET", url: URL(string: "http://fleet.test/a") ?? URL(filePath: "/"))
    private static let host = CanonicalHost("fleet.test")
    private static let lost = SessionError(
        .transport, reason: "the connection was lost", request: request,
        cause: TransportFailure(.lostConnection, "the connection was lost"))

    private var clients: [RetryPolicy] = []
    private let now = Shared(0.0)
    private let numbers = Shared(SplitMix(seed: 7))
    /// The events of each millisecond.
    private var events = [[Event]](repeating: [], count: 60_000)
    private var outcome = Outcome()

    /// - Parameter policy: the settings of each client.
    init(_ policy: RetryPolicy) {
        for client in 0..<1_000 {
            // A policy of its own: a copy would share the load with the others.
            var own = RetryPolicy()
            (own.limit, own.maximumExtraLoad) = (policy.limit, policy.maximumExtraLoad)
            (own.spreadsPauses, own.obeysRetryAfter) = (policy.spreadsPauses, policy.obeysRetryAfter)
            own.now = { [now] in now.withLock { $0 } }
            own.random = { [numbers] range in numbers.withLock { Double.random(in: range, using: &$0) } }
            clients.append(own)
            for second in 0..<40 {
                let begun = second * 1_000 + client
                events[begun].append(.send(Try(client: client, begun: begun)))
            }
        }
    }

    func run() async -> Outcome {
        for time in events.indices {
            now.withLock { $0 = Double(time) / 1_000 }
            // An event may add another one for the same millisecond.
            var next = 0
            while next < events[time].count {
                switch events[time][next] {
                case .send(let tried): send(tried, at: time)
                case .end(let tried, let error): await end(tried, error, at: time)
                }
                next += 1
            }
        }
        return outcome
    }

    private func send(_ tried: Try, at time: Int) {
        if tried.retries == 0, let host = Self.host { clients[tried.client].count(host) }
        if time / 100 < outcome.requests.count { outcome.requests[time / 100] += 1 }
        if (10_000..<20_000).contains(time) { outcome.requestsWhileDown += 1 }
        if time < tried.earliest { outcome.early += 1 }
        switch time {
        case ..<9_500: plan(.end(tried, nil), at: time + 500)
        case ..<10_000: plan(.end(tried, Self.lost), at: 10_000)
        case ..<20_000: plan(.end(tried, tried.client % 2 == 0 ? Self.lost : Self.unavailable(3)), at: time + 500)
        default:
            let fails = numbers.withLock { Int.random(in: 0..<30, using: &$0) } == 0
            plan(.end(tried, fails ? Self.unavailable(nil) : nil), at: time + 500)
        }
    }

    private func end(_ tried: Try, _ error: SessionError?, at time: Int) async {
        let counts = tried.begun >= 20_000
        guard var error else {
            if counts { outcome.calls += 1 }
            return
        }
        error.facts.retries = tried.retries
        let decision = await clients[tried.client].retry(SessionRequest("a"), after: error)
        guard case .retryAfter(let delay) = decision else {
            if counts { (outcome.calls, outcome.failed) = (outcome.calls + 1, outcome.failed + 1) }
            return
        }
        var next = tried
        next.retries += 1
        next.earliest = time + (error.head?.fields["Retry-After"].flatMap(Int.init) ?? 0) * 1_000
        plan(.send(next), at: time + Int((delay / .milliseconds(1)).rounded(.up)))
    }

    private func plan(_ event: Event, at time: Int) {
        if time < events.count { events[time].append(event) }
    }

    private static func unavailable(_ wait: Int?) -> SessionError {
        let fields: HeaderFields = wait.map { ["Retry-After": "\($0)"] } ?? [:]
        return SessionError(
            .status, reason: "the status is 503", request: request,
            head: ResponseHead(status: 503, fields: fields, url: request.url, request: request))
    }
}
