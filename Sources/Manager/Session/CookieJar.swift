import PatchbayPlatform

/// The cookies of session managers, kept in memory by the rules of RFC 6265.
///
/// ```swift
/// var configuration = SessionConfiguration()
/// configuration.cookies = CookieJar()
/// ```
///
/// `CurlTransport` sends cookies and keeps those that servers set, by the rules of libcurl, and by the public suffix list if libcurl
/// has one. A call that would use a jar on a transport that keeps no cookies fails with `TransportFailure.Code.unsupportedRequest`.
///
/// Every hop of a redirect gets the cookies for its own URL. A request with a `Host` field of its own gets and files cookies under
/// that name instead of the host of the URL: the name says which of the hosts behind an address answers. The field goes with the
/// first redirect that leaves the origin. Cookies in a request's own `Cookie` field are sent beside those of the jar. `Secure` cookies
/// are kept and sent over https only, and over http to `localhost`, `127.0.0.1` and `[::1]`.
public final class CookieJar: Sendable {
    private struct State {
        var waiting: [Cookie]
        /// Keeps the cookies for the transport that used the jar first; nil before.
        var store: (any CookieStore)?
    }

    private let state: Guarded<State>

    /// A jar of these cookies, such as those of an earlier run.
    public init(_ cookies: [Cookie] = []) {
        state = Guarded(State(waiting: []))
        for cookie in cookies { set(cookie) }
    }

    /// Every cookie that has not expired.
    public var cookies: [Cookie] {
        let (waiting, store) = state.withLock { ($0.waiting, $0.store) }
        let now = Date()
        return (store?.cookies ?? waiting).filter { $0.expires.map { $0 > now } ?? true }
    }

    /// Keeps the cookie in place of one with the same name, domain and path. An expired cookie removes that one.
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

    /// Forgets every cookie, those of running exchanges too.
    public func removeAll() {
        let store = state.withLock { state in
            state.waiting = []
            return state.store
        }
        store?.removeAll()
    }

    /// The store of the transport's own kind, which takes over the cookies at the first use; nil where it can't be made.
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

/// The form in which a transport keeps the cookies of a jar. None of it calls code of others: the jar calls it under its lock.
package protocol CookieStore: AnyObject, Sendable {
    /// The cookies, perhaps with expired ones.
    var cookies: [Cookie] { get }

    /// Keeps the cookie in place of one with the same name, domain and path; an expired one removes that.
    func set(_ cookie: Cookie)

    /// Forgets every cookie.
    func removeAll()
}

extension Cookie {
    fileprivate func isReplaced(by other: Cookie) -> Bool {
        (name, domain, path) == (other.name, other.domain, other.path)
    }
}

extension CookieJar: CustomStringConvertible, CustomReflectable {
    /// How many cookies there are, not which: `a jar of 2 cookies`.
    public var description: String {
        let count = cookies.count
        return count == 1 ? "a jar of 1 cookie" : "a jar of \(count) cookies"
    }
    public var customMirror: Mirror { Mirror(described: self) }
}
