import PatchbayPlatform
import PatchbayRegistry

/// The state of a call that changes with each attempt: the adapted request, the retries, and the position of a stream
/// that reconnects. Only the task of the call uses this object.
final class Tries {
    /// The field that names the last event of a stream (WHATWG HTML, section 9.2.4).
    static let placeField = "Last-Event-ID"

    /// The interceptors of the manager, then the interceptors of the request.
    let interceptors: [any RequestInterceptor]
    /// The interceptors that can sign a request. A `NeverSigningInterceptor` never signs.
    let signers: [any RequestInterceptor]
    /// The interceptors whose `noteRequest(to:)` is called.
    private let counters: [any NeverSigningInterceptor]
    var retries: [Int]
    /// The request of the attempt after all interceptors have changed it; nil if there are no interceptors.
    var adapted: SessionRequest?
    /// The credentials that the interceptors put on `adapted`, and the hosts that are allowed to get them.
    var credentials: PutCredentials?
    /// The timings of the redirects that the attempt has followed.
    var hops: [ExchangeTimings] = []
    /// The receiver of the attempt's first exchange; nil before that exchange.
    var sent: ResponseReceiver?
    /// The body of the attempt, if another thread made it; nil after it was taken.
    var madeBody: Result<RequestBody, any Error>?
    /// The content that the last attempt wrote; nil for content that needs no registry.
    var written: WrittenContent?
    /// The retry that a policy has allowed, until it is sent.
    private var reservation: RetryReservation?
    /// The time at which the call began.
    let start: Date
    /// The number of retries before the current connection of a stream that reconnects.
    private(set) var earlierRetries = 0
    /// The id of the last event of a stream that reconnects: empty if there is no id, nil before the first
    /// reconnection.
    private(set) var place: String?
    /// The reconnection time that the stream has set.
    private(set) var reconnectionTime: Duration?
    /// Whether the observers know that ids of events were ignored.
    var hasNotedIgnoredID = false
    /// The number of reconnection attempts since the stream last had a connection.
    private(set) var connections = 0

    @inline(never)
    init(of call: Call, since start: Date) {
        self.start = start
        interceptors = call.manager.configuration.interceptors + call.task.request.interceptors
        if interceptors.isEmpty {
            (signers, counters) = ([], [])
        } else {
            signers = interceptors.filter { !($0 is any NeverSigningInterceptor) }
            counters = interceptors.compactMap { $0 as? any NeverSigningInterceptor }
        }
        retries = [Int](repeating: 0, count: interceptors.count)
        // These timeouts stay in force until the request of the first attempt sets its own.
        call.setTimeouts(idle: call.task.request.idleTimeout, total: call.task.request.totalTimeout)
    }

    func beginNext() {
        leaveContent()
        (adapted, credentials, sent, hops) = (nil, nil, nil, [])
    }

    /// The shortest limit of the interceptors for an attempt; nil: no limit.
    var attemptTimeout: Duration? { counters.lazy.compactMap(\.attemptTimeout).min() }

    /// Called when a request is sent. Tells the counting interceptors about a request of the first attempt. Requests of
    /// retries don't count there: their policy has counted them when it decided.
    @inline(never)
    func count(_ receiver: ResponseReceiver) {
        reservation = nil
        guard retries.allSatisfy({ $0 == 0 }) else { return }
        for counter in counters { counter.noteRequest(to: receiver.exchange.outgoing.host) }
    }

    /// Begins to reserve a retry, for the interceptors to note in.
    func reserve() -> RetryReservation {
        giveBack()
        let reservation = RetryReservation()
        self.reservation = reservation
        return reservation
    }

    /// Gives back a retry that was reserved and not sent.
    func giveBack() {
        reservation?.giveBack()
        reservation = nil
    }

    /// Called when the call has ended.
    func end() {
        leaveContent()
        giveBack()
    }

    /// Stops waiting for the source of the request body.
    func leaveContent() {
        if case .source(let source as ReadAhead) = sent?.exchange.outgoing.body { source.abandon() }
    }

    /// Whether making the body of the attempt can block.
    func contentMayBlock(of task: SessionTask) -> Bool {
        (adapted == nil ? task.request.content?.mayBlock : adapted?.content?.mayBlock) == true
    }

    /// Returns the body that another thread made, and sets `madeBody` to nil.
    func takeMadeBody() -> Result<RequestBody, any Error>? {
        defer { madeBody = nil }
        return madeBody
    }

    /// Called when a stream that had a connection reconnects. Notes the position of its reader.
    func beginConnections(at place: StreamPlace) {
        (self.place, connections) = (place.lastEventID, 0)
        reconnectionTime = place.reconnectionTime ?? reconnectionTime
    }

    /// Begins a connection of the stream. The retries of each interceptor count from zero again.
    func beginConnection(after retries: Int) {
        connections += 1
        earlierRetries = retries
        self.retries = [Int](repeating: 0, count: interceptors.count)
        beginNext()
    }

    /// Returns the request of the call, without the changes of interceptors. If the stream reconnects, adds the id of
    /// the last event.
    func request(of task: SessionTask) -> SessionRequest {
        guard let place else { return task.request }
        var request = task.request
        request.headers[Self.placeField] = place.isEmpty ? nil : place
        return request
    }
}
