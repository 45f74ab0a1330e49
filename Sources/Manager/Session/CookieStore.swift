import PatchbayPlatform
import PatchbayRegistry

/// The cookies of a jar (RFC 6265, section 5.3).
///
/// What a request or a response costs depends on the cookies of its host and the domains above, and on the logarithm of
/// the number of all cookies. Names and paths are compared as bytes, because comparing strings normalises them.
struct CookieStore: Sendable {
    /// The limits for cookies that responses set (section 6.1 asks for at least 50 and 3,000).
    static let mostPerDomain = 180
    static let mostInAll = 3_000
    /// The limit of a Cookie line with its name and its end, in bytes. Most servers refuse a longer line.
    static let mostLineBytes = 8 << 10

    private struct Kept {
        let id: Int
        var cookie: Cookie
        /// The places in the orders of the last change and of the last use.
        var changed: Int
        var used: Int
    }

    /// The cookies by their ids, which are their places in the order of creation. A cookie that replaces another one
    /// keeps its id (section 5.3, step 11).
    private var kept: [Int: Kept] = [:]
    /// The ids of the cookies of a domain, in the order of creation.
    private var domains: [String: [Int]] = [:]
    private var secure: [SecureName: Set<Int>] = [:]
    private var byUse = IDHeap<Int>()
    private var byEnd = IDHeap<Date>()
    private var clock = 0
    /// The number of times that a cookie was looked at, for tests.
    private(set) var looks = 0

    /// A store with these cookies, of which no two have the same name, domain and path.
    init(distinct cookies: some Sequence<Cookie>, now: Date) {
        for cookie in cookies where !cookie.isExpired(now) { _ = append(cookie) }
    }

    /// Every cookie that has not expired, in the order of creation.
    mutating func cookies(now: Date) -> [Cookie] {
        removeExpired(now)
        return kept.values.inOrder { $0.id < $1.id }.map(\.cookie)
    }

    /// Stores the cookie and replaces a cookie with the same name, domain and path. An expired cookie only removes that
    /// cookie.
    /// - Returns: the id of the cookie if it was added, and replaced none.
    @discardableResult
    mutating func set(_ cookie: Cookie, now: Date) -> Int? {
        removeExpired(now)
        let former = items(of: cookie.domain).first { $0.cookie.hasKey(of: cookie) }
        guard !cookie.isExpired(now) else {
            if let former { remove(former) }
            return nil
        }
        guard let former else { return append(cookie) }
        put(cookie, id: former.id)
        return nil
    }

    /// Stores a cookie that a response set, and drops another cookie if the store has too many. So a response never
    /// makes a store larger than the limits.
    /// - Returns: the dropped cookie, and the reason.
    /// - Throws: the reason that the cookie is refused.
    mutating func take(
        _ cookie: Cookie, from target: CookieTarget, now: Date
    ) throws(Refusal) -> (cookie: Cookie, reason: String)? {
        removeExpired(now)
        // Anybody on the way can set cookies over http (draft-ietf-httpbis-rfc6265bis, section 5.7, step 14).
        guard target.isSecure || !wouldHideSecure(cookie) else {
            throw Refusal("it would take the place of a Secure cookie, and the connection is not secure")
        }
        guard let added = set(cookie, now: now) else { return nil }
        if let count = domains[cookie.domain]?.count, count > Self.mostPerDomain {
            let others = items(of: cookie.domain).filter { $0.id != added }
            // The first of several that were used at once. Those that are not Secure go first.
            let least = others.min {
                $0.cookie.isSecure == $1.cookie.isSecure ? $0.used < $1.used : $1.cookie.isSecure
            }
            guard let least else { return nil }
            remove(least)
            return (least.cookie, "the domain has more than \(Self.mostPerDomain) cookies")
        }
        guard kept.count > Self.mostInAll, let id = byUse.least, id != added, let least = item(id) else { return nil }
        remove(least)
        return (least.cookie, "the jar has more than \(ByteCount.grouped(Self.mostInAll)) cookies")
    }

    mutating func removeAll() { self = CookieStore(distinct: [Cookie](), now: Date()) }

    // MARK: Sending

    /// The value of the Cookie field for a request, in the order of RFC 6265, section 5.4: the cookies with the longest
    /// paths first, then the oldest. If not all fit into a line, the newest are sent.
    /// - Parameter own: the cookies of the request itself. They are always sent, after the cookies of the jar.
    /// - Returns: the octets of the value, which are empty without cookies; and the cookies that did not fit.
    mutating func field(
        for target: CookieTarget, own: [UInt8], now: Date
    ) -> (octets: [UInt8], unsent: [Cookie]) {
        var sent: [Kept] = []
        var unsent: [Cookie] = []
        // Each cookie has `; ` behind it, except the last one.
        var room = Self.mostLineBytes - "Cookie: \r\n".utf8.count - (own.isEmpty ? -2 : own.count)
        for found in matching(target, now: now).inOrder(by: { $0.changed > $1.changed }) {
            let size = found.cookie.nameText.size + found.cookie.valueText.size + "=; ".utf8.count
            if size <= room {
                room -= size
                sent.append(found)
            } else {
                unsent.append(found.cookie)
            }
        }
        var pairs = sent.inOrder { one, other in
            let (long, short) = (one.cookie.path.utf8.count, other.cookie.path.utf8.count)
            return long == short ? one.id < other.id : long > short
        }.map { $0.cookie.nameText.octets + [UInt8(ascii: "=")] + $0.cookie.valueText.octets }
        if !own.isEmpty { pairs.append(own) }
        return (Array(pairs.joined(separator: "; ".utf8)), unsent)
    }

