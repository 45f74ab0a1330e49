/// The cookies of a session manager, for the transport that knows their kind: it sends them and keeps what servers set.
///
/// `CookieJar` is the kind of `CurlTransport`. Other transports have none, and a call that would use cookies on them fails.
public protocol CookieStore: AnyObject, Sendable {
    /// Every cookie that has not run out.
    var cookies: [Cookie] { get }

    /// Keeps the cookie in place of one with the same name, domain and path; one that has run out removes that.
    func set(_ cookie: Cookie)

    /// Forgets every cookie.
    func removeAll()
}
