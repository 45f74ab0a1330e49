import PatchbayPlatform
import PatchbayRegistry

/// One call of a session manager, from its creation to its end. A task labels, watches and cancels its call.
///
/// Every call has a task, even a call that is only awaited. The task is in `SessionManager.tasks` until it has ended.
public final class SessionTask: Sendable, Identifiable {
    package enum Kind: String, Sendable {
        /// A call that makes a value from a body in memory.
        case data
        /// A call of `upload`, or a call whose request body is read from a file or a stream.
        case upload
        /// A call whose response body goes to a file.
        case download
        /// A call whose elements are read while the body arrives.
        case stream
    }

    /// The last exchange on the wire; nothing before the first exchange.
    struct Wire: Sendable {
        var head: RequestHead?
        /// The whole path of the request's template; nil without one.
        var template: String?
        /// The length of the request's body; nil without a body, and if the length is unknown.
        var bodyLength: Int64?
        var status: Int?
        /// The number of requests that were sent. Counted only if there are observers.
        var sends = 0
    }

    /// The state of the task. The caller, the call and the callbacks of the transport change it.
    struct Life: Sendable {
        var state = State.suspended
        var label: String?
        var retries = 0
        var wire = Wire()
        var sentBody: RequestBody?
        var upload = TransferProgress()
        var download = TransferProgress()
        /// Fires at the next change of a progress, and at the end of the call; nil if nobody waits for it.
        var progressed: OneShot?
        var hasEnded = false
        /// Fires when the task is no longer suspended; nil if nobody waits for it.
        var resumed: OneShot?
        /// Set only if the bodies of the call pause.
        var lastResume: Moment?
        /// The timeouts that a cancellation ends; nil before the call has begun and after its end.
        var timeouts: Timeouts?
        var listeners: [@Sendable () -> Void] = []

        /// Changes the state. Returns false if the current state can't change to `next`.
        mutating func become(_ next: State) -> Bool {
            guard state.canBecome(next) else { return false }
            state = next
            return true
        }
    }

    /// The number of the task, counted from 1 in the order in which the manager's tasks were made.
    public let id: Int
    package let kind: Kind
    /// The request as the caller made it.
    public let request: SessionRequest
    /// Whether the manager accepted the task. A task that was made after its manager was invalidated is not accepted:
    /// the call ends without sending anything.
    let isAccepted: Bool
    let life: Guarded<Life>
    /// Gets the events of the task.
    let list: TaskList
    /// Whether the bodies of the call pause while the task is suspended. Asked for each piece of a body.
    let pausesBodies: Bool

    init(
        id: Int, kind: Kind, _ request: SessionRequest, label: String? = nil, isAccepted: Bool = true, in list: TaskList
    ) {
        self.id = id
        self.kind = kind
        self.request = request
        self.isAccepted = isAccepted
        self.list = list
        pausesBodies = request.hook?.pausesBodies == true
        life = Guarded(Life(label: label))
    }

    /// The state of the call.
    public var state: State { life.withLock(\.state) }

    /// A name for logs and debugging; initially `SessionConfiguration.taskLabel`.
    public var label: String? {
        get { life.withLock(\.label) }
        set {
            life.letGo { life in
                let dropped = life.label
                life.label = newValue
                return dropped
            }
        }
    }

    package var retries: Int { life.withLock(\.retries) }

    func countRetry() { life.withLock { $0.retries += 1 } }

    // MARK: The state

    /// Starts the call, or resumes a suspended call. No effect in any other state.
    package func begin() {
        let now = pausesBodies ? Moment.now : nil
        let (resumed, event) = life.withLock { life -> (OneShot?, TaskList.Queued?) in
            guard life.become(.running) else { return (nil, nil) }
            life.lastResume = now
            return (life.resumed.take(), queue(.resumed, life))
        }
        list.deliver(event)
        resumed?.fire()
    }

    /// Suspends the call until `begin()`: before its next step, or in the middle of a body if it `pausesBodies`.
    package func hold() {
        list.deliver(life.withLock { life in life.become(.suspended) ? queue(.suspended, life) : nil })
    }

    /// Ends the call as cancelled, even if the response has arrived. No effect if the call has ended.
    public func cancel() {
        let (life, event) = life.withLock { life -> (Life?, TaskList.Queued?) in
            guard life.become(.cancelled) else { return (nil, nil) }
            defer { (life.listeners, life.resumed) = ([], nil) }
            return (life, queue(.cancelled, life))
        }
        list.deliver(event)
        life?.timeouts?.cancel()
        for listener in life?.listeners ?? [] { listener() }
        life?.resumed?.fire()
    }

    var isCancelled: Bool { state == .cancelled }

    /// Cancels `timeouts` when the task is cancelled, or immediately if the task is already cancelled.
    func watch(_ timeouts: Timeouts) {
        let cancelled = life.withLock { life in
            life.timeouts = timeouts
            return life.state == .cancelled
        }
        if cancelled { timeouts.cancel() }
    }

    /// Calls `listener` when the task is cancelled, or immediately if the task is already cancelled.
    func whenCancelled(_ listener: @escaping @Sendable () -> Void) {
        let cancelled = life.withLock { life in
            if life.state == .cancelled { return true }
            life.listeners.append(listener)
            return false
        }
        if cancelled { listener() }
    }

    var isHeld: Bool { state == .suspended }

    /// The signal that fires when the task is no longer suspended; nil if it is not suspended.
    private func resumption() -> OneShot? {
        life.withLock { life in
            guard life.state == .suspended else { return nil }
            let signal = life.resumed ?? OneShot(promisesBytes: true)
            life.resumed = signal
            return signal
        }
    }

