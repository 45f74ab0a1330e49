import PatchbayPlatform
import PatchbayRegistry

/// One attempt of a call: its request after the interceptors, and the facts of earlier attempts that it goes on from.
/// Made anew for each attempt and for each connection of a stream. Only the task of the call uses it.
final class CallAttempt {
    /// The field that names the last event of a stream (WHATWG HTML, section 9.2.4).
    static let placeField = "Last-Event-ID"

    /// The connections of a stream that reconnects.
    struct Reconnections {
        /// The id of the last event; empty if there is none.
        var lastEventID: String
        /// The delay that the stream has set.
        var delay: Duration?
        /// The number of connections that were tried since the stream last had one.
        var count = 0
        /// The number of retries of the call before the first of them.
        var earlierRetries = 0
        /// Whether the observers know that ids of events were ignored.
        var hasNotedIgnoredID = false
    }

    /// The time at which the call began.
    let start: Date
    /// The interceptors of the manager, then the interceptors of the request.
    let interceptors: [any RequestInterceptor]
    let signers: [any RequestInterceptor]
    /// How often each interceptor has had the request sent again.
    let retries: [Int]
    /// Nil before the first reconnection.
    let reconnections: Reconnections?
    /// The request after all interceptors have changed it; nil if there are no interceptors.
    var adapted: SessionRequest?
    /// The notes of the interceptors beside `adapted`.
    var adaptation: Adaptation?
    /// The timings of the redirects that the attempt has followed.
    var hops: [ExchangeTimings] = []
    /// The setting without which cookies of these redirects were not sent back; nil if there were none.
    var missedCookies: String?
    /// The first exchange of the attempt; nil before that exchange.
    var first: Exchange?
    /// The body of the attempt, if another thread made it.
    var madeBody: Result<RequestBody, any Error>?
    /// The content that this attempt or the one before it wrote; nil for content that needs no registry.
    var written: WrittenContent?
    /// The notes that reserve the retry that policies have allowed, until it is sent.
    private var reserved: Adaptation?

    /// The first attempt of a call.
    @inline(never)
    init(of call: Call, since start: Date) {
        self.start = start
        interceptors = call.manager.configuration.interceptors + call.task.request.interceptors
        signers = interceptors.isEmpty ? [] : interceptors.filter { !($0 is any NeverSigningInterceptor) }
        retries = [Int](repeating: 0, count: interceptors.count)
        reconnections = nil
    }

    private init(after last: CallAttempt, retries: [Int], _ reconnections: Reconnections?) {
        (start, interceptors, signers) = (last.start, last.interceptors, last.signers)
        (self.retries, self.reconnections) = (retries, reconnections)
        (written, reserved) = (last.written, last.reserved)
        last.leaveContent()
    }

    /// The attempt after this one.
    /// - Parameter asking: the index of the interceptor that has the request sent again; nil if the call itself does.
    func next(for asking: Int?) -> CallAttempt {
        var retries = retries
        if let asking { retries[asking] += 1 }
        return CallAttempt(after: self, retries: retries, reconnections)
    }

    /// The attempt for another connection of a stream. The retries of each interceptor count from zero again.
    func reconnecting(_ reconnections: consuming Reconnections, after retries: Int) -> CallAttempt {
        reconnections.count += 1
        reconnections.earlierRetries = retries
        return CallAttempt(
            after: self, retries: [Int](repeating: 0, count: interceptors.count), consume reconnections)
    }

    /// Called when a request is sent. Counts the requests of the first attempt. Requests of retries don't count: their
    /// policy has counted them when it decided.
    @inline(never)
    func count(_ exchange: Exchange) {
        reserved = nil
        if retries.allSatisfy({ $0 == 0 }) { adaptation?.count(exchange.outgoing.host) }
    }

    /// Called before the interceptors decide about a retry, which they reserve in their notes.
    func beginReserving() {
        giveBack()
        reserved = adaptation
    }

    /// Gives back a retry that was reserved and not sent.
    func giveBack() {
        reserved?.giveBack()
        reserved = nil
    }

    /// Called when the call has ended.
    func end() {
        leaveContent()
        giveBack()
    }

    /// Stops waiting for the source of the request body.
    private func leaveContent() {
        first?.outgoing.body?.abandon()
    }

    /// The content of the request; nil if it has none.
    func content(of task: SessionTask) -> RequestContent? {
        interceptors.isEmpty ? task.request.content : adapted?.content
    }

    /// Whether the request differs from that of the task, also without interceptors.
    var changesRequest: Bool { reconnections != nil || madeBody != nil }

    /// Returns the request of the call, without the changes of interceptors. If the stream reconnects, adds the id of
    /// the last event.
    func request(of task: SessionTask) -> SessionRequest {
        guard let id = reconnections?.lastEventID else { return task.request }
        var request = task.request
        request.headers[Self.placeField] = id.isEmpty ? nil : id
        return request
    }
}
