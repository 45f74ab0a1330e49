import PatchbayPlatform
import PatchbayRegistry

/// The file that a download is to make, through all the tries of the call.
///
/// Bytes are copied where they come, in a turn of the transport's loop, and written on the executor, behind the work that finds and
/// opens the file. So many may wait; then the sender has to. What is asked of the file itself, at the end, is done there too, when
/// all that waits is written: a system call that is stuck holds up this call, and no other.
///
/// Whoever waits for the file leaves when the call has ended: what still hangs then is left behind, and when it returns the part is
/// closed and removed on its thread, and a file that got its name too late loses it.
final class FileSink: BodySink {
    /// How many bytes may wait to be written: that many, or one piece.
    static let queueLimit = 16 << 20

    /// How long a call that has ended waits for its file: from its end on, or for a system call from when that began.
    struct Patience: Sendable {
        /// Where nothing is to be kept.
        var cleaning = IOExecutor.SerialQueue.patience
        /// Where a part is to be put on disk.
        var keeping = Duration.seconds(5)
    }

    /// The file. Touched by work of the queue only, and by one at a time, so the lock is held to copy it, and never while a system
    /// call runs.
    struct File: Sendable {
        /// What the try is writing, or has written.
        var part: PartialFile?
        /// What the next try starts from.
        var resumption: DownloadResumption?
        /// What joins the bytes of the part to a later response, or why nothing does; nil where nobody asked for that.
        var validator: Result<StrongValidator, Refusal>?
        var length: Int?
        var target = ""
        var isOpen = false

        /// Whether what has come is not what was asked for, so that there is nothing to go on with.
        static func isRefused(_ failure: SessionError) -> Bool {
            SessionError.Code.ofUnusableResponse.contains(failure.code)
        }

        func keepsPart(after failure: SessionError) -> Bool {
            guard case .success = validator else { return false }
            return !Self.isRefused(failure)
        }
    }

    /// What came of one exchange and is not written yet.
    struct Arrivals: Sendable {
        var mailbox: Mailbox
        /// Whether the queue knows of them.
        var isWriting = false
        var isAwaited = false
        /// Ends the exchange; nil once it was called.
        var stop: (@Sendable () -> Void)?
        var failure: SessionError?
    }

    /// Whether the finished file is serialized, so that the limits of its entry hold.
    let isSerialized: Bool
    let destination: DownloadDestination
    let calls: FileCalls
    let queue: IOExecutor.SerialQueue
    let limit: Int
    let patience: Patience
    let file: Guarded<File>
    let arrivals: Guarded<Arrivals>
    /// Whether the call has left the file behind.
    let abandoned = Guarded(false)

    init(
        _ destination: DownloadDestination, isSerialized: Bool, calls: FileCalls, on io: IOExecutor,
        limit: Int = queueLimit, patience: Patience = Patience()
    ) {
        let resumption = destination.resumption
        self.destination = resumption.map { DownloadDestination(of: $0) } ?? destination
        self.isSerialized = isSerialized
        self.calls = calls
        (self.limit, self.patience) = (limit, patience)
        queue = IOExecutor.SerialQueue(io, patience: patience.cleaning)
        file = Guarded(File(resumption: resumption))
        arrivals = Guarded(Arrivals(mailbox: Mailbox(limit: limit)))
    }

    var body: ResponseBody { .empty }

    /// The part that the response went into; nil where it did not.
    var written: PartialFile? { file.withLock { $0.isOpen ? $0.part : nil } }

    var hasBody: Bool { written != nil }

    /// Where the bytes are until the file has its name; nil where they are not in a file.
    var partURL: URL? { written?.partURL }

    /// How many bytes are missing at the end; 0 where nobody knows better.
    var missing: Int { written?.missing ?? 0 }

    /// Whether the call has left the file behind, because it hangs, so that there is nothing to try again with.
    var isAbandoned: Bool { abandoned.withLock { $0 } }

    /// Readies a request for a try: one that goes on asks for the rest of the version that it has the beginning of.
    /// - Returns: nil where the signal fired before it was ready.
    func prepare(
        _ outgoing: OutgoingRequest, unless stop: OneShot
    ) async throws(SessionError) -> OutgoingRequest? {
        var request = outgoing
        // Ranges are ranges of what was coded, and a coding need not come out alike a second time.
        if destination.isResumable, request.fields["Accept-Encoding"] == nil {
            request.fields["Accept-Encoding"] = "identity"
        }
        let target = Self.digest(request)
        let begun = await queue.run(until: stop) {
            Result { () throws(SessionError) in try self.begin(target) }
        }
        switch begun {
        case .done(let result):
            guard let resumption = try result.get() else { return request }
            request.fields["Range"] = "bytes=\(resumption.start)-"
            request.fields["If-Range"] = resumption.validator.value
            return request
        case .refused: throw SessionError(refusal)
        case .left: return nil
        }
    }

