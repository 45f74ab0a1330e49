import CPatchbayCurl
import PatchbayManager

/// Sending a request once more, after it was sent and got no response.
///
/// Any request can be sent again if the host has not processed it (RFC 9113, section 8.7). If the host may have
/// processed it, the request must be idempotent (RFC 9110, section 9.2.2).
extension Transfer {
    /// The second sending of the request.
    struct Repetition {
        /// What was known of the first one.
        let fate: Fate
        /// Whether it has a connection of its own, which it does not share. Otherwise libcurl has made a connection for it.
        let isAlone: Bool
    }

    /// What is known of a request that was sent and got no response.
    enum Fate {
        /// The host has not processed the request.
        case unprocessed
        /// The host wants the request over HTTP/1.1 (HTTP_1_1_REQUIRED; RFC 9113, section 7).
        case wantedOverHTTP1
        /// The host may have processed the request.
        case unknown
    }

    var isAlone: Bool { repetition?.isAlone == true }
    var wantsHTTP2: Bool { request.wantsHTTP2 && repetition?.fate != .wantedOverHTTP1 }

    // MARK: Before the request is sent

    /// Called when libcurl has a connection for the exchange. Returns whether the request may be sent on it.
    func takesConnection(from localPort: Int32, to remote: UnsafePointer<CChar>, _ remotePort: Int32) -> Bool {
        if let refusal = refusal(from: localPort, to: remote, remotePort) {
            verdict = refusal
            return false
        }
        if hasAddresses {
            loop.noteConnection(of: self, ConnectionID(remote: remote, remotePort, localPort: localPort))
        }
        return true
    }

    private func refusal(from localPort: Int32, to remote: UnsafePointer<CChar>, _ remotePort: Int32) -> Verdict? {
        if let fate = forbiddenRepetition() { return .repetition(fate) }
        // Over HTTP/2, unasked bytes can be frames, which a host is allowed to send at any time.
        if wantsHTTP2, connections?.isShared == true { return nil }
        return hasAddresses && loop.watch.hasUnaskedBytes(from: localPort, to: remote, remotePort) ? .unaskedBytes : nil
    }

    /// The fate of the request on the connection before, if bytes of the request were sent there, no response has
    /// begun, and the request must not be sent on this connection, too.
    ///
    /// A refused request can be sent on a new connection. libcurl would lose bytes that it read from the body and could
    /// not send. For HTTP_1_1_REQUIRED, it would make a connection on which it puts HTTP/2 requests (`prepare`).
    private func forbiddenRepetition() -> Fate? {
        guard let handle, let sent = handle.number(PATCHBAY_CURLINFO_REQUEST_SIZE),
            let made = handle.number(PATCHBAY_CURLINFO_NUM_CONNECTS)
        else { return nil }
        let now = (sent: sent, made: made)
        // The bytes before the first connection are those of a tunnel through a proxy.
        let earlier = attempt ?? now
        attempt = now
        guard now.sent > earlier.sent else { return nil }
        guard handle.facts.pointee.repeats_only_refusals != 0 else { return .unknown }
        // Also after an interim response. libcurl itself would read the next response as the rest of the interim one.
        if handle.wantsHTTP1 { return .wantedOverHTTP1 }
        guard !reader.hasBegun else { return .unknown }
        guard now.made > earlier.made, isBodyUnread, maySendAgain(after: .unprocessed) else { return .unprocessed }
        repetition = Repetition(fate: .unprocessed, isAlone: false)
        return nil
    }

    // MARK: After libcurl has given up

    /// The fate of a request without a response; nil if the request got a response, or was lost on a new connection
    /// without a word of the host.
    func fate(after code: patchbay_curl_code) -> Fate? {
        guard verdict == nil, !reader.hasBegun, let handle, let attempt else { return nil }
        let fate: Fate = handle.number(PATCHBAY_CURLINFO_REQUEST_SIZE) == attempt.sent ? .unprocessed : .unknown
        switch code {
        // A GOAWAY has ended the last stream of the connection. libcurl does not tell which streams the host processed.
        // If the host has also refused another stream of the connection, libcurl 7.88.1 reports success.
        case PATCHBAY_CURLE_HTTP2, PATCHBAY_CURLE_OK: return fate
        case PATCHBAY_CURLE_HTTP2_STREAM where handle.text.leavesResetOpen: return fate
        case PATCHBAY_CURLE_SEND_ERROR, PATCHBAY_CURLE_RECV_ERROR, PATCHBAY_CURLE_GOT_NOTHING,
            PATCHBAY_CURLE_PARTIAL_FILE:
            return attempt.made == 0 ? fate : nil
        // The body can't be read for a repetition of libcurl.
        case PATCHBAY_CURLE_SEND_FAIL_REWIND:
            return handle.facts.pointee.repeats_only_refusals != 0 ? .unprocessed : .unknown
        default: return nil
        }
    }

    /// Whether the exchange can send its request once more. Rewinds the body.
    func canSendAgain(after fate: Fate) -> Bool { maySendAgain(after: fate) && (isBodyUnread || seek(to: 0)) }

    private func maySendAgain(after fate: Fate) -> Bool {
        guard head == nil else { return false }
        return switch fate {
        case .unprocessed: repetition == nil
        case .wantedOverHTTP1: wantsHTTP2 && request.connection.http != .http2
        case .unknown: repetition == nil && request.isRepeatable
        }
    }

    private var isBodyUnread: Bool { bytesRead == 0 && !directions.isBodyRead }

    /// The failure of an exchange whose request got no response and is not sent again.
    /// - Parameter code: the code of libcurl; nil if this code refused the next connection.
    func loss(_ fate: Fate, _ code: patchbay_curl_code?) -> TransportFailure {
        guard head == nil else { return .lost }
        if fate == .wantedOverHTTP1, request.connection.http == .http2 { return .wantedOverHTTP1 }
        if fate != .unknown, repetition?.fate != .unknown {
            return repetition == nil ? .refusedSinglePass : .refusedTwice
        }
        var failure = TransportFailure.lostWithoutResponse
        if let code, code != PATCHBAY_CURLE_OK, let handle {
            failure = TransportFailure(code, handle, request, responseBegan: false)
        }
        guard !request.isRepeatable else { return failure }
        return TransportFailure(failure.code, "\(failure.reason), and the request may have been processed")
    }

    /// The failure of a body that can't be read for a second time, after the host processed nothing of the request; nil
    /// if the request is sent for the first time, or may have been processed.
    var singlePassLoss: TransportFailure? {
        repetition.flatMap { $0.fate == .unknown ? nil : .refusedSinglePass }
    }
}
