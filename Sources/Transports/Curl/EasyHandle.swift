import CPatchbayCurl

/// One libcurl easy handle, with the buffer for its error text. Its maker closes it.
///
/// Connections and resolved names belong to the multi handle, and outlive this one.
struct EasyHandle {
    let pointer: UnsafeMutableRawPointer
    private let text: UnsafeMutablePointer<CChar>

    init?() {
        guard let pointer = patchbay_curl_easy_open() else { return nil }
        self.pointer = pointer
        text = .allocate(capacity: Int(PATCHBAY_CURL_TEXT))
        text.initialize(repeating: 0, count: Int(PATCHBAY_CURL_TEXT))
    }

    /// libcurl's own text for the failure: for telling failures apart, never to be shown, because it may quote the
    /// response.
    var failureText: String { String(cString: text) }

    /// Whether a handle of the loaded libcurl can carry another transfer after a reset.
    static var isReusable: Bool { patchbay_curl_can_reset() != 0 }

    /// Resets all options and the error text.
    func reset() {
        patchbay_curl_easy_reset(pointer)
        text.update(repeating: 0, count: 1)
    }

    func close() {
        patchbay_curl_easy_close(pointer)
        text.deallocate()
    }

    /// Resumes the transfer. libcurl may call the write callback before this returns.
    func resume() -> patchbay_curl_code {
        patchbay_curl_code(UInt32(clamping: patchbay_curl_resume(pointer)))
    }

    /// Whether libcurl accepted the option.
    func set(_ option: patchbay_curl_option, _ value: Int) -> Bool {
        patchbay_curl_set_number(pointer, option, Int64(value)) == 0
    }

    func set(_ option: patchbay_curl_option, _ value: String) -> Bool {
        patchbay_curl_set_string(pointer, option, value) == 0
    }

    /// Removes a default of libcurl.
    func unset(_ option: patchbay_curl_option) -> Bool {
        patchbay_curl_set_string(pointer, option, nil) == 0
    }

    /// Sends libcurl's error text to the buffer.
    func collectFailureText() -> Bool { patchbay_curl_set_text(pointer, text) == 0 }

    /// A count or a size; nil if libcurl does not know it.
    func number(_ info: patchbay_curl_info) -> Int? {
        let number = patchbay_curl_number(pointer, info)
        return number < 0 ? nil : Int(clamping: number)
    }

    /// OpenSSL's result for the certificate of the host; nil with another TLS library.
    var certificateResult: Int? { patchbay_curl_has_openssl() == 0 ? nil : number(PATCHBAY_CURLINFO_SSL_VERIFYRESULT) }

    /// A time from libcurl, in microseconds; nil if the step did not happen.
    func duration(_ info: patchbay_curl_info) -> Duration? {
        guard let microseconds = number(info), microseconds > 0 else { return nil }
        return .microseconds(microseconds)
    }
}
