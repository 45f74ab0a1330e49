import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct OneShotTests {
    @Test("a signal calls each listener once, those that came before and those that came after")
    func once() {
        let calls = Guarded<[String]>([])
        let signal = OneShot()
        signal.whenFired { calls.withLock { $0.append("before") } }
        #expect(!signal.hasFired)
        signal.fire()
        signal.fire()
        signal.whenFired { calls.withLock { $0.append("after") } }
        #expect(signal.hasFired)
        #expect(calls.withLock { $0 } == ["before", "after"])
    }

    // MARK: What a wait leaves behind

    @Test("a wait for one of two signals leaves no listener on the other")
    func either() async throws {
        let (long, other) = (OneShot(), OneShot())
        for _ in 0..<1_000 {
            let short = OneShot()
            async let wait: Void = short.fired(unless: long)
            short.fire()
            await wait
            try #require(long.listenerCount == 0)
        }
        let waits = (0..<10).map { _ in Task { await other.fired(unless: long) } }
        while other.listenerCount < 10 { await Task.yield() }
        long.fire()
        for wait in waits { await wait.value }
        #expect(other.listenerCount == 0)
        #expect(long.listenerCount == 0)
    }

    @Test("the first of a value and the signal ends a race, and what comes later is told so", arguments: [true, false])
    func raced(isValueFirst: Bool) async {
        let signal = OneShot()
        let left = Shared(0)
        let ends = Shared<[Bool]>([])
        let gate = OneShot()
        let value: Int? = await signal.race { end in
            if isValueFirst { ends.withLock { $0.append(end(1)) } }
            signal.fire()
            Task {
                await gate.fired()
                for number in 2...3 { ends.withLock { $0.append(end(number)) } }
            }
            return { left.withLock { $0 += 1 } }
        }
        gate.fire()
        while ends.withLock({ $0.count }) < (isValueFirst ? 3 : 2) { await Task.yield() }
        #expect(value == (isValueFirst ? 1 : nil))
        #expect(ends.withLock { $0 } == (isValueFirst ? [true, false, false] : [false, false]))
        #expect(left.withLock { $0 } == 1)
        #expect(signal.listenerCount == 0)
    }

    @Test("work that ends before the signal leaves no listener, and neither does work that is left behind")
    func bounded() async throws {
        let signal = OneShot()
        for number in 0..<1_000 {
            try #require(await signal.bounding { number } == number)
            try #require(signal.listenerCount == 0)
        }
        let never = OneShot()
        async let left: Void? = signal.bounding { await never.fired() }
        while signal.listenerCount == 0 { await Task.yield() }
        signal.fire()
        #expect(await left == nil)
        #expect(signal.listenerCount == 0)
        never.fire()
    }

    @Test(
        "a call with redirects and tries leaves its signals as they were, and an exchange that ends takes its listener along"
    )
    func calls() async throws {
        let (signals, lost) = (Shared<[OneShot]>([]), Shared<Set<Int>>([]))
        var configuration = SessionConfiguration()
        configuration.interceptors = [
            MadeInterceptor(retry: { _, error in error.code == .transport ? .retry : .doNotRetry })
        ]
        configuration.redirects = RedirectHandler { _, _ in true }
        let (manager, _) = try stubManager(configuration: configuration) { request in
            let number = Int(request.head.url.lastPathComponent) ?? 0
            let isFirst = lost.withLock { $0.insert(number).inserted }
            if number % 4 == 3, isFirst { throw TransportFailure(.lostConnection, "lost") }
            return number < 8 ? .redirect(307, to: "/\(number + 1)") : .json("1")
        }
        let watched = SessionManager(
            baseURL: manager.baseURL, registry: manager.registry,
            transport: Watching(transport: manager.transport, signals: signals), configuration: configuration)
        for first in [0, 4, 8] {
            let body = RequestContent.stream(
                Anew { AsyncStream<Data> { $0.finish() } }, type: "text/plain", isRepeatable: true)
            _ = try? await watched.send(SessionRequest("\(first)", method: "POST", content: body))
        }
        let counts = signals.withLock { $0 }.map(\.listenerCount)
        #expect(counts.count > 3)
        #expect(counts.allSatisfy { $0 == 0 }, "\(counts)")
    }

    private struct Watching: Transport {
        let transport: any Transport
        let signals: Shared<[OneShot]>

        func perform(
            _ request: TransportRequest, for receiver: some ExchangeReceiver
        ) async throws(TransportFailure) -> ExchangeTimings {
            signals.withLock { $0.append(receiver.stop) }
            return try await transport.perform(request, for: receiver)
        }
    }

    /// Never gives anything, and says to wait for a signal that others wait for as well.
    private final class Waiting: RequestBodySource {
        let length: Int64? = nil
        let signal: OneShot
        init(_ signal: OneShot) { self.signal = signal }
        func read(into buffer: UnsafeMutableRawBufferPointer) -> RequestBodyPiece { .wait(signal) }
        func rewind() {}
    }

    @Test("a body that is let go of, or goes back, takes its listener off the signal that its source waits for")
    func sources() async throws {
        let (signal, io) = (OneShot(), IOExecutor())
        let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 1)
        defer { space.deallocate() }
        for _ in 0..<20 {
            let source = FetchedSource(Waiting(signal), on: io)
            guard case .wait = try source.read(into: space) else { continue }
            try await until { signal.listenerCount == 1 }
            try await source.rewound()
            guard case .wait = try source.read(into: space) else { continue }
            try await until { signal.listenerCount == 1 }
        }
        try await until { signal.listenerCount == 0 }
    }

    @Test("a task that is suspended has one signal for all who wait for it")
    func pauses() throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        var request = SessionRequest("a")
        request.hook = MadeHook(pausesBodies: true)
        let task = manager.held(request).task
        task.hold()
        let first = try #require(task.suspension)
        #expect(task.suspension === first)
        task.begin()
        #expect(first.hasFired)
        #expect(task.suspension == nil)
        task.hold()
        let second = try #require(task.suspension)
        #expect(second !== first)
        task.cancel()
        #expect(second.hasFired)
    }
}
