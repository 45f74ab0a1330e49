import Foundation
import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StubTransportTests {
    private let request = TransportRequest(
        head: RequestHead(method: "POST", url: URL(filePath: "/stub")), body: .data(Data("question".utf8)))
    /// A `pthread_t` is a pointer on Apple platforms, and so is not `Sendable`.
    private static var thread: ObjectIdentifier { ObjectIdentifier(Thread.current) }

    @Test func deliversHeadAndChunksInOrder() async throws {
        let stub = StubTransport { _ in
            StubReply(status: 201, fields: ["X-A": "1"], chunks: [Data("ab".utf8), Data("c".utf8)])
        }
        let log = ReceiverLog()
        let timings = try await stub.perform(request, for: log)
        #expect(log.events == ["sent 8", "head 201 X-A: 1", "chunk ab", "chunk c"])
        #expect(stub.requests.map(\.head.method) == ["POST"])
        #expect(timings.total > .zero)
    }

    @Test func offersAPieceAgainAfterAWait() async throws {
        let stub = StubTransport { _ in StubReply(body: "abc") }
        let ready = OneShot()
        let log = ReceiverLog { count in count == 2 ? .wait(ready) : .proceed }
        async let timings = stub.perform(request, for: log)
        await log.asked(2)
        ready.fire()
        _ = try await timings
        #expect(log.events == ["sent 8", "head 200", "chunk abc", "chunk abc"])
    }

    @Test func endsWithTheScriptedFailureAfterTheChunks() async {
        let failure = TransportFailure(.truncatedBody, "the body ended 3 bytes early")
        let stub = StubTransport { _ in StubReply(body: "ab", failure: failure) }
        let log = ReceiverLog()
        await #expect(throws: failure) { try await stub.perform(request, for: log) }
        #expect(log.events == ["sent 8", "head 200", "chunk ab"])
    }

    @Test(arguments: [
        (
            name: "a transport failure", error: TransportFailure(.refusedConnection, "no") as any Error,
            expected: TransportFailure(.refusedConnection, "no")
        ),
        (
            name: "another error", error: CocoaError(.fileNoSuchFile),
            expected: TransportFailure(.other, "the stub threw CocoaError")
        ),
    ])
    func mapsWhatTheClosureThrows(name: String, error: any Error, expected: TransportFailure) async {
        let stub = StubTransport { _ in throw error }
        await #expect(throws: expected) { try await stub.perform(request, for: ReceiverLog()) }
    }

    @Test func theReceiverCanRefuseAPiece() async {
        let stub = StubTransport { _ in StubReply(chunks: [Data("ab".utf8), Data("c".utf8)]) }
        let log = ReceiverLog { count in count == 2 ? .stop : .proceed }
        await #expect(throws: TransportFailure(.stopped, "the receiver stopped the exchange")) {
            try await stub.perform(request, for: log)
        }
        #expect(log.events == ["sent 8", "head 200", "chunk ab"])
    }

    @Test func theStopSignalEndsAnExchangeWhoseStubNeverReplies() async {
        let asked = OneShot()
        let stub = StubTransport { _ in
            asked.fire()
            await OneShot().fired()
            return StubReply()
        }
        let log = ReceiverLog()
        asked.whenFired { log.stop.fire() }
        await #expect(throws: TransportFailure(.stopped, "the exchange was stopped before the stub replied")) {
            try await stub.perform(request, for: log)
        }
        #expect(log.events == ["sent 8"])
    }

    @Test("a closure that replies without waiting is run where the exchange is")
    func repliesAtOnce() async throws {
        let thread = Guarded<ObjectIdentifier?>(nil)
        let stub = StubTransport { _ in
            let own = Self.thread
            thread.withLock { $0 = own }
            return StubReply()
        }
        // Without a body nothing waits, so the task stays on its thread.
        let (before, after) = try await Task.detached {
            let before = Self.thread
            _ = try await stub.perform(TransportRequest(head: request.head), for: ReceiverLog())
            return (before, Self.thread)
        }.value
        #expect(before == after && thread.withLock { $0 } == before)
    }

    @Test("an exchange that is stopped before its start is not shown to the closure")
    func stoppedBefore() async {
        let stub = StubTransport { _ in
            Issue.record("the closure was called")
            return StubReply()
        }
        let log = ReceiverLog()
        log.stop.fire()
        await #expect(throws: TransportFailure(.stopped, "the exchange was stopped before the stub replied")) {
            try await stub.perform(request, for: log)
        }
    }

    @Test("the closure's task is cancelled with the exchange, also after it has waited")
    func cancelsTheClosure() async {
        let (asked, cancelled) = (OneShot(), OneShot())
        let stub = StubTransport { _ in
            await Task.yield()
            asked.fire()
            await withTaskCancellationHandler {
                await cancelled.fired()
            } onCancel: {
                cancelled.fire()
            }
            return StubReply()
        }
        let task = Task { try await stub.perform(request, for: ReceiverLog()) }
        await asked.fired()
        task.cancel()
        await cancelled.fired()
        let result = await task.result
        #expect(throws: TransportFailure.self) { try result.get() }
    }

    @Test func cancellingTheTaskEndsAPausedExchange() async {
        let stub = StubTransport { _ in StubReply(body: "abc") }
        let log = ReceiverLog { count in count == 2 ? .wait(OneShot()) : .proceed }
        let task = Task { try await stub.perform(request, for: log) }
        await log.asked(2)
        task.cancel()
        let result = await task.result
        #expect(throws: TransportFailure(.stopped, "the exchange was stopped")) { try result.get() }
    }
}
