import CPatchbayCurl
public import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

/// Keeps cookies in memory by the rules of libcurl's own engine (RFC 6265, and its public suffix list where libcurl has one).
///
/// ```swift
/// var configuration = SessionConfiguration()
/// configuration.cookies = CookieJar()
/// ```
///
/// Every hop of a redirect gets what applies to its own URL. A request with a `Host` field of its own gets and files cookies under
/// that name instead of the URL's, as libcurl has it: the name says which of the hosts behind an address answers. It goes with the
/// first redirect that leaves the origin. Cookies in a request's own `Cookie` field are sent beside those of the
/// jar. `Secure` cookies are kept and sent over https only, and over http to `localhost`, `127.0.0.1` and `[::1]`, which libcurl
/// takes for secure.
///
/// `@unchecked Sendable`: a CURLSH handle. libcurl locks the mutex beside it whenever it touches the cookies, and the handle is
/// closed when no transfer refers to the jar any more.
public final class CookieJar: CookieStore, @unchecked Sendable {
    /// Nil where there was no memory or no libcurl: such a jar stays empty and no exchange can use it.
    private let handle: UnsafeMutableRawPointer?

    /// An empty jar, in memory only.
    public init() {
        handle = MultiHandle.isLibcurlReady ? patchbay_curl_cookies_open() : nil
    }

    deinit {
        if let handle { patchbay_curl_cookies_close(handle) }
    }

    public var cookies: [Cookie] {
        guard let handle else { return [] }
        final class Lines { var cookies: [Cookie] = [] }
        let lines = Lines()
        _ = patchbay_curl_cookies_each(handle, Unmanaged.passUnretained(lines).toOpaque()) { context, line in
            guard let cookie = Cookie(line: String(cString: line)) else { return }
            Unmanaged<Lines>.fromOpaque(context).takeUnretainedValue().cookies.append(cookie)
        }
        // libcurl drops what has run out when it sends cookies, and lists it until then.
        let now = Date()
        return lines.cookies.filter { $0.expires.map { $0 > now } ?? true }
    }

    public func set(_ cookie: Cookie) { tell(cookie.line) }

    /// Forgets every cookie, those of running exchanges too.
    public func removeAll() { tell("ALL") }

    private func tell(_ line: String) {
        if let handle { _ = patchbay_curl_cookies_tell(handle, line) }
    }

    /// Has the transfer send and keep these cookies; false where it cannot.
    func serve(_ easy: EasyHandle) -> Bool {
        guard let handle else { return false }
        return patchbay_curl_cookies_use(handle, easy.pointer) == 0
    }
}

extension CookieJar: CustomStringConvertible, CustomReflectable {
    public var description: String {
        let count = cookies.count
        return count == 1 ? "a jar of 1 cookie" : "a jar of \(count) cookies"
    }
    public var customMirror: Mirror { Mirror(described: self) }
}

/// A cookie as a line of a Netscape cookie file: domain, subdomains, path, secure, expiry, name, value, with tabs between.
extension Cookie {
    private static let httpOnlyMark = "#HttpOnly_"

    fileprivate init?(line: String) {
        let isHTTPOnly = line.hasPrefix(Self.httpOnlyMark)
        let parts = line.dropFirst(isHTTPOnly ? Self.httpOnlyMark.count : 0)
            .split(separator: "\t", maxSplits: 6, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 7 else { return nil }
        let domain = parts[0].hasPrefix(".") ? String(parts[0].dropFirst()) : parts[0]
        self.init(
            name: parts[5], value: parts[6], domain: domain.contains(":") ? "[\(domain)]" : domain,
            includesSubdomains: parts[1] == "TRUE", path: parts[2], isSecure: parts[3] == "TRUE",
            isHTTPOnly: isHTTPOnly,
            expires: Double(parts[4]).flatMap { $0 > 0 ? Date(timeIntervalSince1970: $0) : nil })
    }

    fileprivate var line: String {
        // 0 would be for one that lasts; a cookie that ran out before 1970 ran out.
        let seconds = expires.map { Int64(exactly: $0.timeIntervalSince1970.rounded(.down)).map { max($0, 1) } ?? .max }
        return [
            (isHTTPOnly ? Self.httpOnlyMark : "") + domain.filter { !"[]".contains($0) },
            includesSubdomains ? "TRUE" : "FALSE", path,
            isSecure ? "TRUE" : "FALSE", "\(seconds ?? 0)", name, value,
        ].joined(separator: "\t")
    }
}
