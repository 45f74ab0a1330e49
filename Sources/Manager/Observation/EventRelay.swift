import PatchbayRegistry

/// Carries the events of one manager to its observers, in order, without keeping anyone waiting.
///
/// What waits stays small however slow an observer is: counts of bytes of one task are added up while they wait.
final class EventRelay: Sendable {
    private struct State {
        var waiting: [SessionEvent] = []
        /// Where in `waiting` the last event of a task is, by its id.
        var last: [Int: Int] = [:]
        var isDelivering = false
    }

    private let observers: [any SessionObserver]
    private let state = Guarded(State())

    /// Nil where there is nobody to tell.
    init?(_ observers: [any SessionObserver]) {
        guard !observers.isEmpty else { return nil }
        self.observers = observers
    }

    func post(_ event: SessionEvent) {
        let mustDeliver = state.withLock { state in
            if let id = event.task?.id {
                if let index = state.last[id], let sum = state.waiting[index].stage.adding(event.stage) {
                    state.waiting[index].stage = sum
                    return false
                }
                state.last[id] = state.waiting.count
            }
            state.waiting.append(event)
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        if mustDeliver { Task.detached { await self.deliver() } }
    }

    private func deliver() async {
        while let events = next() {
            for event in events {
                for observer in observers { await observer.observe(event) }
            }
        }
    }

    private func next() -> [SessionEvent]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isDelivering = false
                return nil
            }
            defer {
                state.waiting = []
                state.last = [:]
            }
            return state.waiting
        }
    }
}
