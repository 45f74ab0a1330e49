import Foundation
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayManager

@Suite("How a stream waits and ends", .timeLimit(.minutes(5)))
struct StreamEndTests {
    typealias Sentence = StreamFixture.Sentence

    /// A server that goes on for ever.
    private static func endless(_ stopped: OneShot, _ offered: Shared<Int> = Shared(0)) throws -> SessionManager {
        try StreamFixture.manager { _, _, receiver throws(TransportFailure) in
            defer { stopped.fire() }
            receiver.receiveHead()
            while true {
                try await receiver.offer("On and on.")
                offered.withLock { $0 += 10 }
            }
        }
    }

    /// Copies of one iterator, which an actor has several tasks ask.
    @MainActor private final class Copies {
        private let iterator: ResponseStream<Sentence>.AsyncIterator

        init(_ stream: ResponseStream<Sentence>) { iterator = stream.makeAsyncIterator() }

        func next() async throws(SessionError) -> Sentence? {
            var copy = iterator
            return try await copy.next()
        }
    }

    @Test("a copy of the iterator that asks while another waits is a second reader, and the first goes on")
    func copies() async throws {
        let goesOn = OneShot()
        let manager = try StreamFixture.manager { _, _, receiver throws(TransportFailure) in
            receiver.receiveHead()
            await goesOn.fired()
            try await receiver.offer("One.Two.")
        }
        let copies = await Copies(try await manager.stream("a", of: Sentence.self))
        let readers = (0..<2).map { _ in Task { try await copies.next() } }
        let codes = Shared<[SessionError.Code]>([])
        for reader in readers {
            Task {
                guard case .failure(let error as SessionError) = await reader.result else { return }
                codes.withLock { $0.append(error.code) }
                goesOn.fire()
            }
        }
        await goesOn.fired()
        var elements: [Sentence] = []
        for reader in readers { if let element = try? await reader.value { elements.append(element) } }
        #expect(elements == ["One"])
        #expect(codes.withLock { $0 } == [.alreadyRead])
    }

    @Test("leaving the loop ends the exchange")
    func leaving() async throws {
        let stopped = OneShot()
        let manager = try Self.endless(stopped)
        let stream = try await manager.stream("a", of: Sentence.self)
        for try await _ in stream { break }
        await stopped.fired()
        while !manager.tasks.isEmpty { await Task.yield() }
        #expect(stream.task.state == .cancelled)
    }

    @Test("1.3.4: letting go of a stream that nobody reads ends the exchange")
    func dropping() async throws {
        let stopped = OneShot()
        let manager = try Self.endless(stopped)
        _ = try await manager.stream("a", of: Sentence.self)
        await stopped.fired()
    }

    @Test("cancelling the task that reads ends the exchange, and the loop as cancelled")
    func cancelling() async throws {
        let (stopped, reads) = (OneShot(), OneShot())
        let manager = try StreamFixture.manager { _, _, receiver throws(TransportFailure) in
            receiver.receiveHead()
            try await receiver.offer("One.")
            await receiver.stop.fired()
            stopped.fire()
            throw TransportFailure(.stopped, "the exchange was stopped")
        }
        let reading = Task {
            for try await _ in try await manager.stream("a", of: Sentence.self) { reads.fire() }
        }
        await reads.fired()
        reading.cancel()
        await stopped.fired()
        let error = await #expect(throws: SessionError.self) { try await reading.value }
        #expect(error?.code == .cancelled)
    }

    @Test("a reader that is cancelled gets nothing more, neither of what it was given nor of what waits")
    func cancellingAmongElements() async throws {
        var configuration = SessionConfiguration()
        configuration.maximumWaitingStreamBytes = 1 << 20
        let manager = try StreamFixture.stub(configuration) { _ in
            .sentences("One.Two.Three.", String(repeating: "On.", count: 100_000))
        }
        let stream = try await manager.stream("a", of: Sentence.self)
        while stream.trailers == nil { await Task.yield() }
        let reading = Task {
            var sentences: [Sentence] = []
            do throws(SessionError) {
                for try await sentence in stream {
                    sentences.append(sentence)
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            } catch {
                return (sentences, error.code as SessionError.Code?)
            }
            return (sentences, nil)
        }
        let (sentences, code) = await reading.value
        #expect(sentences == ["One"])
        #expect(code == .cancelled)
    }

    @Test("a task that was cancelled before its loop gets no element", arguments: [true, false])
    func cancelledBeforeReading(isComplete: Bool) async throws {
        let manager =
            isComplete ? try StreamFixture.stub { _ in .sentences("One.Two.") } : try Self.endless(OneShot())
        let stream = try await manager.stream("a", of: Sentence.self)
        while isComplete, stream.trailers == nil { await Task.yield() }
        let reading = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await stream.all()
        }
        let error = await #expect(throws: SessionError.self) { _ = try await reading.value }
        #expect(error?.code == .cancelled)
    }

    @Test("a task that is cancelled behind the end has read all of it")
    func cancelledAtTheEnd() async throws {
        let manager = try StreamFixture.stub { _ in .sentences("One.") }
        let stream = try await manager.stream("a", of: Sentence.self)
        let reading = Task {
            let sentences = try await stream.all()
            withUnsafeCurrentTask { $0?.cancel() }
            return sentences + (try await stream.all())
        }
        #expect(try await reading.value == ["One"])
    }

