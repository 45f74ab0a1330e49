import Foundation
import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

/// An observer that writes down what it hears, a word or two an event.
final class EventLog: SessionObserver {
    private struct State {
        var lines: [Int: [String]] = [:]
        var ended = 0
        var waiting: [(count: Int, signal: OneShot)] = []
    }

    private let state = Guarded(State())
    private let gate: OneShot?

    /// - Parameter gate: what the observer waits for before it takes note of anything.
    init(behind gate: OneShot? = nil) { self.gate = gate }

    var wantsBodies: Bool { true }

    func observe(_ event: SessionEvent) async {
        await gate?.fired()
        let ready = state.withLock { state -> [OneShot] in
            let id = event.task?.id ?? 0
            state.lines[id, default: []].append(Self.line(event))
            switch event.stage {
            case .finished, .invalidated: state.ended += 1
            default: return []
            }
            return state.waiting.filter { $0.count <= state.ended }.map(\.signal)
        }
        for signal in ready { signal.fire() }
    }

    /// What was heard of a task, 0 for the manager. Counts of bytes that follow each other are one.
    func lines(of id: Int) -> [String] {
        (state.withLock { $0.lines[id] } ?? []).reduce(into: []) { lines, line in
            let words = line.split(separator: " ")
            let before = lines.last?.split(separator: " ")
            if let count = words.last.flatMap({ Int($0) }), let before, before.first == words.first,
                ["sent", "received"].contains(words.first), let earlier = before.last.flatMap({ Int($0) })
            {
                lines[lines.count - 1] = "\(words[0]) \(earlier + count)"
            } else {
                lines.append(line)
            }
        }
    }

    /// Returns once so many calls, or the manager, have been heard to end.
    func hears(ends count: Int = 1) async {
        let signal = OneShot()
        let isReady = state.withLock { state in
            state.waiting.append((count, signal))
            return state.ended >= count
        }
        if !isReady { await signal.fired() }
    }

    static func line(_ event: SessionEvent) -> String {
        switch event.stage {
        case .created: "created"
        case .cache(let status): "cache \(status)"
        case .resumed: "resumed"
        case .suspended: "suspended"
        case .cancelled: "cancelled"
        case .adapted(let request): "adapted \(request.target)"
        case .noted(let clause): "noted \(clause)"
        case .retrying(let error): "retrying after \(error.code.rawValue)"
        case .sending(let head): "sending \(head.method) \(head.url.path())"
        case .sent(let bytes): "sent \(bytes)"
        case .cookies(let notices): "cookies \(notices.count)"
        case .redirected(let head, let url): "redirected \(head.status) \(url.path())"
        case .head(let head, let decision): "head \(head.status) \(decision.entry ?? "none")"
        case .received(let bytes): "received \(bytes)"
        case .serialized(let decision): "serialized \(decision.entry ?? "none") \(decision.outcome)"
        case .finished(.success): "finished \(event.value.map { "\($0)" } ?? "without a value")"
        case .finished(.failure(let error)): "finished \(error.code.rawValue)"
        case .invalidated: "invalidated"
        }
    }
}
