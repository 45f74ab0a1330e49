import PatchbayPlatform
import PatchbayRegistry

/// The file of a download, through all attempts of the call.
///
/// Bytes are copied in a turn of the transport's loop, and written on the executor, after the work that finds and opens
/// the file. A limited number may wait; then the sender waits. The work on the finished file is done there as well,
/// after all waiting bytes: a system call that hangs delays only this call.
///
/// A call that has ended stops waiting for its file. When the hanging system call returns, its thread closes and
/// removes the part file, and takes back a name that was given too late.
final class FileSink: BodySink {
    /// The limit of bytes that wait to be written. A larger piece may wait alone.
    static let queueLimit = 16 << 20

    /// The time that an ended call waits for its file: from its end on, or from the start of a system call.
    struct Patience: Sendable {
        /// If nothing is kept.
        var cleaning = IOExecutor.SerialQueue.patience
        /// If a part file is to be written to disk.
        var keeping = Duration.seconds(5)
    }

    /// The file. Only work of the queue uses it, one at a time. The lock is held to copy it, never during a system
    /// call.
    struct File: Sendable {
        /// The part file of the attempt.
        var part: PartialFile?
        /// The resumption that the next attempt starts from.
        var resumption: DownloadResumption?
        /// The validator for joining the part with a later response, or the reason that there is none; nil if the
        /// destination is not resumable.
        var validator: Result<StrongValidator, Refusal>?
        var length: Int?
        var target = ""
        var isOpen = false

        /// Whether the response was not the wanted one, so that its part is useless.
        static func isRefused(_ failure: SessionError) -> Bool {
            SessionError.Code.ofUnusableResponse.contains(failure.code)
        }

        func keepsPart(after failure: SessionError) -> Bool {
            guard case .success = validator else { return false }
            return !Self.isRefused(failure)
        }
    }

    /// The bytes of one exchange that are not written yet.
    struct Arrivals: Sendable {
        var mailbox: Mailbox
        /// Whether the queue has work for them.
        var isWriting = false
        var isAwaited = false
        /// Ends the exchange; nil after it was called.
        var stop: (@Sendable () -> Void)?
        var failure: SessionError?
    }

    /// Whether the finished file is serialized, so that the limits of its entry apply.
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

    /// The part file of the response; nil if it did not go into one.
    var written: PartialFile? { file.withLock { $0.isOpen ? $0.part : nil } }

    var hasBody: Bool { written != nil }

    /// The place of the bytes before the file has its final name; nil if they are not in a file.
    var partURL: URL? { written?.partURL }

    /// The number of missing bytes at the end; 0 if it is unknown.
    var missing: Int { written?.missing ?? 0 }

    /// Whether the call has left the file behind because it hangs. It cannot be retried then.
    var isAbandoned: Bool { abandoned.withLock { $0 } }

    /// Prepares a request for an attempt. A resumed download asks for the rest of its version.
    /// - Returns: nil if the signal fired first.
    func prepare(
        _ outgoing: OutgoingRequest, unless stop: OneShot
    ) async throws(SessionError) -> OutgoingRequest? {
        var request = outgoing
        // Ranges are ranges of the coded bytes, and a coding may give other bytes the next time.
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

    /// Begins an attempt: opens the part file to resume, if there is one.
    private func begin(_ target: String) throws(SessionError) -> DownloadResumption? {
        arrivals.replace(by: Arrivals(mailbox: Mailbox(limit: limit)))
        return try update { file throws(SessionError) in
            // The previous attempt may have finished its file and failed later.
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

    /// Ends the attempt: the part is removed, or kept if it can be resumed, and the error then has the resumption.
    /// - Parameter stop: ends the call, or has ended it.
    func failed(_ failure: SessionError, unless stop: OneShot) async -> SessionError {
        let (isOpen, keeps) = file.withLock { ($0.isOpen, $0.keepsPart(after: failure)) }
        // If nothing is kept, waiting bytes are not written. They are dropped now, not in a later turn.
        if isOpen, !keeps { drop() }
        // If nothing was begun, no thread is needed.
        guard !queue.isIdle || file.withLock({ $0.part != nil }) else {
            return clean(after: failure).error
        }
        let ending = await queue.run(until: leaving(after: stop, keeps: keeps), isKept: true) {
            self.clean(after: failure)
        } late: { cleaned in
            // The call has already failed with an error that does not have this resumption.
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

    /// Ends the work on the part of an attempt.
    /// - Returns: the error with the resumption, and the resumption if this attempt made it.
    private func clean(after failure: SessionError) -> (error: SessionError, kept: DownloadResumption?) {
        update { file in
            var error = failure
            let earlier = file.resumption
            if let part = file.part {
                if part.hasName {
                    // A finished file has no part to resume. The name of a temporary one is unknown to the caller.
                    if part.isTemporary { part.withdraw() }
                    file.resumption = nil
                } else {
                    self.settle(part, &error, &file)
                    // Forgotten for good: the next attempt may fail before it has its own.
                    (file.part, file.isOpen) = (nil, false)
                }
            }
            self.drop()
            // Another process changed the part file, so the download can't be resumed.
            if failure.facts.isUnusablePart {
                file.resumption = nil
            }
            error.facts.resumption = file.resumption
            return (error, file.resumption == earlier ? nil : file.resumption)
        }
    }

    private func settle(_ part: PartialFile, _ error: inout SessionError, _ file: inout File) {
        if file.keepsPart(after: error), !isAbandoned { writeAll() } else { drop() }
        // An untouched part is as good as before.
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