    /// Begins a try: opens the part that it goes on with, if there is one.
    private func begin(_ target: String) throws(SessionError) -> DownloadResumption? {
        arrivals.replace(by: Arrivals(mailbox: Mailbox(limit: limit)))
        return try update { file throws(SessionError) in
            // The try before may have finished its file, and failed at something later.
            file.part?.withdraw()
            (file.part, file.isOpen) = (nil, false)
            file.target = target
            guard let resumption = file.resumption else { return nil }
            guard resumption.target == target else {
                throw SessionError(resuming: Refusal("it was begun by a request with another method or URL"))
            }
            do throws(FileFailure) {
                file.part = try PartialFile(resuming: resumption, calls)
            } catch {
                throw SessionError(error)
            }
            file.validator = .success(resumption.validator)
            file.length = resumption.expectedBytes
            return resumption
        }
    }

    /// Ends the try: what was written is removed, or kept where it can be gone on with, and then the error says how.
    /// - Parameter stop: ends the call, or has ended it.
    func failed(_ failure: SessionError, unless stop: OneShot) async -> SessionError {
        let (isOpen, keeps) = file.withLock { ($0.isOpen, $0.keepsPart(after: failure)) }
        // Where nothing is kept, what waits need not be written: from now on, and not only when it is the turn of this.
        if isOpen, !keeps { drop() }
        // Where nothing was begun no thread is needed.
        guard !queue.isIdle || file.withLock({ $0.part != nil }) else {
            return clean(after: failure).error
        }
        let ending = await queue.run(until: leaving(after: stop, keeps: keeps), isKept: true) {
            self.clean(after: failure)
        } late: { cleaned in
            // Nobody knows of it.
            cleaned.kept?.discard()
        }
        guard case .done(let cleaned) = ending else {
            abandon()
            var error = failure
            error.facts.reason += "; its file was left behind, because the disk does not answer"
            return error
        }
        return cleaned.error
    }

    /// Ends the work on the part of a try.
    /// - Returns: the error with what can be gone on with, and that once more where this try has made it.
    private func clean(after failure: SessionError) -> (error: SessionError, kept: DownloadResumption?) {
        update { file in
            var error = failure
            let earlier = file.resumption
            if let part = file.part {
                if part.hasName {
                    // Where it is a file by now, there is no part to go on with. Of a temporary one nobody has the name.
                    if part.isTemporary { part.withdraw() }
                    file.resumption = nil
                } else {
                    self.settle(part, &error, &file)
                    // For good: the next try may fail before it has one of its own.
                    (file.part, file.isOpen) = (nil, false)
                }
            }
            self.drop()
            // It is not the file that it was, and never will be.
            if failure.facts.isUnusablePart {
                file.resumption = nil
            }
            error.facts.resumption = file.resumption
            return (error, file.resumption == earlier ? nil : file.resumption)
        }
    }

    private func settle(_ part: PartialFile, _ error: inout SessionError, _ file: inout File) {
        if file.keepsPart(after: error), !isAbandoned { writeAll() } else { drop() }
        // A part that this try has not touched is as good as it was.
        guard part.isTouched else { return part.letGo() }
        file.resumption = nil
        guard let validator = file.validator, !File.isRefused(error), part.count > 0, !isAbandoned else {
            return part.discard()
        }
        switch validator {
        case .failure(let refusal):
            part.discard()
            error.facts.reason += "; it cannot be resumed: \(refusal.reason)"
        case .success(let validator):
            guard let mark = part.keep() else { return }
            file.resumption = DownloadResumption(
                file: part.url, expectedBytes: file.length, partName: part.part, replacesFile: part.replaces,
                isTemporary: part.isTemporary, mark: mark, validator: validator, target: file.target)
        }
    }

    static func digest(_ request: OutgoingRequest) -> String {
        var digest = TextDigest()
        digest.add(request.method)
        digest.add(request.url.absoluteString)
        return digest.hexadecimal
    }

    /// Changes the file, in work of the queue.
    func update<Value, Failure>(
        _ change: (inout File) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        var file = file.withLock { $0 }
        defer { self.file.replace(by: file) }
        return try change(&file)
    }
}

// MARK: - While the response arrives
