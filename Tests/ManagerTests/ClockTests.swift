import PatchbayRegistry
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
        var request = HTTPRequest("GET", "a")
        request.idleTimeout = idle
        request.totalTimeout = total
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.code == code)
        #expect(error?.description == sentence)
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
        let clock = ExchangeClock(idle: .seconds(10), total: .seconds(15))
        let start = ContinuousClock.now
        clock.check(start + .seconds(9))
        #expect(clock.ended == nil)
        clock.check(start + .seconds(11))
        guard case .idle(.seconds(10)) = clock.ended else {
            Issue.record("\(String(describing: clock.ended))")
            return
        }
        #expect(clock.stop.hasFired)

        let total = ExchangeClock(idle: nil, total: .seconds(15))
        total.touch()
        total.check(start + .seconds(16))
        guard case .total(.seconds(15)) = total.ended else {
            Issue.record("\(String(describing: total.ended))")
            return
        }
    }

    @Test("a byte that comes too late does not save the call, though no sweep has noticed")
    func lateByte() {
        let clock = ExchangeClock(idle: .zero, total: nil)
        clock.touch()
        guard case .idle(.zero) = clock.ended else {
            Issue.record("\(String(describing: clock.ended))")
            return
        }
        #expect(clock.stop.hasFired)
    }

    @Test("the first end of a call stays its end")
    func firstEnd() {
        let clock = ExchangeClock(idle: .zero, total: nil)
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

    private func code(of manager: SessionManager, total: Duration) async -> SessionError.Code? {
        var request = HTTPRequest("GET", "a")
        request.totalTimeout = total
        do {
            _ = try await manager.send(request)
            return nil
        } catch {
            return error.code
        }
    }
}
