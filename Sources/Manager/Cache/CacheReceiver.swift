import PatchbayPlatform
import PatchbayRegistry

/// Stands between the transport and an exchange: keeps the answer to the condition of a cache from the exchange, and
/// copies what the exchange takes into the store.
final class CacheReceiver: TimedReceiver {
    private struct State {
        var response: (status: Int, fields: HeaderFields)?
        var validation: HeaderFields?
        var isRefused = false
        var storing: Result<any ResponseWriter, Refusal>?
    }

    /// The statuses of a server that can't answer (RFC 5861, section 4).
    private static let refusals: Set<Int> = [500, 502, 503, 504]

    private let exchange: Exchange
    private let validates: Bool
    private let hasStale: Bool
    private let flight: Flight?
    private let store: @Sendable (Int, HeaderFields) -> Result<any ResponseWriter, Refusal>?
    private let state = Guarded(State())

    /// - Parameters:
    ///   - validates: whether the request has a condition of the cache, so that status 304 is for it.
    ///   - hasStale: whether a stored response is used if the server can't answer.
    ///   - flight: the request that other calls wait for.
    ///   - store: begins to store the response; nil for a response that nobody would store.
    init(
        _ exchange: Exchange, validates: Bool = false, hasStale: Bool = false, _ flight: Flight? = nil,
        store: @escaping @Sendable (Int, HeaderFields) -> Result<any ResponseWriter, Refusal>? = { _, _ in nil }
    ) {
        (self.exchange, self.validates, self.hasStale) = (exchange, validates, hasStale)
        (self.flight, self.store) = (flight, store)
    }

    /// The head that the exchange was offered.
    var response: (status: Int, fields: HeaderFields)? { state.withLock(\.response) }

    /// The fields of status 304.
    var validation: HeaderFields? { state.withLock(\.validation) }

    /// Whether the server can't answer, and the exchange doesn't know.
    var isRefused: Bool { state.withLock(\.isRefused) }

    var writer: (any ResponseWriter)? { try? state.withLock(\.storing)?.get() }

    /// The reason that the response is not stored.
    var refusal: String? {
        if case .failure(let refusal) = state.withLock(\.storing) { refusal.reason } else { nil }
    }

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
            // The stored response is used at once.
            return .stop
        }
        state.withLock { $0.response = (status, fields) }
        let flow = exchange.receive(status: status, fields: fields)
        guard case .proceed = flow else { return flow }
        let storing = store(status, fields)
        state.withLock { $0.storing = storing }
        return flow
    }

    func receive(_ chunk: UnsafeRawBufferPointer) -> TransportFlow {
        flight?.move()
        let (storing, isForExchange) = state.withLock { ($0.storing, $0.validation == nil) }
        guard isForExchange else { return .proceed }
        let flow = exchange.receive(chunk)
        if case .proceed = flow, case .success(let writer) = storing { writer.append(chunk) }
        return flow
    }

    func receive(trailers: HeaderFields) { exchange.receive(trailers: trailers) }
    func waitForConnection(because reason: String) { exchange.waitForConnection(because: reason) }
    func endWaitForConnection() { exchange.endWaitForConnection() }
    func note(_ clause: String) { exchange.note(clause) }
    func moved() { exchange.moved() }
    func sent(_ bytes: Int) { exchange.sent(bytes) }
}
