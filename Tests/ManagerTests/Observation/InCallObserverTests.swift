import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite("Observers within the call", .timeLimit(.minutes(5))) struct InCallObserverTests {
    typealias Sentence = StreamFixture.Sentence

    enum Trace { @TaskLocal static var id = "none" }

    /// Notes each event with the task-local of the task that it is called on.
    final class Log: InCallObserver {
        let lines = Shared<[String]>([])
        private let act: @Sendable (SessionEvent) -> Void

        init(_ act: @escaping @Sendable (SessionEvent) -> Void = { _ in }) { self.act = act }

        func observeInCall(_ event: SessionEvent) {
            lines.withLock { $0.append("\(Trace.id) \(EventLog.line(event))") }
            act(event)
        }
    }

    /// Notes where it is called, and has 503 retried once.
    private struct Noting: RequestInterceptor {
        let lines: Shared<[String]>

        func adapt(_ request: SessionRequest) async throws -> SessionRequest {
            lines.withLock { $0.append("\(Trace.id) adapt") }
            return request
        }

        func sign(_ head: inout RequestHead, body: RequestBody?) async throws {
            lines.withLock { $0.append("\(Trace.id) sign") }
        }

        func retry(_ request: SessionRequest, after error: SessionError) async -> RetryDecision {
            error.head?.status == 503 && error.retries == 0 ? .retry : .doNotRetry
        }
    }

    struct Way: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let lines: [String]
        let run: @Sendable (SessionManager) async throws -> Void

        init(_ name: String, _ lines: [String], _ run: @escaping @Sendable (SessionManager) async throws -> Void) {
            (testDescription, self.lines, self.run) = (name, lines, run)
        }

        static let attempt = ["adapt", "adapted", "sign", "sending"]
        static let value = ["created"] + attempt + ["serialized", "finished"]

        static let all = [
            Way("get", value) { _ = try await $0.get("json", as: Int.self) },
            Way("post", value) { try await $0.post("json", body: 1) },
            Way("head", value) { _ = try await $0.head("json") },
            Way("send", value) { _ = try await $0.send("json") },
            Way("upload", value) { try await $0.upload(.data(Data("1".utf8)), to: "json") },
            Way("download", value) { _ = try await $0.download("json", to: .temporary) },
            Way("a task that is resumed later, by another", value) { manager in
                let held = manager.held(SessionRequest("json"))
                await Trace.$id.withValue("another") { await Task { held.begin() }.value }
                _ = try await held.reply
            },
            Way("a stream", value) { manager in
                for try await _ in try await manager.stream("sentences", of: Sentence.self) {}
            },
            Way(
                "a stream that goes on over another connection",
                ["created"] + attempt + attempt + ["serialized", "finished"]
            ) { manager in
                for try await _ in try await manager.stream("notes", of: Sentence.self, reconnecting: .standard) {}
            },
            Way("a retry", ["created"] + attempt + ["retrying"] + attempt + ["serialized", "finished"]) {
                _ = try await $0.get("retried", as: Int.self)
            },
            Way("a redirect", ["created"] + attempt + ["redirected", "sign", "sending", "serialized", "finished"]) {
                _ = try await $0.get("redirected", as: Int.self)
            },
            Way("a failure", ["created"] + attempt + ["finished"]) { manager in
                await #expect(throws: SessionError.self) { try await manager.get("failed", as: Int.self) }
            },
            Way("a request that can't be sent", ["created", "adapt", "adapted", "finished"]) { manager in
                await #expect(throws: SessionError.self) { try await manager.get("ftp://h/", as: Int.self) }
            },
        ]
    }

    private static func manager(_ observers: [any SessionObserver], _ lines: Shared<[String]>) throws -> SessionManager
    {
        var configuration = SessionConfiguration(interceptors: [Noting(lines: lines)], observers: observers)
        configuration.sleep = { _ in }
        let count = Shared(0)
        return try StreamFixture.stub(configuration) { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            switch request.head.url.path {
            case "/retried" where number == 1: return StubReply(status: 503)
            case "/redirected": return .redirect(307, to: "/json")
            case "/failed": throw TransportFailure(.lostConnection, "the connection was lost")
            case "/sentences": return .sentences("One.")
            case "/notes" where number == 1: return StubReply(fields: ["Content-Type": "text/notes"], body: "1=One.")
            case "/notes": return StubReply(status: 204)
            default: return .json("1")
            }
        }
    }

    @Test(
        "on every way to make a call, they and the interceptors are called in order, on its task, with the caller's task-locals",
        arguments: Way.all)
    func ways(_ way: Way) async throws {
        let log = Log()
        let manager = try Self.manager([log], log.lines)
        try await Trace.$id.withValue("caller") { try await way.run(manager) }
        // The loop over a stream can end before its call.
        try await until { manager.tasks.isEmpty }
        let lines = log.lines.withLock { $0.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } }
        #expect(lines == way.lines.map { "caller \($0)" })
    }

    @Test("the others hear of all stages beside them, and `observe` of an observer within the call is never called")
    func beside() async throws {
        final class Both: InCallObserver {
            let count = Shared(0)
            func observeInCall(_ event: SessionEvent) {}
            func observe(_ event: SessionEvent) async { count.withLock { $0 += 1 } }
        }
        let (log, others, both) = (Log(), EventLog(), Both())
        let manager = try Self.manager([log, others, both], Shared([]))
        _ = try await manager.get("json", as: Int.self)
        await others.hears()
        #expect(both.count.withLock { $0 } == 0)
        #expect(
            others.lines(of: 1) == [
                "created", "resumed", "adapted json", "sending GET /json", "head 200 json", "received 1",
                "serialized json entry", "finished 1",
            ])
        #expect(log.lines.withLock { $0.last } == "none finished 1")
    }

    @Test("a call waits for them, and they can use the manager and cancel the task at each event", arguments: 0..<5)
    func reentrant(_ place: Int) async throws {
        let (box, count) = (Shared<SessionManager?>(nil), Shared(0))
        let log = Log { event in
            #if DEBUG
                #expect(HeldLocks.count == 0)
            #endif
            let isPlace = count.withLock { count in
                count += 1
                return count == place + 1
            }
            guard isPlace, let manager = box.withLock({ $0 }) else { return }
            manager.setHeader("1", for: "X-Seen")
            #expect(manager.tasks.count == 1)
            _ = (manager.description, event.description)
            manager.cancelAll()
        }
        let manager = try StreamFixture.stub(SessionConfiguration(observers: [log])) { _ in .json("1") }
        box.withLock { $0 = manager }
        defer { box.withLock { $0 = nil } }
        // created, sending, serialized, finished: at the last, the call has ended, and at the fifth nothing is cancelled.
        let result = await manager.response(SessionRequest("json"))
        #expect(result == (place < 3 ? "cancelled" : "1"))
        #expect(log.lines.withLock { $0.last } == "none finished \(place < 3 ? "cancelled" : "without a value")")
    }

    @Test("a body is in the last event only if an observer wants bodies", arguments: [true, false])
    func bodies(_ wantsBodies: Bool) async throws {
        struct Wanting: InCallObserver {
            let wantsBodies: Bool
            let seen = Shared<[String]>([])
            func observeInCall(_ event: SessionEvent) {
                guard case .finished = event.stage else { return }
                seen.withLock { $0.append("\(event.body?.count ?? -1) \(event.value.map { "\($0)" } ?? "-")") }
            }
        }
        let observer = Wanting(wantsBodies: wantsBodies)
        let manager = try StreamFixture.stub(SessionConfiguration(observers: [observer])) { _ in .json("12") }
        _ = try await manager.get("json", as: Int.self)
        #expect(observer.seen.withLock { $0 } == [wantsBodies ? "2 12" : "-1 -"])
    }

    // MARK: The end of a program

    @Test("finishObserving returns when a slow observer has had all events up to now")
    func finishing() async throws {
        let gate = OneShot()
        let log = EventLog(behind: gate)
        let manager = try StreamFixture.stub(SessionConfiguration(observers: [log])) { _ in .json("1") }
        for _ in 0..<3 { _ = try await manager.get("json", as: Int.self) }
        let isOver = Shared(false)
        let finishing = Task {
            await manager.finishObserving()
            isOver.withLock { $0 = true }
            return (1...3).map { log.lines(of: $0).last }
        }
        await settle()
        #expect(!isOver.withLock { $0 })
        gate.fire()
        #expect(await finishing.value == ["finished 1", "finished 1", "finished 1"])
    }

    @Test("finishObserving returns at once without events, and waits in a task that is cancelled")
    func waiting() async throws {
        let (gate, reached) = (OneShot(), OneShot())
        let observer = MadeObserver { _ in
            reached.fire()
            await gate.fired()
        }
        let manager = try StreamFixture.stub(SessionConfiguration(observers: [observer])) { _ in .json("1") }
        await manager.finishObserving()
        _ = try await manager.get("json", as: Int.self)
        await reached.fired()
        let isOver = Shared(false)
        let finishing = Task {
            await manager.finishObserving()
            isOver.withLock { $0 = true }
        }
        finishing.cancel()
        await settle()
        #expect(!isOver.withLock { $0 })
        gate.fire()
        await finishing.value
        let bare = try StreamFixture.stub { _ in .json("1") }
        _ = try await bare.get("json", as: Int.self)
        await bare.finishObserving()
    }

    @Test("an observer that waits for its own manager does not wait for itself, but for another manager it does")
    func withinAnObserver() async throws {
        let (box, others) = (Shared<SessionManager?>(nil), Shared(0))
        let counting = MadeObserver { _ in others.withLock { $0 += 1 } }
        let other = try StreamFixture.stub(SessionConfiguration(observers: [counting])) { _ in .json("1") }
        let seen = Shared<[Int]>([])
        let observer = MadeObserver { event in
            guard case .finished = event.stage else { return }
            _ = try? await other.get("json", as: Int.self)
            await other.finishObserving()
            await box.withLock { $0 }?.finishObserving()
            seen.withLock { $0.append(others.withLock { $0 }) }
        }
        let manager = try StreamFixture.stub(SessionConfiguration(observers: [observer])) { _ in .json("1") }
        box.withLock { $0 = manager }
        for _ in 0..<2 { _ = try await manager.get("json", as: Int.self) }
        await manager.finishObserving()
        box.withLock { $0 = nil }
        let counts = seen.withLock(\.self)
        #expect(counts.count == 2)
        #expect(counts.last == 2 * (counts.first ?? 0))
    }

    @Test("events that were dropped are not waited for")
    func dropped() async throws {
        let (gate, count) = (OneShot(), Shared(0))
        let observer = MadeObserver { event in
            await gate.fired()
            count.withLock { $0 += 1 + event.missed }
        }
        let configuration = SessionConfiguration(observers: [observer], maximumWaitingEvents: 2)
        let manager = try StreamFixture.stub(configuration) { _ in .json("1") }
        for _ in 0..<5 { _ = try await manager.get("json", as: Int.self) }
        let finishing = Task { await manager.finishObserving() }
        await settle()
        gate.fire()
        await finishing.value
        // Seven events a call: created, resumed, sending, head, received, serialized, finished.
        #expect(count.withLock { $0 } == 35)
    }
}

extension SessionManager {
    /// The value of a call as text, or the code of its error.
    fileprivate func response(_ request: SessionRequest) async -> String {
        do throws(SessionError) { return "\(try await send(request).value)" } catch { return error.code.rawValue }
    }
}
