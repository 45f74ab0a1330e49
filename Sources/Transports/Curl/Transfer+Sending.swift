import CPatchbayCurl
import PatchbayCodings
import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

/// The callbacks for sending the body of the request, and waiting in both directions.
extension Transfer {
    /// Copies the held bytes, or else the next piece of the source.
    private func next(
        of source: any RequestBodySource, into buffer: UnsafeMutableRawBufferPointer
    ) throws -> RequestBodyPiece {
        guard !held.isEmpty else { return try source.read(into: buffer) }
        let piece = held.prefix(buffer.count)
        buffer.copyBytes(from: piece)
        return .bytes(piece.count)
    }

    /// Stops sending on a connection that was reset. If libcurl still reads from the connection, it continues to read.
    /// Otherwise the exchange ends: with success if the response is complete, and with a failure if it is not.
    private func leaveBody(after socket: Int32) -> Int {
        isBodyEnded = true
        guard socket == releasedSocket else { return Int(PATCHBAY_CURL_READFUNC_PAUSE) }
        guard isResponseWhole(socket) else {
            failure = .lostBeforeSent
            return Int(PATCHBAY_CURL_READFUNC_ABORT)
        }
        leavesBody = true
        loop.noteLeave(of: number)
        return Int(PATCHBAY_CURL_READFUNC_PAUSE)
    }

