import PatchbayPlatform
import PatchbayRegistry

/// Stands between the transport and an exchange: keeps the answer to the condition of a cache from the exchange, and
/// copies what the exchange takes into the store.
final class CacheReceiver: TimedReceiver {
    private struct State {
        var response: (status: Int, fields: HeaderFields)?
        var validation: HeaderFields?
        var isRefused = false
        var writer: (any ResponseWriter)?
        /// How many bytes of a body that nobody gets were read.
        var unread = 0
    }

    /// The statuses of a server that can't answer (RFC 5861, section 4).
    private static let refusals: Set<Int> = [500, 502, 503, 504]
    /// A longer body of such an answer ends the connection.
    private static let unreadLimit = 65_536

    private let exchange: Exchange
    private let validates: Bool
    private let hasStale: Bool
    private let flight: Flight?
    private let store: @Sendable (Int, HeaderFields) -> (any ResponseWriter)?
    private let state = Guarded(State())

    /// - Parameters:
    ///   - validates: whether the request has a condition of the cache, so that status 304 is for it.
    ///   - hasStale: whether a stored response is used if the server can't answer.
    ///   - flight: the request that other calls wait for.
    ///   - store: begins to store the response; returns nil if it may not be stored.
    init(
        _ exchange: Exchange, validates: Bool = false, hasStale: Bool = false, _ flight: Flight? = nil,
        store: @escaping @Sendable (Int, HeaderFields) -> (any ResponseWriter)? = { _, _ in nil }
    ) {
        (self.exchange, self.validates, self.hasStale) = (exchange, validates, hasStale)
        (self.flight, self.store) = (flight, store)
    }

    /// The head that the exchange has taken.
    var response: (status: Int, fields: HeaderFields)? { state.withLock(\.response) }

    /// The fields of status 304.
    var validation: HeaderFields? { state.withLock(\.validation) }

    /// Whether the server can't answer, and the exchange doesn't know.
    var isRefused: Bool { state.withLock(\.isRefused) }

    var writer: (any ResponseWriter)? { state.withLock(\.writer) }

    var stop: OneShot { exchange.stop }
    var isOutOfTime: Bool { exchange.isOutOfTime }

    func receive(status: Int, fields: HeaderFields) -> TransportFlow {
        flight?.move()
        if validates && status == 304 {
            state.withLock { $0.validation = fields }
            exchange.moved()
            return .proceed
        }
        if hasStale && Self.refusals.contains(status) {
            state.withLock { $0.isRefused = true }
            exchange.moved()
            return .proceed
        }
        let flow = exchange.receive(status: status, fields: fields)
        guard case .proceed = flow else { return flow }
        let writer = store(status, fields)
        state.withLock { ($0.response, $0.writer) = ((status, fields), writer) }
        return flow
    }

    func receive(_ chunk: UnsafeRawBufferPointer) -> TransportFlow {
        flight?.move()
        let (writer, isForExchange, isTooLong) = state.withLock { state in
            guard state.response == nil else { return (state.writer, true, false) }
            state.unread += min(chunk.count, Self.unreadLimit)
            return (nil, false, state.unread > Self.unreadLimit)
        }
        guard isForExchange else {
            exchange.moved()
            return isTooLong ? .stop : .proceed
        }
        let flow = exchange.receive(chunk)
        if case .proceed = flow { writer?.append(chunk) }
        return flow
    }

    func receive(trailers: HeaderFields) { exchange.receive(trailers: trailers) }
    func waitForConnection(because reason: String) { exchange.waitForConnection(because: reason) }
    func endWaitForConnection() { exchange.endWaitForConnection() }
    func moved() { exchange.moved() }
    func sent(_ bytes: Int) { exchange.sent(bytes) }
}
