import Dispatch
import PatchbayPlatform
import PatchbayRegistry

/// The tasks of one manager that have not ended, their timeouts, and the events of all its tasks. Delivers the events to
/// the observers, in order, without making any call wait.
///
/// A single timer watches the timeouts. It is made for the first of them and ends with the list. Each call tells its
/// deadline, and the timer waits for the earliest one. If bytes were sent or received meanwhile, it waits again.
final class TaskList: Sendable {
    /// Dispatch's timer. Any thread can set and cancel it: Dispatch says so of all its objects.
    private struct Timer: @unchecked Sendable {
        let source: any DispatchSourceTimer
    }

    private struct State {
        var lastID = 0
        var tasks: [Int: SessionTask] = [:]
        /// The number of tasks, running or ended, that have not been reported as `finished`. Counted only if there are
        /// observers.
        var untold = 0
        var isClosed = false
        /// The signals that fire when no task is left.
        var waiting: [OneShot] = []
        var events: EventQueue
        var isDelivering = false
        /// The signals that fire when all events before the one of this number were delivered or dropped.
        var told: [(number: Int, signal: OneShot)] = []
        var timer: Timer?
        /// The time that the timer is set to; nil if it waits for nothing.
        var wake: Moment?

        var isOver: Bool { isClosed && untold == 0 }

        mutating func add(_ event: SessionEvent) -> Queued {
            defer { isDelivering = true }
            return (!isDelivering, events.add(event))
        }
    }

    /// The remaining work for a queued event: whether the delivery must be started, and the events that were dropped to
    /// make room. They can hold the last reference to an object of the caller.
    typealias Queued = (mustDeliver: Bool, dropped: [SessionEvent])

    /// The list whose observers the current task calls.
    @TaskLocal private static var delivering: ObjectIdentifier?

    private let state: Guarded<State>
    private let observers: [any SessionObserver]
    private let hasObservers: Bool
    private let inCall: [any InCallObserver]
    /// Whether there is an observer of either kind.
    let isObserved: Bool
    let logs: [TrafficLog]
    var isObservedOrLogged: Bool { isObserved || !logs.isEmpty }
    private let keepsBodies: Bool
    let maskedPathSegments: Set<String>

    /// - Parameter limit: the number of events that can wait.
    init(_ observers: [any SessionObserver] = [], limit: Int = 1, maskedPathSegments: Set<String> = []) {
        logs = observers.compactMap { $0 as? TrafficLog }
        inCall = observers.compactMap { $0 as? any InCallObserver }
        self.observers = observers.filter { !($0 is TrafficLog || $0 is any InCallObserver) }
        self.maskedPathSegments = maskedPathSegments
        hasObservers = !self.observers.isEmpty
        isObserved = hasObservers || !inCall.isEmpty
        keepsBodies = observers.contains { $0.wantsBodies }
        state = Guarded(State(events: EventQueue(limit: limit)))
    }

    deinit { state.withLock(\.timer)?.source.cancel() }

    /// Makes a task with a new id. A task made after `close()` is not listed and not accepted.
    func make(_ kind: SessionTask.Kind, _ request: SessionRequest, label: String?) -> SessionTask {
        let (task, event) = state.withLock { state -> (SessionTask, Queued?) in
            state.lastID += 1
            let task = SessionTask(
                id: state.lastID, kind: kind, request, label: label, isAccepted: !state.isClosed, in: self)
            if task.isAccepted { state.tasks[task.id] = task }
            guard hasObservers else { return (task, nil) }
            if task.isAccepted { state.untold += 1 }
            // With the lock held, so that no other thread can find the task and post about it before this event.
            return (task, state.add(SessionEvent(task: task, SessionTask.Wire(), stage: .created)))
        }
        deliver(event)
        return task
    }

    var isClosed: Bool { state.withLock(\.isClosed) }

    /// Removes a task that has ended, and tells the observers after its completion handlers have returned.
    func remove(_ task: SessionTask, endingIn outcome: Result<Reply<any Sendable>, SessionError>) {
        tellInCall(SessionEvent(task: task, finished: outcome))
        var waiting: [OneShot] = []
        state.letGo { state in
            let removed = state.tasks.removeValue(forKey: task.id)
            if state.tasks.isEmpty { (waiting, state.waiting) = (state.waiting, []) }
            return removed
        }
        for signal in waiting { signal.fire() }
        guard hasObservers else { return }
        guard let hook = task.request.hook else { return tellEnd(of: task, outcome) }
        hook.callEnded(task) { [self] in tellEnd(of: task, outcome) }
    }

    private func tellEnd(of task: SessionTask, _ outcome: Result<Reply<any Sendable>, SessionError>) {
        post(SessionEvent(task: task, finished: outcome))
        let wasLast = state.withLock { state in
            guard task.isAccepted else { return false }
            state.untold -= 1
            return state.isOver
        }
        if wasLast { post(SessionEvent(task: nil, stage: .invalidated)) }
    }

