import PatchbayPlatform
import PatchbayRegistry

/// The end of an attempt, and the time that a call waits for it.
extension FileBody {
    /// The time that an ended call waits for a part file that is kept, and so must be written to disk.
    private static let patience = Duration.seconds(5)

    /// Waits until all copied bytes are written, or until the signal fires. Returns the error if a write failed, or if
    /// bytes are missing although the response is complete.
    func settle(unless stop: OneShot, isComplete: Bool) async -> SessionError? {
        do throws(SessionError) {
            _ = try await awaited(until: stop) { () throws(SessionError) in
                self.update { self.writeAll(&$0) }
                self.state.waking { $0.pipe.finish(.success([:]), &$1) }
                if let failure = self.state.withLock(\.pipe.refusal) { throw failure }
                if isComplete, self.written.map({ $0.missing > 0 }) == true { throw SessionError(.cutRange) }
            }
            // A failed write also fires the signal.
            return state.withLock(\.pipe.refusal)
        } catch {
            return error
        }
    }

    /// Reads the written file, whatever its name is now. Returns nil if the call ended meanwhile.
    func contents(unless stop: OneShot) async throws(SessionError) -> ResponseBody? {
        try await finished(unless: stop) { part throws(FileFailure) in try part.contents() }
    }

    /// Writes the file to disk and gives it its final name. Returns nil if the call ended meanwhile.
    ///
    /// If the file gets its name only after the call has ended, the file is withdrawn, because the call has failed.
    func finish(unless stop: OneShot) async throws(SessionError) -> URL? {
        try await finished(unless: stop) { part throws(FileFailure) in
            try part.finish(unless: { self.isAbandoned })
            return part.url
        } late: { part in
            part.withdraw()
        }
    }

    private func finished<Value: Sendable>(
        unless stop: OneShot, _ work: @escaping @Sendable (inout PartialFile) throws(FileFailure) -> Value,
        late: @escaping @Sendable (inout PartialFile) -> Void = { _ in }
    ) async throws(SessionError) -> Value? {
        let made: Value? = try await awaited(until: leaving(after: stop)) { () throws(SessionError) in
            do throws(FileFailure) { return try self.change(work) } catch { throw SessionError(error) }
        } late: {
            _ = try? self.change(late)
        }
        if made == nil { abandon() }
        return made
    }

    /// Changes the part file that the response was written to.
    private func change<Value: Sendable>(
        _ change: (inout PartialFile) throws(FileFailure) -> Value
    ) throws(FileFailure) -> Value {
        try update { file throws(FileFailure) in
            guard file.isOpen, var part = file.part else {
                throw FileFailure(name: "the download", .other("there is no file"))
            }
            defer { file.part = part }
            return try change(&part)
        }
    }

    /// The error of work on a file that is refused because all threads of the `IOExecutor` are lost.
    var refusal: SessionError {
        SessionError(FileFailure(name: "\(destination)", .other(queue.executor.exhaustion)))
    }

    /// Does work on the file and waits for it. The idle timeout stops meanwhile.
    /// - Parameter late: called when the work is done after the wait has ended.
    /// - Returns: nil if the signal fires first.
    func awaited<Value: Sendable>(
        until limit: OneShot, _ work: @escaping @Sendable () throws(SessionError) -> Value,
        late: @escaping @Sendable () -> Void = {}
    ) async throws(SessionError) -> Value? {
        state.withLock { $0.pipe.isAwaited = true }
        let ending = await queue.run(until: limit) {
            Result(catching: work)
        } late: { _ in
            late()
        }
        state.withLock { $0.pipe.isAwaited = false }
        switch ending {
        case .done(let result): return try result.get()
        case .refused: throw refusal
        case .left: return nil
        }
    }

    /// Returns a signal that limits the wait of an ended call. It fires when the running system call has taken longer
    /// than a time, and at the latest when that time has passed since the end of the call.
    private func leaving(
        after stop: OneShot, patience: Duration = IOExecutor.SerialQueue.patience
    ) -> OneShot {
        let leaving = OneShot()
        let queue = queue
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
    private func abandon() {
        queue.abandon()
        drop()
    }

    // MARK: A failed attempt

    /// The end of an attempt: its error with the resumption, the resumption if this attempt made it, and whether the
    /// server has refused the rest of the file now, so that the next attempt asks for the whole file.
    typealias Ended = (error: SessionError, kept: DownloadResumption?, beginsAgain: Bool)

    /// Ends the attempt. If the download can be resumed, keeps the part file and adds the resumption to the error.
    /// Otherwise removes the part file.
    /// - Parameter stop: the signal that ends the call. It can have fired already.
    func failed(_ failure: SessionError, unless stop: OneShot) async -> Ended {
        // Asked first: work that ends meanwhile can have made the part file.
        let isIdle = queue.isIdle
        let (isOpen, hasPart, keeps) = state.withLock { state in
            let file = state.file
            return (file.isOpen, file.part != nil, (try? file.validator(after: failure)?.get()) != nil)
        }
        // If the part file is not kept, its waiting bytes are dropped now, not in later work of the queue.
        if isOpen, !keeps { drop() }
        // If no file was opened, cleaning needs no thread.
        guard !isIdle || hasPart else { return clean(after: failure) }
        let limit = leaving(after: stop, patience: keeps ? Self.patience : IOExecutor.SerialQueue.patience)
        let ending = await queue.run(until: limit, isKept: true) {
            self.clean(after: failure)
        } late: { cleaned in
            // The call has already failed with an error that does not have this resumption.
            cleaned.kept?.discard()
        }
        guard case .done(let cleaned) = ending else {
            abandon()
            var error = failure
            error.facts.reason += "; its file was left behind, because the disk does not answer"
            return (error, nil, false)
        }
        return cleaned
    }

    /// Ends the work on the part file of an attempt.
    private func clean(after failure: SessionError) -> Ended {
        update { file in
            var error = failure
            let (earlier, asked) = (file.resumption, file.asked)
            if file.part?.fate == .named {
                // A file with its final name can't be resumed. A temporary file is removed, because the caller doesn't
                // know its name.
                if file.part?.isTemporary == true { file.part?.withdraw() }
                file.resumption = nil
            } else if file.part != nil {
                self.settle(&error, &file)
                // The next attempt must not find this part file if it fails before it has its own.
                (file.part, file.isOpen) = (nil, false)
            }
            self.drop()
            error.facts.resumption = file.resumption
            let isRefused = asked.map { Resumption.beginsAgain(after: failure, $0) } == true && file.resumption != nil
            if isRefused { file.isRestRefused = true }
            return (error, file.resumption == earlier ? nil : file.resumption, isRefused)
        }
    }

    private func settle(_ error: inout SessionError, _ file: inout File) {
        let validator = isAbandoned ? nil : file.validator(after: error)
        if case .success? = validator { writeAll(&file) } else { drop() }
        guard var part = file.part else { return }
        // A part file without changes stays as it was.
        guard part.isTouched else { return part.letGo() }
        file.resumption = nil
        switch part.count > 0 && !isAbandoned ? validator : nil {
        case nil: part.discard()
        case .failure(let refusal)?:
            part.discard()
            error.facts.reason += "; it cannot be resumed: \(refusal.reason)"
        case .success(let validator)?:
            guard let mark = part.keep() else { return }
            file.resumption = DownloadResumption(
                file: part.url, expectedBytes: file.length, partName: part.part, replacesFile: part.replaces,
                isTemporary: part.isTemporary, mark: mark, validator: validator, target: file.target,
                source: file.source)
        }
    }
}
