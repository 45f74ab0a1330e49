import CPatchbayCurl

/// One libcurl easy handle with the buffer that its words on a failure go to. Whoever opens it closes it.
///
/// Connections and looked-up names belong to the multi handle and are kept, whatever becomes of this one.
struct EasyHandle {
    let pointer: UnsafeMutableRawPointer
    private let text: UnsafeMutablePointer<CChar>

    init?() {
        guard let pointer = patchbay_curl_easy_open() else { return nil }
        self.pointer = pointer
        text = .allocate(capacity: Int(PATCHBAY_CURL_TEXT))
        text.initialize(repeating: 0, count: Int(PATCHBAY_CURL_TEXT))
    }

    /// libcurl's own words on the failure: to tell failures apart, never to be shown, as they may quote the response.
    var failureText: String { String(cString: text) }

    /// Whether a handle can carry another transfer after it has been reset, in the libcurl that is loaded.
    static var isReusable: Bool { patchbay_curl_can_reset() != 0 }

    /// Forgets the transfer that it has carried: every option, and libcurl's words.
    func reset() {
        patchbay_curl_easy_reset(pointer)
        text.update(repeating: 0, count: 1)
    }

    func close() {
        patchbay_curl_easy_close(pointer)
        text.deallocate()
    }

    /// Asks for the write callback again; it may be called before this returns.
    func resume() -> patchbay_curl_code {
        patchbay_curl_code(UInt32(clamping: patchbay_curl_resume(pointer)))
    }

    /// Whether libcurl took it.
    func set(_ option: patchbay_curl_option, _ value: Int) -> Bool {
        patchbay_curl_set_number(pointer, option, Int64(value)) == 0
    }

    func set(_ option: patchbay_curl_option, _ value: String) -> Bool {
        patchbay_curl_set_string(pointer, option, value) == 0
    }

    /// Takes back what libcurl has set by itself.
    func unset(_ option: patchbay_curl_option) -> Bool {
        patchbay_curl_set_string(pointer, option, nil) == 0
    }

    /// Makes libcurl's words on a failure go to the buffer.
    func collectFailureText() -> Bool { patchbay_curl_set_text(pointer, text) == 0 }

    /// A count or a size; nil where libcurl does not know it.
    func number(_ info: patchbay_curl_info) -> Int? {
        let number = patchbay_curl_number(pointer, info)
        return number < 0 ? nil : Int(clamping: number)
    }

    /// What OpenSSL thought of the certificate of the host; nil where libcurl's TLS is another one.
    var certificateResult: Int? { patchbay_curl_has_openssl() == 0 ? nil : number(PATCHBAY_CURLINFO_SSL_VERIFYRESULT) }

    /// A time that libcurl gives in microseconds; nil where the step did not happen.
    func duration(_ info: patchbay_curl_info) -> Duration? {
        guard let microseconds = number(info), microseconds > 0 else { return nil }
        return .microseconds(microseconds)
    }
}
