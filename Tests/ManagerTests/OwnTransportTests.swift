import PatchbayPlatform
import PatchbayRegistry
import Testing

@testable import PatchbayManager

/// A transport that waits for something else than the signal of its receiver.
@Suite(.timeLimit(.minutes(5))) struct OwnTransportTests {
    private final class Sleepy: Transport {
        let began = OneShot()
        let isCancelled = Guarded(false)

        func perform(
            _ request: TransportRequest, for receiver: some ExchangeReceiver
        ) async throws(TransportFailure) -> ExchangeTimings {
            began.fire()
            do {
                try await Task.sleep(for: .seconds(600))
            } catch {
                isCancelled.withLock { $0 = true }
            }
            throw TransportFailure(.stopped, "the exchange was stopped")
        }
    }

    enum End: CaseIterable, Sendable { case total, idle, attempt, task, swiftTask }

    @Test("however a call ends, the task of its transport is cancelled", arguments: End.allCases)
    func ended(_ end: End) async throws {
        let transport = Sleepy()
        var configuration = SessionConfiguration()
        switch end {
        case .total: configuration.totalTimeout = .milliseconds(50)
        case .idle: configuration.idleTimeout = .milliseconds(50)
        case .attempt:
            var policy = RetryPolicy()
            (policy.limit, policy.attemptTimeout) = (0, .milliseconds(50))
            configuration.interceptors = [policy]
        case .task, .swiftTask: break
        }
        let manager = SessionManager(
            registry: try TestRegistry.make(), transport: transport, configuration: configuration)
        let call = Task { try await manager.get("http://origin.test/", as: String.self) }
        await transport.began.fired()
        if end == .task { manager.cancelAll() }
        if end == .swiftTask { call.cancel() }
        let error = await #expect(throws: SessionError.self) { try await call.value }
        let codes: [End: SessionError.Code] = [
            .total: .totalTimeout, .idle: .idleTimeout, .attempt: .attemptTimeout,
        ]
        #expect(error?.code == codes[end] ?? .cancelled)
        #expect(transport.isCancelled.withLock { $0 })
    }

    @Test("a transport that waits for room or for the end of its call leaves nothing behind when a reader leaves")
    func left() async throws {
        let returned = OneShot()
        let transport = PlayedTransport { _, _, receiver throws(TransportFailure) in
            defer { returned.fire() }
            _ = receiver.receive(status: 200, fields: ["Content-Type": "application/octet-stream"])
            while !receiver.stop.hasFired {
                switch receiver.receive(count: 400) {
                case .proceed: await Task.yield()
                case .stop: return
                case .wait(let signal): await signal.fired(unless: receiver.stop)
                }
            }
            throw TransportFailure(.stopped, "the exchange was stopped")
        }
        var configuration = SessionConfiguration()
        configuration.maximumWaitingStreamBytes = 1_000
        let manager = SessionManager(
            registry: try TestRegistry.make(), transport: transport, configuration: configuration)
        for try await _ in try await manager.stream("http://origin.test/", of: Data.self) { break }
        await returned.fired()
        while !manager.tasks.isEmpty { await Task.yield() }
    }

    private final class Watching: Transport {
        let endsWhenStopped = true
        let isCancelled = Guarded<Bool?>(nil)

        func perform(
            _ request: TransportRequest, for receiver: some ExchangeReceiver
        ) async throws(TransportFailure) -> ExchangeTimings {
            await receiver.stop.fired()
            isCancelled.withLock { $0 = Task.isCancelled }
            throw TransportFailure(.stopped, "the exchange was stopped")
        }
    }

    @Test("a transport that watches the signal is not cancelled, and has no task of its own")
    func watching() async throws {
        let transport = Watching()
        var configuration = SessionConfiguration()
        configuration.totalTimeout = .milliseconds(50)
        let manager = SessionManager(
            registry: try TestRegistry.make(), transport: transport, configuration: configuration)
        let error = await #expect(throws: SessionError.self) {
            try await manager.get("http://origin.test/", as: String.self)
        }
        #expect(error?.code == .totalTimeout)
        #expect(transport.isCancelled.withLock { $0 } == false)
    }
}
