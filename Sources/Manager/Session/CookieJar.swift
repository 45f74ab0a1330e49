public import PatchbayPlatform
import PatchbayRegistry

/// The cookies of session managers, kept in memory by the rules of RFC 6265, on every transport.
///
/// ```swift
/// var configuration = SessionConfiguration()
/// configuration.cookies = CookieJar()
/// ```
///
/// The manager puts the `Cookie` field of each request, and reads the `Set-Cookie` fields of each response. After a
/// redirect, the next request gets the cookies for its own URL. If a request sets a `Host` field, its cookies are sent
/// and stored for that name instead of the host of the URL: the field selects one of the hosts that share an address.
/// The first redirect that leaves the origin drops the field. Cookies in a request's own `Cookie` field are sent in
/// addition to the cookies of the jar.
///
/// `Secure` cookies are stored and sent over https only, and over http to `localhost`, `127.0.0.1` and `[::1]`. A cookie
/// of a public suffix, such as `Domain=co.uk`, is refused: by the list of libpsl, if that library is installed, and else
/// only if the domain is one label.
///
/// A cookie that a response sets is refused if its name and value have more than 4,096 bytes together. Beyond 180
/// cookies of a domain, each cookie that a response adds drops another one of the domain: of those that are not `Secure`,
/// if there are any, the one that was not used for the longest time. Beyond 3,000 in all, it drops the one of all that
/// was not used for the longest time. Cookies of a file, and those that you set, can be more.
///
/// A `Cookie` line has at most 8 KiB: if the cookies for a URL have more, the newest are sent. A cookie becomes the
/// newest when a response or `set(_:)` sets it, also if it replaces another one. The event `SessionEvent.Stage.cookies`
/// names each cookie that was refused, dropped or not sent.
///
/// The octets of a name and a value are sent as the server wrote them, also if they are not UTF-8: `Cookie` shows such
/// octets as ISO-8859-1, and a file holds them. `URLSessionTransport` refuses a request that has to send them.
///
/// Safe to use from any number of tasks at once.
public final class CookieJar: Sendable {
    private let store: Guarded<CookieStore>

    /// A jar with these cookies, for example from an earlier run. The limits for cookies that responses set don't count.
    ///
    /// If two cookies have the same name, domain and path, the last one is used.
    public init(_ cookies: [Cookie] = []) {
        // Repeated cookies are found by their keys, because `set` compares each cookie with all others, and a file can
        // have many.
        var keys: Set<[UInt8]> = []
        let latest = cookies.reversed().filter { keys.insert($0.key).inserted }
        store = Guarded(CookieStore(distinct: latest.reversed(), now: Date()))
    }

    /// A jar with the cookies of a Netscape cookie file, as `curl -c` and `write(to:includingSessionCookies:)` write
    /// it.
    ///
    /// If two lines have the same name, domain and path, the last line is used. The file is read at once, on the thread
    /// of the caller, in a time by its size. Only a regular file is read: a pipe could block for ever.
    /// - Throws: `SessionError` with code `file` if the file does not exist or cannot be read. `FormatFailure` for a
    ///   file of more than 16 MiB, or with the number of a line that is not a cookie, a comment or empty. The reason
    ///   does not quote the line.
    public convenience init(contentsOf file: URL) throws {
        self.init(try CookieFile.cookies(in: try CookieFile.bytes(of: file)))
    }

    /// Every cookie that has not expired, the oldest first.
    public var cookies: [Cookie] { store.withLock { $0.cookies(now: Date()) } }

    /// Stores the cookie and replaces a cookie with the same name, domain and path. The cookie is then the newest. An
    /// expired cookie only removes that cookie. The limits for cookies that responses set don't count.
    public func set(_ cookie: Cookie) {
        store.withLock { _ = $0.set(cookie, now: Date()) }
    }

    /// Takes the cookies of another jar, which is not used any more, in place of its own.
    package func replaceAll(by other: CookieJar) {
        store.replace(by: other.store.withLock { $0 })
    }

    /// Removes every cookie.
    public func removeAll() {
        store.withLock { $0.removeAll() }
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

    /// Puts the cookies for the target into the `Cookie` field of a request, before the cookies of the request itself.
    /// - Returns: a notice for each cookie that was left out because the field would be too long.
    func put(into fields: inout HeaderFields, for target: CookieTarget) -> [CookieNotice] {
        let own = Array(fields.octets(for: "Cookie").filter { !$0.isEmpty }.joined(separator: "; ".utf8))
        let (octets, unsent) = store.withLock { $0.field(for: target, own: own, now: Date()) }
        fields.set(octets.isEmpty ? nil : FieldText(octets: octets), for: "Cookie")
        return unsent.map { cookie in
            let limit = ByteCount(CookieStore.mostLineBytes)
            return CookieNotice(
                .unsent, name: cookie.name, domain: cookie.domain,
                reason: "the cookies for \(target.host) are longer than the \(limit) of a line")
        }
    }

    /// Stores the cookies that a response sets.
    /// - Returns: a notice for each cookie that was refused, and for each that was dropped.
    func keep(_ fields: HeaderFields, from target: CookieTarget) -> [CookieNotice] {
        let now = Date()
        return fields.octets(for: "Set-Cookie").compactMap { field in
            let line = SetCookie(field, now: now)
            do throws(Refusal) {
                // The public suffix list is asked outside the lock.
                let cookie = try line.cookie(from: target)
                let dropped = try store.withLock { store throws(Refusal) in
                    try store.take(cookie, from: target, now: now)
                }
                return dropped.map { dropped in
                    CookieNotice(
                        .dropped, name: dropped.cookie.name, domain: dropped.cookie.domain, reason: dropped.reason)
                }
            } catch {
                return CookieNotice(.refused, name: line.name, domain: target.host, reason: error.reason)
            }
        }
    }
}

extension Cookie {
    /// Domain, path and name, as bytes: comparing strings normalises them.
    fileprivate var key: [UInt8] { "\(domain)\t\(path)\t".utf8 + nameText.octets }
}

extension CookieJar: CustomStringConvertible, CustomReflectable {
    /// The number of cookies, not the cookies: `a jar of 2 cookies`.
    public var description: String {
        let count = cookies.count
        return count == 1 ? "a jar of 1 cookie" : "a jar of \(count) cookies"
    }
    public var customMirror: Mirror { Mirror(described: self) }
}
