import PatchbayPlatform
import PatchbayRegistry

/// What decides about the cookies of a request and of its response (RFC 6265, sections 5.3 and 5.4).
struct CookieTarget {
    /// The host in canonical form, without a port.
    let host: String
    let isAddress: Bool
    /// The path of the URL, as it is sent.
    let path: String
    /// Whether `Secure` cookies may be sent and set: over https, and over http to this machine.
    let isSecure: Bool

    /// - Parameter host: the host of the URL. A `Host` field of the caller takes its place, except for `isSecure`.
    /// - Returns: nil if the `Host` field is not a host.
    init?(_ head: RequestHead, to host: CanonicalHost) {
        var named = host
        if let field = head.fields["Host"] {
            guard let own = CanonicalHost(field) else { return nil }
            named = own
        }
        self.host = named.name
        isAddress = named.isAddress
        let path = head.url.path(percentEncoded: true)
        self.path = path.isEmpty ? "/" : path
        isSecure = head.url.scheme == "https" || ["localhost", "127.0.0.1", "[::1]"].contains(host.name)
    }

    /// The path of a cookie without a Path attribute (section 5.1.4): without the last slash and the text after it.
    var defaultPath: String {
        guard path.utf8.first == UInt8(ascii: "/"), let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")),
            slash > path.startIndex
        else { return "/" }
        return String(path[..<slash])
    }

    /// Whether the host is the domain, or below it (section 5.1.3).
    func isBelow(_ domain: String) -> Bool {
        host == domain || !isAddress && Self.isBelow(host, domain)
    }

    /// Whether the path is that of the cookie, or below it (section 5.1.4).
    func isBelow(path above: String) -> Bool { Self.isBelow(path: path, above) }

    /// Whether a name ends with a dot and the domain.
    static func isBelow(_ host: String, _ domain: String) -> Bool {
        let above = host.utf8.count - domain.utf8.count
        guard above > 1, !domain.isEmpty else { return false }
        let end = host.utf8.dropFirst(above - 1)
        return end.first == UInt8(ascii: ".") && end.dropFirst().elementsEqual(domain.utf8)
    }

    static func isBelow(path: String, _ above: String) -> Bool {
        guard path.utf8.starts(with: above.utf8) else { return false }
        return path.utf8.count == above.utf8.count || above.utf8.last == UInt8(ascii: "/")
            || path.utf8.dropFirst(above.utf8.count).first == UInt8(ascii: "/")
    }
}

/// The cookies of a jar (RFC 6265, section 5.3).
///
/// Names and paths are compared as bytes, because comparing strings normalises them.
struct CookieStore: Sendable {
    /// The limits for cookies that responses set (section 6.1 asks for at least 50 and 3,000).
    static let mostPerDomain = 180
    static let mostInAll = 3_000
    /// The limit of a Cookie line with its name and its end, in bytes. Most servers refuse a longer line.
    static let mostLineBytes = 8 << 10

    private struct Kept {
        var cookie: Cookie
        /// The places in the orders of creation, of the last change and of the last use. A cookie that replaces another
        /// one keeps its place in the order of creation (section 5.3, step 11).
        let created: Int
        var changed: Int
        var used: Int
    }

    private var kept: [String: [Kept]] = [:]
    private var count = 0
    private var clock = 0

    /// A store with these cookies, of which no two have the same name, domain and path.
    init(distinct cookies: some Sequence<Cookie>, now: Date) {
        for cookie in cookies where !cookie.isExpired(now) { append(cookie) }
    }

    /// Every cookie that has not expired, in the order of creation.
    func cookies(now: Date) -> [Cookie] {
        kept.values.flatMap { $0 }.filter { !$0.cookie.isExpired(now) }.inOrder { $0.created < $1.created }
            .map(\.cookie)
    }

    /// Stores the cookie and replaces a cookie with the same name, domain and path. An expired cookie only removes that
    /// cookie.
    /// - Returns: whether the cookie was added, and replaced none.
    @discardableResult
    mutating func set(_ cookie: Cookie, now: Date) -> Bool {
        if let place = kept[cookie.domain]?.firstIndex(where: { $0.cookie.hasKey(of: cookie) }) {
            guard cookie.isExpired(now) || kept[cookie.domain]?[place].cookie.isExpired(now) == true else {
                clock += 1
                kept[cookie.domain]?[place].cookie = cookie
                kept[cookie.domain]?[place].changed = clock
                kept[cookie.domain]?[place].used = clock
                return false
            }
            remove(at: place, of: cookie.domain)
        }
        guard !cookie.isExpired(now) else { return false }
        append(cookie)
        return true
    }

    /// Stores a cookie that a response set, and drops another cookie if the store has too many. So a response never
    /// makes a store larger than the limits.
    /// - Returns: the dropped cookie, and the reason.
    /// - Throws: the reason that the cookie is refused.
    mutating func take(
        _ cookie: Cookie, from target: CookieTarget, now: Date
    ) throws(Refusal) -> (cookie: Cookie, reason: String)? {
        // Anybody on the way can set cookies over http (draft-ietf-httpbis-rfc6265bis, section 5.7, step 14).
        guard target.isSecure || !wouldHideSecure(cookie, now: now) else {
            throw Refusal("it would take the place of a Secure cookie, and the connection is not secure")
        }
        guard set(cookie, now: now) else { return nil }
        if let list = kept[cookie.domain], list.count > Self.mostPerDomain {
            let dropped = drop(from: [cookie.domain], now: now)
            return dropped.map { ($0, "the domain has more than \(Self.mostPerDomain) cookies") }
        }
        guard count > Self.mostInAll else { return nil }
        return drop(from: Array(kept.keys), now: now).map {
            ($0, "the jar has more than \(ByteCount.grouped(Self.mostInAll)) cookies")
        }
    }

