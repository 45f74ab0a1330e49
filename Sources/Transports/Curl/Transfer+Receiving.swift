import CPatchbayCurl
import PatchbayCodings
import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

/// The callbacks for a response.
extension Transfer {
    /// Reads a line of the head, or the lines after the body, which libcurl joins while the exchange waits. Returns the
    /// number of bytes taken, or libcurl's code for a pause.
    func receiveLine(_ line: UnsafeRawBufferPointer) -> Int {
        do throws(TransportFailure) {
            if hasHead {
                try reader.readTrailers(line)
                return line.count
            }
            if !reader.hasBegun {
                // The version is that of `HTTP/2` or `HTTP/1.1`. A server can write 2 without having agreed on HTTP/2.
                let version = line.count > 5 ? line[5] : 0
                if version == 0x32, wantsHTTP2 {
                    loop.connections.noteHTTP2(self)
                    // Over HTTP/2 the stream defines the end of the body. With a Content-Length, libcurl would stop at
                    // the announced length and never pass the trailer fields. libcurl's HTTP/2 library checks that the
                    // body has the announced length (RFC 9113, section 8.1.1).
                    _ = handle?.set(PATCHBAY_CURLOPT_IGNORE_CONTENT_LENGTH, 1)
                }
                // Over https the host chose the version.
                if version == 0x31, request.connection.http == .http2 {
                    throw TransportFailure(
                        .unsupportedRequest, "the host does not speak HTTP/2, which ConnectionSettings.http asks for")
                }
                if request.body != nil, times.firstByte == nil { times.firstByte = times.elapsed }
            }
            if case .none = response {
                // Most lines are not the last one of the head.
                guard let head = try reader.read(line, connections?.recentLines) else { return line.count }
                response = .offered(head)
                if let handle { try note(head, handle) }
            }
            guard case .offered(let head) = response else { return line.count }
            let taken = taken(line.count, receiver.receive(status: head.status, fields: head.fields))
            if taken == line.count { response = .begun(head) }
            // The final head came before the body was sent, so the body is not sent. The connection must not be used
            // for another request, which the server would read as the body (RFC 9110, section 10.1.1).
            if request.asksBeforeBody, bytesRead == 0 { _ = handle?.set(PATCHBAY_CURLOPT_FORBID_REUSE, 1) }
            // Bytes after the empty line at the end of the head are lines that arrived while the head waited.
            if hasHead, line.count > 2 { try reader.readTrailers(line) }
            return taken
        } catch {
            return refuse(error)
        }
    }

    /// Called when the head was read, and before any byte of the body.
    private func note(_ head: ResponseHeadReader.Head, _ handle: EasyHandle) throws(TransportFailure) {
        // RFC 9110, section 15.5.8; the answer can also be the host's.
        if head.status == 407, !request.url.isSecure, TransportFailure.isServedByProxy(handle, request) {
            throw .refusal(status: 407)
        }
        if request.url.isSecure { tlsVersion = handle.tlsVersion }
        guard !head.known.contains(.contentLength), ResponseHead.canHaveBody(head.status, to: request.method) else {
            return
        }
        // The reader has refused every other coding than chunked and identity.
        if head.known.contains(.transferEncoding), head.fields["Transfer-Encoding"]?.lowercased() != "identity" {
            guard request.bodyMayLast, !Libcurl.reportsCutBodies else { return }
            // libcurl writes a text for each of its steps, too, so this is set only if the response can be complete
            // before the request body was sent.
            ending = .chunks(ChunkedEnd())
            var handlers = patchbay_curl_handlers()
            handlers.on_wire = { _, kind, bytes, count, context in
                let transfer = Transfer.at(context)
                if Int(kind) == PATCHBAY_CURLINFO_DATA_IN, case .chunks(var end) = transfer.ending {
                    end.read(UnsafeRawBufferPointer(start: bytes, count: count))
                    transfer.ending = .chunks(end)
                }
                return 0
            }
            guard set(handlers, of: handle) else { throw .noHandle }
        } else if request.url.isSecure,
            handle.number(PATCHBAY_CURLINFO_HTTP_VERSION) ?? .max <= PATCHBAY_CURL_HTTP_VERSION_1_1
        {
            ending = .tls(hasEnded: nil)
            var handlers = patchbay_curl_handlers()
            handlers.on_progress = Self.onProgress
            _ = set(handlers, of: handle)
        }
    }