    /// Accepts no further tasks. A second call has no effect.
    func close() {
        let isOver = state.withLock { state in
            guard !state.isClosed else { return false }
            state.isClosed = true
            return state.isOver
        }
        if isOver { post(SessionEvent(task: nil, stage: .invalidated)) }
    }

    /// A signal that fires when no task is left.
    func whenEmpty() -> OneShot {
        let signal = OneShot()
        let isEmpty = state.withLock { state in
            if !state.tasks.isEmpty { state.waiting.append(signal) }
            return state.tasks.isEmpty
        }
        if isEmpty { signal.fire() }
        return signal
    }

    var all: [SessionTask] {
        state.withLock { Array($0.tasks.values) }.inOrder { $0.id < $1.id }
    }

    // MARK: Timeouts

    /// The least time between two sweeps, so that deadlines close to each other need one sweep.
    private static let granularity = Duration.milliseconds(5)
    /// The longest wait. Dispatch's clock stands still while the system sleeps, and the clock of the deadlines does not.
    private static let longestWait = Duration.seconds(60)

    /// The timeouts of the calls that have begun, in no order.
    private var timeouts: [Timeouts] {
        state.withLock { Array($0.tasks.values) }.compactMap { $0.life.withLock(\.timeouts) }
    }

    /// The number of calls with a running timeout.
    var timeoutCount: Int { timeouts.count { $0.deadline != nil } }

    /// Watches a deadline. It is called again for each step of a call.
    func watch(_ deadline: Moment?) {
        guard let deadline else { return }
        state.withLock { state in
            if let wake = state.wake, wake <= deadline { return }
            state.wake = deadline
            let wait = min(Moment.now.duration(to: deadline), Self.longestWait).waitableNanoseconds
            let timer = state.timer ?? makeTimer()
            state.timer = timer
            timer.source.schedule(deadline: .now() + .nanoseconds(Int(max(wait, 0))))
        }
    }

    /// Ends all steps whose timeouts have passed at a moment.
    func check(at moment: Moment) {
        for timeouts in timeouts { timeouts.check(moment) }
    }

    private func makeTimer() -> Timer {
        let source = DispatchSource.makeTimerSource(queue: .global())
        source.setEventHandler { [weak self] in self?.sweep() }
        source.activate()
        return Timer(source: source)
    }

    private func sweep() {
        // `wake` is reset before the deadlines of the calls are read: a deadline that is set meanwhile is then either
        // among them, or sets the timer itself.
        state.withLock { $0.wake = nil }
        let now = Moment.now
        check(at: now)
        let earliest = timeouts.filter { $0.ended == nil }.compactMap(\.deadline).min()
        watch(earliest.map { max($0, now + Self.granularity) })
    }

    // MARK: Events

    /// Sends an event to the observers, if there are any.
    func post(_ event: @autoclosure () -> SessionEvent) { deliver(queue(event())) }

    /// Tells the observers within the call about an event, on the task of the call, and then the others.
    @inline(never)
    func tell(_ event: SessionEvent) {
        tellInCall(event)
        post(event)
    }

    /// Tells only the observers within the call. Runs foreign code, so it is called with no lock held.
    @inline(never)
    func tellInCall(_ event: @autoclosure () -> SessionEvent) {
        guard !inCall.isEmpty else { return }
        let event = keepsBodies ? event() : event().withoutBody()
        for observer in inCall { observer.observeInCall(event) }
    }

    /// Returns when the observers have had all events up to now. In an observer that would never be.
    func tellAll() async {
        guard Self.delivering != ObjectIdentifier(self) else { return }
        let signal = OneShot()
        let isTold = state.withLock { state in
            if state.isDelivering { state.told.append((state.events.end, signal)) }
            return !state.isDelivering
        }
        if !isTold { await signal.fired() }
    }

    /// Queues an event after all earlier events. The caller is allowed to hold the lock of a task, which keeps its events
    /// in order, and calls `deliver` after it has released the lock.
    func queue(_ event: @autoclosure () -> SessionEvent) -> Queued? {
        guard hasObservers else { return nil }
        let event = keepsBodies ? event() : event().withoutBody()
        return state.withLock { $0.add(event) }
    }

    /// Delivers the queued events on a task of its own, unless that is being done. Runs foreign code, so it is called
    /// with no lock held.
    func deliver(_ queued: Queued?) {
        guard let queued else { return }
        withExtendedLifetime(queued.dropped) {}
        guard queued.mustDeliver else { return }
        Task.detached { [self] in
            await Self.$delivering.withValue(ObjectIdentifier(self)) {
                while let event = next() {
                    for observer in observers { await observer.observe(event) }
                }
            }
        }
    }

    private func next() -> SessionEvent? {
        let (event, told) = state.withLock { state in
            let told = state.told.filter { $0.number <= state.events.first }
            state.told.removeAll { $0.number <= state.events.first }
            let event = state.events.next()
            if event == nil { state.isDelivering = false }
            return (event, told)
        }
        for (_, signal) in told { signal.fire() }
        return event
    }
}
