import CPatchbayCurl
import PatchbayCodings
import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

/// The callbacks for sending the body of the request, and waiting in both directions.
extension Transfer {
    /// Copies the next bytes of the request body. Returns their number, or libcurl's code for a pause or a failure.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        // libcurl stops by itself, except on a connection that will be closed: there it would continue until sending
        // fails, and lose the remaining bytes of the response.
        if case .begun(let head) = response, head.status >= 300 { return leaveBody() }
        switch request.body {
        case nil: return 0
        case .data(let body):
            let piece = body.dropFirst(bytesRead).prefix(buffer.count)
            piece.withUnsafeBytes { buffer.copyMemory(from: $0) }
            bytesRead += piece.count
            return piece.count
        case .source(let source):
            // libcurl would fail when it sends bytes, and lose a response that has arrived.
            if let socket = directions.socket, patchbay_socket_is_reset(socket) != 0 { return leaveBody(on: socket) }
            return fill(buffer, from: source)
        }
    }

    private func fill(_ buffer: UnsafeMutableRawBufferPointer, from source: any RequestBodySource) -> Int {
        do {
            switch try source.read(into: buffer) {
            case .bytes(let count):
                bytesRead += count
                directions.noteBytes()
                return count
            case .end(let trailers):
                guard trailers.isEmpty || request.hasTrailers else { return abort(.unannouncedTrailers) }
                directions.sending = .done(trailers: trailers)
                noteSent(bytesSent)
                return 0
            case .wait(let signal):
                if directions.silence != nil, let socket = directions.socketAtEnd {
                    if isResponseWhole {
                        limitSilence(signal)
                    } else if patchbay_socket_peek(socket) == 0 {
                        return abort(.lostBeforeSent)
                    }
                }
                if !directions.sending.waits(for: signal) { directions.sending = .waiting(listener(for: signal)) }
                return PATCHBAY_CURL_READFUNC_PAUSE
            }
        } catch {
            return abort(bytesRead == 0 ? singlePassLoss ?? .unreadableBody : .unreadableBody)
        }
    }

    private func abort(_ failure: TransportFailure) -> Int {
        verdict = .failed(failure)
        return PATCHBAY_CURL_READFUNC_ABORT
    }

    /// Stops sending. libcurl continues to read.
    private func leaveBody() -> Int {
        directions.sending = .left
        return PATCHBAY_CURL_READFUNC_PAUSE
    }

    /// Stops sending on a connection that was reset. If libcurl reads no more from it either, the exchange ends: with
    /// success if the response is whole, and with a failure if it is not.
    private func leaveBody(on socket: Int32) -> Int {
        guard directions.silence != nil else { return leaveBody() }
        guard isResponseWhole else { return abort(.lostBeforeSent) }
        loop.afterwards(.leave(number))
        return leaveBody()
    }

    /// Called when the whole response has arrived and the request body has nothing to send now. If the body has nothing
    /// to send for a tenth of a second, its remaining bytes are not sent. It takes longer if this process is so busy that
    /// its tasks, including those that make the body, wait for a thread.
    private func limitSilence(_ signal: OneShot) {
        guard !signal.promisesBytes else {
            directions.silence = .checked
            return
        }
        if case .limited(let isOver) = directions.silence {
            if isOver.hasFired { loop.afterwards(.leave(number)) }
            return
        }
        let isOver = OneShot()
        directions.silence = .limited(by: isOver)
        isOver.whenFired { [weak loop, number] in loop?.send(.resume(number)) }
        Task.detached {
            for _ in 0..<10 { try? await Task.sleep(for: .milliseconds(10)) }
            isOver.fire()
        }
    }

    /// Passes the trailer lines of the request body after its end. Returns false if a line can't be kept.
    func appendTrailers(to keep: (String) -> Bool) -> Bool {
        guard case .done(let trailers) = directions.sending else { return true }
        // libcurl limits all trailer lines together, including the last line and a NUL, to 64 KiB (DYN_TRAILERS). If
        // they exceed this limit, libcurl reports a lack of memory.
        let bytes = trailers.reduce(3) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        guard bytes <= 64 << 10 else {
            verdict = .failed(.trailersTooLong)
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
            bytesRead = 0
            directions.restart()
            return true
        }
    }

    func noteSent(_ total: Int) {
        // libcurl also counts the framing of chunks.
        let total = min(total, bytesRead)
        if directions.isBodyRead || request.bodyLength == Int64(bytesRead), total == bytesRead {
            if times.bodySent == nil { (times.bodySent, times.turnSent) = (times.elapsed, loop.turns) }
        }
        guard total > bytesSent else { return }
        receiver.sent(total - bytesSent)
        bytesSent = total
    }

    // MARK: Both directions

    /// Whether the whole response has arrived, after libcurl has stopped reading from the connection: at the end of the
    /// response, or at the end of the connection, which can come later. (nginx can send its response early, close its
    /// sending direction and continue to read.) Without a request body, libcurl itself ends the exchange then.
    private var isResponseWhole: Bool {
        guard let socket = directions.socketAtEnd, case .begun(let head) = response else { return false }
        if let endsByItself = endsByItself(head) { return endsByItself }
        return request.body != nil && (Libcurl.reportsCutBodies || patchbay_socket_peek(socket) != 0)
    }

    /// Whether the last byte of the response has arrived, according to the framing of the response; nil if the framing
    /// does not define it.
    private func endsByItself(_ head: ResponseHeadReader.Head) -> Bool? {
        guard ResponseHead.canHaveBody(head.status, to: request.method) else { return true }
        if let length = head.fields.announcedLength { return length == bytesReceived }
        if case .chunks(let end) = ending, end.isReached { return true }
        return nil
    }

    /// Whether the connection was lost, or the stream reset, after a complete response while the request body was still
    /// being sent: the server answered, stopped reading and closed.
    func isLossOfBodyAlone(_ code: patchbay_curl_code) -> Bool {
        guard request.body != nil, !directions.isReceiverWaiting, case .begun(let head) = response else { return false }
        return switch code {
        case PATCHBAY_CURLE_SEND_ERROR, PATCHBAY_CURLE_RECV_ERROR, PATCHBAY_CURLE_HTTP2, PATCHBAY_CURLE_HTTP2_STREAM:
            endsByItself(head) == true
        default: false
        }
    }

    /// Ends the exchange before libcurl ends it: with success if the whole response has arrived.
    func stop() -> Outcome { verdict == nil && isResponseWhole ? result(PATCHBAY_CURLE_OK) : .failure(.stopped) }

    /// Makes the exchange continue when the signal fires. `curl_easy_pause` resumes both directions; the callback of the
    /// other direction pauses again.
    func listener(for signal: OneShot) -> OneShot.Listener {
        signal.listen { [weak loop, number] in loop?.send(.resume(number)) }
    }

    /// Notes whether libcurl waits to read from the connection and to write to it. Returns whether the exchange has a
    /// connection.
    func noteUse(of socket: Int32, _ events: SocketWatch.Events) -> Bool {
        let (reads, writes) = (events.contains(.read), events.contains(.write))
        if reads { handle?.facts.pointee.has_waited_to_read = 1 }
        // In the next turn, libcurl ends the exchange, or `fill` does.
        if directions.noteUse(of: socket, reads: reads, writes: writes, hasHead: hasHead) {
            loop.afterwards(.resume(number))
        }
        // If an address of the host refuses, libcurl 7 closes the socket, but tries the next address only when it acts again,
        // and it would do so after half of the connect timeout, or never.
        if events.isEmpty, !isConnected, hasTriedAddress { loop.afterwards(.check(number)) }
        return isConnected
    }
}
