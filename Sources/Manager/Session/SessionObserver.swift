import PatchbayPlatform
import PatchbayRegistry

/// Hears of every stage of every call of a session manager: for logs, statistics, notifications.
///
/// Observers are named in `SessionConfiguration.observers`. They are told one event at a time, each of them in turn, and those of
/// one call in the order in which they happened. They are told aside, never on the thread of a transport and never before the
/// call goes on: an observer that takes its time holds up the observers, not the calls. A call may be over before its
/// `finished` is told; where it has completion handlers, they have returned by then.
///
/// Events wait for a slow observer, up to `SessionConfiguration.maximumWaitingEvents` of them. Then the oldest are dropped for
/// the newest, and `SessionEvent.missed` says how many.
public protocol SessionObserver: Sendable {
    /// Told of each event in order; the next one waits until this returns.
    func observe(_ event: SessionEvent) async

    /// Whether `SessionEvent.value` and `SessionEvent.body` are to be told; by default not, so that no body is kept while an event
    /// waits. Where one observer of a manager wants them, all of its observers are told. Asked once, when the manager is made.
    var wantsBodies: Bool { get }
}

extension SessionObserver {
    public var wantsBodies: Bool { false }
}

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

    /// What is left to do for an event that has its place: to be done once no lock is held, for code of others runs then.
    struct Note: Sendable {
        fileprivate let relay: EventRelay
        fileprivate let mustDeliver: Bool
        /// The events that were dropped for it, and with them perhaps the last that holds what a caller has handed over.
        fileprivate let dropped: [SessionEvent]

        func tell() {
            withExtendedLifetime(dropped) {}
            if mustDeliver { Task.detached { [relay] in await relay.deliver() } }
        }
    }

    func post(_ event: SessionEvent) { note(event).tell() }

    /// Gives an event its place behind those before it; with a lock held that keeps it in order.
    func note(_ event: SessionEvent) -> Note {
        let event = keepsBodies ? event : event.withoutBody()
        let (mustDeliver, dropped) = state.withLock { state in
            let dropped = state.queue.add(event)
            defer { state.isDelivering = true }
            return (!state.isDelivering, dropped)
        }
        return Note(relay: self, mustDeliver: mustDeliver, dropped: dropped)
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

/// The events that wait for an observer: so many at most, and hardly any bytes of bodies.
///
/// Counts of bytes of one task are added up while they wait. When the queue is full the oldest event is dropped for the newest,
/// and counted in the event that is taken next.
struct EventQueue: Sendable {
    /// How many bytes the bodies that wait may have together. One body may be longer, if it is the only one.
    static let bodyLimit = 1 << 20

    private let limit: Int
    /// By their numbers, in the order in which they came.
    private var waiting: [Int: SessionEvent] = [:]
    private var first = 0
    private var end = 0
    /// The number of the last event of a task that waits, by the task's id.
    private var last: [Int: Int] = [:]
    private var missed = 0
    private var bodyBytes = 0

    init(limit: Int) { self.limit = max(limit, 1) }

    /// Adds an event.
    /// - Returns: what is dropped for it. Letting go of an event may run code of others, so the caller does it without a lock.
    mutating func add(_ event: SessionEvent) -> [SessionEvent] {
        if let id = event.task?.id {
            if let number = last[id], let sum = waiting[number]?.stage.adding(event.stage) {
                waiting[number]?.stage = sum
                return []
            }
            last[id] = end
        }
        var event = event
        var dropped: [SessionEvent] = []
        let bytes = event.body?.count ?? 0
        if bodyBytes > 0, bytes > Self.bodyLimit - bodyBytes {
            dropped.append(event)
            event = event.withoutBody()
        } else {
            bodyBytes += bytes
        }
        if end - first == limit, let oldest = removeFirst() {
            missed += 1
            dropped.append(oldest)
        }
        waiting[end] = event
        end += 1
        return dropped
    }

    /// The event that has waited longest; nil where none waits.
    mutating func next() -> SessionEvent? {
        guard var event = removeFirst() else { return nil }
        event.missed = missed
        missed = 0
        return event
    }

    private mutating func removeFirst() -> SessionEvent? {
        guard let event = waiting.removeValue(forKey: first) else { return nil }
        if let id = event.task?.id, last[id] == first { last[id] = nil }
        first += 1
        bodyBytes -= event.body?.count ?? 0
        return event
    }
}
