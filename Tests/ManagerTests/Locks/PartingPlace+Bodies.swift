import Dispatch
import Foundation
import PatchbayPlatform
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager
@testable import PatchbayRegistry

extension PartingPlace {
    // MARK: Those of a body

    private final class Failing: RequestBodySource {
        let length: Int64? = nil
        let make: @Sendable () -> Parting
        init(_ make: @escaping @Sendable () -> Parting) { self.make = make }
        func read(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece { throw make() }
        func rewind() {}
    }

    func playContent(_ cancels: Bool) async throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        let make = { @Sendable () in Parting(manager, cancels: cancels) }
        switch self {
        case .chunks:
            let chunks = (0..<3).map { _ in partingData(String(repeating: "a", count: 100), make()) }
            let source = SequenceSource(isRepeatable: false, chunks.stream.pass(isRepeatable: false))
            try await Self.drain(source)
        case .formSources:
            var form = MultipartFormData()
            for name in ["a", "b"] { form.append(length: 3, name: name) { RequestPlace.Source(make()) } }
            try await Self.drain(form.makeSource())
        case .errorFetched:
            let source = FetchedSource(Failing(make), on: IOExecutor())
            try? await Self.drain(source)
            source.rewind()
        default:
            let task = manager.held(SessionRequest("a")).task
            let source = FetchedSource(Failing(make), on: IOExecutor())
            let body = SentBody(.source(source), to: RequestHead(url: URL(filePath: "/")), of: task)
            for _ in 0..<3 {
                guard let body else { continue }
                try? await Self.drain(body)
                try body.rewind()
            }
        }
    }

    private static func drain(_ source: some RequestBodySource) async throws {
        let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
        defer { space.deallocate() }
        while true {
            switch try source.read(into: space) {
            case .end: return
            case .bytes: continue
            case .wait(let signal): await signal.fired()
            }
        }
    }

    // MARK: Those of a stream

    private struct Held: StreamingSerializer {
        struct Parser: ResumableElementParser {
            var notes: StreamFixture.Notes.Parser
            let parting: Parting
            var lastEventID: String {
                get { notes.lastEventID }
                set { notes.lastEventID = newValue }
            }
            var reconnectionTime: Duration? { notes.reconnectionTime }
            var position: StreamPosition? {
                get { notes.position }
                set { notes.position = newValue }
            }

            mutating func parse(_ bytes: Span<UInt8>, emit: (StreamFixture.Sentence) throws -> Void) throws {
                parting.isCalled()
                try notes.parse(bytes, emit: emit)
            }

            mutating func finish(emit: (StreamFixture.Sentence) throws -> Void) { parting.isCalled() }
        }

        let make: @Sendable () -> Parting

        func makeParser(_ head: ResponseHead, maximumElementBytes: Int) -> Parser {
            Parser(
                notes: StreamFixture.Notes.Parser(
                    sentences: StreamFixture.Sentences.Parser(limit: maximumElementBytes)), parting: make())
        }
    }

    func playParsers(_ cancels: Bool) async throws {
        var configuration = SessionConfiguration()
        configuration.sleep = { _ in }
        let manager = try StreamFixture.manager(configuration) { number, _, receiver throws(TransportFailure) in
            guard number < 3 else {
                _ = receiver.receive(status: 204, fields: [:])
                return
            }
            receiver.receiveHead("text/notes")
            try await receiver.offer("\(number)=One.")
        }
        manager.registry = try manager.registry.replacing(
            "notes", with: Held { [weak manager] in Parting(manager, cancels: cancels) })
        let stream = try await manager.stream(
            "a", of: StreamFixture.Sentence.self, reconnecting: EventReconnection())
        do {
            for try await _ in stream {}
        } catch {
            // The first of them has ended the call.
            try #require(cancels)
        }
    }

    func playSinks() throws {
        let url = try #require(URL(string: "http://origin.test/"))
        let head = ResponseHead(status: 200, fields: [:], url: url, request: RequestHead(url: url))
        switch self {
        case .waitForADisk:
            let io = IOExecutor(maximumThreads: 1)
            let gate = DispatchSemaphore(value: 0)
            io.enqueue { gate.wait() }
            let sink = FileBody(.temporary, isSerialized: false, calls: .system, on: io, limit: 1)
            sink.open(head, .whole, stop: OneShot())
            let byte: [UInt8] = [1]
            for _ in 0..<2 {
                guard case .wait(let room) = byte.withUnsafeBytes({ sink.append($0) }) else { continue }
                room.whenFired { [parting = Parting()] in parting.isCalled() }
            }
            sink.drop()
            gate.signal()
        case .refusal:
            let sink = StreamBody(limit: 1)
            sink.close(SessionError(.serialization, "no", cause: Parting()))
            sink.close()
        default:
            let terms = ResponseTerms(override: .none, redirects: .follow, validators: [], writer: nil)
            let opening = (try TestRegistry.make().decision(for: head), terms)
            let sink = StreamBody(limit: 1)
            for _ in 0..<2 {
                let stop = OneShot()
                stop.whenFired { [parting = Parting()] in parting.isCalled() }
                sink.open(opening, stop: stop)
            }
            sink.end(.success([:]))
        }
    }

    // MARK: Whoever waits

    /// Runs jobs where the system does, and looks when it is given one.
    private final class LookingExecutor: TaskExecutor {
        private let queue = DispatchQueue(label: "looking", attributes: .concurrent)

        func enqueue(_ job: consuming ExecutorJob) {
            Parting.look("an executor of the caller's is given a job")
            let job = UnownedJob(job)
            let executor = asUnownedTaskExecutor()
            queue.async { job.runSynchronously(on: executor) }
        }
    }

    func playExecutor() async throws {
        let executor = LookingExecutor()
        try await withTaskExecutorPreference(executor) {
            let manager = try StreamFixture.manager { _, _, receiver throws(TransportFailure) in
                receiver.receiveHead()
                for _ in 0..<20 {
                    await settle()
                    try await receiver.offer("One.")
                }
            }
            var request = SessionRequest("a")
            request.hook = MadeHook(pausesBodies: true)
            let stream = try await manager.stream(request, of: StreamFixture.Sentence.self)
            for try await _ in stream {
                stream.task.hold()
                stream.task.begin()
            }
            let folder = TemporaryFolder()
            _ = try await manager.download(SessionRequest("a"), to: .folder(folder.url))
            _ = try? await manager.send(
                SessionRequest("a", method: "POST", content: .stream([Data("abc".utf8)].stream)))
        }
    }
}

extension Array where Element: Sendable {
    /// The elements, one after the other.
    var stream: AsyncStream<Element> {
        AsyncStream { continuation in
            for element in self { continuation.yield(element) }
            continuation.finish()
        }
    }
}
