import PatchbayManager

/// One exchange as it is handed to the event loop: what to send, who receives, whom to tell of the end.
struct Submission: Sendable {
    /// Of this exchange alone.
    let number: Int
    let request: WireRequest
    let receiver: any ExchangeReceiver
    /// Resumed once: when the exchange leaves the loop's list of transfers, or where it never comes on it.
    let continuation: UnsafeContinuation<Result<ExchangeTimings, TransportFailure>, Never>
}
