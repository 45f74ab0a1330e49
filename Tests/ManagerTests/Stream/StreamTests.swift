import Foundation
import PatchbayJSON
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite("Streams", .timeLimit(.minutes(5)))
struct StreamTests {
    typealias Sentence = StreamFixture.Sentence

    // MARK: What is given

    @Test("1.3.1, 1.3.2, 1.3.8: the elements are given as they end, wherever the pieces are cut")
    func elements() async throws {
        let manager = try StreamFixture.stub { _ in .sentences("One.T", "w", "o.Three.", "") }
        let stream = try await manager.stream("a", of: Sentence.self)
        #expect(stream.head.status == 200)
        #expect(stream.decision.entryID == "sentences")
        var sentences: [Sentence] = []
        for try await sentence in stream { sentences.append(sentence) }
        #expect(sentences == ["One", "Two", "Three"])
    }

    @Test("an element is given before the bytes of the next one are there")
    func early() async throws {
        let isRead = OneShot()
        let manager = try StreamFixture.manager { _, _, receiver throws(TransportFailure) in
            receiver.receiveHead()
            try await receiver.offer("One.")
            await isRead.fired()
            try await receiver.offer("Two.")
        }
        var sentences: [Sentence] = []
        for try await sentence in try await manager.stream("a", of: Sentence.self) {
            sentences.append(sentence)
            isRead.fire()
        }
        #expect(sentences == ["One", "Two"])
    }

    /// One thread for all tasks that prefer it.
    final class OneThread: TaskExecutor {
        private let queue = DispatchQueue(label: "one thread")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    /// Reads a stream more slowly than the server sends it, so that bytes wait.
    private static func read(
        _ stream: ResponseStream<Sentence>, counting number: Shared<Int>, isolation: isolated (any Actor)? = #isolation,
        halfway: () -> Void
    ) async throws {
        for try await _ in stream {
            let count = number.withLock { count in
                count += 1
                return count
            }
            usleep(1_000)
            if count == 200 { halfway() }
        }
    }

    /// Has a loop, and is asked for its count meanwhile.
    private actor Counter {
        let number = Shared(0)
        private(set) var turn: Int?

        private func markTurn() { turn = number.withLock { $0 } }

        func loop(over stream: ResponseStream<Sentence>) async throws {
            try await StreamTests.read(stream, counting: number) { Task { markTurn() } }
        }
    }

    /// A stream of 400 sentences: in one piece, or in pieces of which a few wait and no more.
    private func sentences(inOnePiece: Bool, _ number: Shared<Int>) async throws -> ResponseStream<Sentence> {
        let manager = try StreamFixture.manager { _, _, receiver throws(TransportFailure) in
            receiver.receiveHead()
            guard !inOnePiece else { return try await receiver.offer(String(repeating: "One.", count: 400)) }
            for sent in 0..<400 {
                while number.withLock({ $0 }) < sent - 4 { try? await Task.sleep(for: .microseconds(100)) }
                try await receiver.offer("One.")
            }
        }
        return try await manager.stream("a", of: Sentence.self)
    }

    @Test("a loop that always finds bytes waiting gives other tasks a turn", arguments: [false, true])
    func turns(inOnePiece: Bool) async throws {
        let (number, turn) = (Shared(0), Shared<Int?>(nil))
        let stream = try await sentences(inOnePiece: inOnePiece, number)
        let executor = OneThread()
        try await Task(executorPreference: executor) {
            try await Self.read(stream, counting: number) {
                Task(executorPreference: executor) { turn.withLock { $0 = number.withLock { $0 } } }
            }
        }.value
        #expect(number.withLock { $0 } == 400)
        #expect(try #require(turn.withLock { $0 }) < 300)
    }

    @Test(
        "a loop on an actor that always finds bytes waiting gives the actor's other work a turn",
        arguments: [false, true])
    func turnsOfActor(inOnePiece: Bool) async throws {
        let counter = Counter()
        let stream = try await sentences(inOnePiece: inOnePiece, counter.number)
        try await counter.loop(over: stream)
        #expect(counter.number.withLock { $0 } == 400)
        #expect(try #require(await counter.turn) < 300)
    }

    @Test("1.3.4: the stream is there with the head, before any byte of the body")
    func head() async throws {
        let isThere = OneShot()
        let manager = try StreamFixture.manager { _, _, receiver throws(TransportFailure) in
            receiver.receiveHead()
            await isThere.fired()
            try await receiver.offer("One.")
        }
        let stream = try await manager.stream("a", of: Sentence.self)
        isThere.fire()
        #expect(try await stream.all() == ["One"])
    }

    @Test("a request of any method is answered by a stream, which is a task until it has ended")
    func request() async throws {
        let manager = try StreamFixture.stub { request in .sentences("\(request.head.method).") }
        let stream = try await manager.stream(SessionRequest("a", body: "{}"), of: Sentence.self)
        #expect(stream.task.kind == .stream)
        #expect(try await stream.all() == ["POST"])
        #expect(manager.tasks.isEmpty)
        #expect(stream.task.state == .finished)
        #expect(manager.taskList.timeoutCount == 0)
    }

