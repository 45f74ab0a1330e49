import Foundation
import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One exchange of a `URLSessionTransport`. It gets the callbacks of the delegate, passes them on in order, and ends
/// once.
///
/// All functions except `start`, `stop` and `outcome` run on the session's serial delegate queue. So the receiver is
/// called by one thread at a time, and never after `over` has fired.
final class Exchange: Sendable {
    /// The number of received bytes that can wait for a reader. If more bytes wait, the exchange fails: URLSession
    /// can't be paused.
    static let maximumBacklog = 16 << 20

    private struct State {
        /// The head that the receiver has not taken.
        var head: (status: Int, fields: HeaderFields)?
        /// The piece that the receiver was offered and has not taken.
        var piece: [UInt8]?
        /// The bytes behind that piece, and the end.
        var pipe = BodyPipe<TransportFailure>(limit: maximumBacklog)
        /// Continues when the signal of the receiver fires; nil if the receiver does not wait.
        var listener: OneShot.Listener?
        var framing: ResponseFraming?
        var receivedBytes = 0
        var isFinishedByChallenge = false
        var timings = ExchangeTimings()
        var outcome: Result<ExchangeTimings, TransportFailure>?

        /// The next piece to offer to the receiver.
        mutating func nextPiece() -> [UInt8]? {
            // URLSession does not wait for the pipe, so there is nobody to wake.
            var wakes = Wakes()
            piece = piece ?? pipe.take(&wakes)
            return piece
        }
    }

    let over = OneShot()
    private let task: URLSessionTask
    private let method: String
    /// Keeps the file of the body until the task has ended.
    private let body: WholeBody?
    private let receiver: any ExchangeReceiver
    private let queue: OperationQueue
    /// Resumes and cancels the task. Cancelling waits for Foundation's own queue, so it must not run on a thread that
    /// Foundation or the caller needs.
    private let starter: DispatchQueue
    private let beginning = Moment.now
    /// Nil without a connect timeout.
    private let connecting: Connecting?
    private let state = Guarded(State())

    init(
        _ task: URLSessionTask, _ request: TransportRequest, _ body: WholeBody?, _ receiver: any ExchangeReceiver,
        queue: OperationQueue, starter: DispatchQueue
    ) {
        self.task = task
        method = request.head.method
        self.body = body
        connecting = Connecting(request)
        self.receiver = receiver
        self.queue = queue
        self.starter = starter
    }

    func start() {
        starter.async { self.task.resume() }
        connecting?.limit { [weak self, queue] in queue.addOperation { [weak self] in self?.giveUpConnecting() } }
    }

    /// Ends the exchange, from any thread, as soon as the receiver is not being called.
    func stop() { queue.addOperation { self.end(TransportFailure(.stopped, "the exchange was stopped")) } }

    private func giveUpConnecting() {
        if let connecting, !connecting.isOver.hasFired { end(connecting.failure) }
    }

    func outcome() throws(TransportFailure) -> ExchangeTimings {
        guard let outcome = state.withLock({ $0.outcome }) else {
            throw TransportFailure(.other, "the exchange is not over")
        }
        return try outcome.get()
    }

    // MARK: Callbacks of the delegate

    func received(_ response: URLResponse) {
        connecting?.isOver.fire()
        // Interim responses use the same callback as the final response.
        guard let response = response as? HTTPURLResponse, response.statusCode >= 200 else { return }
        let fields = HeaderFields(response)
        do throws(TransportFailure) {
            let framing = try ResponseFraming(method: method, status: response.statusCode, fields: fields)
            let isFirst = state.withLock { state in
                guard state.framing == nil else { return false }
                (state.framing, state.head) = (framing, (response.statusCode, fields))
                state.timings.firstByte = beginning.duration(to: .now)
                return true
            }
            if isFirst { deliver() }
        } catch {
            end(error)
        }
    }

    func received(_ data: Data) {
        let flow = state.withLock { state -> TransportFlow? in
            guard state.framing != nil else { return nil }
            state.receivedBytes += data.count
            var wakes = Wakes()
            return data.withUnsafeBytes { state.pipe.write($0, &wakes) }
        }
        switch flow {
        case nil: end(.headless)
        case .wait?: end(.undelivered(limit: Self.maximumBacklog))
        case .proceed?, .stop?: deliver()
        }
    }

    func sent(_ bytes: Int) {
        connecting?.isOver.fire()
        guard state.withLock({ $0.outcome == nil }) else { return }
        receiver.sent(bytes)
    }

