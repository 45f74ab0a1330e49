import CPatchbayCurl
import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

/// Keeps the cookies of a jar in libcurl's own engine.
///
/// `@unchecked Sendable`: it wraps a CURLSH handle. libcurl locks the mutex beside it whenever it uses the cookies, and
/// the handle is closed when no transfer refers to the jar any more.
final class CurlCookies: CookieStore, @unchecked Sendable {
    private let handle: UnsafeMutableRawPointer

    /// Nil if there is no memory or no libcurl.
    init?() {
        guard MultiHandle.isLibcurlReady, let handle = patchbay_curl_cookies_open() else { return nil }
        self.handle = handle
    }

    deinit { patchbay_curl_cookies_close(handle) }

    var cookies: [Cookie] {
        final class Lines { var cookies: [Cookie] = [] }
        let lines = Lines()
        _ = patchbay_curl_cookies_each(handle, Unmanaged.passUnretained(lines).toOpaque()) { context, line in
            guard let cookie = Cookie(line: String(cString: line)) else { return }
            Unmanaged<Lines>.fromOpaque(context).takeUnretainedValue().cookies.append(cookie)
        }
        // libcurl drops expired cookies when it sends some, and lists them until then.
        return lines.cookies
    }

    func set(_ cookie: Cookie) { tell(cookie.line) }

    func removeAll() { tell("ALL") }

    private func tell(_ line: String) { _ = patchbay_curl_cookies_tell(handle, line) }

    /// Lets the transfer send and keep these cookies; false if it cannot.
    func serve(_ easy: EasyHandle) -> Bool { patchbay_curl_cookies_use(handle, easy.pointer) == 0 }
}

/// A cookie as a line of a Netscape cookie file: domain, subdomains, path, secure, expiry, name and value, separated by
/// tabs.
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
        // 0 means a session cookie, so an expiry before 1970 becomes 1.
        let seconds = expires.map { Int64(exactly: $0.timeIntervalSince1970.rounded(.down)).map { max($0, 1) } ?? .max }
        return [
            (isHTTPOnly ? Self.httpOnlyMark : "") + domain.filter { !"[]".contains($0) },
            includesSubdomains ? "TRUE" : "FALSE", path,
            isSecure ? "TRUE" : "FALSE", "\(seconds ?? 0)", name, value,
        ].joined(separator: "\t")
    }
}
