import PatchbayManager

/// One exchange as it is handed to the loop thread: what to send, who receives, whom to tell of the end.
struct Submission: Sendable {
    let request: WireRequest
    let receiver: any ExchangeReceiver
    /// Fires when the Swift task is cancelled.
    let cancelled: Signal
    let continuation: CheckedContinuation<Result<ExchangeTimings, TransportFailure>, Never>

    var isStopped: Bool { cancelled.hasFired || receiver.stop.hasFired }
}
