import PatchbayPlatform
import PatchbayRegistry

/// Carries the events of one manager to its observers, in order, without keeping anyone waiting.
final class EventRelay: Sendable {
    private struct State {
        var queue: EventQueue
        var isDelivering = false
    }

    private let observers: [any SessionObserver]
    private let keepsBodies: Bool
    private let state: Guarded<State>

    /// Nil where there is nobody to tell.
    /// - Parameter limit: how many events may wait.
    init?(_ observers: [any SessionObserver], limit: Int) {
        guard !observers.isEmpty else { return nil }
        self.observers = observers
        keepsBodies = observers.contains { $0.wantsBodies }
        state = Guarded(State(queue: EventQueue(limit: limit)))
    }

    func post(_ event: SessionEvent) {
        let event = keepsBodies ? event : event.withoutBody()
        let (mustDeliver, dropped) = state.withLock { state in
            let dropped = state.queue.add(event)
            defer { state.isDelivering = true }
            return (!state.isDelivering, dropped)
        }
        withExtendedLifetime(dropped) {}
        if mustDeliver { Task.detached { await self.deliver() } }
    }

    private func deliver() async {
        while let event = next() {
            for observer in observers { await observer.observe(event) }
        }
    }

    private func next() -> SessionEvent? {
        state.withLock { state in
            let event = state.queue.next()
            if event == nil { state.isDelivering = false }
            return event
        }
    }
}
