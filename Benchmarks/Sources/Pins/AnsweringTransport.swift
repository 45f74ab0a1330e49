import Foundation
import Patchbay
import Synchronization

/// Answers every request at once, on the caller's thread, and does as little besides as a transport can: unlike `StubTransport`
/// it makes no task, keeps no request and copies no body, so that what is counted over it is the manager's.
final class AnsweringTransport: Transport {
    private let fields: HeaderFields
    private let chunks: [[UInt8]]
    /// The exchange that waits for `goOn`.
    private let waiting = Mutex<UnsafeContinuation<Void, Never>?>(nil)

    /// - Parameter chunks: the body. The exchange waits for `goOn` before each chunk but the first.
    init(type: String = "application/json", chunks: [[UInt8]] = [Array(#"{"id":1,"name":"Ada"}"#.utf8)]) {
        fields = ["Content-Type": type]
        self.chunks = chunks
    }

    let endsWhenStopped = true

    func perform(
        _ request: TransportRequest, for receiver: some ExchangeReceiver
    ) async throws(TransportFailure) -> ExchangeTimings {
        guard case .proceed = receiver.receive(status: 200, fields: fields) else { throw Self.refusal }
        for (number, chunk) in chunks.enumerated() {
            if number > 0 { await withUnsafeContinuation { exchange in waiting.withLock { $0 = exchange } } }
            guard case .proceed = chunk.withUnsafeBytes({ receiver.receive($0) }) else { throw Self.refusal }
        }
        return ExchangeTimings()
    }

    /// Lets the waiting exchange send its next chunk. Gives false where none waits.
    func goOn() -> Bool {
        guard let exchange = waiting.withLock({ $0.take() }) else { return false }
        exchange.resume()
        return true
    }

    private static let refusal = TransportFailure(.stopped, "the receiver does not take it")
}