    /// Passes a chunk of the body to the receiver. Returns the number of bytes taken, or libcurl's code for a pause. A
    /// chunk that is only partly decoded waits in libcurl, which offers it again before the transfer can end; the
    /// decoder knows how many bytes of the chunk are decoded.
    func receiveBody(_ chunk: UnsafeRawBufferPointer) -> Int {
        guard hasHead else {
            return refuse(TransportFailure(.malformedResponse, "the response has a body but no complete head"))
        }
        do throws(TransportFailure) {
            // At the first byte of the body: without a body, wrong fields about the body are not a failure.
            if decoder == nil, bytesReceived == 0, !chunk.isEmpty {
                if request.decodesContent, let head, head.known.contains(.contentEncoding),
                    head.status != 206 || !request.asksForPart
                {
                    let codings = head.fields.contentCodings
                    if !codings.isEmpty { decoder = try ContentDecoder(codings, loop.limits) }
                }
            }
            let flow = try decoder?.decode(chunk, for: receiver, turn: loop.turns) ?? receiver.receive(chunk)
            let taken = taken(chunk.count, flow)
            if taken == chunk.count { bytesReceived += taken }
            return taken
        } catch {
            return refuse(error)
        }
    }

    private func refuse(_ failure: TransportFailure) -> Int {
        verdict = .failed(failure)
        return 0
    }

    /// Returns the result for libcurl's callback: all bytes are taken, libcurl must offer them again, or the receiver
    /// refuses them.
    private func taken(_ count: Int, _ flow: TransportFlow) -> Int {
        switch flow {
        case .proceed:
            if directions.isReceiverWaiting { directions.receiving = .open }
            return count
        case .stop:
            return refuse(.stopped)
        case .wait(let signal):
            if !directions.receiving.waits(for: signal) { directions.receiving = .waiting(listener(for: signal)) }
            return PATCHBAY_CURL_WRITEFUNC_PAUSE
        }
    }
}

/// The end of the response body.
extension Transfer {
    enum Ending {
        /// libcurl reports a cut body.
        case known
        /// While the body of the request is being sent, a libcurl for which `Libcurl.reportsCutBodies` is false does not
        /// distinguish a connection that ends after the last chunk from one that ends before it.
        case chunks(ChunkedEnd)
        /// The body ends with the connection. Over TLS, anybody on the way can end the connection, but only the host can
        /// end TLS by the alert close_notify (RFC 9112, section 9.8). Nil if it is unknown whether TLS has ended.
        case tls(hasEnded: Bool?)
    }

    /// Called after libcurl has read from the connection or written to it. Asks each time whether TLS has ended: at the
    /// end of the exchange it is too late, because libcurl has then left the connection.
    static let onProgress: @Sendable @convention(c) (UnsafeMutableRawPointer, Int64, Int64, Int64, Int64) -> Int32 = {
        context, _, _, _, sent in
        let transfer = Transfer.at(context)
        if transfer.request.body != nil { transfer.noteSent(Int(clamping: sent)) }
        if case .tls = transfer.ending, let hasEnded = transfer.handle?.hasTLSEnded {
            transfer.ending = .tls(hasEnded: hasEnded)
        }
        return 0
    }

    /// Whether the connection has ended without the end of TLS. libcurl 7.88.1 takes that for the end of the body; with
    /// OpenSSL 3.2 or later, and with GnuTLS, libcurl fails.
    func lacksTLSEnd(_ code: patchbay_curl_code) -> Bool {
        guard case .tls(let hasEnded) = ending else { return false }
        return switch code {
        case PATCHBAY_CURLE_OK: hasEnded == false
        case PATCHBAY_CURLE_RECV_ERROR: handle?.text.lacksTLSEnd == true
        default: false
        }
    }
}
