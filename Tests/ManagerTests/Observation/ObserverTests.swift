import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct ObserverTests {
    private func observed(
        by observers: any SessionObserver..., reply: @escaping @Sendable (TransportRequest) async throws -> StubReply
    ) throws -> SessionManager {
        var configuration = SessionConfiguration()
        configuration.observers = observers
        return try stubManager(configuration: configuration, reply).0
    }

    @Test("1.11.4, 1.5.19: an observer hears of every stage of a call, in order, and so does the next one")
    func everyStage() async throws {
        let logs = [EventLog(), EventLog()]
        let manager = try observed(by: logs[0], MadeObserver { await logs[1].observe($0) }) { request in
            guard request.head.url.path() == "/b" else { return .redirect(307, to: "/b") }
            return StubReply(
                fields: ["Content-Type": "application/json"], chunks: [Data("[1".utf8), Data(",2]".utf8)])
        }
        #expect(try await manager.post("a", body: "xyz", as: [Int].self) == [1, 2])
        for log in logs {
            await log.hears()
            #expect(
                log.lines(of: 1) == [
                    "created", "resumed", "sending POST /a", "sent 3", "redirected 307 /b", "sending POST /b", "sent 3",
                    "head 200 json", "received 5", "serialized json entry", "finished [1, 2]",
                ])
        }
    }

    @Test("an event prints the call as it was then, however late it is printed")
    func printedLate() async throws {
        let events = Guarded<[SessionEvent]>([])
        let log = EventLog()
        let note = MadeObserver { event in events.withLock { $0.append(event) } }
        let manager = try observed(by: note, log) { request in
            request.head.url.path() == "/b" ? .json("1") : .redirect(302, to: "/b")
        }
        _ = try await manager.send("a")
        await log.hears()
        let lines = events.withLock { $0.map(\.description) }
        #expect(lines.prefix(2) == ["GET a: created", "GET a: resumed"])
        #expect(
            lines.suffix(2).map { $0.split(separator: ": ").last } == [
                "serialized, read by json", "finished, read by json",
            ])
        _ = try await manager.get("a", as: Data.self)
        await log.hears(ends: 2)
        let raw = events.withLock { $0.suffix(2).map(\.stage.description) }
        #expect(raw == ["serialized, raw", "finished, raw"])
        #expect(
            lines.dropFirst(2).map { line in String(line.split(separator: ": ", maxSplits: 1)[0]) } == [
                "GET http://origin.test/a", "GET http://origin.test/a", "GET http://origin.test/b",
                "GET http://origin.test/b (200)", "GET http://origin.test/b (200)", "GET http://origin.test/b (200)",
                "GET http://origin.test/b (200)",
            ])
    }

    @Test(
        "1.11.4: an observer hears how a call failed, last and once",
        arguments: [
            ("a", ["sending GET /a", "head 500 json", "received 1", "finished status"]),
            ("b", ["sending GET /b", "finished transport"]),
            ("c", ["sending GET /c", "head 200 json", "received 1", "finished serialization"]),
            ("ftp://x/", ["finished invalidRequest"]),
        ])
    func failures(_ target: String, _ stages: [String]) async throws {
        let log = EventLog()
        let manager = try observed(by: log) { request in
            switch request.head.url.path() {
            case "/a": return .json("1", status: 500)
            case "/b": throw TransportFailure(.lostConnection, "the connection was lost")
            default: return .json("{")
            }
        }
        await #expect(throws: SessionError.self) { try await manager.send(target) }
        await log.hears()
        #expect(log.lines(of: 1) == ["created", "resumed"] + stages)
    }

    @Test("1.11.4: adapting and retrying are heard, and the failures that led to it")
    func retries() async throws {
        struct Stubborn: RequestInterceptor {
            func adapt(_ request: SessionRequest) async throws -> SessionRequest {
                var request = request
                request.target = "b"
                return request
            }
            func retry(_ request: SessionRequest, after error: SessionError) async -> RetryDecision {
                error.retries == 0 ? .retry : .doNotRetry
            }
        }
        let log = EventLog()
        var configuration = SessionConfiguration()
        configuration.observers = [log]
        configuration.interceptors = [Stubborn()]
        let (manager, _) = try stubManager(configuration: configuration) { _ in StubReply(status: 503) }
        await #expect(throws: SessionError.self) { try await manager.send("a") }
        await log.hears()
        #expect(
            log.lines(of: 1) == [
                "created", "resumed", "adapted b", "sending GET /b", "head 503 none", "retrying after status",
                "adapted b", "sending GET /b", "head 503 none", "finished status",
            ])
    }

    @Test("1.11.4: suspending, resuming and cancelling are heard, each once however often it is asked for")
    func states() async throws {
        let log = EventLog()
        let gate = OneShot()
        let manager = try observed(by: log) { _ in
            await gate.fired()
            return .json("1")
        }
        let held = manager.held(SessionRequest("a"))
        // A task is suspended when it is made.
        for _ in 0..<2 { held.task.hold() }
        for _ in 0..<2 { held.task.begin() }
        for _ in 0..<2 { held.task.hold() }
        for _ in 0..<2 { held.task.begin() }
        gate.fire()
        _ = try await held.reply
        held.cancel()
        held.begin()
        let cancelled = manager.held(SessionRequest("b"))
        for _ in 0..<2 { cancelled.cancel() }
        _ = await #expect(throws: SessionError.self) { try await cancelled.reply }
        await log.hears(ends: 2)
        #expect(log.lines(of: 1).prefix(2) == ["created", "resumed"])
        let states = log.lines(of: 1).filter { ["resumed", "suspended"].contains($0) }
        #expect(states == ["resumed", "suspended", "resumed"])
        #expect(log.lines(of: 1).last == "finished 1")
        #expect(log.lines(of: 2) == ["created", "cancelled", "finished cancelled"])
    }

    @Test("1.11.4: an observer that takes its time holds up no call, and then hears all of it")
    func slow() async throws {
        let gate = OneShot()
        let log = EventLog(behind: gate)
        let manager = try observed(by: log) { _ in
            StubReply(
                fields: ["Content-Type": "application/json"],
                chunks: Array(repeating: Data(" ".utf8), count: 999) + [Data("1".utf8)])
        }
        #expect(try await manager.send("a").body.count == 1000)
        #expect(log.lines(of: 1).isEmpty)
        gate.fire()
        await log.hears()
        #expect(log.lines(of: 1).contains("received 1000"))
    }

    @Test("1.11.4: of calls side by side each is heard in order")
    func concurrent() async throws {
        let log = EventLog()
        let manager = try observed(by: log) { _ in .json("1") }
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<200 { group.addTask { _ = try? await manager.send("\(index)") } }
        }
        await log.hears(ends: 200)
        for id in 1...200 {
            let words = log.lines(of: id).compactMap { $0.split(separator: " ").first }
            #expect(words == ["created", "resumed", "sending", "head", "received", "serialized", "finished"])
        }
    }

    @Test("counts of bytes are added up while an observer is busy, those of each task and each direction by themselves")
    func sums() async throws {
        let gate = OneShot()
        let counts = Guarded<[(task: Int, bytes: Int)]>([])
        let done = OneShot()
        let list = TaskList(
            [
                MadeObserver { event in
                    await gate.fired()
                    switch event.stage {
                    case .received(let bytes): counts.withLock { $0.append((event.task?.id ?? 0, bytes)) }
                    case .sent(let bytes): counts.withLock { $0.append((event.task?.id ?? 0, -bytes)) }
                    case .invalidated: done.fire()
                    default: break
                    }
                }
            ], limit: 4_096)
        let tasks = (1...2).map { SessionTask(id: $0, kind: .data, SessionRequest("a"), in: list) }
        // The first is on its way to the observer, or still waiting; either way it is not added to.
        tasks[0].post(.created)
        for _ in 0..<1000 {
            for task in tasks { task.post(.sent(bytes: 1)) }
        }
        for task in tasks { task.post(.received(bytes: 2)) }
        tasks[0].post(.received(bytes: 3))
        list.post(SessionEvent(task: nil, stage: .invalidated))
        gate.fire()
        await done.fired()
        let heard = counts.withLock { $0 }
        // A batch may have been on its way already, which splits a sum in two.
        #expect(heard.count <= 6)
        var sent: [Int: Int] = [:]
        var received = 0
        for (task, bytes) in heard {
            if bytes < 0 { sent[task, default: 0] -= bytes } else { received += bytes }
        }
        #expect(sent == [1: 1000, 2: 1000])
        #expect(received == 7)
    }
}
