public import PatchbayManager
import PatchbayRegistry

/// The transport on libcurl: one thread of its own carries every exchange, over kept-open connections and HTTP/2.
///
/// The thread starts with the first exchange and ends when the transport has been released and nothing is under way. Whoever
/// waits for an exchange waits without a thread. A host whose name look-up takes long delays no other exchange and can be
/// given up at any time.
///
/// Proxies come from the environment (`http_proxy`, `https_proxy`, `no_proxy`), as libcurl reads it. User names in URLs are not
/// sent.
public final class CurlTransport: Transport {
    public let configuration: Configuration
    private let queue: CommandQueue?
    private let hasThread = Guarded(false)

    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        queue = CommandQueue()
    }

    deinit {
        if hasThread.withLock({ $0 }) { queue?.send(.end) }
    }

    public func perform(
        _ request: TransportRequest, for receiver: some ExchangeReceiver
    ) async throws(TransportFailure) -> ExchangeTimings {
        guard let queue else { throw TransportFailure(.outOfMemory, "libcurl has no memory for a transport") }
        let request = try WireRequest(request)
        let cancelled = Signal()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.send(
                    .start(
                        Submission(
                            request: request, receiver: receiver, cancelled: cancelled, continuation: continuation)))
                startThread(queue)
            }
        } onCancel: {
            cancelled.fire()
        }
        return try result.get()
    }

    public func keeps(_ cookies: any CookieStore) -> Bool { cookies is CookieJar }

    private func startThread(_ queue: CommandQueue) {
        let isFirst = hasThread.withLock { hasThread in
            defer { hasThread = true }
            return !hasThread
        }
        guard isFirst else { return }
        let configuration = configuration
        let started = LoopThread.start { EventLoop(queue, configuration).run() }
        guard !started else { return }
        hasThread.withLock { $0 = false }
        for case .start(let submission) in queue.take() {
            submission.continuation.resume(
                returning: .failure(TransportFailure(.other, "the system has no thread for the transport")))
        }
    }
}
