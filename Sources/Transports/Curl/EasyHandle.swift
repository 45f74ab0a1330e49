import CPatchbayCurl

/// An object that libcurl's callbacks get as a pointer. It is not retained: a callback after it was released would read
/// freed memory.
protocol CallbackContext: AnyObject {}

extension CallbackContext {
    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static func at(_ context: UnsafeMutableRawPointer) -> Self {
        Unmanaged<Self>.fromOpaque(context).takeUnretainedValue()
    }
}

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
        facts.pointee.watch = watch.context
        facts.pointee.note_open = { SocketWatch.at($0).noteOpen($1) }
    }

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

    /// Makes libcurl act on a transfer that is not paused. Without effect while it has no connection, nor makes one.
    func check() -> patchbay_curl_code {
        patchbay_curl_code(UInt32(clamping: patchbay_curl_check(pointer)))
    }

    // MARK: Options

    /// Sets an option. Returns whether libcurl accepted the option.
    func set(_ option: patchbay_curl_option, _ value: Int) -> Bool {
        patchbay_curl_set_number(pointer, option, Int64(value)) == 0
    }

    func set(_ option: patchbay_curl_option, _ value: String) -> Bool {
        // A string as an argument for a C string would be copied to new memory.
        value.withCString { patchbay_curl_set_string(pointer, option, $0) == 0 }
    }

    /// Removes libcurl's default value of an option.
    func unset(_ option: patchbay_curl_option) -> Bool { patchbay_curl_set_string(pointer, option, nil) == 0 }

    /// Sets bytes in PEM. Returns false if libcurl or its TLS library takes only paths.
    func set(_ option: patchbay_curl_option, _ bytes: UnsafeRawBufferPointer, _ flags: Int) -> Bool {
        bytes.baseAddress.map { patchbay_curl_set_bytes(pointer, option, $0, bytes.count, UInt32(flags)) == 0 } ?? false
    }

    /// Sets the header fields. Returns false if there is no memory.
    func set(fields: FieldLines) -> Bool {
        fields.bytes.withUnsafeBytes { bytes in
            guard let lines = bytes.baseAddress else { return false }
            return patchbay_curl_set_list(
                pointer, PATCHBAY_CURLOPT_HTTPHEADER, &facts.pointee.fields, lines, bytes.count, fields.count) == 0
        }
    }

    /// Makes libcurl connect to an address, `host`, `host:port` or `[IPv6]:port`. Returns false if there is no memory.
    func connect(to address: String) -> Bool {
        let hasPort = address.utf8.last != UInt8(ascii: "]") && address.utf8.contains(UInt8(ascii: ":"))
        // The line maps every host and port to this address. If the address has no port, the port of the URL stays.
        let line = "::\(address)\(hasPort ? "" : ":")"
        return patchbay_curl_set_list(
            pointer, PATCHBAY_CURLOPT_CONNECT_TO, &facts.pointee.address, line, line.utf8.count + 1, 1) == 0
    }

    /// Makes libcurl write its error text, and report the sockets of connections.
    func collectFacts() -> Bool {
        patchbay_curl_collect_facts(pointer, facts, { SocketWatch.at($0).close($1) }) == 0
    }

    // MARK: What libcurl knows of the transfer

    /// The IP address of the peer; nil if there was no connection.
    var remoteAddress: String? {
        guard let address = patchbay_curl_text(pointer, PATCHBAY_CURLINFO_PRIMARY_IP), address.pointee != 0 else {
            return nil
        }
        return String(cString: address)
    }

    /// A count or a size; nil if libcurl does not know it.
    func number(_ info: patchbay_curl_info) -> Int? {
        let number = patchbay_curl_number(pointer, info)
        return number < 0 ? nil : Int(clamping: number)
    }

    /// A time from libcurl, in microseconds; nil if the step did not happen.
    func duration(_ info: patchbay_curl_info) -> Duration? {
        guard let microseconds = number(info), microseconds > 0 else { return nil }
        return .microseconds(microseconds)
    }
}
