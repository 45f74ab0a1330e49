import CPatchbayCurl

/// One libcurl easy handle, with the facts that libcurl reports about its transfer. The code that makes a handle closes
/// it.
///
/// Connections and resolved names belong to the multi handle, and outlive the easy handle.
struct EasyHandle {
    let pointer: UnsafeMutableRawPointer
    let facts: UnsafeMutablePointer<patchbay_curl_facts>

    /// - Parameter watch: the watch of the multi handles that will carry the transfers. It must outlive the handle and its
    ///   connections.
    init?(watch: SocketWatch) {
        guard let pointer = patchbay_curl_easy_open() else { return nil }
        self.pointer = pointer
        facts = .allocate(capacity: 1)
        facts.initialize(to: patchbay_curl_facts())
        facts.pointee.watch = watch.pointer
    }

    /// The number of sockets that libcurl opened for the transfer, one for each address that it tried; 255 at most.
    var openedSockets: Int { Int(facts.pointee.sockets) }

    /// The port to which the last of these sockets was to connect; 0 without a socket.
    var triedPort: Int { Int(facts.pointee.port) }

    /// The errno of the system, if it had no socket for the transfer; 0 otherwise.
    var socketError: Int32 { facts.pointee.socket_error }

    /// Whether libcurl sends the request again only after the host has refused it, or wants it over HTTP/1.1.
    var repeatsOnlyRefusals: Bool { facts.pointee.repeats_only_refusals != 0 }

    /// Resets all options and facts.
    func reset() {
        patchbay_curl_easy_reset(pointer)
        patchbay_curl_forget_facts(facts)
    }

    func close() {
        patchbay_curl_easy_close(pointer)
        patchbay_curl_forget_facts(facts)
        facts.deallocate()
    }

    /// Resumes the transfer. libcurl can call the write callback before this function returns.
    func resume() -> patchbay_curl_code {
        patchbay_curl_code(UInt32(clamping: patchbay_curl_resume(pointer)))
    }

    /// Sets an option. Returns whether libcurl accepted the option.
    func set(_ option: patchbay_curl_option, _ value: Int) -> Bool {
        patchbay_curl_set_number(pointer, option, Int64(value)) == 0
    }

    func set(_ option: patchbay_curl_option, _ value: String) -> Bool {
        patchbay_curl_set_string(pointer, option, value) == 0
    }

    func set(_ option: patchbay_curl_option, _ value: UnsafePointer<CChar>) -> Bool {
        patchbay_curl_set_string(pointer, option, value) == 0
    }

    /// Sets the header fields. Returns false if there is no memory.
    func set(fields: FieldLines) -> Bool {
        fields.bytes.withUnsafeBytes { bytes in
            bytes.baseAddress.map { patchbay_curl_set_fields(pointer, facts, $0, bytes.count, fields.count) == 0 }
                ?? false
        }
    }

    /// Makes libcurl connect to an address, `host`, `host:port` or `[IPv6]:port`. Returns false if there is no memory.
    func connect(to address: String) -> Bool {
        let hasPort = address.utf8.last != UInt8(ascii: "]") && address.utf8.contains(UInt8(ascii: ":"))
        // The line maps every host and port to this address. If the address has no port, the port of the URL stays.
        let line = "::\(address)\(hasPort ? "" : ":")"
        return patchbay_curl_set_connect_to(pointer, facts, line) == 0
    }

    /// Makes libcurl ask about each connection that it has for the transfer, before it sends the request there. Before
    /// 7.80, libcurl lacks this option: with such a libcurl, an exchange counts as one connection until its end.
    func judgeConnections(_ judge: @escaping patchbay_curl_judge, _ context: UnsafeMutableRawPointer) {
        patchbay_curl_judge_connections(pointer, facts, judge, context)
    }

    /// Sets a client certificate and its key, in PEM. Returns false if libcurl or its TLS library takes only paths.
    func set(certificate: [UInt8], key: [UInt8]) -> Bool {
        certificate.withUnsafeBytes { certificate in
            key.withUnsafeBytes { key in
                guard let first = certificate.baseAddress, let second = key.baseAddress else { return false }
                return patchbay_curl_set_certificate(pointer, first, certificate.count, second, key.count) == 0
            }
        }
    }

    /// Removes libcurl's default value of an option.
    func unset(_ option: patchbay_curl_option) -> Bool {
        patchbay_curl_set_string(pointer, option, nil) == 0
    }

    /// Makes libcurl write its error text, and report the sockets of connections.
    func collectFacts() -> Bool { patchbay_curl_collect_facts(pointer, facts) == 0 }

    /// The IP address of the peer; nil if there was no connection.
    var remoteAddress: String? {
        guard let address = patchbay_curl_remote_address(pointer), address.pointee != 0 else { return nil }
        return String(cString: address)
    }

    /// The version of TLS, while the transfer has its connection; nil without TLS, or if it is unknown.
    var tlsVersion: String? { patchbay_curl_tls_version(pointer).map { String(cString: $0) } }

    /// Whether the peer has ended TLS, while the transfer has its connection; nil without TLS, or if it is unknown.
    var hasTLSEnded: Bool? {
        let hasEnded = patchbay_curl_has_tls_ended(pointer)
        return hasEnded < 0 ? nil : hasEnded != 0
    }

    /// A count or a size; nil if libcurl does not know it.
    func number(_ info: patchbay_curl_info) -> Int? {
        let number = patchbay_curl_number(pointer, info)
        return number < 0 ? nil : Int(clamping: number)
    }

    /// OpenSSL's result for the certificate of the host; nil with another TLS library.
    var certificateResult: Int? { Libcurl.hasOpenSSL ? number(PATCHBAY_CURLINFO_SSL_VERIFYRESULT) : nil }

    /// OpenSSL's result for the certificate of the proxy; nil with another TLS library.
    var proxyCertificateResult: Int? {
        Libcurl.hasOpenSSL ? number(PATCHBAY_CURLINFO_PROXY_SSL_VERIFYRESULT) : nil
    }

    /// A time from libcurl, in microseconds; nil if the step did not happen.
    func duration(_ info: patchbay_curl_info) -> Duration? {
        guard let microseconds = number(info), microseconds > 0 else { return nil }
        return .microseconds(microseconds)
    }
}
