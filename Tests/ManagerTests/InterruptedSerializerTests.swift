import Foundation
import PatchbayPlatform
import PatchbayPlugins
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// What becomes of a serializer whose call is cancelled or runs out of time meanwhile.
@Suite(.timeLimit(.minutes(5))) struct InterruptedSerializerTests {
    private typealias Element = InterruptedFormat.Element

    struct Interrupting: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: SessionError.Code
        let interrupt: @Sendable (SessionManager) -> Void
    }

    static let cancelledTask = Interrupting(
        testDescription: "the Swift task is cancelled", code: .cancelled
    ) { (_: SessionManager) in
        withUnsafeCurrentTask { task in task?.cancel() }
    }

    static let interruptions: [Interrupting] = [
        cancelledTask,
        Interrupting(testDescription: "the task of the manager is cancelled", code: .cancelled) { manager in
            for task in manager.tasks { task.cancel() }
        },
        Interrupting(testDescription: "the total timeout passes", code: .totalTimeout) { manager in
            manager.taskList.check(at: .now + .seconds(3_600))
        },
    ]

    /// Makes a number of each byte, with a parser of a user's own.
    struct BytesSerializer: StreamingSerializer {
        struct Parser: ElementParser {
            mutating func parse(_ bytes: Span<UInt8>, emit: (Int) throws -> Void) throws {
                for index in bytes.indices {
                    InterruptedFormat.Element.whenDecoded()
                    try emit(Int(bytes[index]))
                }
            }

            mutating func finish(emit: (Int) throws -> Void) throws {}
        }

        func makeParser(_ head: ResponseHead, maximumElementBytes: Int) throws -> Parser { Parser() }
    }

    /// A manager that gets one body for every request. How many elements were decoded, and what is called at the third.
    private struct Run {
        let manager: SessionManager
        let decoded = Shared(0)
        let askedFallback = Shared(false)

        init(_ type: String, _ body: Data, status: Int = 200, configuration: SessionConfiguration = .init()) throws {
            var factories = SerializerFactories.standard
            let askedFallback = askedFallback
            try factories.register("fallback") {
                MadeSerializer { (_, _) -> [Element] in
                    askedFallback.withLock { $0 = true }
                    return []
                }
            }
            try factories.register("lists") {
                MadeSerializer { (_, _) -> [[Element]] in
                    askedFallback.withLock { $0 = true }
                    return []
                }
            }
            try factories.register("bytes") { BytesSerializer() }
            let registry = try SerializerRegistry(
                sources: [.text(InterruptedFormat.plugins, name: "test.json")], factories: factories)
            manager = try stubManager(registry, configuration: configuration) { _ in
                StubReply(status: status, fields: ["Content-Type": type], body: body)
            }.0
        }

        init(_ format: InterruptedFormat) throws {
            try self.init(format.type, format.body)
        }

        /// Runs the work in a task, and interrupts it at the third element.
        func interrupted<Value: Sendable>(
            by interrupt: @escaping @Sendable (SessionManager) -> Void,
            _ work: @escaping @Sendable (SessionManager) async throws -> Value
        ) async -> Result<Value, any Error> {
            let (manager, decoded) = (manager, decoded)
            let whenDecoded: @Sendable () -> Void = {
                let count = decoded.withLock { count in
                    count += 1
                    return count
                }
                if count == 3 { interrupt(manager) }
            }
            return await InterruptedFormat.Element.$whenDecoded.withValue(whenDecoded) {
                Task { try await work(manager) }
            }.result
        }

        /// Holds that the work ended early, as an interruption says.
        func expectEnd<Value>(_ interruption: Interrupting, _ result: Result<Value, any Error>) {
            #expect((3..<100).contains(decoded.withLock { $0 }))
            let error = #expect(throws: SessionError.self) { try result.get() }
            #expect(error?.code == interruption.code)
            #expect(!askedFallback.withLock { $0 })
        }
    }

    @Test(
        "a built-in serializer whose call is over stops between two elements, and no other entry is asked",
        arguments: InterruptedFormat.all, interruptions)
    func builtIn(_ format: InterruptedFormat, _ interruption: Interrupting) async throws {
        let run = try Run(format)
        run.expectEnd(interruption, await run.interrupted(by: interruption.interrupt, format.read))
    }

    @Test(
        "the list of an own parser stops between two elements, in an error too", arguments: [200, 500], interruptions)
    func ownParser(_ status: Int, _ interruption: Interrupting) async throws {
        let run = try Run("application/x-bytes", Data(repeating: 1, count: InterruptedFormat.count), status: status)
        let result = await run.interrupted(by: interruption.interrupt) { manager in
            _ = try await manager.send(SessionRequest("a"))
        }
        run.expectEnd(interruption, result)
    }

    @Test("the value of a download stops between two elements", arguments: interruptions)
    func download(_ interruption: Interrupting) async throws {
        let folder = TemporaryFolder()
        let run = try Run("application/json", Data(InterruptedFormat.array.utf8))
        let result = await run.interrupted(by: interruption.interrupt) { manager in
            var request = SessionRequest("a")
            request.totalTimeout = .seconds(100)
            let place = DownloadDestination.file(folder.url.appending(path: "x"))
            _ = try await manager.savedValue(of: request, to: place, as: [Element].self)
        }
        run.expectEnd(interruption, result)
    }

    @Test("the idle timeout and the timeout of an attempt interrupt no serializer")
    func otherTimeouts() async throws {
        var configuration = SessionConfiguration()
        configuration.idleTimeout = .seconds(60)
        configuration.totalTimeout = .seconds(7_200)
        configuration.interceptors = [RetryPolicy(attemptTimeout: .seconds(60))]
        let run = try Run("application/json", Data(InterruptedFormat.array.utf8), configuration: configuration)
        let passHour: @Sendable (SessionManager) -> Void = { $0.taskList.check(at: .now + .seconds(3_600)) }
        let result = await run.interrupted(by: passHour) { manager in
            try await manager.get("a", as: [Element].self).count
        }
        #expect(try result.get() == InterruptedFormat.count)
    }

    @Test("a value that is made later from the bytes of a reply is made whole, also in a cancelled task")
    func lateValue() async throws {
        let run = try Run("application/json", Data(InterruptedFormat.array.utf8))
        let result = await run.interrupted(by: Self.cancelledTask.interrupt) { manager in
            let reply = try await manager.send(SessionRequest("a"), as: Data.self)
            let elements = try reply.decode(as: [Element].self)
            return Task.isCancelled ? elements.count : 0
        }
        #expect(try result.get() == InterruptedFormat.count)
    }

    @Test("the elements of a stream stop if their reader is cancelled, in one piece and in a value of the whole body")
    func stream() async throws {
        let lines = try Run("application/x-ndjson", Data(InterruptedFormat.repeated("\(InterruptedFormat.one)\n").utf8))
        let first = await lines.interrupted(by: Self.cancelledTask.interrupt) { manager in
            for try await _ in try await manager.stream("a", of: Element.self) {}
        }
        lines.expectEnd(Self.cancelledTask, first)
        let events = try Run(
            "text/event-stream", Data(InterruptedFormat.repeated("data: \(InterruptedFormat.one)\n\n").utf8))
        let second = await events.interrupted(by: Self.cancelledTask.interrupt) { manager in
            for try await _ in try await manager.stream("a", of: Element.self) {}
        }
        events.expectEnd(Self.cancelledTask, second)
        let list = try Run("application/x-plist", InterruptedFormat.propertyList())
        let third = await list.interrupted(by: Self.cancelledTask.interrupt) { manager in
            for try await _ in try await manager.stream("a", of: [Element].self) {}
        }
        list.expectEnd(Self.cancelledTask, third)
    }

    @Test(
        "a serializer of a user's own is awaited: the call then fails if it was cancelled, and has its value otherwise",
        arguments: interruptions)
    func foreign(_ interruption: Interrupting) async throws {
        let (running, isFinished) = (Shared<SessionManager?>(nil), Shared(false))
        let slow = MadeSerializer { (_, _) -> Int in
            if let manager = running.withLock({ $0 }) { interruption.interrupt(manager) }
            isFinished.withLock { $0 = true }
            return 1
        }
        let (manager, _) = try stubManager(TestRegistry.make().replacing("json", with: slow)) { _ in .json("1") }
        running.withLock { $0 = manager }
        let result = await Task { try await manager.get("a", as: Int.self) }.result
        running.withLock { $0 = nil }
        #expect(isFinished.withLock { $0 })
        guard interruption.code == .cancelled else {
            #expect(try result.get() == 1)
            return
        }
        let error = #expect(throws: SessionError.self) { try result.get() }
        #expect(error?.code == .cancelled)
    }
}
