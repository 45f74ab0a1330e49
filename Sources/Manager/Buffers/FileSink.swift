import PatchbayPlatform
import PatchbayRegistry

/// The file of a download, through all attempts of the call.
///
/// A callback of the transport copies the bytes. The `IOExecutor` opens the file and then writes the bytes. The number
/// of waiting bytes is limited: when the limit is reached, the sender waits. The executor also does the work on the
/// finished file, after all waiting bytes are written. A system call that hangs delays only this call.
///
/// A call that has ended stops waiting for its file. When a hanging system call returns, its thread closes and removes
/// the part file. If that system call gave the file its final name, the thread removes the file, because the call has
/// failed. A file that replaced an existing file stays.
final class FileSink: BodySink {
    /// The limit of bytes that wait to be written. A piece larger than the limit can wait alone.
    static let queueLimit = 16 << 20

    /// The time that an ended call waits for its file, counted from the end of the call or from the start of the
    /// running system call.
    struct Patience: Sendable {
        /// The time if the part file is removed.
        var cleaning = IOExecutor.SerialQueue.patience
        /// The time if the part file is kept and so must be written to disk.
        var keeping = Duration.seconds(5)
    }

    /// The state of the file. Only work in `queue` changes it, one piece of work at a time. The lock is held only to
    /// copy this value, never during a system call.
    struct File: Sendable {
        /// The part file of the attempt.
        var part: PartialFile?
        /// The resumption that the next attempt starts from.
        var resumption: DownloadResumption? { didSet { isRestRefused = false } }
        /// Whether the server has refused the rest of `resumption`. The part file stays as it is until the whole file
        /// begins to arrive.
        var isRestRefused = false
        /// The validator with which a later response can continue the part file, or the reason that there is no
        /// validator. Nil if the destination is not resumable.
        var validator: Result<StrongValidator, Refusal>?
        var length: Int?
        var target = ""
        var isOpen = false

        /// The resumption whose rest the request asks for; nil if it asks for the whole file.
        var asked: DownloadResumption? { isRestRefused ? nil : resumption }

        /// The validator with which the part file of a failed attempt is kept, or the reason that it can't be resumed.
        /// Nil if the destination is not resumable, or if the response was unusable and so is its part file.
        func validator(after failure: SessionError) -> Result<StrongValidator, Refusal>? {
            SessionError.Code.ofUnusableResponse.contains(failure.code) ? nil : validator
        }
    }

    /// The bytes of one exchange that are not written yet.
    struct Arrivals: Sendable {
        var mailbox: Mailbox
        /// Whether the queue has work that writes the bytes.
        var isWriting = false
        var isAwaited = false
        /// Ends the exchange; nil after it was called.
        var stop: (@Sendable () -> Void)?
        var failure: SessionError?
    }

    /// Whether a value is made from the finished file, so that the limits of the serializer's entry apply.
    let isSerialized: Bool
    let destination: DownloadDestination
    let calls: FileCalls
    let queue: IOExecutor.SerialQueue
    let limit: Int
    let patience: Patience
    let file: Guarded<File>
    let arrivals: Guarded<Arrivals>

    init(
        _ destination: DownloadDestination, isSerialized: Bool, calls: FileCalls, on io: IOExecutor,
        limit: Int = queueLimit, patience: Patience = Patience()
    ) {
        self.destination = destination
        self.isSerialized = isSerialized
        self.calls = calls
        (self.limit, self.patience) = (limit, patience)
        queue = IOExecutor.SerialQueue(io, patience: patience.cleaning)
        file = Guarded(File(resumption: destination.resumption))
        arrivals = Guarded(Arrivals(mailbox: Mailbox(limit: limit)))
    }

    var body: ResponseBody { .empty }

    /// The part file that the response was written to; nil if the response was not written to a file.
    var written: PartialFile? { file.withLock { $0.isOpen ? $0.part : nil } }

    var hasBody: Bool { written != nil }

    /// The URL of the part file; nil if the response was not written to a file.
    var partURL: URL? { written?.partURL }

    /// The interrupted download that the call continues; nil if there is no part of the file.
    var resumption: DownloadResumption? { file.withLock(\.resumption) }

    /// The download whose rest the next request asks for; nil if the request asks for the whole file.
    var resumed: DownloadResumption? { file.withLock(\.asked) }

    /// Whether the call gave up the file because a system call hangs. Such a call can't be retried.
    var isAbandoned: Bool { queue.isAbandoned }

