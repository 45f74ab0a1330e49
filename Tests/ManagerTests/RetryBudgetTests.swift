import Foundation
import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// The retry budget of a `RetryPolicy`, over a clock that stands still unless a test sets it.
@Suite("The retry budget", .timeLimit(.minutes(5)))
struct RetryBudgetTests {
    /// A policy, a manager whose server always gives the same answer, and the budget that they share.
    final class Fixture: Sendable {
        let now = Shared(1_000.0)
        let policy: RetryPolicy
        /// Called instead of the pause before a retry.
        let pause = Shared<(@Sendable (SessionManager) async -> Void)?>(nil)
        private let kept = Shared<(manager: SessionManager, stub: StubTransport)?>(nil)

        init(
            _ change: (inout RetryPolicy) -> Void = { _ in },
            answer: @escaping @Sendable () throws -> StubReply = { .json("1", status: 503) }
        ) throws {
            var policy = RetryPolicy()
            policy.now = { [now] in now.withLock { $0 } }
            change(&policy)
            self.policy = policy
            var configuration = SessionConfiguration()
            configuration.sleep = { [pause, kept] _ in
                if let pause = pause.withLock({ $0 }), let manager = kept.withLock({ $0?.manager }) {
                    await pause(manager)
                }
            }
            let made = try stubManager(configuration: configuration) { _ in try answer() }
            kept.withLock { $0 = made }
        }

        /// Sends a request with these interceptors, or with the policy alone.
        /// - Returns: how often it was sent, and the error.
        @discardableResult
        func send(
            _ request: SessionRequest = SessionRequest("x"), _ interceptors: [any RequestInterceptor]? = nil
        ) async throws -> (sent: Int, error: SessionError?) {
            let (manager, stub) = try #require(kept.withLock { $0 })
            var request = request
            request.interceptors = interceptors ?? [policy]
            let before = stub.requests.count
            do throws(SessionError) {
                _ = try await manager.send(request)
                return (stub.requests.count - before, nil)
            } catch {
                return (stub.requests.count - before, error)
            }
        }
    }

    private static let spent = "; the retry budget of origin.test was spent (maximumExtraLoad)"

    @Test("a pause that is longer than the policy allows is no retry, and the sentence says so")
    func longPause() async throws {
        for (wait, isLong) in [("30", false), ("31", true), ("99999999999999999999", true)] {
            let fixture = try Fixture(answer: { StubReply(status: 503, fields: ["Retry-After": wait], body: "") })
            let (sent, error) = try await fixture.send()
            #expect(sent == (isLong ? 1 : 3), "\(wait)")
            let end = "; Retry-After asks for a longer pause than maximumPause"
            #expect(error?.reason.hasSuffix(end) == isLong, "\(String(describing: error))")
        }
    }

    struct Unsent: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let call: @Sendable (Fixture) async throws -> (sent: Int, error: SessionError?)

