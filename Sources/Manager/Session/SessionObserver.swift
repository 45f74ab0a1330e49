import PatchbayRegistry

/// Observes every stage of every call of a session manager: for logs, statistics, notifications.
///
/// Name observers in `SessionConfiguration.observers`. One event at a time is delivered, to each observer in turn. The
/// events of a call come in the order in which they happened. Observers are called on a task of their own, never on the
/// thread of a transport, and no call waits for them: a slow observer delays only the observers. A call can end before
/// its `finished` event is delivered. That event follows the return of the call's completion handlers.
///
/// Up to `SessionConfiguration.maximumWaitingEvents` events wait for a slow observer. When that number is reached, each
/// new event drops the oldest event, and `SessionEvent.missed` counts the dropped events.
public protocol SessionObserver: Sendable {
    /// Called with each event, in order. The next event waits until this method returns.
    func observe(_ event: SessionEvent) async

    /// Whether events have `SessionEvent.value` and `SessionEvent.body`. False by default, so that waiting events keep
    /// no bodies. If one observer of a manager wants bodies, all observers of that manager get them. This property is
    /// read once, when the manager is made.
    var wantsBodies: Bool { get }
}

extension SessionObserver {
    public var wantsBodies: Bool { false }
}

/// Observes calls from within: called on the task of each call, where the task-locals of its caller are visible, as they
/// are in `RequestInterceptor.adapt` and `sign`. For spans.
///
/// The manager calls `observeInCall` instead of `observe`. Its events are those that happen on the task of the call, in
/// order, and none is dropped: `created` when the call begins to run, `adapted`, `sending` for each attempt, `redirected`,
/// `retrying`, `serialized`, and last `finished`.
public protocol InCallObserver: SessionObserver {
    /// Called with each event. The call waits for it: a call is as slow as its observers. No lock is held meanwhile, so
    /// an observer can use the manager, and can cancel the task.
    func observeInCall(_ event: SessionEvent)
}

extension InCallObserver {
    /// Not called by a manager.
    public func observe(_ event: SessionEvent) {}
}

/// The events that wait for the observers. Their number and the bytes of their bodies are limited.
///
/// Consecutive byte counts of one task are added up while they wait. If the queue is full, a new event drops the oldest
/// event. The next event that is taken counts the dropped events as missed.
struct EventQueue: Sendable {
    /// The limit of bytes of all waiting bodies together. A single body can be larger.
    static let bodyLimit = 1 << 20

    private let limit: Int
    private var waiting = Queue<SessionEvent>()
    /// The number of events that were taken or dropped: the number of the oldest waiting event.
    private(set) var first = 0
    /// The number of the last waiting event of each task, by the task's id.
    private var last: [Int: Int] = [:]
    private var missed = 0
    private var bodyBytes = 0

    init(limit: Int) { self.limit = max(limit, 1) }

    /// The number of the next event that is added.
    var end: Int { first + waiting.count }

    /// Adds an event.
    /// - Returns: the dropped events. Releasing an event can run foreign code, so the caller releases it outside the
    ///   lock.
    mutating func add(_ event: SessionEvent) -> [SessionEvent] {
        if let id = event.task?.id {
            if let number = last[id], let sum = waiting[number - first].stage.adding(event.stage) {
                waiting[number - first].stage = sum
                waiting[number - first].time = event.time
                return []
            }
            last[id] = first + waiting.count
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
        if waiting.count == limit, let oldest = removeFirst() {
            missed += 1
            dropped.append(oldest)
        }
        waiting.append(event)
        return dropped
    }

    /// The event that has waited longest; nil if no event waits.
    mutating func next() -> SessionEvent? {
        guard var event = removeFirst() else { return nil }
        event.missed = missed
        missed = 0
        return event
    }

    private mutating func removeFirst() -> SessionEvent? {
        guard let event = waiting.popFirst() else { return nil }
        if let id = event.task?.id, last[id] == first { last[id] = nil }
        first += 1
        bodyBytes -= event.body?.count ?? 0
        return event
    }
}
