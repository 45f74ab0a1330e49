import PatchbayCodings
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
final class FileBody: BodySink {
    /// The limit of bytes that wait to be written. A piece larger than the limit can wait alone.
    static let queueLimit = 16 << 20

    /// The file. Only work in `queue` changes it, one piece of work at a time. The lock is held only to copy this value,
    /// never during a system call.
    struct File: Sendable {
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
        /// The digest of the request's method and URL.
        var target = ""
        /// The digest of the URL that the bytes come from.
        var source = ""
        var isOpen = false

        /// The resumption whose rest the request asks for; nil if it asks for the whole file.
        var asked: DownloadResumption? { isRestRefused ? nil : resumption }

        /// The validator with which the part file of a failed attempt is kept, or the reason that it can't be resumed.
        /// Nil if the destination is not resumable, or if the response was unusable and so is its part file.
        func validator(after failure: SessionError) -> Result<StrongValidator, Refusal>? {
            SessionError.Code.ofUnusableResponse.contains(failure.code) ? nil : validator
        }
    }

    struct State: Sendable {
        var file: File
        /// The bytes of the exchange that are not written yet.
        var pipe: BodyPipe<SessionError>
        /// Whether the queue has work that writes the bytes.
        var isWriting = false
    }

    /// Whether a value is made from the finished file, so that the limits of the serializer's entry apply.
    let isSerialized: Bool
    let destination: DownloadDestination
    let calls: FileCalls
    let queue: IOExecutor.SerialQueue
    let state: Guarded<State>

    init(
        _ destination: DownloadDestination, isSerialized: Bool, calls: FileCalls, on io: IOExecutor,
        limit: Int = queueLimit
    ) {
        self.destination = destination
        self.isSerialized = isSerialized
        self.calls = calls
        queue = IOExecutor.SerialQueue(io)
        state = Guarded(State(file: File(resumption: destination.resumption), pipe: BodyPipe(limit: limit)))
    }

    deinit {
        var part = state.withLock { $0.file.part.take() }
        part?.letGo()
    }

    /// The part file that the response was written to; nil if the response was not written to a file.
    var written: PartialFile? { state.withLock { $0.file.isOpen ? $0.file.part : nil } }

    var hasBody: Bool { written != nil }

    /// The URL of the part file; nil if the response was not written to a file.
    var partURL: URL? { written?.partURL }

    /// The interrupted download that the call continues; nil if there is no part of the file.
    var resumption: DownloadResumption? { state.withLock(\.file.resumption) }

    /// The download whose rest the next request asks for; nil if the request asks for the whole file.
    var resumed: DownloadResumption? { state.withLock(\.file.asked) }

    /// Whether the call gave up the file because a system call hangs. Such a call can't be retried.
    var isAbandoned: Bool { queue.isAbandoned }

    /// The time at which the last wait for the disk ended, or the current time during a wait; nil if nothing waited for
    /// the disk. The idle timeout counts from this time.
    var heldUntil: Moment? { state.withLock(\.pipe.heldUntil) }

    // MARK: The beginning of an attempt

    /// Prepares the request of an attempt. The request of a resumed download asks for the missing bytes, on the
    /// condition that the file on the server has not changed.
    /// - Returns: nil if `stop` fired before the part file was prepared.
    func prepare(
        _ outgoing: OutgoingRequest, unless stop: OneShot
    ) async throws(SessionError) -> OutgoingRequest? {
        var request = outgoing
        request.isResumable = destination.isResumable
        var digest = TextDigest()
        digest.add(request.method)
        digest.add(request.url.absoluteString)
        let target = digest.hexadecimal
        let begun: Void? = try await awaited(until: stop) { () throws(SessionError) in try self.begin(target) }
        guard begun != nil else { return nil }
        guard let resumption = resumed else { return request }
        request.fields["Range"] = "bytes=\(resumption.start)-"
        request.fields["If-Range"] = resumption.validator.value
        return request
    }

    /// Begins an attempt: opens the part file to resume, if there is one.
    private func begin(_ target: String) throws(SessionError) {
        try update { file throws(SessionError) in
            // The previous attempt can have finished its file and failed later.
            file.part?.withdraw()
            (file.part, file.isOpen, file.target) = (nil, false, target)
            guard let resumption = file.resumption else { return }
            // An attempt of this call can have made the resumption.
            let isOwn = resumption != destination.resumption
            guard resumption.target == target else {
                guard isOwn else {
                    throw SessionError(resuming: Refusal("it was begun by a request with another method or URL"))
                }
                // An interceptor has changed the URL since, so the file is fetched from its start.
                resumption.discard()
                file.resumption = nil
                return
            }
            var url = resumption.file
            if !isOwn {
                do throws(Refusal) { url = try destination.file(of: resumption) } catch {
                    throw SessionError(resuming: error)
                }
            }
            do throws(FileFailure) {
                file.part = try PartialFile(url, resuming: resumption, calls)
            } catch {
                // The part file is not the one that was left, so the download can't be resumed.
                if error.act == .resumed, !error.canPass { file.resumption = nil }
                throw SessionError(error)
            }
            (file.validator, file.length) = (.success(resumption.validator), resumption.expectedBytes)
            file.source = resumption.source
        }
    }