    /// Returns when the task is neither waiting to be started nor suspended, or when `stop` has fired.
    func proceed(unless stop: OneShot = OneShot()) async {
        while !stop.hasFired, let signal = resumption() { await signal.fired(unless: stop) }
    }

    /// The signal to wait for before more bytes are sent or received; nil if the bodies are not paused.
    var suspension: OneShot? { pausesBodies ? resumption() : nil }

    /// The time of the last resumption, or the current time while the task is suspended; nil if the bodies can't be
    /// paused. The idle timeout counts from this time.
    var heldUntil: Moment? {
        pausesBodies ? life.withLock { $0.state == .suspended ? .now : $0.lastResume } : nil
    }

    /// Notes the end of the call, and changes its result to its outcome: a call that was cancelled earlier ends as
    /// cancelled, whatever its result is, except a download that has its file: the file stays.
    func finish(_ result: inout Result<Reply<any Sendable>, SessionError>) {
        let isSuccess = if case .success = result { true } else { false }
        let staysSuccess = isSuccess && kind == .download
        // Released outside the lock.
        var ended: ([@Sendable () -> Void], Timeouts?, progressed: OneShot?, resumed: OneShot?) = ([], nil, nil, nil)
        let wasCancelled = life.withLock { life in
            swap(&life.listeners, &ended.0)
            swap(&life.timeouts, &ended.1)
            swap(&life.progressed, &ended.progressed)
            swap(&life.resumed, &ended.resumed)
            let wasCancelled = !life.become(.finished)
            if isSuccess, !wasCancelled || staysSuccess {
                life.upload.finish()
                life.download.finish()
            }
            life.hasEnded = true
            return wasCancelled
        }
        // The call can have ended while it was paused.
        ended.resumed?.fire()
        ended.progressed?.fire()
        if wasCancelled, !staysSuccess { result = .failure(SessionError(cancelling: result)) }
    }

    // MARK: The exchanges

    /// Sends an event to the observers, if there are any.
    func post(_ stage: @autoclosure () -> SessionEvent.Stage) {
        list.post(SessionEvent(task: self, stage: stage()))
    }

    /// Sends an event of the call's own task to the observers of both kinds.
    func tell(_ stage: @autoclosure () -> SessionEvent.Stage) {
        if list.isObserved { list.tell(SessionEvent(task: self, stage: stage())) }
    }

    /// Queues an event while the lock is held for a change of the state, for `deliver` after the lock was released.
    private func queue(_ stage: SessionEvent.Stage, _ life: Life) -> TaskList.Queued? {
        list.queue(SessionEvent(task: self, life.wire, stage: stage))
    }

    /// - Parameters:
    ///   - head: the head for descriptions.
    ///   - template: the whole path of the request's template.
    ///   - resumption: the download whose rest the request asks for. The bytes that it already has count as completed.
    func beginExchange(
        _ head: RequestHead, _ template: String?, _ body: RequestBody?, resuming resumption: DownloadResumption?
    ) {
        let (length, download) = (body?.length, TransferProgress(resuming: resumption))
        var kept = body
        // A caller can keep a task for a long time. The task must not keep the files and streams that it sent.
        if case .source = body { kept = .source(ConsumedSource(length: length)) }
        progress { life in
            let dropped = (life.wire.head, life.sentBody)
            (life.wire.head, life.wire.template, life.wire.bodyLength) = (head, template, length)
            (life.sentBody, life.download) = (kept, download)
            // If a redirect drops the body, the progress stays at what has been sent.
            if body != nil { life.upload = TransferProgress(totalBytes: length) }
            return dropped
        }
    }

    /// Counts a request that is sent. Called only if there are observers: the argument of `post` is an autoclosure.
    func countedSending(_ head: RequestHead) -> SessionEvent.Stage {
        life.withLock { $0.wire.sends += 1 }
        return .sending(head)
    }

    /// Notes the decision about the response, its announced length, the number of bytes that a resumed file already
    /// has, and the final length of that file, if it does not follow from the announced length. The body of an error is
    /// no progress.
    func answered(_ decision: Decision, length: Int?, after offset: Int = 0, of whole: Int? = nil) {
        let total =
            whole ?? length.map { $0.addingReportingOverflow(offset) }.map { $0.overflow ? .max : $0.partialValue }
        progress { life in
            life.wire.status = decision.head.status
            guard decision.isAcceptable else { return }
            life.download = TransferProgress(completedBytes: Int64(offset), totalBytes: total.map(Int64.init))
        }
        post(.head(decision.head, decision))
    }

    func sent(_ bytes: Int) {
        progress { $0.upload.add(bytes) }
        post(.sent(bytes: bytes))
    }

    /// Counts bytes of the response's body, and tells the observers.
    /// - Parameter isProgress: whether the response is acceptable.
    func received(_ bytes: Int, isProgress: Bool) {
        if isProgress { progress { $0.download.add(bytes) } }
        post(.received(bytes: bytes))
    }

    /// Changes the progress, wakes those who wait for it, and releases the result of `change` after unlocking.
    func progress<Dropped: Sendable>(_ change: (inout Life) -> Dropped) {
        let (dropped, progressed) = life.withLock { life in (change(&life), life.progressed.take()) }
        withExtendedLifetime(dropped) {}
        progressed?.fire()
    }

    var wire: Wire { life.withLock(\.wire) }
}