    /// Copies the next bytes of the request body. Returns their number, or libcurl's code for a pause or a failure.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        // libcurl stops by itself, except on a connection that will be closed: there it would continue until sending
        // fails, and lose the remaining bytes of the response.
        if hasHead, let head, head.status >= 300 {
            isBodyEnded = true
            return Int(PATCHBAY_CURL_READFUNC_PAUSE)
        }
        switch request.body {
        case nil: return 0
        case .data(let body):
            let piece = body.dropFirst(bytesRead).prefix(buffer.count)
            piece.withUnsafeBytes { buffer.copyMemory(from: $0) }
            bytesRead += piece.count
            return piece.count
        case .source(let source):
            do {
                switch try next(of: source, into: buffer) {
                case .bytes(let count):
                    // libcurl would fail when it sends the bytes, and lose a response that has arrived.
                    if let socket = releasedSocket ?? socket, patchbay_curl_is_reset(socket) != 0 {
                        held = Array(buffer.prefix(count)) + held.dropFirst(count)
                        return leaveBody(after: socket)
                    }
                    held.removeFirst(min(count, held.count))
                    bytesRead += count
                    endWait(&sourceListener)
                    (releasedSocket, patience, isBodyEnded) = (nil, nil, false)
                    return count
                case .end(let trailers):
                    endWait(&sourceListener)
                    guard trailers.isEmpty || request.hasTrailers else {
                        failure = .unannouncedTrailers
                        return Int(PATCHBAY_CURL_READFUNC_ABORT)
                    }
                    self.trailers = trailers
                    hasReadBody = true
                    noteSent(bytesSent)
                    return 0
                case .wait(let signal):
                    if let releasedSocket {
                        if isResponseWhole(releasedSocket) {
                            waitForMore(signal)
                        } else if patchbay_curl_is_peer_gone(releasedSocket) != 0 {
                            failure = .lostBeforeSent
                            return Int(PATCHBAY_CURL_READFUNC_ABORT)
                        }
                    }
                    resume(after: signal, &sourceListener)
                    return Int(PATCHBAY_CURL_READFUNC_PAUSE)
                }
            } catch {
                failure = bytesRead == 0 ? singlePassLoss ?? .unreadableBody : .unreadableBody
                return Int(PATCHBAY_CURL_READFUNC_ABORT)
            }
        }
    }

    /// Passes the trailer lines of the request body after its end. Returns false if a line can't be kept.
    func appendTrailers(to keep: (String) -> Bool) -> Bool {
        // libcurl limits all trailer lines together, including the last line and a NUL, to 64 KiB (DYN_TRAILERS). If
        // they exceed this limit, libcurl reports a lack of memory.
        let bytes = trailers.reduce(3) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        guard bytes <= 64 << 10 else {
            failure = .trailersTooLong
            return false
        }
        return TransportRequest.areSendable(trailers) && trailers.allSatisfy { keep("\($0.name): \($0.value)") }
    }

    /// Rewinds the request body, for libcurl, when the server has closed a kept connection.
    func seek(to offset: Int) -> Bool {
        switch request.body {
        case nil: return false
        case .data(let body):
            guard (0...body.count).contains(offset) else { return false }
            bytesRead = offset
            return true
        case .source(let source):
            guard offset == 0 else { return false }
            do { try source.rewind() } catch { return false }
            (bytesRead, held, isBodyEnded, hasReadBody) = (0, [], false, false)
            (releasedSocket, readSocket, patience) = (nil, nil, nil)
            return true
        }
    }

    func noteSent(_ total: Int) {
        // libcurl also counts the framing of chunks.
        let total = min(total, bytesRead)
        if hasReadBody || request.bodyLength == Int64(bytesRead), total == bytesRead { noteBodySent() }
        guard total > bytesSent else { return }
        receiver.sent(total - bytesSent)
        bytesSent = total
    }

    /// Whether the whole response has arrived. Called when libcurl has stopped reading from the connection: at the end
    /// of the response, or at the end of the connection, which can come later. (nginx can send its response early,
    /// close its sending direction and continue to read.) Without a request body, libcurl itself ends the exchange then.
    private func isResponseWhole(_ socket: Int32) -> Bool {
        guard hasHead, receiverListener == nil else { return false }
        if let endsByItself { return endsByItself }
        guard request.body != nil else { return false }
        return patchbay_curl_is_peer_gone(socket) == 0 || (chunkedEnd == nil && Self.reportsCutBodies)
    }

    /// Whether the last byte of the response has arrived, according to the framing of the response; nil if the framing
    /// does not define it.
    private var endsByItself: Bool? {
        guard hasHead, let head else { return nil }
        guard ResponseHead.canHaveBody(head.status, to: request.method) else { return true }
        if let length = head.fields.announcedLength { return length == bytesReceived }
        return chunkedEnd?.isReached == true ? true : nil
    }

    /// Whether the connection was lost, or the stream reset, after a complete response while the request body was still
    /// being sent: the server answered, stopped reading and closed.
    func isLossOfBodyAlone(_ code: patchbay_curl_code) -> Bool {
        switch code {
        case PATCHBAY_CURLE_SEND_ERROR, PATCHBAY_CURLE_RECV_ERROR, PATCHBAY_CURLE_HTTP2, PATCHBAY_CURLE_HTTP2_STREAM:
            request.body != nil && receiverListener == nil && endsByItself == true
        default: false
        }
    }

    /// Whether libcurl immediately fails an exchange whose connection ends inside a chunked body, even while the
    /// request is still being sent.
    static let reportsCutBodies = patchbay_curl_reports_cut_bodies() != 0

    /// Called when the whole response has arrived and the request body has nothing to send now. If the body has nothing
    /// to send for the time in `Patience`, its remaining bytes are not sent.
    private func waitForMore(_ signal: OneShot) {
        guard !signal.promisesBytes else {
            patience = nil
            return
        }
        if let patience {
            guard patience.isOver.hasFired else { return }
            leavesBody = true
            return loop.noteLeave(of: number)
        }
        let patience = Patience()
        self.patience = patience
        patience.isOver.whenFired { [weak loop, number] in loop?.send(.resume(number)) }
    }

    /// Ends the exchange before libcurl ends it: with success if the whole response has arrived.
    func stop() -> Result<ExchangeTimings, TransportFailure> {
        guard failure == nil, let readSocket, isResponseWhole(readSocket) else { return .failure(.stopped) }
        leavesBody = true
        return result(PATCHBAY_CURLE_OK)
    }

    /// Resumes the exchange when the signal fires. `curl_easy_pause` resumes both directions; the callback of the other
    /// direction pauses again.
    func resume(after signal: OneShot, _ last: inout OneShot.Listener?) {
        guard last?.signal !== signal || signal.hasFired else { return }
        endWait(&last)
        last = signal.listen { [weak loop, number] in loop?.send(.resume(number)) }
    }

    /// Stops waiting for the signal, which can outlive the exchange.
    func endWait(_ listener: inout OneShot.Listener?) {
        guard listener != nil else { return }
        listener.take()?.remove()
    }

    /// Notes whether libcurl waits to read from the connection and to write to it. Returns whether the exchange has a
    /// connection.
    func noteUse(of socket: Int32, reads: Bool, writes: Bool) -> Bool {
        self.socket = reads || writes ? socket : nil
        // A new connection can have the descriptor of one that libcurl gave up before the response.
        if reads { (hasWaitedToRead, readSocket) = (true, nil) }
        if !reads { noteRelease(of: socket, isWriting: writes) }
        return isConnected
    }

    /// Called when libcurl reads no more from the connection, and possibly still writes. If no piece waits for the
    /// receiver, the response or the connection has ended.
    ///
    /// If libcurl watches no socket because the request body is paused, libcurl must check the connection one more
    /// time. `fill` then determines whether the response is complete or the connection is lost.
    private func noteRelease(of socket: Int32, isWriting: Bool) {
        guard hasHead || !isWriting else { return }
        readSocket = receiverListener == nil ? socket : nil
        guard !isWriting, sourceListener != nil || isBodyEnded, receiverListener == nil, releasedSocket == nil else {
            return
        }
        releasedSocket = socket
        loop.noteRelease(of: number)
    }
}

/// The time for which a request body can have nothing to send after a complete response, before sending of the body is
/// abandoned: a tenth of a second, and more if this process is so busy that its tasks, including those that make the
/// body, wait for a thread.
struct Patience {
    let isOver = OneShot()

    init() {
        Task.detached { [isOver] in
            for _ in 0..<10 { try? await Task.sleep(for: .milliseconds(10)) }
            isOver.fire()
        }
    }
}
