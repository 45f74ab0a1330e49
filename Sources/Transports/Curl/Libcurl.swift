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
    /// The versions of libcurl and of the libraries that it uses, as libcurl names them.
    static let versions = String(cString: patchbay_curl_version_text())
    /// Whether the TLS library of libcurl is OpenSSL or a fork of it, whose results CURLINFO_SSL_VERIFYRESULT returns.
    static let hasOpenSSL = [" OpenSSL/", " LibreSSL/", " BoringSSL", " quictls/", " AWS-LC/"]
        .contains { versions.contains($0) }

    /// Whether libcurl was loaded, and with it zlib, brotli and zstd. After a failure, the next call tries again.
    static var isReady: Bool { patchbay_curl_start() == PATCHBAY_CURL_READY }

    struct Missing: Error {}

    /// A function of a library that libcurl needs, such as zlib or OpenSSL.
    static func function<Function>(_ name: String) throws(Missing) -> Function {
        guard let function = patchbay_curl_find(name) else { throw Missing() }
        return unsafeBitCast(function, to: Function.self)
    }

    /// Whether OpenSSL reads a private key in PEM with the passphrase; nil without OpenSSL. libcurl has one text for a key
    /// that cannot be read and for the key of another certificate.
    static func reads(_ key: [UInt8], _ passphrase: String) -> Bool? {
        typealias Object = OpaquePointer
        typealias Open = @convention(c) (UnsafeRawPointer?, Int32) -> Object?
        typealias Read = @convention(c) (Object, UnsafeRawPointer?, UnsafeRawPointer?, UnsafePointer<CChar>) -> Object?
        guard hasOpenSSL, let open: Open = try? function("BIO_new_mem_buf"),
            let close: @convention(c) (Object) -> Int32 = try? function("BIO_free"),
            let read: Read = try? function("PEM_read_bio_PrivateKey"),
            let free: @convention(c) (Object) -> Void = try? function("EVP_PKEY_free"),
            let clearErrors: @convention(c) () -> Void = try? function("ERR_clear_error")
        else { return nil }
        // libcurl must not take these errors for its own.
        defer { clearErrors() }
        return key.withUnsafeBytes { bytes in
            guard let source = open(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
            defer { _ = close(source) }
            // Without a passphrase, OpenSSL would prompt for one at the terminal.
            let key = passphrase.withCString { read(source, nil, nil, $0) }
            if let key { free(key) }
            return key != nil
        }
    }

    /// Functions of the OpenSSL that libcurl has loaded, for its session of a connection.
    fileprivate struct OpenSSL: Sendable {
        let version: @Sendable @convention(c) (UnsafeRawPointer) -> UnsafePointer<CChar>?
        let shutdown: @Sendable @convention(c) (UnsafeRawPointer) -> Int32

        // Elsewhere, the OpenSSL of the process can be another one.
        #if os(Linux)
            static let loaded = try? OpenSSL(
                version: function("SSL_get_version"), shutdown: function("SSL_get_shutdown"))
        #else
            static let loaded: OpenSSL? = nil
        #endif
    }

    /// What libcurl's text tells about a failure that neither its code nor a fact about the transfer tells. A text with
    /// other words tells nothing. The text must not be shown, because it can quote the response.
    struct Text {
        let words: String

        /// For a TLS library other than OpenSSL: the certificate is for another host.
        var namesOtherHost: Bool { words.contains("subject name") }
        /// The texts of OpenSSL for the alerts of RFC 8446, section 6.2, and for its own refusal.
        var namesTLSVersion: Bool { words.contains("protocol version") || words.contains("unsupported protocol") }
        var asksForCertificate: Bool { words.contains("certificate required") }
        /// The host refuses the client certificate. For an expired one, libcurl can have a text of its own.
        var refusesCertificate: Bool {
            isAlert && words.contains("certificate") || findsExpired || knowsNoAuthority
        }
        var findsExpired: Bool {
            words.contains("alert certificate expired") || words == "SSL certificate verification failed"
        }
        var knowsNoAuthority: Bool { words.contains("alert unknown ca") }
        var namesCertificate: Bool { words.contains("load PEM client certificate") }
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
    var text: Libcurl.Text { Libcurl.Text(words: String(cString: patchbay_curl_failure_text(facts))) }

    /// The version of TLS, as in "TLSv1.3"; nil without TLS, and with a TLS library other than OpenSSL. Only while the
    /// transfer has its connection.
    var tlsVersion: String? {
        guard let session = patchbay_curl_openssl_session(pointer) else { return nil }
        return Libcurl.OpenSSL.loaded?.version(session).map { String(cString: $0) }
    }

    /// Whether the peer has ended TLS (close_notify); nil as for `tlsVersion`.
    var hasTLSEnded: Bool? {
        guard let session = patchbay_curl_openssl_session(pointer) else { return nil }
        // SSL_RECEIVED_SHUTDOWN of <openssl/ssl.h> is 2.
        return Libcurl.OpenSSL.loaded.map { $0.shutdown(session) & 2 != 0 }
    }

    /// OpenSSL's result for a certificate; nil with another TLS library.
    func certificateResult(_ info: patchbay_curl_info) -> Int? { Libcurl.hasOpenSSL ? number(info) : nil }

    /// Whether the host has reset a stream of the transfer with HTTP_1_1_REQUIRED (RFC 9113, section 7). libcurl
    /// overwrites the start of the text that names this code, and later versions set its first byte to zero. The name
    /// stands further back, and stays.
    var wantsHTTP1: Bool {
        withUnsafeBytes(of: facts.pointee.text) { $0.contains("HTTP_1_1_REQUIRED".utf8) }
    }
}
