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

    /// The request of the last exchange.
    struct Sent: Sendable {
        let head: RequestHead
        let body: RequestBody?
    }

    /// The last exchange on the wire: the head of its request and the status of its response. Both are nil before the
    /// first exchange.
    struct Wire: Sendable {
        var head: RequestHead?
        var status: Int?
    }

    struct Life {
        var state = State.suspended
        var label: String?
        var retries = 0
        var lastResume: Moment?
        /// Called when the task is resumed or cancelled, or has ended.
        var held: [@Sendable () -> Void] = []
        /// Fires when the closures of `held` are called, for paused bodies; nil if no body is paused.
        var pause: OneShot?
        /// The timeouts that a cancellation ends; nil before the call has begun and after its end.
        var timeouts: Timeouts?
        var listeners: [@Sendable () -> Void] = []
        var lastSent: Sent?
        var lastStatus: Int?
        var handlers = 0
        /// Tells the observers that the call has ended. Set from the end of the call until the observers are told.
        var teller: (@Sendable () -> Void)?
        var isEndTold = false

        var wire: Wire { Wire(head: lastSent?.head, status: lastStatus) }

        /// Changes the state. Returns false if the current state can't change to `next`.
        mutating func become(_ next: State) -> Bool {
            guard state.canBecome(next) else { return false }
            state = next
            return true
        }

        /// Takes the closures of `held`. The caller calls each of them once.
        mutating func takeHeld() -> [@Sendable () -> Void] {
            defer { (held, pause) = ([], nil) }
            return held
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
    let upload = TransferMeter()
    let download = TransferMeter()
    let life: Guarded<Life>
    private let relay: EventRelay?

    let maskedPathSegments: Set<String>

    init(
        id: Int, kind: Kind, _ request: SessionRequest, label: String?, isAccepted: Bool, relay: EventRelay?,
        maskedPathSegments: Set<String> = []
    ) {
        self.id = id
        self.kind = kind
        self.request = request
        self.isAccepted = isAccepted
        self.relay = relay
        self.maskedPathSegments = maskedPathSegments
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

    /// Starts the call, or resumes a suspended call. No effect in any other state.
    package func begin() {
        let (held, note) = life.withLock { life -> ([@Sendable () -> Void], EventRelay.Note?) in
            guard life.become(.running) else { return ([], nil) }
            if request.holdsBodies { life.lastResume = .now }
            return (life.takeHeld(), noted(.resumed, &life))
        }
        note?.tell()
        for goOn in held { goOn() }
    }

    /// Suspends the call until `begin()`: before its next step, or in the middle of a body if its request has
    /// `holdsBodies`.
    package func hold() {
        let note = life.withLock { life in life.become(.suspended) ? noted(.suspended, &life) : nil }
        note?.tell()
    }

    /// Ends the call as cancelled, even if the response has arrived. No effect if the call has ended.
    public func cancel() {
        let (timeouts, told, note) = life.withLock { life -> (Timeouts?, [@Sendable () -> Void], EventRelay.Note?) in
            guard life.become(.cancelled) else { return (nil, [], nil) }
            defer { life.listeners = [] }
            return (life.timeouts, life.listeners + life.takeHeld(), noted(.cancelled, &life))
        }
        note?.tell()
        timeouts?.cancel()
        for listener in told { listener() }
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

    /// Returns when the task is neither waiting to be started nor suspended.
    func proceed() async {
        while isHeld {
            await withCheckedContinuation { continuation in
                let mustWait = life.withLock { life in
                    guard life.state == .suspended else { return false }
                    life.held.append { continuation.resume() }
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        }
    }

    /// Notes the end of the call, and changes its result to its outcome: a call that was cancelled earlier ends as
    /// cancelled, whatever its result is, except a download that has its file: the file stays.
    func finish(_ result: inout Result<Reply<any Sendable>, SessionError>) {
        let (wasCancelled, held, dropped) = life.withLock { life in
            defer { (life.listeners, life.timeouts) = ([], nil) }
            let dropped = (life.listeners, life.timeouts)
            return (!life.become(.finished), life.takeHeld(), dropped)
        }
        withExtendedLifetime(dropped) {}
        // The call can have ended while it was paused.
        for goOn in held { goOn() }
        var isSuccess = if case .success = result { true } else { false }
        let hasFile = kind == .download && isSuccess
        if wasCancelled && !hasFile {
            result = .failure(SessionError(cancelling: result))
            isSuccess = false
        }
        upload.end(isSuccess: isSuccess)
        download.end(isSuccess: isSuccess)
    }

    /// Notes that a completion handler will be called. Returns true if the end of the call is reported to the observers
    /// only after the handler has returned.
    package func expectHandler() -> Bool {
        life.withLock { life in
            guard !life.isEndTold else { return false }
            life.handlers += 1
            return true
        }
    }

    /// Notes that a handler has returned for which `expectHandler()` returned true.
    package func handlerReturned() {
        let tell = life.withLock { life -> (@Sendable () -> Void)? in
            life.handlers -= 1
            return Self.takeTeller(&life)
        }
        tell?()
    }

    func afterHandlers(_ tell: @escaping @Sendable () -> Void) {
        let tell = life.withLock { life -> (@Sendable () -> Void)? in
            life.teller = tell
            return Self.takeTeller(&life)
        }
        tell?()
    }

    private static func takeTeller(_ life: inout Life) -> (@Sendable () -> Void)? {
        guard life.handlers == 0, let tell = life.teller else { return nil }
        life.teller = nil
        life.isEndTold = true
        return tell
    }

    /// Sends an event to the observers, if there are any.
    func post(_ stage: @autoclosure () -> SessionEvent.Stage) {
        relay?.post(SessionEvent(task: self, stage: stage()))
    }

    /// Queues an event while the lock is held for a change of the state. Call `tell()` on the note after releasing the
    /// lock.
    private func noted(_ stage: SessionEvent.Stage, _ life: inout Life) -> EventRelay.Note? {
        relay?.note(SessionEvent(task: self, life.wire, stage: stage))
    }

    /// - Parameters:
    ///   - head: the head for descriptions.
    ///   - sent: the head as it is sent, with the cookies of a jar.
    ///   - resumption: the download whose rest the request asks for.
    func sending(
        _ head: RequestHead, as sent: RequestHead, _ body: RequestBody?, resuming resumption: DownloadResumption?
    ) {
        var kept = body
        // A caller can keep a task for a long time. The task must not keep the files and streams that it sent.
        if case .source(let source) = body { kept = .source(ConsumedSource(length: source.length)) }
        var last: Sent? = Sent(head: head, body: kept)
        life.withLock { swap(&$0.lastSent, &last) }
        withExtendedLifetime(last) {}
        // If a redirect drops the body, the progress stays at what has been sent.
        if let body { upload.begin(total: body.length) }
        download.begin(resuming: resumption)
        post(.sending(sent))
    }

    /// Notes the decision about the response, its announced length, the number of bytes that a resumed file already
    /// has, and the final length of that file, if it does not follow from the announced length. The body of an error is
    /// no progress.
    func answered(_ decision: Decision, length: Int?, after offset: Int = 0, of whole: Int? = nil) {
        life.withLock { $0.lastStatus = decision.head.status }
        if decision.isAcceptable {
            let total = length.map { $0.addingReportingOverflow(offset) }.map { $0.overflow ? .max : $0.partialValue }
            download.begin(total: (whole ?? total).map(Int64.init), at: Int64(offset))
        }
        post(.head(decision.head, decision))
    }

    func sent(_ bytes: Int) {
        upload.add(bytes)
        post(.sent(bytes: bytes))
    }

    /// Counts bytes of the response's body, and tells the observers.
    /// - Parameter isProgress: whether the response is acceptable.
    func received(_ bytes: Int, isProgress: Bool) {
        if isProgress { download.add(bytes) }
        post(.received(bytes: bytes))
    }

    var lastSent: Sent? { life.withLock(\.lastSent) }

    var wire: Wire { life.withLock(\.wire) }
}
