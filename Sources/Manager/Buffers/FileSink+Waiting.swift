import PatchbayPlatform
import PatchbayRegistry

/// The work on a finished file, and the time that a call waits for it.
extension FileSink {
    /// The bytes, read from the written file, whatever its name is now; nil if the call ended meanwhile.
    func contents(unless stop: OneShot) async throws(FileFailure) -> ResponseBody? {
        try await finished(unless: stop) { part throws(FileFailure) in try part.contents() }
    }

    /// Writes the file to disk and gives it its final name; nil if the call ended meanwhile.
    ///
    /// If the name is given after that, it is removed again, because the call has failed. It is kept if it replaced
    /// another file: the new file, which is complete, is better than none.
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

    /// The refusal of work on files while all threads are lost.
    var refusal: FileFailure {
        FileFailure(name: "\(destination)", .other(queue.executor.exhaustion))
    }

    /// Waits for work on the file. No byte is expected meanwhile.
    func awaited<Value: Sendable>(
        until limit: OneShot, _ work: @escaping @Sendable () -> Value,
        late: @escaping @Sendable (Value) -> Void = { _ in }
    ) async -> IOExecutor.Ending<Value> {
        arrivals.withLock { $0.isAwaited = true }
        let ending = await queue.run(until: limit, work, late: late)
        arrivals.withLock { ($0.isAwaited, $0.mailbox.wentOn) = (false, .now) }
        return ending
    }

    /// The signal that fires some time after the call has ended: when one system call has taken too long, or all of
    /// them since the end.
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

    /// The call has ended and the file hangs, so its results are dropped.
    func abandon() {
        abandoned.withLock { $0 = true }
        drop()
        queue.abandon()
    }
}
