import PatchbayRegistry

extension ExchangeClock {
    /// Waits for work that is not ours, but no longer than the call lasts: then it is cancelled and left behind, for nil.
    func bounded<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value? {
        let outcome = Guarded<Value?>(nil)
        let done = Signal()
        let job = Task {
            let value = await work()
            outcome.withLock { $0 = value }
            done.fire()
        }
        await done.fired(unless: stop)
        if stop.hasFired { job.cancel() }
        return outcome.withLock { $0 }
    }
}
