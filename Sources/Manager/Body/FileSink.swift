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
    private static let pieceOverhead = 64

    /// The file. Touched by work of the queue only, and by one at a time, so the lock is held to copy it, and never while a system
    /// call runs.
    private struct File: Sendable {
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
    private struct Arrivals: Sendable {
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
    private let destination: DownloadDestination
    private let calls: FileCalls
    private let queue: IOExecutor.SerialQueue
    private let limit: Int
    private let file: Guarded<File>
    private let arrivals = Guarded(Arrivals())

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
    private var written: PartialFile? { file.withLock { $0.isOpen ? $0.part : nil } }

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
        arrivals.withLock { $0 = Arrivals() }
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

    private static func digest(_ request: OutgoingRequest) -> String {
        var digest = TextDigest()
        digest.add(request.method)
        digest.add(request.url.absoluteString)
        return digest.hexadecimal
    }

    /// Changes the file, in work of the queue.
    private func update<Value, Failure>(
        _ change: (inout File) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        var file = file.withLock { $0 }
        defer { self.file.withLock { [file] in $0 = file } }
        return try change(&file)
    }
}

// MARK: - While the response arrives

extension FileSink {
    /// Begins to find and open the file, for the response whose body comes next.
    /// - Parameter stop: called once, on any thread, where the bytes cannot be taken any more.
    /// - Returns: how many bytes of the whole are there already.
    func open(_ head: ResponseHead, stop: @escaping @Sendable () -> Void) -> Int {
        arrivals.withLock { $0 = Arrivals(stop: stop) }
        let begun = file.withLock { $0.part == nil ? nil : $0.resumption }
        queue.enqueue { self.open(head) }
        guard let begun, head.status == 206 else { return 0 }
        return begun.start
    }

    /// Copies the bytes, to be written soon.
    func append(_ bytes: UnsafeRawBufferPointer) -> TransportFlow {
        let limit = limit
        let size = bytes.count + Self.pieceOverhead
        let (flow, begins) = arrivals.withLock { arrivals -> (TransportFlow, Bool) in
            guard arrivals.failure == nil else { return (.stop, false) }
            if let room = arrivals.waiting.add(size, limit: limit) { return (.wait(room), false) }
            arrivals.pieces.append(Array(bytes))
            defer { arrivals.isWriting = true }
            return (.proceed, !arrivals.isWriting)
        }
        if begins { queue.enqueue { self.write() } }
        return flow
    }

    /// Waits until everything that was taken is written; says why it is not.
    func settle() async -> SessionError? {
        arrivals.withLock { $0.isSettling = true }
        return await queue.run {
            self.writeAll()
            return self.arrivals.withLock { arrivals in
                (arrivals.stop, arrivals.isSettling, arrivals.waiting.wentOn) = (nil, false, .now)
                return arrivals.failure
            }
        }
    }

    /// Until when the disk was waited for, so that no byte was to move; nil where it never was.
    var rest: ContinuousClock.Instant? {
        arrivals.withLock { $0.isSettling ? .now : $0.waiting.rest }
    }

    private func open(_ head: ResponseHead) {
        do {
            try update { file in
                file.isOpen = true
                if let resumption = file.resumption, let part = file.part {
                    try resume(resumption, part, head, &file)
                } else {
                    let (url, options) = try destination.resolve(head)
                    file.part = try PartialFile(url, options, calls)
                    if options.isResumable || destination.isResumable { describe(head, &file) }
                }
            }
        } catch let failure as FileFailure {
            fail(SessionError(failure))
        } catch let refusal as Refusal {
            fail(SessionError(resuming: refusal))
        } catch {
            let words = "choosing it failed with \(type(of: error))"
            fail(SessionError(FileFailure(name: "the destination", .other(words))))
        }
    }

    /// Readies a file that was begun for what the response has of it.
    private func resume(
        _ resumption: DownloadResumption, _ part: PartialFile, _ head: ResponseHead, _ file: inout File
    ) throws {
        if head.status == 206 {
            let (end, length) = try resumption.check(head)
            file.length = length
            return try part.cut(to: resumption.start, end: end, expecting: length)
        }
        guard head.status == 200 else { throw Refusal("the status is \(head.status), neither 206 nor 200") }
        // There is another version by now, or the server knows no ranges.
        try part.cut(to: 0)
        describe(head, &file)
    }

    /// Notes how the bytes of this response could be joined to those of a later one.
    private func describe(_ head: ResponseHead, _ file: inout File) {
        file.length = head.fields["Content-Length"].flatMap { Int($0) }
        do throws(Refusal) {
            guard head.request.method == "GET" else { throw Refusal("its method is not GET") }
            guard head.status == 200 else { throw Refusal("the status is \(head.status), not 200") }
            guard !head.fields.hasContentCoding else { throw Refusal("the response has a content coding") }
            file.validator = .success(try StrongValidator(head.fields))
        } catch {
            file.validator = .failure(error)
        }
    }

    private func writeAll() {
        while writeSome() {}
    }

    private func write() {
        // Behind what was asked for meanwhile, and the work on other files.
        if writeSome() { queue.enqueue { self.write() } }
    }

    /// Writes what waits now; false where nothing did, or it could not be written.
    private func writeSome() -> Bool {
        var pieces = arrivals.withLock { arrivals in
            defer { arrivals.pieces = [] }
            arrivals.isWriting = !arrivals.pieces.isEmpty
            return arrivals.pieces
        }
        guard !pieces.isEmpty, let part = file.withLock(\.part) else { return false }
        for index in pieces.indices {
            // Taken out, so that its memory is free when it is written.
            let piece = pieces[index]
            pieces[index] = []
            guard piece.withUnsafeBytes({ part.append($0) }) else {
                fail(SessionError(part.failure ?? FileFailure(name: part.name, .other("it is closed"))))
                return false
            }
            let (room, isDropped) = arrivals.withLock { arrivals in
                (arrivals.waiting.remove(piece.count + Self.pieceOverhead, limit: limit), arrivals.isDropped)
            }
            room?.fire()
            if isDropped { return false }
        }
        return true
    }

    /// Ends the exchange: nothing is taken any more, and what waits is not written.
    private func fail(_ failure: SessionError) {
        let (stop, room) = arrivals.withLock { arrivals in
            let (stop, room) = (arrivals.stop, arrivals.waiting.removeAll())
            arrivals = Arrivals(waiting: arrivals.waiting, failure: arrivals.failure ?? failure, isDropped: true)
            return (stop, room)
        }
        stop?()
        room?.fire()
    }

    /// Forgets what waits.
    private func drop() {
        arrivals.withLock {
            $0 = Arrivals(waiting: Backlog(wentOn: $0.waiting.wentOn), failure: $0.failure, isDropped: true)
        }
    }
}