    /// Prepares the request of an attempt. The request of a resumed download asks for the missing bytes, on the
    /// condition that the file on the server has not changed.
    /// - Returns: nil if `stop` fired before the part file was prepared.
    func prepare(
        _ outgoing: OutgoingRequest, unless stop: OneShot
    ) async throws(SessionError) -> OutgoingRequest? {
        var request = outgoing
        request.isResumable = destination.isResumable
        let target = Self.digest(request)
        let begun = await queue.run(until: stop) {
            Result { () throws(SessionError) in try self.begin(target) }
        }
        switch begun {
        case .done(let result):
            try result.get()
            guard let resumption = resumed else { return request }
            request.fields["Range"] = "bytes=\(resumption.start)-"
            request.fields["If-Range"] = resumption.validator.value
            return request
        case .refused: throw SessionError(refusal)
        case .left: return nil
        }
    }

    /// Begins an attempt: opens the part file to resume, if there is one.
    private func begin(_ target: String) throws(SessionError) {
        arrivals.replace(by: Arrivals(mailbox: Mailbox(limit: limit)))
        try update { file throws(SessionError) in
            // The previous attempt can have finished its file and failed later.
            file.part?.withdraw()
            (file.part, file.isOpen) = (nil, false)
            file.target = target
            guard let resumption = file.resumption else { return }
            guard resumption.target == target else {
                throw SessionError(resuming: Refusal("it was begun by a request with another method or URL"))
            }
            let url = try place(of: resumption)
            do throws(FileFailure) {
                file.part = try PartialFile(url, resuming: resumption, calls)
            } catch {
                // Another process changed the part file, so the download can't be resumed.
                if error.act == .resumed, !error.isOfSystem { file.resumption = nil }
                throw SessionError(error)
            }
            file.validator = .success(resumption.validator)
            file.length = resumption.expectedBytes
        }
    }

    /// The file of a resumption: the file that the destination names, unless an attempt of this call has made the
    /// resumption.
    private func place(of resumption: DownloadResumption) throws(SessionError) -> URL {
        guard resumption == destination.resumption else { return resumption.file }
        do throws(Refusal) { return try destination.file(of: resumption) } catch { throw SessionError(resuming: error) }
    }

    /// The end of an attempt: its error with the resumption, the resumption if this attempt made it, and whether the
    /// server has refused the rest of the file now, so that the next attempt asks for the whole file.
    typealias Ended = (error: SessionError, kept: DownloadResumption?, beginsAgain: Bool)

    /// Ends the attempt. If the download can be resumed, keeps the part file and adds the resumption to the error.
    /// Otherwise removes the part file.
    /// - Parameter stop: the signal that ends the call. It can have fired already.
    func failed(_ failure: SessionError, unless stop: OneShot) async -> Ended {
        let (isOpen, validator) = file.withLock { ($0.isOpen, $0.validator(after: failure)) }
        let keeps = (try? validator?.get()) != nil
        // If the part file is not kept, its waiting bytes are dropped now, not in later work of the queue.
        if isOpen, !keeps { drop() }
        // If no file was opened, cleaning needs no thread.
        guard !queue.isIdle || file.withLock({ $0.part != nil }) else { return clean(after: failure) }
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
            return (error, nil, false)
        }
        return cleaned
    }

    /// Ends the work on the part file of an attempt.
    private func clean(after failure: SessionError) -> Ended {
        update { file in
            var error = failure
            let (earlier, asked) = (file.resumption, file.asked)
            if let part = file.part {
                if part.hasName {
                    // A file with its final name can't be resumed. A temporary file is removed, because the caller
                    // doesn't know its name.
                    if part.isTemporary { part.withdraw() }
                    file.resumption = nil
                } else {
                    self.settle(part, &error, &file)
                    // The next attempt must not find this part file if it fails before it has its own.
                    (file.part, file.isOpen) = (nil, false)
                }
            }
            self.drop()
            error.facts.resumption = file.resumption
            let isRefused = asked.map { Resumption.beginsAgain(after: failure, $0) } == true && file.resumption != nil
            if isRefused { file.isRestRefused = true }
            return (error, file.resumption == earlier ? nil : file.resumption, isRefused)
        }
    }

    private func settle(_ part: PartialFile, _ error: inout SessionError, _ file: inout File) {
        let validator = isAbandoned ? nil : file.validator(after: error)
        if case .success? = validator { writeAll() } else { drop() }
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
                isTemporary: part.isTemporary, mark: mark, validator: validator, target: file.target)
        }
    }

    static func digest(_ request: OutgoingRequest) -> String {
        var digest = TextDigest()
        digest.add(request.method)
        digest.add(request.url.absoluteString)
        return digest.hexadecimal
    }

    /// Changes the state of the file. Only work in the queue calls this function.
    func update<Value, Failure>(
        _ change: (inout File) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        var file = file.withLock { $0 }
        defer { self.file.replace(by: file) }
        return try change(&file)
    }
}
