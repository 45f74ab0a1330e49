import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct ClockTests {
    @Test(
        "a call that takes too long ends with the clock that ran out",
        arguments: [
            (
                Duration?.some(.milliseconds(50)), Duration?.none, SessionError.Code.idleTimeout,
                "GET origin.test/a: no byte moved for 0.05 s"
            ),
            (nil, .milliseconds(50), .totalTimeout, "GET origin.test/a: the call was not over after 0.05 s"),
            (.seconds(30), .milliseconds(50), .totalTimeout, "GET origin.test/a: the call was not over after 0.05 s"),
        ])
    func timeouts(_ idle: Duration?, _ total: Duration?, _ code: SessionError.Code, _ sentence: String) async throws {
        let (manager, _) = try stubManager { _ in StubReply(delay: .seconds(3600)) }
        var request = SessionRequest("a")
        request.idleTimeout = idle
        request.totalTimeout = total
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.code == code)
        #expect(error?.description == sentence)
    }

    @Test("a serializer that is at work when the total timeout passes makes the value")
    func slowSerializer() async throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        let began = Guarded(false)
        var request = SessionRequest("a")
        request.totalTimeout = .milliseconds(200)
        request.using = .serializer(
            MadeSerializer { _, _ in
                began.withLock { $0 = true }
                let end = Moment.now + .milliseconds(300)
                while Moment.now < end {}
                return 7
            })
        // A busy machine can use up the time before the serializer begins.
        for _ in 0..<20 where !began.withLock({ $0 }) {
            do throws(SessionError) {
                #expect(try await manager.send(request, as: Int.self).value == 7)
            } catch {
                #expect(error.code == .totalTimeout && !began.withLock { $0 }, "\(error)")
            }
        }
        #expect(began.withLock { $0 })
    }

    @Test("a short deadline is kept while a longer one is being slept for")
    func shorterLater() async throws {
        let (manager, _) = try stubManager { _ in StubReply(delay: .seconds(3600)) }
        async let long: SessionError.Code? = code(of: manager, total: .milliseconds(400))
        async let short: SessionError.Code? = code(of: manager, total: .milliseconds(20))
        #expect(await [long, short] == [.totalTimeout, .totalTimeout])
    }

    @Test("bytes that move put the idle clock off, not the total one")
    func activity() {
        let clock = Timeouts(idle: .seconds(10), total: .seconds(15))
        let start = Moment.now
        clock.check(start + .seconds(9))
        #expect(clock.ended == nil)
        clock.check(start + .seconds(11))
        guard case .idle(.seconds(10)) = clock.ended else {
            Issue.record("\(String(describing: clock.ended))")
            return
        }
        #expect(clock.stop.hasFired)

        let total = Timeouts(idle: nil, total: .seconds(15))
        total.check(hasMoved: true)
        total.check(start + .seconds(16))
        guard case .total(.seconds(15)) = total.ended else {
            Issue.record("\(String(describing: total.ended))")
            return
        }
    }

    @Test("who waits for a connection waits as long as it may be idle, and is idle from the connection on")
    func waiting() {
        let now = Moment.now
        func clock(idle: Duration? = .seconds(10), total: Duration? = nil) -> Timeouts {
            let clock = Timeouts(idle: idle, total: total, start: now + .seconds(-8))
            clock.beginWait(because: "full")
            clock.check(now + .seconds(3))
            return clock
        }
        let late = clock()
        #expect(late.ended == nil)
        late.check(now + .seconds(60))
        #expect(late.stop.hasFired)
        #expect(
            late.ended.map { SessionError($0).description }
                == "the call waited for a connection until its idle timeout of 10 s ran out: full")
        #expect(late.ended?.isFinal == false)

        let connected = clock()
        connected.endWait()
        connected.check(now + .seconds(9))
        #expect(connected.ended == nil)
        connected.check(now + .seconds(60))
        #expect(connected.ended.map { SessionError($0).description } == "no byte moved for 10 s")

        let sooner = clock(total: .seconds(11))
        let code = sooner.ended.map { SessionError($0).code }
        #expect(code == .totalTimeout)
        #expect(sooner.ended?.isFinal == true)
        #expect(
            sooner.ended.map { SessionError($0).description }
                == "the call waited for a connection until its total timeout of 11 s ran out: full")

        let cancelled = clock(idle: nil)
        cancelled.cancel()
        #expect(cancelled.ended.map { SessionError($0).code } == .cancelled)

        let again = clock()
        _ = again.beginStep(.exchanging)
        again.check(now + .seconds(60))
        #expect(again.ended.map { SessionError($0).description } == "no byte moved for 10 s")
    }

    @Test("a byte that comes too late does not save the call, though no sweep has noticed")
    func lateByte() {
        let clock = Timeouts(idle: .zero, total: nil)
        clock.check(hasMoved: true)
        guard case .idle(.zero) = clock.ended else {
            Issue.record("\(String(describing: clock.ended))")
            return
        }
        #expect(clock.stop.hasFired)
    }

    @Test("the first end of a call stays its end")
    func firstEnd() {
        let clock = Timeouts(idle: .zero, total: nil)
        clock.cancel()
        clock.check(.now + .seconds(1))
        guard case .cancelled = clock.ended else {
            Issue.record("\(String(describing: clock.ended))")
            return
        }
    }

    @Test("a limitless or endless timeout never ends a call", arguments: [Duration?.none, .seconds(Int64.max)])
    func endless(_ duration: Duration?) async throws {
        var configuration = SessionConfiguration()
        configuration.idleTimeout = duration
        configuration.totalTimeout = duration
        let (manager, _) = try stubManager(configuration: configuration) { _ in .json("1") }
        #expect(try await manager.get("a", as: Int.self) == 1)
    }

    /// The most and the least that a `Duration` holds, and what an `Int64` of seconds does.
    fileprivate static let extremes: [Duration] = [
        .seconds(1.7e20), .seconds(Int64.max), .seconds(-1.7e20), .seconds(Int64.min),
    ]

    /// In a child process, as clocks end it where they are handed more than they can count.
    @Test("no duration is too long or too short for a timeout: the one never ends a call, the other does at once")
    func extremeTimeouts() async {
        await #expect(processExitsWith: .success) {
            for duration in ClockTests.extremes {
                for isIdle in [true, false] {
                    let (manager, _) = try stubManager { _ in
                        StubReply(body: "1", delay: duration < .zero ? .seconds(3600) : .zero)
                    }
                    var request = SessionRequest("a")
                    request.idleTimeout = isIdle ? duration : nil
                    request.totalTimeout = isIdle ? nil : duration
                    let code = await ClockTests.code(of: manager, request)
                    let early: SessionError.Code = isIdle ? .idleTimeout : .totalTimeout
                    #expect(code == (duration < .zero ? early : nil), "\(duration)")
                }
            }
        }
    }

    @Test("no duration is too long or too short for a delay before another try, or of a stub")
    func extremeDelays() async {
        await #expect(processExitsWith: .success) {
            for duration in ClockTests.extremes {
                for isRetry in [true, false] {
                    let isFirst = Guarded(true)
                    let (manager, _) = try stubManager { _ in
                        let first = isFirst.withLock { first in
                            defer { first = false }
                            return first
                        }
                        guard isRetry else { return StubReply(body: "1", delay: duration) }
                        return .json("1", status: first ? 503 : 200)
                    }
                    var request = SessionRequest("a")
                    request.totalTimeout = duration < .zero ? nil : .milliseconds(50)
                    request.interceptors = [
                        MadeInterceptor(retry: { _, _ in isRetry ? .retryAfter(duration) : .doNotRetry })
                    ]
                    let code = await ClockTests.code(of: manager, request)
                    #expect(code == (duration < .zero ? nil : .totalTimeout), "\(duration)")
                }
            }
        }
    }

    @Test("no duration is too long or too short for the longest pause of a policy, or the delay of a throttle")
    func extremePauses() async {
        await #expect(processExitsWith: .success) {
            for duration in ClockTests.extremes {
                var policy = RetryPolicy()
                policy.maximumPause = duration
                let error = SessionError(.idleTimeout, "late")
                _ = await policy.retry(SessionRequest("a"), after: error)
                var form = MultipartFormData()
                form.pace = (bytes: 1, delay: duration)
                let source = try form.makeSource()
                let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 1)
                defer { space.deallocate() }
                for isWaiting in [false, duration > .zero] {
                    guard case .wait = try source.read(into: space) else {
                        #expect(!isWaiting, "\(duration)")
                        continue
                    }
                    #expect(isWaiting, "\(duration)")
                }
            }
        }
    }

    private func code(of manager: SessionManager, total: Duration) async -> SessionError.Code? {
        var request = SessionRequest("a")
        request.totalTimeout = total
        return await Self.code(of: manager, request)
    }

    fileprivate static func code(of manager: SessionManager, _ request: SessionRequest) async -> SessionError.Code? {
        do {
            _ = try await manager.send(request)
            return nil
        } catch {
            return error.code
        }
    }
}