    @Test("a redirect is followed before the stream begins")
    func redirect() async throws {
        let manager = try StreamFixture.stub { request in
            request.head.url.path() == "/a" ? StubReply(status: 302, fields: ["Location": "/b"]) : .sentences("One.")
        }
        let stream = try await manager.stream("a", of: Sentence.self)
        #expect(stream.head.url.path() == "/b")
        #expect(try await stream.all() == ["One"])
    }

    @Test("a response without a body has no elements")
    func empty() async throws {
        let manager = try StreamFixture.stub { _ in StubReply(status: 204) }
        #expect(try await manager.stream("a", of: Sentence.self).all() == [])
    }

    @Test("an entry that makes one value gives one element")
    func oneValue() async throws {
        let manager = try StreamFixture.stub { _ in
            StubReply(fields: ["Content-Type": "text/whole"], chunks: [Data("One.".utf8), Data("Two.".utf8)])
        }
        #expect(try await manager.stream("a", of: Sentence.self).all() == ["One.Two."])
    }

    @Test("pieces of bytes are given as they come, whatever their type")
    func pieces() async throws {
        let manager = try StreamFixture.stub { _ in .sentences("One.T", "wo.") }
        let pieces = try await manager.stream("a", of: Data.self).all()
        #expect(pieces.reduce(Data(), +) == Data("One.Two.".utf8))
        let arrays = try await manager.stream("a", of: [UInt8].self).all()
        #expect(arrays.flatMap { $0 } == Array("One.Two.".utf8))
    }

    @Test("an entry that says that its elements are over ends the exchange, and the call ends well")
    func finished() async throws {
        let isStopped = OneShot()
        let manager = try StreamFixture.manager { _, _, receiver throws(TransportFailure) in
            receiver.receiveHead()
            try await receiver.offer("One.THE END.Two.")
            await receiver.stop.fired()
            isStopped.fire()
            throw TransportFailure(.stopped, "the exchange was stopped")
        }
        let stream = try await manager.stream("a", of: Sentence.self)
        #expect(try await stream.all() == ["One"])
        await isStopped.fired()
        while !manager.tasks.isEmpty { await Task.yield() }
        #expect(stream.task.state == .finished)
    }

    @Test("a stream that was read to its end has no more elements")
    func twice() async throws {
        let manager = try StreamFixture.stub { _ in .sentences("One.") }
        let stream = try await manager.stream("a", of: Sentence.self)
        #expect(try await stream.all() == ["One"])
        #expect(try await stream.all() == [])
    }

    @Test("elements that were not read yet do not show where a stream is printed")
    func printed() async throws {
        let manager = try StreamFixture.stub { _ in .sentences("One.Hush.") }
        let stream = try await manager.stream("a", of: Sentence.self)
        var iterator = stream.makeAsyncIterator()
        #expect(try await iterator.next() == "One")
        #expect("\(iterator)" == "GET origin.test/a: 200, elements of Sentence")
        var dumped = ""
        dump(iterator, to: &dumped)
        dump(stream, to: &dumped)
        #expect(!dumped.contains("Hush"))
    }

    // MARK: What goes wrong before the first element

    @Test("a status that is not acceptable gives no stream, and its body is part of the error")
    func status() async throws {
        let manager = try StreamFixture.stub { _ in .json(#"{"why": "gone"}"#, status: 410) }
        let error = await #expect(throws: SessionError.self) {
            _ = try await manager.stream("a", of: Sentence.self)
        }
        #expect(error?.code == .status)
        #expect(error?.value as? JSON == ["why": "gone"])
    }

    @Test("a type of which nobody can make the elements is an error as soon as the head is there")
    func type() async throws {
        let manager = try StreamFixture.manager { _, _, receiver throws(TransportFailure) in
            guard case .stop = receiver.receiveHead("text/endless") else {
                try await receiver.offer("and so on")
                await receiver.stop.fired()
                return
            }
            throw TransportFailure(.stopped, "the receiver stopped the exchange")
        }
        let error = await #expect(throws: SessionError.self) {
            _ = try await manager.stream("a", of: Sentence.self)
        }
        #expect(error?.code == .noReader)
    }

    @Test("1.3.6: validators are asked with the head, before the first element")
    func validators() async throws {
        struct Refused: Error {}
        let isStopped = OneShot()
        let manager = try StreamFixture.manager { _, _, receiver throws(TransportFailure) in
            receiver.receiveHead()
            await receiver.stop.fired()
            isStopped.fire()
            throw TransportFailure(.stopped, "the exchange was stopped")
        }
        var request = SessionRequest("a")
        request.validators = [{ head, body in if body.isEmpty { throw Refused() } }]
        let error = await #expect(throws: SessionError.self) {
            _ = try await manager.stream(request, of: Sentence.self)
        }
        #expect(error?.code == .validation)
        #expect(error?.cause is Refused)
        await isStopped.fired()
        while !manager.tasks.isEmpty { await Task.yield() }
    }

    // MARK: What goes wrong behind elements