    /// Called when the connection closed during the request, and at the start of a request without a body. Foundation
    /// would send the request again without its body.
    func needsBodyAgain() {
        guard body != nil else { return }
        queue.addOperation {
            self.end(TransportFailure(.lostConnection, "the connection was lost while the request was being sent"))
        }
    }

    /// Called when the response is complete and Foundation asks for credentials. An error about missing credentials
    /// follows.
    func finishedByChallenge() { state.withLock { $0.isFinishedByChallenge = true } }

    func completed(_ response: URLResponse?, _ error: (any Error)?) {
        let (hasHead, isFinished) = state.withLock { ($0.framing != nil, $0.isFinishedByChallenge) }
        if let error, !isFinished { return finish(TransportFailure(error)) }
        // The delegate never gets the head of a 3xx without a usable Location.
        if !hasHead, let response { received(response) }
        let (framing, received) = state.withLock { ($0.framing, $0.receivedBytes) }
        guard let framing else { return finish(.headless) }
        finish(framing.failure(received: received, isBodyLost: !hasHead))
    }

    // MARK: Calls of the receiver

    /// Ends the exchange when the receiver has taken all bytes.
    private func finish(_ failure: TransportFailure?) {
        state.withLock { state in
            var wakes = Wakes()
            state.pipe.finish(failure.map(Result.failure) ?? .success([:]), &wakes)
        }
        deliver()
    }

    /// Offers to the receiver what it has not taken, until it waits.
    private func deliver() {
        while state.withLock({ $0.listener == nil && $0.outcome == nil }) {
            let flow: TransportFlow
            if let head = state.withLock(\.head) {
                flow = receiver.receive(status: head.status, fields: head.fields)
            } else if let piece = state.withLock({ $0.nextPiece() }) {
                flow = piece.withUnsafeBytes { receiver.receive($0) }
            } else {
                switch state.withLock(\.pipe.end) {
                case nil: return
                case .success?: return end(nil)
                case .failure(let failure)?: return end(failure)
                }
            }
            switch flow {
            case .proceed: state.withLock { ($0.head, $0.piece) = (nil, nil) }
            case .stop: return end(TransportFailure(.stopped, "the receiver stopped the exchange"))
            case .wait(let signal):
                let listener = signal.listen { [weak self] in
                    guard let self else { return }
                    queue.addOperation { self.resumeDelivery() }
                }
                return state.withLock { $0.listener = listener }
            }
        }
    }

    private func resumeDelivery() {
        state.letGo { $0.listener.take() }
        deliver()
    }

    private func end(_ failure: TransportFailure?) {
        let (isFirst, listener) = state.withLock { state -> (Bool, OneShot.Listener?) in
            guard state.outcome == nil else { return (false, nil) }
            state.timings.total = beginning.duration(to: .now)
            if var failure {
                failure.timings = state.timings
                state.outcome = .failure(failure)
            } else {
                state.outcome = .success(state.timings)
            }
            var wakes = Wakes()
            state.pipe.close(&wakes)
            (state.piece, state.head) = (nil, nil)
            return (true, state.listener.take())
        }
        guard isFirst else { return }
        listener?.remove()
        connecting?.isOver.fire()
        over.fire()
        if failure != nil { starter.async { self.task.cancel() } }
    }
}

/// The connect timeout of an exchange, by a clock of this transport: URLSession does not tell when it is connected. The
/// first byte of the body that is sent, or of the response, shows that it is.
private struct Connecting: Sendable {
    let isOver = OneShot()
    let failure: TransportFailure
    private let limit: Duration

    /// Returns nil if the limit is the default, which the system's replaces, or if there is none.
    init?(_ request: TransportRequest) {
        let standard = SharedConnection.standard.settings.connectTimeout
        guard let limit = request.connection.connectTimeout, limit != standard else { return nil }
        self.limit = limit
        let host = CanonicalHost(url: request.head.url)
        let place = "\(host?.name ?? ""):\(host?.effectivePort ?? 0)"
        // The host can have the request: its bytes can leave while the exchange ends. RetryPolicy sends any request again
        // after a connect timeout.
        let canRepeat = RetryPolicy.isIdempotent(request.head.method, request.head.fields)
        failure = TransportFailure(
            canRepeat ? .connectTimeout : .lostConnection,
            "no answer from \(place) within \(limit.text), and URLSession does not tell whether it was connected")
    }

    /// Calls `giveUp` when the limit has passed, unless `isOver` fires first.
    func limit(_ giveUp: @escaping @Sendable () -> Void) {
        Task.detached { [self] in
            if await isOver.outlasts({ try? await Task.sleep(forGiven: limit) }) { giveUp() }
        }
    }
}
