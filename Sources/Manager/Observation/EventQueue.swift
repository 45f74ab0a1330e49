import PatchbayRegistry

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