        /// - Parameter interceptors: the interceptors in place of the policy alone.
        init(
            _ name: String, _ request: SessionRequest = SessionRequest("x"),
            pause: (@Sendable (SessionManager) async -> Void)? = nil,
            asking interceptors: (@Sendable (RetryPolicy) -> [any RequestInterceptor])? = nil
        ) {
            testDescription = name
            call = { fixture in
                fixture.pause.withLock { $0 = pause }
                defer { fixture.pause.withLock { $0 = nil } }
                return try await fixture.send(request, interceptors?(fixture.policy))
            }
        }
    }

    private static func put(_ source: ScriptedSource) -> SessionRequest {
        SessionRequest("x", method: "PUT", content: RequestContent(.octetStream) { .source(source) })
    }

    /// An interceptor that succeeds at the first request, and throws at the second.
    private struct Second: RequestInterceptor {
        let adapts: Bool
        private let count = Shared(0)

        init(adapts: Bool) { self.adapts = adapts }

        private func check() throws {
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number > 1 { throw TestRegistry.Shout() }
        }

        func adapt(_ request: SessionRequest) throws -> SessionRequest {
            if adapts { try check() }
            return request
        }

        func sign(_ head: inout RequestHead, body: RequestBody?) throws { if !adapts { try check() } }
    }

    /// An interceptor that asks the policy, and decides for itself.
    private static func around(_ policy: RetryPolicy, _ decision: RetryDecision) -> [any RequestInterceptor] {
        [
            MadeInterceptor(retry: { request, error in
                _ = await policy.retry(request, after: error)
                return decision
            })
        ]
    }

    static let unsent = [
        Unsent("the call is cancelled in the pause", pause: { $0.cancelAll() }),
        Unsent("the total timeout passes in the pause", pause: { $0.taskList.check(at: .now + .seconds(3_600)) }),
        Unsent("the body cannot be sent twice", put(ScriptedSource([.text("a")], rewinds: false))),
        Unsent("the request is not adapted again", asking: { [Second(adapts: true), $0] }),
        Unsent("the request is not signed again", asking: { [Second(adapts: false), $0] }),
        Unsent("an interceptor round the policy does not retry", asking: { around($0, .doNotRetry) }),
        Unsent(
            "an interceptor round the policy gives a reason not to retry",
            asking: { around($0, .doNotRetryWithError(TestRegistry.Shout())) }),
    ]

    @Test("a retry that was decided and not sent is given back", arguments: unsent)
    func givenBack(_ row: Unsent) async throws {
        let fixture = try Fixture()
        // As many as the budget has, and one more.
        for _ in 0..<3 {
            let (sent, error) = try await row.call(fixture)
            #expect(sent == 1)
            #expect(error?.reason.contains("budget") == false, "\(error?.reason ?? "-")")
        }
        #expect(try await fixture.send().sent == 3)
    }

    @Test("a retry that a policy allows after the call was cancelled is given back")
    func lateDecision() async throws {
        let fixture = try Fixture()
        let policy = fixture.policy
        for _ in 0..<3 {
            let (asked, goOn, decided) = (OneShot(), OneShot(), OneShot())
            let late = MadeInterceptor(retry: { request, error in
                asked.fire()
                await goOn.fired()
                let decision = await policy.retry(request, after: error)
                decided.fire()
                return decision
            })
            let call = Task { try await fixture.send(SessionRequest("x"), [late]) }
            await asked.fired()
            call.cancel()
            #expect(try await call.value.error?.code == .cancelled)
            goOn.fire()
            await decided.fired()
        }
        #expect(try await fixture.send().sent == 3)
    }

    @Test("a retry that was sent counts, however it ends")
    func sent() async throws {
        let (started, number) = (OneShot(), Shared(0))
        let fixture = try Fixture(answer: {
            let count = number.withLock { count in
                count += 1
                return count
            }
            guard count == 2 else { return .json("1", status: 503) }
            started.fire()
            return StubReply(delay: .seconds(3_600))
        })
        let call = Task { try await fixture.send() }
        await started.fired()
        call.cancel()
        let (sent, error) = try await call.value
        #expect(sent == 2 && error?.code == .cancelled)
        #expect(try await fixture.send().sent == 2)
        #expect(try await fixture.send().sent == 1)
    }

    @Test("a retry is given back to the second that counted it, and no other")
    func clock() {
        let load = RetryLoad()
        guard let host = CanonicalHost("origin.test") else {
            Issue.record("no host")
            return
        }
        func take(_ now: Double) -> Int? { load.takeRetry(of: host, share: 0.2, atLeast: 1, at: now) }
        #expect(take(5) == 5)
        #expect(take(6) == nil)
        load.returnRetry(of: host, takenIn: 5)
        #expect(take(6) == 6)
        // Ten seconds later, the slot counts another second.
        #expect(take(16) == 16)
        load.returnRetry(of: host, takenIn: 6)
        #expect(take(16) == nil)
        load.returnRetry(of: host, takenIn: 16)
        #expect(take(16) == 16)
        for time in [-1, .infinity, .nan, 1e300] {
            let load = RetryLoad()
            for _ in 0..<2 {
                let second = load.takeRetry(of: host, share: 0.2, atLeast: 1, at: time)
                #expect(second != nil, "\(time)")
                if let second { load.returnRetry(of: host, takenIn: second) }
            }
        }
    }

    // MARK: A budget that is spent

    @Test("a program that makes one call a minute has all its retries", arguments: [1, 2, 5])
    func lowTraffic(_ limit: Int) async throws {
        let fixture = try Fixture({ $0.limit = limit })
        for _ in 0..<60 {
            let (sent, error) = try await fixture.send()
            #expect(sent == 1 + limit)
            #expect(error?.description == "GET origin.test/x: the status is 503, which is not acceptable (2XX)")
            fixture.now.withLock { $0 += 60 }
        }
    }

    @Test("the error of a call that got no retry says that the budget was spent, and keeps all else")
    func sentence() async throws {
        let fixture = try Fixture()
        #expect(try await fixture.send().error?.reason.contains("budget") == false)
        for _ in 0..<2 {
            let (sent, error) = try await fixture.send()
            #expect(sent == 1)
            #expect(
                error?.description
                    == "GET origin.test/x: the status is 503, which is not acceptable (2XX)\(Self.spent)")
            #expect(error?.code == .status && error?.head?.status == 503 && error?.retries == 0)
            #expect(error?.value as? JSON == 1)
        }
        // Another host has its own budget, and ten seconds later this one has another.
        #expect(try await fixture.send(SessionRequest("http://other.test/x")).sent == 3)
        fixture.now.withLock { $0 += 10 }
        #expect(try await fixture.send().sent == 3)
    }

    @Test("a lost connection says so, too, and a call that got only a part of its retries")
    func otherSentences() async throws {
        let lost = try Fixture(answer: { throw TransportFailure(.lostConnection, "the connection was lost") })
        try await lost.send()
        let error = try #require(try await lost.send().error)
        #expect(error.description == "GET origin.test/x: the connection was lost\(Self.spent)")
        #expect((error.cause as? TransportFailure)?.code == .lostConnection)

        // 14 good requests and one more allow three retries: two for the first call, one for the second.
        let isGood = Shared(true)
        let part = try Fixture(answer: { isGood.withLock { $0 } ? .json("1") : .json("1", status: 503) })
        for _ in 0..<14 { #expect(try await part.send().error == nil) }
        isGood.withLock { $0 = false }
        #expect(try await part.send().sent == 3)
        let second = try await part.send()
        #expect(second.sent == 2)
        #expect(second.error?.retries == 1)
        #expect(second.error?.reason.hasSuffix(Self.spent) == true)
    }

    struct Silent: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let method: String
        let change: @Sendable (inout RetryPolicy) -> Void
    }

    static let silent = [
        Silent(testDescription: "no budget", method: "GET", change: { $0.maximumExtraLoad = nil }),
        Silent(testDescription: "no retries", method: "GET", change: { $0.limit = 0 }),
        Silent(testDescription: "a method that is not retried", method: "POST", change: { _ in }),
        Silent(testDescription: "a pause that is too long", method: "GET", change: { $0.maximumPause = .seconds(-1) }),
    ]

    @Test("a call that got no retry for another reason does not speak of a budget", arguments: silent)
    func otherReasons(_ row: Silent) async throws {
        let fixture = try Fixture(row.change)
        for _ in 0..<4 {
            let (_, error) = try await fixture.send(SessionRequest("x", method: row.method))
            #expect(error?.code == .status)
            #expect(error?.reason.contains("budget") == false, "\(error?.reason ?? "-")")
        }
    }

    @Test("an interceptor behind the policy may retry where the budget is spent")
    func secondInterceptor() async throws {
        let fixture = try Fixture()
        try await fixture.send()
        let other = MadeInterceptor(retry: { _, error in error.retries == 0 ? .retry : .doNotRetry })
        let (sent, error) = try await fixture.send(SessionRequest("x"), [fixture.policy, other])
        #expect(sent == 2)
        #expect(error?.reason.hasSuffix(Self.spent) == true)
    }
}