    /// The cookies for the target. All of them count as used.
    private mutating func matching(_ target: CookieTarget, now: Date) -> [Kept] {
        removeExpired(now)
        clock += 1
        var found: [Kept] = []
        var domain = target.host[...]
        while true {
            let isHost = domain.startIndex == target.host.startIndex
            for item in items(of: String(domain))
            where (isHost || item.cookie.includesSubdomains) && (target.isSecure || !item.cookie.isSecure)
                && target.isBelow(path: item.cookie.path)
            {
                kept[item.id]?.used = clock
                byUse.set(clock, for: item.id)
                found.append(item)
            }
            guard !target.isAddress, let dot = domain.utf8.firstIndex(of: UInt8(ascii: ".")) else { return found }
            domain = domain[domain.utf8.index(after: dot)...]
        }
    }

    // MARK: Items

    private mutating func item(_ id: Int) -> Kept? {
        looks += 1
        return kept[id]
    }

    private mutating func items(of domain: String) -> [Kept] {
        var items: [Kept] = []
        for id in domains[domain] ?? [] { if let item = item(id) { items.append(item) } }
        return items
    }

    private mutating func append(_ cookie: Cookie) -> Int {
        let id = clock + 1
        domains[cookie.domain, default: []].append(id)
        put(cookie, id: id)
        return id
    }

    /// Puts the cookie in the place of the cookie with the id, if there is one.
    private mutating func put(_ cookie: Cookie, id: Int) {
        clock += 1
        if let former = kept[id]?.cookie { unmark(former, id: id) }
        kept[id] = Kept(id: id, cookie: cookie, changed: clock, used: clock)
        byUse.set(clock, for: id)
        byEnd.set(cookie.expires, for: id)
        if cookie.isSecure { secure[SecureName(cookie), default: []].insert(id) }
    }

    private mutating func remove(_ item: Kept) {
        kept[item.id] = nil
        byUse.set(nil, for: item.id)
        byEnd.set(nil, for: item.id)
        unmark(item.cookie, id: item.id)
        let domain = item.cookie.domain
        domains[domain]?.removeAll { $0 == item.id }
        if domains[domain]?.isEmpty == true { domains[domain] = nil }
    }

    private mutating func removeExpired(_ now: Date) {
        while let id = byEnd.least, let item = kept[id], item.cookie.isExpired(now) { remove(item) }
    }

    // MARK: Secure cookies

    /// The name of a Secure cookie, as bytes, and the last two labels of its domain. Two domains of which one is below
    /// the other share these labels, unless one is a single label: its cookies and those below it never meet in a
    /// request, because a server can set none for all hosts below a single label.
    private struct SecureName: Hashable {
        let site: String
        let name: [UInt8]

        init(_ cookie: Cookie) {
            let labels = cookie.domain.utf8.split(separator: UInt8(ascii: "."))
            site = labels.suffix(2).map { String(Substring($0)) }.joined(separator: ".")
            name = cookie.nameText.octets
        }
    }

    private mutating func unmark(_ cookie: Cookie, id: Int) {
        guard cookie.isSecure else { return }
        let name = SecureName(cookie)
        secure[name]?.remove(id)
        if secure[name]?.isEmpty == true { secure[name] = nil }
    }

    /// Whether a server could send the cookie back where it expects a `Secure` cookie of the same name.
    private mutating func wouldHideSecure(_ cookie: Cookie) -> Bool {
        for id in secure[SecureName(cookie)] ?? [] {
            guard let other = item(id)?.cookie, CookieTarget.isBelow(path: cookie.path, other.path) else { continue }
            let (one, two) = (cookie.domain, other.domain)
            if one == two || CookieTarget.isBelow(one, two) || CookieTarget.isBelow(two, one) { return true }
        }
        return false
    }
}

extension Cookie {
    /// An expiry date that is no number counts as past.
    fileprivate func isExpired(_ now: Date) -> Bool { expires.map { !($0 > now) } ?? false }

    /// Whether the names and the paths are equal.
    fileprivate func hasKey(of other: Cookie) -> Bool {
        path.utf8.elementsEqual(other.path.utf8)
            && (isLatin1 == other.isLatin1
                ? name.utf8.elementsEqual(other.name.utf8) : nameText.octets == other.nameText.octets)
    }
}