    mutating func removeAll() { (kept, count) = ([:], 0) }

    // MARK: Sending

    /// The value of the Cookie field for a request, in the order of RFC 6265, section 5.4: the cookies with the longest
    /// paths first, then the oldest. If not all fit into a line, the newest are sent.
    /// - Parameter own: the cookies of the request itself. They are always sent, after the cookies of the jar.
    /// - Returns: the value, or nil without cookies; and the cookies that did not fit.
    mutating func field(
        for target: CookieTarget, own: String, now: Date
    ) -> (value: String?, unsent: [Cookie]) {
        var sent: [Kept] = []
        var unsent: [Cookie] = []
        // Each cookie has `; ` behind it, except the last one.
        var room = Self.mostLineBytes - "Cookie: \r\n".utf8.count - (own.isEmpty ? -2 : own.utf8.count)
        for found in matching(target, now: now).inOrder(by: { $0.changed > $1.changed }) {
            let size = found.cookie.name.utf8.count + found.cookie.value.utf8.count + "=; ".utf8.count
            if size <= room {
                room -= size
                sent.append(found)
            } else {
                unsent.append(found.cookie)
            }
        }
        var pairs = sent.inOrder { one, other in
            let (long, short) = (one.cookie.path.utf8.count, other.cookie.path.utf8.count)
            return long == short ? one.created < other.created : long > short
        }.map { "\($0.cookie.name)=\($0.cookie.value)" }
        if !own.isEmpty { pairs.append(own) }
        return (pairs.isEmpty ? nil : pairs.joined(separator: "; "), unsent)
    }

    /// The cookies for the target. All of them count as used.
    private mutating func matching(_ target: CookieTarget, now: Date) -> [Kept] {
        var found: [Kept] = []
        clock += 1
        var domain = target.host[...]
        while true {
            let isHost = domain.startIndex == target.host.startIndex
            let name = String(domain)
            for (place, item) in (kept[name] ?? []).enumerated()
            where (isHost || item.cookie.includesSubdomains) && (target.isSecure || !item.cookie.isSecure)
                && target.isBelow(path: item.cookie.path) && !item.cookie.isExpired(now)
            {
                kept[name]?[place].used = clock
                found.append(item)
            }
            guard !target.isAddress, let dot = domain.utf8.firstIndex(of: UInt8(ascii: ".")) else { return found }
            domain = domain[domain.utf8.index(after: dot)...]
        }
    }

    // MARK: Changes

    private mutating func append(_ cookie: Cookie) {
        clock += 1
        count += 1
        kept[cookie.domain, default: []].append(
            Kept(cookie: cookie, created: clock, changed: clock, used: clock))
    }

    private mutating func remove(at place: Int, of domain: String) {
        kept[domain]?.remove(at: place)
        count -= 1
        if kept[domain]?.isEmpty == true { kept[domain] = nil }
    }

    /// Removes the expired cookies of the domains, or else one cookie: of those that are not `Secure`, if there are any,
    /// the one that was not used for the longest time.
    private mutating func drop(from domains: [String], now: Date) -> Cookie? {
        var least: (domain: String, place: Int, item: Kept)?
        var hasExpired = false
        for domain in domains {
            guard let list = kept[domain] else { continue }
            let live = list.filter { !$0.cookie.isExpired(now) }
            if live.count < list.count {
                hasExpired = true
                count -= list.count - live.count
                kept[domain] = live.isEmpty ? nil : live
            }
            guard !hasExpired else { continue }
            for (place, item) in list.enumerated() {
                let isLess =
                    least.map { least in
                        item.cookie.isSecure == least.item.cookie.isSecure
                            ? item.used < least.item.used : least.item.cookie.isSecure
                    } ?? true
                if isLess { least = (domain, place, item) }
            }
        }
        guard !hasExpired, let least else { return nil }
        remove(at: least.place, of: least.domain)
        return least.item.cookie
    }

    /// Whether a server could send the cookie back where it expects a `Secure` cookie of the same name.
    private func wouldHideSecure(_ cookie: Cookie, now: Date) -> Bool {
        for (domain, list) in kept {
            guard
                domain == cookie.domain || CookieTarget.isBelow(domain, cookie.domain)
                    || CookieTarget.isBelow(cookie.domain, domain)
            else { continue }
            for item in list
            where item.cookie.isSecure && !item.cookie.isExpired(now)
                && item.cookie.name.utf8.elementsEqual(cookie.name.utf8)
                && CookieTarget.isBelow(path: cookie.path, item.cookie.path)
            {
                return true
            }
        }
        return false
    }
}

extension Cookie {
    /// An expiry date that is no number counts as past.
    fileprivate func isExpired(_ now: Date) -> Bool { expires.map { !($0 > now) } ?? false }

    /// Whether the names and the paths are equal.
    fileprivate func hasKey(of other: Cookie) -> Bool {
        name.utf8.elementsEqual(other.name.utf8) && path.utf8.elementsEqual(other.path.utf8)
    }
}
