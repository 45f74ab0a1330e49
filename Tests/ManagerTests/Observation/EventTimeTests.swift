import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// When events happened.
@Suite(.timeLimit(.minutes(5))) struct EventTimeTests {
    @Test("an event that waits for its observer keeps the time at which it happened")
    func delivered() async throws {
        let (gate, events) = (OneShot(), EventAttributeTests.Events())
        var configuration = SessionConfiguration()
        configuration.observers = [MadeObserver { _ in await gate.fired() }, events]
        let (manager, _) = try stubManager(configuration: configuration) { _ in .json("1") }
        let before = Date()
        let reply = try await manager.send("a")
        let after = Date()
        gate.fire()
        let times = await events.all().dropLast().map(\.time)
        #expect(times.count == 6)
        #expect(times.allSatisfy { before <= $0 && $0 <= after })
        #expect(times == times.sorted())
        let sending = try #require(
            await events.all().first { if case .sending = $0.stage { true } else { false } })
        #expect(reply.timeline.start <= sending.time)
    }

    @Test("byte counts that were added up have the time of the last of them")
    func sums() {
        var queue = EventQueue(limit: 8)
        let list = TaskList()
        let tasks = (1...2).map { SessionTask(id: $0, kind: .data, SessionRequest("a"), in: list) }
        func add(_ bytes: Int, at seconds: Double, of task: SessionTask) {
            var event = SessionEvent(.received(bytes: bytes), task: task)
            event.time = Date(timeIntervalSince1970: seconds)
            _ = queue.add(event)
        }
        add(1, at: 10, of: tasks[0])
        add(2, at: 20, of: tasks[1])
        add(4, at: 30, of: tasks[0])
        let rows = [queue.next(), queue.next()].map { event in
            "\(event.map { EventLog.line($0) } ?? "-") at \(event?.time.timeIntervalSince1970 ?? 0)"
        }
        #expect(rows == ["received 5 at 30.0", "received 2 at 20.0"])
        #expect(queue.next() == nil)
    }
}
