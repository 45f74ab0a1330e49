import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// What is kept for an observer that is far behind.
@Suite(.timeLimit(.minutes(5))) struct SlowObserverTests {
    /// Says how many of its kind there are.
    private final class Counted: Sendable {
        static let alive = Guarded(0)
        init() { Self.alive.withLock { $0 += 1 } }
        deinit { Self.alive.withLock { $0 -= 1 } }
    }

    /// Stands still until the gate is open, then takes note of everything until the manager's end.
    private final class Sleeper: SessionObserver {
        struct Heard: Sendable {
            var events = 0
            var missed = 0
            var bodies: [Int] = []
            var errors: [SessionError] = []
            var contents = 0
        }

        let gate = OneShot()
        let isOver = OneShot()
        let wantsBodies: Bool
        private let heard = Guarded(Heard())

        init(wantsBodies: Bool = false) { self.wantsBodies = wantsBodies }

        func observe(_ event: SessionEvent) async {
            await gate.fired()
            heard.withLock { heard in
                heard.events += 1
                heard.missed += event.missed
                if let body = event.body { heard.bodies.append(body.count) }
                switch event.stage {
                case .finished(.failure(let error)), .retrying(after: let error): heard.errors.append(error)
                case .adapted(let request): heard.contents += request.content == nil ? 0 : 1
                default: break
                }
            }
            if case .invalidated = event.stage { isOver.fire() }
        }

        /// All that was heard, once the manager has come to its end.
        func wakes(_ manager: SessionManager) async -> Heard {
            manager.invalidate(cancellingTasks: false)
            gate.fire()
            await isOver.fired()
            return heard.withLock { $0 }
        }
    }

    private func manager(
        _ observer: Sleeper, limit: Int? = nil, interceptors: [any RequestInterceptor] = [],
        _ reply: @escaping @Sendable (TransportRequest) async throws -> StubReply
    ) throws -> SessionManager {
        var configuration = SessionConfiguration()
        configuration.observers = [observer]
        configuration.interceptors = interceptors
        if let limit { configuration.maximumWaitingEvents = limit }
        return try stubManager(configuration: configuration, reply).0
    }

    private static func reply(bytes: Int) -> StubReply {
        .json(String(repeating: " ", count: bytes - 1) + "1")
    }

    private func send(_ count: Int, _ manager: SessionManager, _ request: SessionRequest) async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<count / 8 { _ = try? await manager.send(request) } }
            }
        }
    }

    @Test(
        "10,000 calls that nobody hears of leave no value behind, and no more events than may wait; the rest is counted"
    )
    func bounded() async throws {
        let observer = Sleeper()
        let manager = try manager(observer) { _ in .json("1") }
        var request = SessionRequest("a")
        request.using = .serializer(MadeSerializer { _, _ in Counted() })
        await send(10_000, manager, request)
        #expect(Counted.alive.withLock { $0 } == 0)
        let heard = await observer.wakes(manager)
        // created, resumed, sending, head, received, serialized, finished; and one that the observer had in hand.
        #expect(heard.events + heard.missed == 70_001)
        #expect(heard.events <= SessionConfiguration().maximumWaitingEvents + 1)
        #expect(heard.events > 4_000)
        #expect(heard.bodies.isEmpty)
    }

    @Test("how many events may wait is a setting, and at least one", arguments: [(-1, 1), (0, 1), (1, 1), (10, 10)])
    func setting(_ limit: Int, _ waiting: Int) async throws {
        let observer = Sleeper()
        let manager = try manager(observer, limit: limit) { _ in .json("1") }
        await send(80, manager, SessionRequest("a"))
        let heard = await observer.wakes(manager)
        #expect(heard.events + heard.missed == 80 * 7 + 1)
        #expect((waiting...waiting + 1).contains(heard.events))
    }

    @Test("errors that wait have no bytes and no value, nor have those underneath; requests that wait have no content")
    func errors() async throws {
        let observer = Sleeper()
        let reason = MadeInterceptor(retry: { _, error in
            error.retries == 0 ? .retry : .doNotRetryWithError(error)
        })
        let manager = try manager(observer, interceptors: [reason]) { request in
            request.head.url.path() == "/status" ? .json("{\"secret\": 1}", status: 500) : .json("{secret")
        }
        for target in ["status", "body"] {
            let error = await #expect(throws: SessionError.self) {
                try await manager.send(SessionRequest(target, body: "mine"))
            }
            #expect(error?.body?.isEmpty == false)
        }
        let heard = await observer.wakes(manager)
        #expect(heard.errors.map(\.code) == [.status, .retryRefused, .serialization, .retryRefused])
        #expect(heard.contents == 0)
        for error in heard.errors {
            #expect(error.body == nil && error.value == nil)
            let underneath = [error.cause, error.bodyFailure].compactMap { $0 as? SessionError }
            #expect(underneath.allSatisfy { $0.body == nil && $0.value == nil })
            guard error.code == .retryRefused else { continue }
            let original = try #require(error.original)
            #expect(original.body == nil && original.value == nil)
            let reason = try #require(error.cause as? SessionError)
            #expect(reason.body == nil && reason.value == nil)
        }
    }

    @Test(
        "an observer that wants bodies gets as many of those that wait as have 1 MiB together, and one that is longer alone"
    )
    func bodies() async throws {
        for (count, size, kept) in [(100, 65_536, 15...17), (8, 1_000, 8...8)] {
            let observer = Sleeper(wantsBodies: true)
            let manager = try manager(observer) { _ in Self.reply(bytes: size) }
            await send(count / 8 * 8, manager, SessionRequest("a"))
            let heard = await observer.wakes(manager)
            #expect(kept.contains(heard.bodies.count), "\(heard.bodies.count) of \(size) bytes")
            #expect(heard.bodies.allSatisfy { $0 == size })
            #expect(heard.missed == 0)
        }
        let observer = Sleeper(wantsBodies: true)
        let manager = try manager(observer) { _ in Self.reply(bytes: 3 << 20) }
        for _ in 0..<2 { _ = try await manager.send("a") }
        #expect(await observer.wakes(manager).bodies == [3 << 20])
    }
}
