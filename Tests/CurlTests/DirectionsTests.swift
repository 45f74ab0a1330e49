import PatchbayManager
import Testing

@testable import PatchbayCurl

@Suite("The two directions of an exchange")
struct DirectionsTests {
    enum Step: Sendable {
        /// libcurl waits to read from the socket, and to write to it.
        case uses(reads: Bool, writes: Bool)
        /// libcurl has closed the socket of an attempt to connect that lost.
        case loses
        case head, receiverWaits, receiverTakes, sourceWaits, bytes, leave
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [Step]
        /// The steps after which libcurl must check the connection one more time.
        var checks: [Int] = []
        /// Whether the exchange has a socket from which libcurl reads no more.
        var isAtEnd = false

        init(_ name: String, _ steps: [Step], checks: [Int] = [], isAtEnd: Bool = false) {
            (testDescription, self.steps, self.checks, self.isAtEnd) = (name, steps, checks, isAtEnd)
        }
    }

    private static let (both, reading, writing, idle) = (
        Step.uses(reads: true, writes: true), Step.uses(reads: true, writes: false),
        Step.uses(reads: false, writes: true), Step.uses(reads: false, writes: false)
    )

    private static let rows = [
        Row("a connection is being made", [writing]),
        Row("a body is sent", [writing, both, .bytes, reading]),
        Row("the response has ended, and the body has bytes", [both, .head, writing], isAtEnd: true),
        Row(
            "the response has ended, and the body waits", [both, .sourceWaits, reading, .head, idle], checks: [4],
            isAtEnd: true),
        Row("the response has ended, and the body is left", [both, .head, .leave, idle], checks: [3], isAtEnd: true),
        Row(
            "libcurl is asked once", [both, .sourceWaits, .head, idle, writing, idle, writing, idle], checks: [3],
            isAtEnd: true),
        Row(
            "and again after bytes", [both, .sourceWaits, .head, idle, .bytes, writing, .sourceWaits, idle],
            checks: [3, 7],
            isAtEnd: true),
        Row("the connection was lost before a response", [both, .sourceWaits, idle], checks: [2], isAtEnd: true),
        Row(
            "libcurl reads on another connection", [both, .sourceWaits, idle, writing, reading, .head, idle],
            checks: [2, 6], isAtEnd: true),
        Row("another attempt to connect was slower", [both, .sourceWaits, .loses, writing, reading]),
        Row("the receiver waits", [both, .sourceWaits, .head, .receiverWaits, idle]),
        Row(
            "the receiver has waited",
            [both, .sourceWaits, .head, .receiverWaits, idle, .receiverTakes, reading, idle],
            checks: [7], isAtEnd: true),
    ]

    @Test(arguments: rows) func looksAtThePair(_ row: Row) {
        let signal = OneShot()
        var (directions, hasHead, checks) = (Directions(), false, [Int]())
        for (index, step) in row.steps.enumerated() {
            switch step {
            case .uses(let reads, let writes):
                if directions.noteUse(of: 7, reads: reads, writes: writes, hasHead: hasHead) { checks.append(index) }
            case .loses:
                let isChecked = directions.noteUse(of: 8, reads: false, writes: false, hasHead: hasHead)
                #expect(!isChecked)
            case .head: hasHead = true
            case .receiverWaits: directions.receiving = .waiting(signal.listen {})
            case .receiverTakes: directions.receiving = .open
            case .sourceWaits: directions.sending = .waiting(signal.listen {})
            case .bytes: directions.noteBytes()
            case .leave: directions.sending = .left
            }
        }
        #expect(checks == row.checks)
        #expect(directions.socketAtEnd == (row.isAtEnd ? 7 : nil))
        directions.end()
        #expect(signal.listenerCount == 0)
        #expect(directions.socket == nil)
    }

    @Test("A change of a direction ends its wait")
    func listeners() {
        let (first, second) = (OneShot(), OneShot())
        var directions = Directions()
        directions.sending = .waiting(first.listen {})
        directions.sending = .waiting(second.listen {})
        #expect((first.listenerCount, second.listenerCount) == (0, 1))
        directions.noteBytes()
        #expect(second.listenerCount == 0)
        directions.receiving = .waiting(first.listen {})
        directions.restart()
        #expect(first.listenerCount == 0)
    }
}
