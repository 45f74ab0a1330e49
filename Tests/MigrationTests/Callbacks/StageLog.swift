import Patchbay
import TestSupport

/// An observer that writes down what it hears, a word an event.
final class StageLog: SessionObserver {
    private let words = Shared<[Int: [String]]>([:])
    private let ends = AsyncStream<Void>.makeStream()

    func observe(_ event: SessionEvent) async {
        let word = String("\(event.stage)".prefix { $0.isLetter })
        words.withLock { $0[event.task?.id ?? 0, default: []].append(word) }
        switch event.stage {
        case .finished, .invalidated: ends.continuation.yield()
        default: break
        }
    }

    /// What was heard of a task, 0 for the manager.
    func words(of id: Int) -> [String] { words.withLock { $0[id] } ?? [] }

    /// Returns once so many more calls, or the manager, have been heard to end.
    func hears(ends count: Int) async {
        var left = count
        for await _ in ends.stream {
            left -= 1
            if left == 0 { break }
        }
    }
}
