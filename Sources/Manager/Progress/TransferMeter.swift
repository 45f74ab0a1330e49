import PatchbayPlatform
import PatchbayRegistry

/// Counts the bytes of one direction of a call, and wakes whoever watches; for a call that nobody watches it is a counter.
struct TransferMeter: ~Copyable, Sendable {
    struct State {
        var progress = TransferProgress()
        /// Counts the changes.
        var version = 0
        var hasEnded = false
        /// Fires at the next change; nil where nobody waits for it.
        var change: StopSignal?
    }

    private let state = Guarded(State())

    var progress: TransferProgress { state.withLock(\.progress) }

    /// A body begins: for the first time, or again for a redirect or another try.
    /// - Parameter offset: the bytes that are there already.
    func begin(total: Int64?, at offset: Int64 = 0) {
        update { $0.progress = TransferProgress(completedBytes: offset, totalBytes: total) }
    }

    /// So many more bytes have moved.
    func add(_ count: Int) {
        update { state in
            let (sum, overflows) = state.progress.completedBytes.addingReportingOverflow(Int64(clamping: count))
            state.progress.completedBytes = overflows ? .max : sum
        }
    }

    /// The call is over; the first end counts.
    func end(isSuccess: Bool) {
        update { state in
            if isSuccess, !state.hasEnded {
                state.progress.isFinished = true
                state.progress.totalBytes = state.progress.totalBytes ?? state.progress.completedBytes
            }
            state.hasEnded = true
        }
    }

    /// Where the transfer is, once that is another place than the one that was seen; what nobody fetched in time is left out.
    /// Nil once the call has ended.
    func next(after seen: borrowing Guarded<Int>) async -> TransferProgress? {
        let cancelled = StopSignal()
        return await withTaskCancellationHandler {
            while !cancelled.hasFired {
                let last = seen.withLock { $0 }
                let (now, change) = state.withLock { state -> (State, StopSignal?) in
                    guard state.version == last, !state.hasEnded else { return (state, nil) }
                    let change = state.change ?? StopSignal()
                    state.change = change
                    return (state, change)
                }
                guard let change else {
                    seen.withLock { $0 = now.version }
                    return now.version == last ? nil : now.progress
                }
                await change.fired(unless: cancelled)
            }
            return nil
        } onCancel: {
            cancelled.fire()
        }
    }

    /// Changes the state, and wakes whoever waits for a change of it.
    private func update(_ body: (inout State) -> Void) {
        let change = state.withLock { state -> StopSignal? in
            let (progress, hasEnded) = (state.progress, state.hasEnded)
            body(&state)
            if state.progress != progress { state.version += 1 }
            guard state.progress != progress || state.hasEnded != hasEnded else { return nil }
            defer { state.change = nil }
            return state.change
        }
        change?.fire()
    }
}
