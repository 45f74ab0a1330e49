import Foundation
import Patchbay
import PatchbayTesting
import TestSupport
import Testing

/// Ids of events that the request of a stream that reconnects cannot send.
@Suite(.timeLimit(.minutes(5))) struct IgnoredIDTests {
    /// Writes down what an observer hears of notes and requests.
    private final class Log: SessionObserver {
        let lines = Shared<[String]>([])
        private let end = OneShot()

        func observe(_ event: SessionEvent) async {
            switch event.stage {
            case .sending(let head): lines.withLock { $0.append(head.fields["Last-Event-ID"] ?? "-") }
            case .noted(let clause): lines.withLock { $0.append(clause) }
            case .finished: end.fire()
            default: break
            }
        }

        /// Returns what was heard, once the call has ended.
        func heard() async -> [String] {
            await end.fired()
            return lines.withLock { $0 }
        }
    }

    private static let note = "the id of an event was ignored, because no request can send it"
    private static let rows: [(name: String, bodies: [String], data: [String], heard: [String])] = [
        ("none", ["id: 1\ndata: a\n\n", "data: b\n\n"], ["a 1", "b 1"], ["-", "1", "1"]),
        (
            "a control character", ["id: 1\ndata: a\n\nid: \u{1}\ndata: b\n\n", "data: c\n\n"], ["a 1", "b 1", "c 1"],
            ["-", note, "1", "1"]
        ),
        ("the first id", ["id: 2\u{7F}\ndata: a\n\n", "id: 3\ndata: b\n\n"], ["a ", "b 3"], ["-", note, "-", "3"]),
        (
            "in each response, after each other",
            ["id: 1\ndata: a\n\nid: \u{1F}\nid: \0\n\n", "id: \u{1}\ndata: b\n\n", "id: 2\n\nid: \u{1}\n\n"],
            ["a 1", "b 1"], ["-", note, "1", "1", "2"]
        ),
        ("a line of an unfinished event", ["id: 1\ndata: a\n\nid: \u{1}"], ["a 1"], ["-", "1"]),
        ("a tab", ["id: a\tb\ndata: a\n\n"], ["a a\tb"], ["-", "a\tb"]),
        (
            "too long for a head",
            ["id: 1\ndata: a\n\nid: " + String(repeating: "x", count: 1 << 20) + "\ndata: b\n\n"], ["a 1", "b 1"],
            ["-", note, "1"]
        ),
    ]

    @Test("an id that no request can send is ignored, noted once, and ends nothing", arguments: rows.indices)
    func ignored(_ index: Int) async throws {
        let row = Self.rows[index]
        let log = Log()
        let manager = try StreamPositionTests.manager(row.bodies.map { [$0] }, observers: [log])
        let stream = try await manager.stream(
            "a", of: ServerSentEvent.self, reconnecting: StreamPositionTests.atOnce)
        var data: [String] = []
        for try await event in stream { data.append("\(event.data) \(event.lastEventID)") }
        #expect(data == row.data, "\(row.name)")
        #expect(await log.heard() == row.heard, "\(row.name)")
    }
}
