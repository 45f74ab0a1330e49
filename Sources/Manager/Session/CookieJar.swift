public import PatchbayPlatform

/// The cookies of session managers, kept in memory by the rules of RFC 6265.
///
/// ```swift
/// var configuration = SessionConfiguration()
/// configuration.cookies = CookieJar()
/// ```
///
/// `CurlTransport` sends cookies and stores the cookies that servers set, by the rules of libcurl, and by the public
/// suffix list if libcurl has one. On a transport that keeps no cookies, a call with a jar fails with
/// `TransportFailure.Code.unsupportedRequest`.
///
/// After a redirect, the next request gets the cookies for its own URL. If a request sets a `Host` field, its cookies
/// are sent and stored for that name instead of the host of the URL: the field selects one of the hosts that share an
/// address. The first redirect that leaves the origin drops the field. Cookies in a request's own `Cookie` field are
/// sent in addition to the cookies of the jar. `Secure` cookies are stored and sent over https only, and over http to
/// `localhost`, `127.0.0.1` and `[::1]`.
public final class CookieJar: Sendable {
    private struct State {
        var waiting: [Cookie]
        /// The store of the transport that used the jar first; nil before the first use.
        var store: (any CookieStore)?
    }

    private let state: Guarded<State>

    /// A jar with these cookies, for example from an earlier run.
    public init(_ cookies: [Cookie] = []) {
        // Repeated cookies are found by their keys, because `set` compares each cookie with all others, and a file can
        // have many.
        var keys: Set<[UInt8]> = []
        let latest = cookies.reversed().filter { keys.insert($0.key).inserted }
        state = Guarded(State(waiting: latest.reversed()))
    }

    /// A jar with the cookies of a Netscape cookie file, as `curl -c` and `write(to:includingSessionCookies:)` write
    /// it.
    ///
    /// If two lines have the same name, domain and path, the last line is used.
    /// - Throws: `SessionError` with code `file` if the file does not exist or cannot be read. `FormatFailure` for a
    ///   file of more than 16 MiB, or with the number of a line that is not a cookie, a comment or empty. The reason
    ///   does not quote the line.
    public convenience init(contentsOf file: URL) throws {
        self.init(try CookieFile.cookies(in: try CookieFile.bytes(of: file)))
    }

    /// Every cookie that has not expired.
    public var cookies: [Cookie] {
        let (waiting, store) = state.withLock { ($0.waiting, $0.store) }
        let now = Date()
        return (store?.cookies ?? waiting).filter { $0.expires.map { $0 > now } ?? true }
    }

    /// Stores the cookie and replaces a cookie with the same name, domain and path. An expired cookie only removes that
    /// cookie.
    public func set(_ cookie: Cookie) {
        let store = state.withLock { state in
            if state.store == nil {
                state.waiting.removeAll { $0.isReplaced(by: cookie) }
                state.waiting.append(cookie)
            }
            return state.store
        }
        store?.set(cookie)
    }

    /// Removes every cookie, including the cookies of running exchanges.
    public func removeAll() {
        let store = state.withLock { state in
            state.waiting = []
            return state.store
        }
        store?.removeAll()
    }

    /// Writes the cookies to a Netscape cookie file, which `curl -b` and `init(contentsOf:)` read.
    ///
    /// Cookies are credentials: only the user of this process can read the file. An existing file is replaced when the
    /// new file is complete, and is unchanged if writing fails. Its folder must exist. Expired cookies are not written.
    /// Expiry dates are rounded down to seconds.
    /// - Parameters:
    ///   - file: the file to write.
    ///   - includingSessionCookies: whether cookies without an expiry date are written, too.
    /// - Throws: `SessionError` with code `file` if the file cannot be written, for example because there is a symbolic
    ///   link of that name.
    public func write(to file: URL, includingSessionCookies: Bool = false) throws(SessionError) {
        let kept = cookies.filter { includingSessionCookies || $0.expires != nil }
        try CookieFile.write(kept, to: file)
    }

    /// Returns the store of the transport's type. The first call makes the store and moves the cookies into it. Returns
    /// nil if the store can't be made, or if the jar has a store of another type.
    package func store<Store: CookieStore>(_ make: () -> Store?) -> Store? {
        if let store = state.withLock(\.store) { return store as? Store }
        guard let made = make() else { return nil }
        let store = state.withLock { state -> any CookieStore in
            if let store = state.store { return store }
            for cookie in state.waiting { made.set(cookie) }
            (state.store, state.waiting) = (made, [])
            return made
        }
        return store as? Store
    }
}

/// A transport's store for the cookies of a jar. The store must not call foreign code, because the jar calls it under a
/// lock.
package protocol CookieStore: AnyObject, Sendable {
    /// The cookies, including cookies that have expired since they were stored.
    var cookies: [Cookie] { get }

    /// Stores the cookie and replaces a cookie with the same name, domain and path. An expired cookie only removes that
    /// cookie.
    func set(_ cookie: Cookie)

    /// Removes every cookie.
    func removeAll()
}

extension Cookie {
    fileprivate func isReplaced(by other: Cookie) -> Bool { key == other.key }

    /// Domain, path and name, as bytes: libcurl compares bytes, and comparing strings normalises them.
    fileprivate var key: [UInt8] { Array("\(domain)\t\(path)\t\(name)".utf8) }
}

extension CookieJar: CustomStringConvertible, CustomReflectable {
    /// The number of cookies, not the cookies: `a jar of 2 cookies`.
    public var description: String {
        let count = cookies.count
        return count == 1 ? "a jar of 1 cookie" : "a jar of \(count) cookies"
    }
    public var customMirror: Mirror { Mirror(described: self) }
}
