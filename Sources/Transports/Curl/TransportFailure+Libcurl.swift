import CPatchbayCurl
import PatchbayManager

extension TransportFailure {
    static let stopped = TransportFailure(.stopped, "the exchange was stopped")
    static let noHandle = TransportFailure(.outOfMemory, "libcurl could not take the exchange")
    #if os(Linux)
        static let noLibcurl = TransportFailure(
            .other, "libcurl.so.4 cannot be loaded; Debian and Ubuntu have it in the package libcurl4")
    #else
        static let noLibcurl = TransportFailure(
            .other, "this system has no libcurl for programs; URLSessionTransport needs none")
    #endif
    static let lostWithoutResponse = TransportFailure(
        .lostConnection, "the host closed the connection without a response")
    static let refusedTwice = TransportFailure(
        .unprocessed, "the host refused the request twice, and processed nothing of it")
    static let refusedSinglePass = TransportFailure(
        .unprocessed, "the host processed nothing of the request, and the body of the request cannot be sent twice")
    static let wantedOverHTTP1 = unsupported(
        "the host wants the request over HTTP/1.1, and ConnectionSettings.http allows HTTP/2 alone")
    static let lost = TransportFailure(.lostConnection, "the connection was lost")
    static let lostBeforeSent = TransportFailure(
        .lostConnection, "the host closed the connection before all of the body was sent")
    static let trailersTooLong = TransportFailure(
        .other, "the fields behind the body are longer than the 64 KiB that libcurl sends")
    /// By libcurl's documentation, this failure is a bug or a lack of memory.
    static let cannotGoOn = TransportFailure(.other, "libcurl could not carry on with its transfers")

    static func malformed(_ reason: String) -> TransportFailure {
        TransportFailure(.malformedResponse, "the response is malformed: \(reason)")
    }

    static func unsupported(_ reason: String) -> TransportFailure { TransportFailure(.unsupportedRequest, reason) }

    /// The meaning of one of libcurl's codes.
    /// - Parameter responseBegan: whether a line of the response has arrived.
    init(_ code: patchbay_curl_code, _ handle: EasyHandle, _ request: WireRequest, responseBegan: Bool) {
        if let cause = Self.shortage(code, handle) ?? Self.unixSocket(code, request)
            ?? Self.proxy(code, handle, request)?.noting(request)
        {
            self = cause
            return
        }
        switch code {
        case PATCHBAY_CURLE_URL_MALFORMAT: self = .unsupported("the URL cannot be read")
        case PATCHBAY_CURLE_COULDNT_RESOLVE_HOST:
            let version =
                switch request.connection.ipVersion {
                case .v4?: " to an IPv4 address"
                case .v6?: " to an IPv6 address"
                case nil: ""
                }
            self.init(.unresolvedHost, "the host name could not be resolved\(version)")
        case PATCHBAY_CURLE_COULDNT_CONNECT: self = .unconnected(handle, to: .host)
        case PATCHBAY_CURLE_OPERATION_TIMEDOUT: self = .connectTimeout(handle, request)
        case PATCHBAY_CURLE_UNSUPPORTED_PROTOCOL: self = .malformed("it is not HTTP/1.0 or later")
        case PATCHBAY_CURLE_WEIRD_SERVER_REPLY: self = .malformed("its head cannot be read")
        // libcurl does not distinguish a GOAWAY from broken framing.
        case PATCHBAY_CURLE_HTTP2 where !responseBegan:
            self.init(.lostConnection, "the host ended the HTTP/2 connection without a response, or broke its framing")
        case PATCHBAY_CURLE_HTTP2: self = .malformed("its HTTP/2 framing is broken")
        case PATCHBAY_CURLE_PARTIAL_FILE where !responseBegan, PATCHBAY_CURLE_GOT_NOTHING where !responseBegan:
            self = .lostWithoutResponse
        case PATCHBAY_CURLE_PARTIAL_FILE:
            self.init(.truncatedBody, "the connection ended before the body was complete")
        case PATCHBAY_CURLE_BAD_CONTENT_ENCODING: self = .malformed("its Transfer-Encoding cannot be undone")
        case PATCHBAY_CURLE_GOT_NOTHING: self = .malformed("it ended before its final head")
        case PATCHBAY_CURLE_BAD_FUNCTION_ARGUMENT where responseBegan:
            self = .malformed("a header line of it cannot be read")
        // Later versions of libcurl give this code for a faulty key; earlier versions give CERTPROBLEM.
        case PATCHBAY_CURLE_BAD_FUNCTION_ARGUMENT where request.connection.tls?.clientCertificate != nil:
            self = .unusable(request, handle.text)
        case PATCHBAY_CURLE_OUT_OF_MEMORY:
            // libcurl also reports this code for a response head over its size limit. A status line over it is not
            // passed on, but libcurl has the time of its first byte, unless a request with a body changed that time.
            let hasBytes = request.body == nil && handle.duration(PATCHBAY_CURLINFO_STARTTRANSFER_TIME_T) != nil
            self =
                responseBegan || hasBytes
                ? .malformed("its head is too long") : TransportFailure(.outOfMemory, "libcurl has no memory left")
        case PATCHBAY_CURLE_RECV_ERROR where handle.text.isAlert:
            self = .handshake(handle.text, with: .host, showing: request.connection.tls?.clientCertificate)
        case PATCHBAY_CURLE_RECV_ERROR where handle.text.isBrokenChunk:
            self = .malformed("its chunked coding is broken")
        case PATCHBAY_CURLE_TOO_LARGE,
            PATCHBAY_CURLE_RECV_ERROR where handle.text.isLongHead:
            self = .malformed("its head is too long")
        case PATCHBAY_CURLE_RECV_ERROR, PATCHBAY_CURLE_SEND_ERROR, PATCHBAY_CURLE_SEND_FAIL_REWIND,
            PATCHBAY_CURLE_HTTP2_STREAM:
            self = .lost
        case PATCHBAY_CURLE_PEER_FAILED_VERIFICATION:
            let result = handle.certificateResult(PATCHBAY_CURLINFO_SSL_VERIFYRESULT)
            if handle.text.findsExpired, let own = request.connection.tls?.clientCertificate {
                self = .refused(own, handle.text)
            } else {
                self = .certificate(result, handle.text, of: .host)
            }
        case PATCHBAY_CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            self = .mismatchedPin
        case PATCHBAY_CURLE_SSL_CONNECT_ERROR, PATCHBAY_CURLE_SSL_CIPHER, PATCHBAY_CURLE_SSL_CLIENTCERT:
            self = .handshake(handle.text, with: .host, showing: request.connection.tls?.clientCertificate)
        case PATCHBAY_CURLE_SSL_CERTPROBLEM: self = .unusable(request, handle.text)
        case PATCHBAY_CURLE_SSL_CACERT_BADFILE: self = .unreadableAuthorities(request.connection.tls)
        default: self.init(.other, "libcurl gave up with its code \(code.rawValue)")
        }
    }
}