    @Test("1.3.3: a body that breaks off is an error behind the elements before")
    func cut() async throws {
        let manager = try StreamFixture.stub { _ in
            .sentences("One.Two.Thr", failure: TransportFailure(.truncatedBody, "the connection was closed"))
        }
        var sentences: [Sentence] = []
        let error = await #expect(throws: SessionError.self) {
            for try await sentence in try await manager.stream("a", of: Sentence.self) { sentences.append(sentence) }
        }
        #expect(sentences == ["One", "Two"])
        #expect(error?.code == .transport)
    }

    @Test("a body that ends inside an element is an error behind the elements before")
    func unfinished() async throws {
        let manager = try StreamFixture.stub { _ in .sentences("One.Tw") }
        var sentences: [Sentence] = []
        let error = await #expect(throws: SessionError.self) {
            for try await sentence in try await manager.stream("a", of: Sentence.self) { sentences.append(sentence) }
        }
        #expect(sentences == ["One"])
        #expect(error?.code == .serialization)
        #expect(error?.decision?.entry == "sentences")
        #expect(error?.cause is StreamFixture.Shout)
    }

    @Test("1.3.5: an element that is wrong ends the exchange, and fails the call, with the error of its entry")
    func wrong() async throws {
        let isStopped = OneShot()
        let manager = try StreamFixture.manager { _, _, receiver throws(TransportFailure) in
            receiver.receiveHead()
            try await receiver.offer("One.No!.Two.")
            await receiver.stop.fired()
            isStopped.fire()
            throw TransportFailure(.stopped, "the exchange was stopped")
        }
        var sentences: [Sentence] = []
        var iterator = try await manager.stream("a", of: Sentence.self).makeAsyncIterator()
        let error = await #expect(throws: SessionError.self) {
            while let sentence = try await iterator.next() { sentences.append(sentence) }
        }
        #expect(sentences == ["One"])
        #expect(error?.code == .serialization)
        await isStopped.fired()
        #expect(try await iterator.next() == nil)
    }

    @Test("the limit of an entry is that of one element, not of the body")
    func limit() async throws {
        let many = String(repeating: "Not too long.", count: 100)
        let manager = try StreamFixture.stub { _ in .sentences(many, "This is longer than twenty bytes.") }
        var count = 0
        let error = await #expect(throws: SessionError.self) {
            for try await sentence in try await manager.stream("a", of: Sentence.self) {
                #expect(sentence == "Not too long")
                count += 1
            }
        }
        #expect(count == 100)
        #expect(error?.code == .bodyTooLarge)
        let failure = try #require(error?.cause as? FormatFailure)
        #expect(failure.code == .limit)
        #expect(failure.reason.hasPrefix("an element is longer than 20 bytes"))
    }

    @Test("the request's own limit is that of one element too")
    func ownLimit() async throws {
        let manager = try StreamFixture.stub { _ in .sentences("One.Two.Three.Fourteen.") }
        var request = SessionRequest("a")
        request.maximumBodyBytes = 5
        let stream = try await manager.stream(request, of: Sentence.self)
        var sentences: [Sentence] = []
        let error = await #expect(throws: SessionError.self) {
            for try await sentence in stream { sentences.append(sentence) }
        }
        #expect(sentences == ["One", "Two", "Three"])
        let failure = try #require(error?.cause as? FormatFailure)
        #expect(failure.code == .limit)
        #expect(failure.reason.hasPrefix("an element is longer than 5 bytes"))
    }

    @Test("a body that one element is made of has the limit of its entry")
    func valueLimit() async throws {
        let manager = try StreamFixture.stub { _ in
            StubReply(fields: ["Content-Type": "text/whole"], body: "This is longer than twenty bytes")
        }
        let error = await #expect(throws: SessionError.self) {
            _ = try await manager.stream("a", of: Sentence.self).all()
        }
        #expect(error?.code == .bodyTooLarge)
    }

    // MARK: Trying again

    @Test("a request that fails before the head is sent again, one that fails behind it is not")
    func retry() async throws {
        let exchanges = Shared(0)
        var configuration = SessionConfiguration()
        configuration.interceptors = [MadeInterceptor(retry: { _, _ in .retry })]
        let manager = try StreamFixture.manager(configuration) { number, _, receiver throws(TransportFailure) in
            exchanges.withLock { $0 = number }
            guard number == 2 else { throw TransportFailure(.other, "no head") }
            receiver.receiveHead()
            try await receiver.offer("One.")
            throw TransportFailure(.truncatedBody, "the connection was closed")
        }
        var sentences: [Sentence] = []
        let error = await #expect(throws: SessionError.self) {
            for try await sentence in try await manager.stream("a", of: Sentence.self) { sentences.append(sentence) }
        }
        #expect(sentences == ["One"])
        #expect(error?.code == .transport)
        #expect(exchanges.withLock { $0 } == 2)
    }
}

extension ResponseStream {
    /// All the elements.
    func all() async throws(SessionError) -> [Element] {
        var elements: [Element] = []
        for try await element in self { elements.append(element) }
        return elements
    }
}
