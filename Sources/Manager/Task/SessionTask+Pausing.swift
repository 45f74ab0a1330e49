import PatchbayPlatform
import PatchbayRegistry

/// What a call does under way while it is suspended, if its request says that it can be paused.
extension SessionTask {
    /// What to wait for before more bytes may move; nil where they may.
    func pause() -> StopSignal? {
        guard request.isPausable else { return nil }
        return life.withLock { life in
            guard life.state == .suspended else { return nil }
            let signal = StopSignal()
            life.held.append { signal.fire() }
            return signal
        }
    }

    /// Until when the idle clock stands still; nil where it never did.
    var rest: ContinuousClock.Instant? {
        guard request.isPausable else { return nil }
        return life.withLock { $0.state == .suspended ? .now : $0.lastResume }
    }
}
