import PatchbayCodings
import PatchbayPlatform
import PatchbayRegistry

/// Receives the body of one exchange. The queue writes it.
extension FileSink {
    /// The number of pieces that are written before the other work of the queue and other files continue.
    private static let piecesAtOnce = 16

    /// Starts the work that opens the file for the body of a response.
    /// - Parameter stop: ends the exchange. It is called at most once, on any thread, if the file can't take more
    ///   bytes.
    func open(_ head: ResponseHead, _ resumption: Resumption, stop: @escaping @Sendable () -> Void) {
        arrivals.replace(by: Arrivals(mailbox: Mailbox(limit: limit), stop: stop))
        queue.enqueue({ self.open(head, resumption) }, orRefuse: refuse)
    }

    /// Copies the bytes. The queue writes them later.
    func append(_ bytes: UnsafeRawBufferPointer) -> TransportFlow {
        let (flow, begins) = arrivals.withLock { arrivals -> (TransportFlow, Bool) in
            guard arrivals.failure == nil else { return (.stop, false) }
            if let room = arrivals.mailbox.room(for: bytes.count) { return (.wait(room), false) }
            arrivals.mailbox.append(bytes)
            defer { arrivals.isWriting = true }
            return (.proceed, !arrivals.isWriting)
        }
        if begins { queue.enqueue(write, orRefuse: refuse) }
        return flow
    }

    /// Waits until all copied bytes are written, or until the signal fires. Returns the error if a write failed, or if
    /// bytes are missing although the response is complete.
    func settle(unless stop: OneShot, isComplete: Bool) async -> SessionError? {
        let settled = await awaited(until: stop) { () -> SessionError? in
            self.writeAll()
            let (failure, dropped) = self.arrivals.withLock { arrivals in
                defer { arrivals.stop = nil }
                return (arrivals.failure, arrivals.stop)
            }
            withExtendedLifetime(dropped) {}
            let isCut = isComplete && self.written.map { $0.missing > 0 } == true
            return failure ?? (isCut ? SessionError(.cutRange) : nil)
        }
        switch settled {
        case .done(let failure): return failure
        case .refused: return SessionError(refusal)
        // A failed write also fires the signal.
        case .left: return arrivals.withLock(\.failure)
        }
    }

    /// The time at which the last wait for the disk ended, or the current time during a wait; nil if nothing waited for
    /// the disk. The idle timeout counts from this time.
    var rest: Moment? {
        arrivals.withLock { $0.isAwaited ? .now : $0.mailbox.rest }
    }

    private func open(_ head: ResponseHead, _ resumption: Resumption) {
        guard !isAbandoned else { return }
        do {
            try update { file in
                file.isOpen = true
                if let part = file.part, case .append(let start, let end, let length) = resumption {
                    file.length = length
                    return try part.cut(to: start, end: end, expecting: length)
                }
                if let part = file.part {
                    try part.cut(to: 0)
                } else {
                    let (url, options) = try destination.resolve(head)
                    file.part = try PartialFile(url, options, calls)
                    guard options.isResumable || destination.isResumable else { return }
                }
                describe(head, &file)
            }
        } catch let failure as FileFailure {
            fail(SessionError(failure))
        } catch {
            let words = "choosing it failed with \(FailureReason(error))"
            fail(SessionError(FileFailure(name: "the destination", .other(words))))
        }
    }

    /// Notes the length and the validator of the response, so that a later response can continue the file.
    private func describe(_ head: ResponseHead, _ file: inout File) {
        file.length = head.fields.announcedLength
        do throws(Refusal) {
            guard head.request.method == "GET" else { throw Refusal("its method is not GET") }
            guard head.status == 200 else { throw Refusal("the status is \(head.status), not 200") }
            guard !head.fields.hasContentCoding else { throw Refusal("the response has a content coding") }
            file.validator = .success(try StrongValidator(head.fields))
        } catch {
            file.validator = .failure(error)
        }
    }

    func writeAll() {
        while writeNext() {}
    }

    private func write() {
        for _ in 0..<Self.piecesAtOnce where !writeNext() { return }
        queue.enqueue(write, orRefuse: refuse)
    }

    /// Writes the oldest waiting piece. Returns false if no piece waits, or if the write failed.
    private func writeNext() -> Bool {
        let (piece, room) = arrivals.withLock { arrivals -> ([UInt8]?, OneShot?) in
            let room = arrivals.mailbox.free()
            let piece = arrivals.mailbox.take()
            arrivals.isWriting = piece != nil
            return (piece, room)
        }
        room?.fire()
        guard let piece, let part = file.withLock(\.part) else { return false }
        guard piece.withUnsafeBytes({ part.append($0) }) else {
            let failure = part.failure ?? FileFailure(name: part.name, .other("it is closed"))
            fail(part.isExceeded ? SessionError(.excessOfRange) : SessionError(failure))
            return false
        }
        queue.goOn()
        return true
    }

    private func refuse() { fail(SessionError(refusal)) }

    /// Ends the exchange with a failure. The file accepts no more bytes, and the waiting bytes are not written.
    private func fail(_ failure: SessionError) {
        let (stop, room) = arrivals.withLock { arrivals in
            let (stop, room) = (arrivals.stop, arrivals.mailbox.removeAll())
            (arrivals.failure, arrivals.stop) = (arrivals.failure ?? failure, nil)
            return (stop, room)
        }
        stop?()
        room?.fire()
    }

    /// Drops the waiting bytes.
    func drop() {
        arrivals.letGo { arrivals in
            let dropped = arrivals
            let mailbox = Mailbox(limit: limit, wentOn: dropped.mailbox.wentOn)
            arrivals = Arrivals(mailbox: mailbox, failure: dropped.failure)
            return dropped
        }
    }
}
