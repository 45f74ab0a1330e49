import PatchbayPlatform
import PatchbayRegistry

/// The work on a finished file, and the time that a call waits for that work.
extension FileSink {
    /// Reads the written file, whatever its name is now. Returns nil if the call ended meanwhile.
    func contents(unless stop: OneShot) async throws(FileFailure) -> ResponseBody? {
        try await finished(unless: stop) { part throws(FileFailure) in try part.contents() }
    }

    /// Writes the file to disk and gives it its final name. Returns nil if the call ended meanwhile.
    ///
    /// If the file gets its name only after the call has ended, the file is removed again, because the call has failed.
    /// A file that replaced another file stays: a complete new file is better than no file.
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

    /// The error of work on a file that is refused because all threads of the `IOExecutor` are lost.
    var refusal: FileFailure {
        FileFailure(name: "\(destination)", .other(queue.executor.exhaustion))
    }

    /// Runs work on the file and waits for it. The idle timeout stops meanwhile.
    func awaited<Value: Sendable>(
        until limit: OneShot, _ work: @escaping @Sendable () -> Value,
        late: @escaping @Sendable (Value) -> Void = { _ in }
    ) async -> IOExecutor.Ending<Value> {
        arrivals.withLock { $0.isAwaited = true }
        let ending = await queue.run(until: limit, work, late: late)
        arrivals.withLock { ($0.isAwaited, $0.mailbox.wentOn) = (false, .now) }
        return ending
    }

    /// Returns a signal that limits the wait of an ended call. It fires when the running system call has taken longer
    /// than the time in `patience`, and at the latest when that time has passed since the end of the call.
    func leaving(after stop: OneShot, keeps: Bool) -> OneShot {
        let leaving = OneShot()
        let (queue, patience) = (queue, keeps ? patience.keeping : patience.cleaning)
        stop.whenFired {
            let end = Moment.now + patience
            Task.detached {
                while true {
                    let next = min(queue.since.map { $0 + patience } ?? end, end)
                    guard next > .now else { return leaving.fire() }
                    try? await Task.sleep(until: next.instant, clock: .continuous)
                }
            }
        }
        return leaving
    }

    /// Gives up the file of an ended call, because a system call on the file hangs.
    func abandon() {
        queue.abandon()
        drop()
    }
}
