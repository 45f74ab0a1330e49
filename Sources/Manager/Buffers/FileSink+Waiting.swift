import PatchbayPlatform
import PatchbayRegistry

/// What a call asks of its finished file, and how long it waits for that.
extension FileSink {
    /// The bytes, read from the file that was written, whatever has become of its name; nil where the call has ended meanwhile.
    func contents(unless stop: OneShot) async throws(FileFailure) -> ResponseBody? {
        try await finished(unless: stop) { part throws(FileFailure) in try part.contents() }
    }

    /// Puts the file on disk and gives it its name; nil where the call has ended meanwhile.
    ///
    /// A name that comes after that is taken back, for the call has failed. Not where it replaced another file, which is gone: the new
    /// one, which is whole, is better than none.
    func finish(unless stop: OneShot) async throws(FileFailure) -> URL? {
        try await finished(unless: stop) { part throws(FileFailure) in
            try part.finish(unless: { self.isAbandoned })
            return part.url
        } late: { part in
            if !part.replaces { part.withdraw() }
        }
    }

    private func finished<Value: Sendable>(
        unless stop: OneShot, _ work: @escaping @Sendable (PartialFile) throws(FileFailure) -> Value,
        late: @escaping @Sendable (PartialFile) -> Void = { _ in }
    ) async throws(FileFailure) -> Value? {
        guard let part = written else {
            throw FileFailure(name: "the download", .other("there is no file"))
        }
        let ending = await awaited(until: leaving(after: stop, keeps: false)) {
            Result { () throws(FileFailure) in try work(part) }
        } late: { _ in
            late(part)
        }
        switch ending {
        case .done(let result): return try result.get()
        case .refused: throw refusal
        case .left:
            abandon()
            return nil
        }
    }

    /// Why nothing is done with the file while all threads are lost.
    var refusal: FileFailure {
        FileFailure(name: "\(destination)", .other(queue.executor.exhaustion))
    }

    /// Waits for work on the file, while no byte is to move.
    func awaited<Value: Sendable>(
        until limit: OneShot, _ work: @escaping @Sendable () -> Value,
        late: @escaping @Sendable (Value) -> Void = { _ in }
    ) async -> IOExecutor.Ending<Value> {
        arrivals.withLock { $0.isAwaited = true }
        let ending = await queue.run(until: limit, work, late: late)
        arrivals.withLock { ($0.isAwaited, $0.mailbox.wentOn) = (false, .now) }
        return ending
    }

    /// Fires some time after the call has ended: when a system call has taken so long, or all of them together have since the end.
    func leaving(after stop: OneShot, keeps: Bool) -> OneShot {
        let leaving = OneShot()
        let (queue, patience) = (queue, keeps ? patience.keeping : patience.cleaning)
        stop.whenFired {
            let end = ContinuousClock.now + patience
            Task.detached {
                while true {
                    let next = min(queue.since.map { $0 + patience } ?? end, end)
                    guard next > .now else { return leaving.fire() }
                    try? await Task.sleep(until: next, clock: .continuous)
                }
            }
        }
        return leaving
    }

    /// The call has ended, and the file hangs: what comes of it concerns nobody.
    func abandon() {
        abandoned.withLock { $0 = true }
        drop()
        queue.abandon()
    }
}