    /// Changes the file. Only work in the queue calls this function.
    func update<Value: Sendable, Failure>(
        _ change: (inout File) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        var file = state.withLock(\.file)
        defer {
            state.letGo { [file] state in
                let dropped = state.file
                state.file = file
                return dropped
            }
        }
        return try change(&file)
    }

    // MARK: The body of an exchange

    /// Starts the work that opens the file for the body of a response.
    func open(_ head: ResponseHead, _ resumption: Resumption, stop: OneShot) {
        state.waking { state, wakes in
            state.isWriting = false
            state.pipe.open(stop: stop, &wakes)
        }
        queue.enqueue({ self.open(head, resumption) }, orRefuse: refuse)
    }

    /// Copies the bytes. The queue writes them later.
    func append(_ bytes: UnsafeRawBufferPointer) -> TransportFlow {
        let (flow, begins) = state.waking { state, wakes -> (TransportFlow, Bool) in
            let flow = state.pipe.write(bytes, &wakes)
            guard case .proceed = flow, !state.isWriting else { return (flow, false) }
            state.isWriting = true
            return (flow, true)
        }
        if begins { queue.enqueue(write, orRefuse: refuse) }
        return flow
    }

    private func open(_ head: ResponseHead, _ resumption: Resumption) {
        guard !isAbandoned else { return }
        do {
            try update { file in
                file.isOpen = true
                if case .append(let start, let end, let length) = resumption {
                    guard file.part != nil else {
                        throw FileFailure(name: "the download", .other("there is no file"))
                    }
                    file.length = length
                    try file.part?.cut(to: start, end: end, expecting: length)
                    return
                }
                if file.part != nil {
                    try file.part?.cut(to: 0)
                } else {
                    let (url, options) = try destination.resolve(head)
                    file.part = try PartialFile(url, options, calls)
                }
                file.length = head.fields.announcedLength
                file.validator = destination.isResumable ? Result(of: head) : nil
                file.source = DownloadResumption.source(head.url)
            }
        } catch let failure as FileFailure {
            close(SessionError(failure))
        } catch {
            let words = "choosing it failed with \(FailureReason(error))"
            close(SessionError(FileFailure(name: "the destination", .other(words))))
        }
    }

    private func write() {
        // After some pieces, the other work of the queue and other files continue.
        let goesOn = update { file in (0..<16).allSatisfy { _ in writeNext(&file) } }
        if goesOn { queue.enqueue(write, orRefuse: refuse) }
    }

    /// Writes all waiting pieces.
    func writeAll(_ file: inout File) {
        while writeNext(&file) {}
    }

    /// Writes the oldest waiting piece. Returns false if no piece waits, or if the write failed.
    private func writeNext(_ file: inout File) -> Bool {
        let piece = state.waking { state, wakes in
            let piece = state.pipe.take(&wakes)
            state.isWriting = piece != nil
            return piece
        }
        guard let piece, var part = file.part else { return false }
        let isWritten = piece.withUnsafeBytes { part.append($0) }
        file.part = part
        guard isWritten else {
            let failure = part.failure ?? FileFailure(name: part.name, .other("it is closed"))
            close(part.isExceeded ? SessionError(.excessOfRange) : SessionError(failure))
            return false
        }
        queue.noteProgress()
        return true
    }

    private func refuse() { close(refusal) }

    /// Ends the exchange with a failure. The file accepts no more bytes, and the waiting bytes are not written.
    private func close(_ failure: SessionError) { state.waking { $0.pipe.close(with: failure, &$1) } }

    /// Drops the waiting bytes.
    func drop() { state.waking { $0.pipe.removeAll(&$1) } }
}

extension Result<StrongValidator, Refusal> {
    /// The validator of a response, or the reason that a later response can't continue its file.
    fileprivate init(of head: ResponseHead) {
        self = Result(catching: { () throws(Refusal) in
            guard head.request.method == "GET" else { throw Refusal("its method is not GET") }
            guard head.status == 200 else { throw Refusal("the status is \(head.status), not 200") }
            guard !head.fields.hasContentCoding else { throw Refusal("the response has a content coding") }
            return try StrongValidator(head.fields)
        })
    }
}
