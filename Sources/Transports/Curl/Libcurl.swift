import CPatchbayCurl

/// All that depends on the version of libcurl, or on the words of its texts. Used only after libcurl was loaded.
enum Libcurl {
    private static let version = patchbay_curl_version()

    /// Whether libcurl limits its memory for a paused HTTP/2 transfer while other transfers use the connection. Measured
    /// with a file of 256 MiB beside 20,000 small responses: 8.23.0 takes 20 MiB; 7.88.1 takes 57 to 155 MiB, and fails
    /// some transfers with CURLE_OUT_OF_MEMORY.
    static var boundsPausedStreams: Bool { version >= 0x081700 }
    /// Whether an exchange succeeds if its HTTP/2 response is complete before the body of its request. With 8.23.0 the
    /// exchange succeeds; 7.88.1 waits for the body, or fails with CURLE_HTTP2_STREAM.
    static var keepsEarlyAnswers: Bool { version >= 0x081700 }
    /// Whether an exchange fails immediately if its connection ends inside a chunked response, while the request is still
    /// being sent. 8.23.0 fails it; 7.88.1 treats the response as complete.
    static var reportsCutBodies: Bool { version >= 0x081700 }
    /// Whether exchanges can share an HTTP/2 connection that was made without negotiation. 7.88.1 fails the second
    /// exchange on such a connection; 8.23.0 does not.
    static var sharesPriorKnowledge: Bool { version >= 0x080100 }
    /// Whether a handle can carry one transfer after another. Before 8.1.0, libcurl keeps a pointer to the last header of
    /// a transfer after that header was freed, and crashes if the next response begins with a folded line.
    static var reusesHandles: Bool { version >= 0x080100 }
    /// Whether libcurl reports the connection of a transfer (CURLOPT_PREREQFUNCTION).
    static var reportsConnections: Bool { version >= 0x075000 }
    /// Whether the TLS library of libcurl is OpenSSL or a fork of it, whose results CURLINFO_SSL_VERIFYRESULT returns.
    static let hasOpenSSL = patchbay_curl_has_openssl() != 0

    /// What libcurl's text tells about a failure that neither its code nor a fact about the transfer tells. A text with
    /// other words tells nothing. The text must not be shown, because it can quote the response.
    struct Text: ExpressibleByStringLiteral {
        private let words: String

        init(_ words: String) { self.words = words }
        init(stringLiteral words: String) { self.init(words) }

        /// For a TLS library other than OpenSSL: the certificate is for another host.
        var namesOtherHost: Bool { words.contains("subject name") }
        /// The texts of OpenSSL for the alerts of RFC 8446, section 6.2, and for its own refusal.
        var namesTLSVersion: Bool { words.contains("protocol version") || words.contains("unsupported protocol") }
        var asksForCertificate: Bool { words.contains("certificate required") }
        /// In TLS 1.3, a host checks the client certificate after the handshake has ended for the client.
        var isAlert: Bool { words.contains(" alert ") }
        /// The connection ended without the end of TLS: OpenSSL 3.2 or later, and GnuTLS.
        var lacksTLSEnd: Bool { words.contains("unexpected eof") || words.contains("non-properly terminated") }
        var isBrokenChunk: Bool { words.contains("chunk") }
        var isLongHead: Bool { words.contains("header") }
        /// While a body is sent, libcurl 7.88.1 does not tell why a stream was closed. libcurl 8 resets the streams itself
        /// where a GOAWAY has an error.
        var leavesResetOpen: Bool { words.isEmpty || words.contains("reset by curl") }
        var isUnusableProxy: Bool { words.hasPrefix("Unsupported proxy") }
        var isUnconnected: Bool { words.hasPrefix("Failed to connect to") }
        var lacksThread: Bool { words.contains("thread failed to start") }
    }
}

extension EasyHandle {
    /// libcurl's text for the failure.
    var text: Libcurl.Text { Libcurl.Text(String(cString: patchbay_curl_failure_text(facts))) }

    /// Whether the host has reset a stream of the transfer with HTTP_1_1_REQUIRED (RFC 9113, section 7). libcurl
    /// overwrites the start of the text that names this code, and later versions set its first byte to zero. The name
    /// stands further back, and stays.
    var wantsHTTP1: Bool {
        withUnsafeBytes(of: facts.pointee.text) { $0.contains("HTTP_1_1_REQUIRED".utf8) }
    }
}
