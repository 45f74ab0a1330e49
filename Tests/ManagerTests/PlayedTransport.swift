import PatchbayManager
import PatchbayRegistry
import TestSupport

/// A transport whose exchanges the test plays itself, call by call; the numbers count from 1.
struct PlayedTransport: Transport {
    let play: @Sendable (_ number: Int, TransportRequest, any ExchangeReceiver) async throws(TransportFailure) -> Void
    private let exchanges = Shared(0)

    init(
        _ play: @escaping @Sendable (Int, TransportRequest, any ExchangeReceiver) async throws(TransportFailure) -> Void
    ) {
        self.play = play
    }

    func perform(
        _ request: TransportRequest, for receiver: some ExchangeReceiver
    ) async throws(TransportFailure) -> ExchangeTimings {
        let number = exchanges.withLock { count in
            count += 1
            return count
        }
        try await play(number, request, receiver)
        return ExchangeTimings()
    }
}

extension ExchangeReceiver {
    /// Offers so many bytes as one piece.
    @discardableResult
    func receive(count: Int) -> TransportFlow {
        [UInt8](repeating: 0x20, count: count).withUnsafeBytes { receive($0) }
    }
}
