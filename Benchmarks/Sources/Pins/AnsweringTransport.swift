import Foundation
import Patchbay

/// Answers every request at once, on the caller's thread, and does as little besides as a transport can: unlike `StubTransport`
/// it makes no task, keeps no request and copies no body, so that what is counted over it is the manager's.
struct AnsweringTransport: Transport {
    private let fields: HeaderFields = ["Content-Type": "application/json"]
    private let body = Array(#"{"id":1,"name":"Ada"}"#.utf8)

    func perform(
        _ request: TransportRequest, for receiver: some ExchangeReceiver
    ) async throws(TransportFailure) -> ExchangeTimings {
        guard case .proceed = receiver.receive(status: 200, fields: fields),
            case .proceed = body.withUnsafeBytes({ receiver.receive($0) })
        else { throw TransportFailure(.stopped, "the receiver does not take it") }
        return ExchangeTimings()
    }
}
