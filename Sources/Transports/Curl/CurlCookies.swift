import CPatchbayCurl
import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

/// Keeps the cookies of a jar in libcurl's own engine.
///
/// `@unchecked Sendable`: this class wraps a CURLSH handle. libcurl locks a mutex whenever it uses the cookies, and the
/// handle is closed when no transfer refers to the jar any more.
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
            guard let cookie = try? Cookie(line: String(cString: line)) else { return }
            Unmanaged<Lines>.fromOpaque(context).takeUnretainedValue().cookies.append(cookie)
        }
        // libcurl drops expired cookies only when it sends cookies, and lists them until then.
        return lines.cookies
    }

    func set(_ cookie: Cookie) { tell(cookie.line) }

    func removeAll() { tell("ALL") }

    private func tell(_ line: String) { _ = patchbay_curl_cookies_tell(handle, line) }

    /// Makes the transfer send the cookies of the jar and store new cookies in it. Returns false if libcurl refuses.
    func serve(_ easy: EasyHandle) -> Bool { patchbay_curl_cookies_use(handle, easy.pointer) == 0 }
}
