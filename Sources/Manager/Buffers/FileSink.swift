import PatchbayPlatform
import PatchbayRegistry

/// The file that a download is to make, through all the tries of the call.
///
/// Bytes are copied where they come, in a turn of the transport's loop, and written on the executor, behind the work that finds and
/// opens the file. So many may wait; then the sender has to. What is asked of the file itself, at the end, is done there too, when
/// all that waits is written: a system call that is stuck holds up this call, and no other.
final class FileSink: BodySink {
    /// How many bytes may wait to be written: that many, or one piece.
    static let queueLimit = 16 << 20
    /// What a piece takes beside its bytes, so that many small ones do not take more memory than a few large ones.
    static let pieceOverhead = 64

    /// The file. Touched by work of the queue only, and by one at a time, so the lock is held to copy it, and never while a system
    /// call runs.
    struct File: Sendable {
        /// What the try is writing, or has written.
        var part: PartialFile?
        /// What the next try starts from.
        var resumption: DownloadResumption?
        /// What joins the bytes of the part to a later response, or why nothing does; nil where nobody asked for that.
        var validator: Result<StrongValidator, Refusal>?
        /// How long the whole file is.
        var length: Int?
        /// The digest of the request.
        var target = ""
        /// Whether the response of the try goes into the part.
        var isOpen = false

        /// Whether what has come is not what was asked for, so that there is nothing to go on with.
        static func isRefused(_ failure: SessionError) -> Bool {
            [.bodyTooLarge, .validation, .lookup, .serialization].contains(failure.code)
        }

        func keepsPart(after failure: SessionError) -> Bool {
            guard case .success = validator else { return false }
            return !Self.isRefused(failure)
        }
    }

    /// What came of one exchange and is not written yet.
    struct Arrivals: Sendable {
        /// Oldest first.
        var pieces: [[UInt8]] = []
        /// What they take, those that are just being written among them.
        var waiting = Backlog()
        /// Whether the queue knows of them.
        var isWriting = false
        /// Whether the exchange is over, and the call waits for what is not written yet.
        var isSettling = false
        /// Ends the exchange; nil once it was called.
        var stop: (@Sendable () -> Void)?
        var failure: SessionError?
        /// Whether nothing of it is to be written any more.
        var isDropped = false
    }

    /// Whether the finished file is serialized, so that the limits of its entry hold.
    let isSerialized: Bool
    let destination: DownloadDestination
    let calls: FileCalls
    let queue: IOExecutor.SerialQueue
    let limit: Int
    let file: Guarded<File>
    let arrivals = Guarded(Arrivals())

    init(
        _ destination: DownloadDestination, isSerialized: Bool, calls: FileCalls, on io: IOExecutor,
        limit: Int = queueLimit
    ) {
        self.destination = destination
        self.isSerialized = isSerialized
        self.calls = calls
        self.limit = limit
        queue = IOExecutor.SerialQueue(io)
        file = Guarded(File())
    }

    /// The rest of a file that was begun.
    init(
        resuming resumption: DownloadResumption, isSerialized: Bool, calls: FileCalls, on io: IOExecutor,
        limit: Int = queueLimit
    ) {
        var place = DownloadDestination.file(resumption.file).resumable()
        place.replacesFile = resumption.replacesFile
        place.isTemporary = resumption.isTemporary
        destination = place
        self.isSerialized = isSerialized
        self.calls = calls
        self.limit = limit
        queue = IOExecutor.SerialQueue(io)
        file = Guarded(File(resumption: resumption))
    }

    var body: ResponseBody { .empty }

    /// The part that the response went into; nil where it did not.
    var written: PartialFile? { file.withLock { $0.isOpen ? $0.part : nil } }

    /// Whether the response went into the file.
    var hasBody: Bool { written != nil }

    /// Where the bytes are until the file has its name; nil where they are not in a file.
    var partURL: URL? { written?.partURL }

    /// How many bytes are missing at the end; 0 where nobody knows better.
    var missing: Int { written?.missing ?? 0 }

    /// Readies a request for a try: one that goes on asks for the rest of the version that it has the beginning of.
    func prepare(_ outgoing: OutgoingRequest) async throws(SessionError) -> OutgoingRequest {
        var request = outgoing
        // Ranges are ranges of what was coded, and a coding need not come out alike a second time.
        if destination.isResumable, request.fields["Accept-Encoding"] == nil {
            request.fields["Accept-Encoding"] = "identity"
        }
        let target = Self.digest(request)
        let resumption = try await queue.run { () throws(SessionError) in try self.begin(target) }
        guard let resumption else { return request }
        request.fields["Range"] = "bytes=\(resumption.start)-"
        request.fields["If-Range"] = resumption.validator.value
        return request
    }

    /// Begins a try: opens the part that it goes on with, if there is one.
    private func begin(_ target: String) throws(SessionError) -> DownloadResumption? {
        arrivals.replace(by: Arrivals())
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

    /// The bytes, read from the file that was written, whatever has become of its name.
    func contents() async throws(FileFailure) -> ResponseBody {
        try await finished { part throws(FileFailure) in try part.contents() }
    }

    /// Puts the file on disk and gives it its name.
    func finish() async throws(FileFailure) -> URL {
        try await finished { part throws(FileFailure) in
            try part.finish()
            return part.url
        }
    }

    private func finished<Value: Sendable>(
        _ work: @escaping @Sendable (PartialFile) throws(FileFailure) -> Value
    ) async throws(FileFailure) -> Value {
        try await queue.run { () throws(FileFailure) in
            guard let part = self.written else {
                throw FileFailure(name: "the download", .other("there is no file"))
            }
            return try work(part)
        }
    }

    /// Ends the try: what was written is removed, or kept where it can be gone on with, and then the error says how.
    func failed(_ failure: SessionError) async -> SessionError {
        // Where nothing is kept, what waits need not be written: from now on, and not only when it is the turn of this.
        if file.withLock({ $0.isOpen && !$0.keepsPart(after: failure) }) { drop() }
        return await queue.run {
            self.update { file in
                var error = failure
                if let part = file.part {
                    if part.hasName {
                        // Where it is a file by now, there is no part to go on with.
                        file.resumption = nil
                    } else {
                        self.settle(part, &error, &file)
                        // For good: the next try may fail before it has one of its own.
                        (file.part, file.isOpen) = (nil, false)
                    }
                }
                self.drop()
                // It is not the file that it was, and never will be.
                if let cause = failure.cause as? FileFailure, cause.act == .resumed, cause.systemCode == nil {
                    file.resumption = nil
                }
                error.facts.resumption = file.resumption
                return error
            }
        }
    }

    private func settle(_ part: PartialFile, _ error: inout SessionError, _ file: inout File) {
        if file.keepsPart(after: error) { writeAll() } else { drop() }
        // A part that this try has not touched is as good as it was.
        guard part.isTouched else { return part.letGo() }
        file.resumption = nil
        guard let validator = file.validator, !File.isRefused(error), part.count > 0 else { return part.discard() }
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
