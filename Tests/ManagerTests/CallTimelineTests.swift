import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct CallTimelineTests {
    private static func timeline(_ head: Duration, _ body: Duration, _ serialized: Duration) -> CallTimeline {
        CallTimeline(
            start: Date(timeIntervalSinceReferenceDate: 100), head: head, body: body, serialized: serialized,
            exchange: ExchangeTimings(), redirects: 0)
    }

    @Test(
        "1.11.1: the text has three decimals",
        arguments: [
            (Duration.zero, "0.000"), (.microseconds(499), "0.000"), (.microseconds(500), "0.001"),
            (.milliseconds(7), "0.007"), (.milliseconds(70), "0.070"), (.microseconds(999_499), "0.999"),
            (.microseconds(999_500), "1.000"), (.seconds(61), "61.000"), (.milliseconds(3_600_001), "3600.001"),
        ])
    func text(_ duration: Duration, _ seconds: String) {
        #expect(
            Self.timeline(.zero, duration, duration).description
                == "latency 0.000 s, request \(seconds) s, serialization 0.000 s, total \(seconds) s")
    }

    @Test("1.11.1: times that a transport of one's own made up are written, if not as they are")
    func absurd() {
        let times: [Duration] = [.seconds(Int64.max), .seconds(Int64.min), .seconds(Int64.max / 2)]
        for time in times {
            #expect(Self.timeline(time, .zero, .zero).description.hasPrefix("latency "))
            var exchange = ExchangeTimings()
            exchange.total = time
            #expect(exchange.description.contains("total "))
        }
        #expect(Self.timeline(.seconds(Int64.max), .zero, .zero).description.hasPrefix("latency 3155760000.000 s"))
    }

    @Test(
        "1.11.1: every call has one whose steps follow each other, whatever became of it",
        arguments: ["good", "bad", "gone", "none", "cancelled", "refused"])
    func everyCall(_ path: String) async throws {
        let before = Date()
        let (manager, _) = try stubManager { request in
            switch request.head.url.path() {
            case "/good": .json("[1]")
            case "/bad": .json("[")
            case "/gone": .json("[1]", status: 410)
            case "/cancelled": throw TransportFailure(.stopped, "stopped")
            default: throw TransportFailure(.refusedConnection, "the connection was refused")
            }
        }
        var request = SessionRequest(path)
        if path == "refused" { request.headers["X"] = "\n" }
        let call = manager.held(request)
        if path == "cancelled" { call.cancel() }
        let timeline: CallTimeline?
        do throws(SessionError) {
            timeline = try await call.begin().reply.timeline
        } catch {
            timeline = error.timeline
        }
        let steps = try #require(timeline)
        #expect(before <= steps.start && steps.start <= Date())
        #expect(.zero <= steps.head && steps.head <= steps.body && steps.body <= steps.serialized)
    }

    @Test("1.11.1: redirects and retries are within it, and counted")
    func counted() async throws {
        let tries = Guarded(0)
        let (manager, _) = try stubManager { request in
            guard request.head.url.path() == "/b" else { return .redirect(302, to: "/b") }
            let number = tries.withLock { tries in
                tries += 1
                return tries
            }
            return number == 1 ? .json("1", status: 503) : .json("1", status: number == 2 ? 200 : 503)
        }
        var request = SessionRequest("a")
        request.interceptors = [
            MadeInterceptor(retry: { _, error in error.retries == 0 ? .retry : .doNotRetry })
        ]
        let reply = try await manager.send(request)
        #expect(reply.timeline.redirects == 1)
        #expect(reply.timeline.retries == 1)
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.timeline?.redirects == 1)
        #expect(error?.timeline?.retries == 1)
    }

    /// Throws when it signs a request behind a redirect.
    private struct FirstOnlySigner: RequestInterceptor {
        func sign(_ head: inout RequestHead, body: RequestBody?) async throws {
            if head.url.path() == "/b" { throw TestRegistry.Shout() }
        }
    }

    @Test(
        "the whole time of a failed call has that of an interceptor after the last response, and its decoding has not",
        arguments: [RetryDecision.doNotRetry, .doNotRetryWithError(CancellationError())])
    func interceptorTime(_ decision: RetryDecision) async throws {
        let asked = MadeInterceptor(retry: { _, _ in
            try? await Task.sleep(for: .milliseconds(200))
            return decision
        })
        var configuration = SessionConfiguration()
        configuration.interceptors = [asked]
        let stub = StubTransport { _ in StubReply(status: 503) }
        let manager = SessionManager(
            baseURL: URL(string: "https://api.test"), registry: try TestRegistry.make(), transport: stub,
            configuration: configuration)
        let error = await #expect(throws: SessionError.self) { _ = try await manager.send("a") }
        let timeline = try #require(error?.timeline)
        #expect(timeline.ended - timeline.serialized >= .milliseconds(190))
        #expect(timeline.description.hasSuffix("total \(CallTimeline.seconds(timeline.ended)) s"))
    }

    @Test(
        "a call that ends behind an exchange has the steps of that exchange, and those of the redirects before it",
        arguments: [
            ("loop", .tooManyRedirects, 10), ("away", .redirectRefused, 0), ("a", .redirectRefused, 1),
            ("handled", .redirectRefused, 0), ("streamed", .redirectRefused, 0), ("signed", .adaptation, 0),
            ("paused", .cancelled, 1), ("asked", .cancelled, 1),
        ] as [(String, SessionError.Code, Int)])
    func betweenExchanges(_ path: String, _ code: SessionError.Code, _ hops: Int) async throws {
        let paused = OneShot()
        var configuration = SessionConfiguration()
        configuration.sleep = { _ in
            paused.fire()
            try? await Task.sleep(for: .seconds(3600))
        }
        let (manager, _) = try stubManager(configuration: configuration) { request in
            switch request.head.url.path() {
            case "/loop": .redirect(302, to: "/loop")
            case "/away", "/c": .redirect(302, to: "ftp://origin.test/")
            case "/a": .redirect(302, to: "/c")
            case "/handled": .redirect(302, to: "/b")
            case "/streamed", "/signed": .redirect(307, to: "/b")
            case "/paused", "/asked": .redirect(307, to: "/d")
            default: .json("1", status: 503)
            }
        }
        var request = SessionRequest(path)
        switch path {
        case "handled":
            request.redirects = RedirectHandler { next, _ in
                next.url = URL(filePath: "/tmp/a")
                return true
            }
        case "streamed":
            request.method = "POST"
            request.content = .stream(AsyncStream { $0.finish() })
        case "signed": request.interceptors = [FirstOnlySigner()]
        case "paused": request.interceptors = [MadeInterceptor(retry: { _, _ in .retryAfter(.seconds(1)) })]
        case "asked":
            request.interceptors = [
                MadeInterceptor(retry: { _, _ in
                    paused.fire()
                    try? await Task.sleep(for: .seconds(3600))
                    return .doNotRetry
                })
            ]
        default: break
        }
        let call = manager.held(request).begin()
        if code == .cancelled {
            await paused.fired()
            call.cancel()
        }
        let error = await #expect(throws: SessionError.self) { try await call.reply }
        #expect(error?.code == code, "\(String(describing: error))")
        let timeline = try #require(error?.timeline)
        #expect(timeline.exchange.firstByte != nil)
        #expect(timeline.exchange.total > .zero)
        #expect(timeline.hops.count == hops)
        #expect(timeline.hops.allSatisfy { $0.firstByte != nil })
        #expect(timeline.redirects == hops)
    }

    private static let refused = TransportFailure(.refusedConnection, "the connection was refused")

    @Test(
        "a retry has a timeline, whether or not there was a connection, for observers and interceptors",
        arguments: ["refused", "lost", "status", "adapted"])
    func retrying(_ path: String) async throws {
        let (told, asked) = (Shared<[CallTimeline?]>([]), Shared<[CallTimeline?]>([]))
        let adaptations = Shared(0)
        var configuration = SessionConfiguration()
        configuration.observers = [
            MadeObserver { event in
                if case .retrying(let error) = event.stage { told.withLock { $0.append(error.timeline) } }
            }
        ]
        configuration.interceptors = [
            MadeInterceptor(
                adapt: { request in
                    let number = adaptations.withLock { count in
                        count += 1
                        return count
                    }
                    if request.target == "adapted", number < 3 { throw TestRegistry.Shout() }
                    return request
                },
                retry: { _, error in
                    asked.withLock { $0.append(error.timeline) }
                    return error.retries < 2 ? .retry : .doNotRetry
                })
        ]
        let (manager, _) = try stubManager(configuration: configuration) { request in
            switch request.head.url.path() {
            case "/refused": throw Self.refused
            case "/lost": throw TransportFailure(.lostConnection, "the connection was lost")
            case "/status": .json("1", status: 503)
            default: .json("1")
            }
        }
        let before = Date()
        _ = try? await manager.send(SessionRequest(path))
        try await until { told.withLock(\.count) == 2 }
        #expect(asked.withLock(\.count) == (path == "adapted" ? 2 : 3))
        for timelines in [told, asked].map({ $0.withLock { $0 } }) {
            for (number, timeline) in timelines.enumerated() {
                let steps = try #require(timeline, "\(path), \(number)")
                #expect(before <= steps.start && steps.start <= Date())
                #expect(.zero <= steps.head && steps.head <= steps.body && steps.body <= steps.serialized)
                #expect(steps.retries == number)
            }
            #expect(Set(timelines.map { $0?.start }).count == 1)
        }
    }

    @Test("so has the failure after which a stream connects again")
    func reconnecting() async throws {
        let told = Shared<[CallTimeline?]>([])
        var configuration = SessionConfiguration()
        configuration.sleep = { _ in }
        configuration.observers = [
            MadeObserver { event in
                if case .retrying(let error) = event.stage { told.withLock { $0.append(error.timeline) } }
            }
        ]
        let manager = try StreamFixture.manager(configuration) { number, _, receiver throws(TransportFailure) in
            guard number != 2 else { throw Self.refused }
            guard number == 1 else {
                _ = receiver.receive(status: 204, fields: [:])
                return
            }
            _ = receiver.receive(status: 200, fields: ["Content-Type": "text/notes"])
            try await receiver.offer("1=One.")
        }
        var count = 0
        for try await _ in try await manager.stream("a", of: StreamFixture.Sentence.self, reconnecting: .standard) {
            count += 1
        }
        #expect(count == 1)
        try await until { !told.withLock(\.isEmpty) }
        #expect(told.withLock { $0 }.allSatisfy { $0 != nil })
    }
}