    @Test("a second loop does not look like the end, whether the first was left, still reads or failed")
    func secondLoop() async throws {
        let manager = try StreamFixture.stub { _ in
            .sentences("One.Two.", failure: TransportFailure(.lostConnection, "the connection was lost"))
        }
        let left = try await manager.stream("a", of: Sentence.self)
        for try await _ in left { break }
        let leftError = await #expect(throws: SessionError.self) { _ = try await left.all() }
        #expect(leftError?.code == .alreadyRead)

        let shared = try await manager.stream("a", of: Sentence.self)
        var first = shared.makeAsyncIterator()
        #expect(try await first.next() == "One")
        let error = await #expect(throws: SessionError.self) { _ = try await shared.all() }
        #expect(
            "\(try #require(error))"
                == "GET origin.test/a: the elements were asked for a second time: a stream can be read once")
        #expect(try await first.next() == "Two")
        await #expect(throws: SessionError.self) { _ = try await first.next() }
        #expect(try await first.next() == nil)

        let failed = await #expect(throws: SessionError.self) { _ = try await shared.all() }
        #expect(failed?.code == .alreadyRead)
    }

    @Test("cancelling before the head is there ends the call as cancelled")
    func cancellingEarly() async throws {
        let asked = OneShot()
        let manager = try StreamFixture.manager { _, _, receiver throws(TransportFailure) in
            asked.fire()
            await receiver.stop.fired()
            throw TransportFailure(.stopped, "the exchange was stopped")
        }
        let opening = Task { _ = try await manager.stream("a", of: Sentence.self) }
        await asked.fired()
        opening.cancel()
        let error = await #expect(throws: SessionError.self) { try await opening.value }
        #expect(error?.code == .cancelled)
    }

    @Test("a reader that does not read makes the sender wait, and loses nothing", arguments: [1, 1_000, 1 << 20])
    func waiting(_ limit: Int) async throws {
        let offered = Shared(0)
        let isWaiting = OneShot()
        var configuration = SessionConfiguration()
        configuration.maximumWaitingStreamBytes = limit
        let manager = try StreamFixture.manager(configuration) { _, _, receiver throws(TransportFailure) in
            receiver.receiveHead()
            for number in 0..<300_000 {
                let bytes = Array("\(number).".utf8)
                if case .wait = bytes.withUnsafeBytes({ receiver.receive($0) }) {
                    isWaiting.fire()
                    try await receiver.offer("\(number).")
                }
                offered.withLock { $0 += bytes.count }
            }
        }
        let stream = try await manager.stream("a", of: Sentence.self)
        await isWaiting.fired()
        #expect(offered.withLock { $0 } <= max(limit, 2))
        #expect(stream.task.state == .running)
        var expected = 0
        for try await sentence in stream {
            guard sentence.text == "\(expected)" else {
                Issue.record("\(sentence) instead of \(expected)")
                break
            }
            expected += 1
        }
        #expect(expected == 300_000)
    }

    @Test("the idle clock stands still while the sender is made to wait, and goes on afterwards")
    func idle() async throws {
        let isWaiting = OneShot()
        var configuration = SessionConfiguration()
        configuration.maximumWaitingStreamBytes = 4
        let manager = try StreamFixture.manager(configuration) { _, _, receiver throws(TransportFailure) in
            receiver.receiveHead()
            try await receiver.offer("One.")
            if case .wait = receiver.receive(count: 4) { isWaiting.fire() }
            try await receiver.offer("Two.")
            await receiver.stop.fired()
            throw TransportFailure(.stopped, "the exchange was stopped")
        }
        var request = SessionRequest("a")
        request.idleTimeout = .seconds(3)
        let stream = try await manager.stream(request, of: Sentence.self)
        await isWaiting.fired()
        // Longer than the timeout.
        try await Task.sleep(for: .seconds(5))
        var sentences: [Sentence] = []
        let error = await #expect(throws: SessionError.self) {
            for try await sentence in stream { sentences.append(sentence) }
        }
        #expect(sentences == ["One", "Two"])
        #expect(error?.code == .idleTimeout)
    }

    @Test("the manager's total timeout is not for streams, the request's own is")
    func total() async throws {
        var configuration = SessionConfiguration()
        configuration.totalTimeout = .milliseconds(50)
        let manager = try StreamFixture.manager(configuration) { number, _, receiver throws(TransportFailure) in
            receiver.receiveHead()
            let end = ContinuousClock.now + .milliseconds(300)
            // The second ends when it is stopped, and not before.
            while number == 2 || ContinuousClock.now < end {
                try await receiver.offer("On.")
                try? await Task.sleep(for: .milliseconds(10))
            }
        }
        _ = try await manager.stream("a", of: Sentence.self).all()
        var request = SessionRequest("a")
        request.totalTimeout = .milliseconds(50)
        let error = await #expect(throws: SessionError.self) {
            _ = try await manager.stream(request, of: Sentence.self).all()
        }
        #expect(error?.code == .totalTimeout)
    }

    @Test("invalidating the manager ends its streams as cancelled")
    func invalidating() async throws {
        let stopped = OneShot()
        let manager = try Self.endless(stopped)
        let stream = try await manager.stream("a", of: Sentence.self)
        manager.invalidate(cancellingTasks: true)
        let error = await #expect(throws: SessionError.self) { _ = try await stream.all() }
        #expect(error?.code == .cancelled)
        await stopped.fired()
    }
}
