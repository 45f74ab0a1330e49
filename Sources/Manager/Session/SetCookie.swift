import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry

/// One `Set-Cookie` field as a user agent reads it (RFC 6265, section 5.2).
struct SetCookie {
    /// The limit of the name and value together, and of the value of an attribute, in bytes
    /// (draft-ietf-httpbis-rfc6265bis, section 5.6).
    private static let mostBytes = 4_096
    private static let mostAttributeBytes = 1_024

    /// The name; empty if the field has none.
    let name: String
    private let value: String
    private let charset: Cookie.Charset?
    /// The number of octets of the name and the value.
    private let size: Int
    /// The value of the last Domain attribute, without a dot before it; nil for a cookie of the host alone.
    private var domain: String?
    /// The value of the last Path attribute; nil if it is no path.
    private var path: String?
    private var isSecure = false
    private var isHTTPOnly = false
    private var expires: Date?
    private var end: Date?

    /// - Parameters:
    ///   - field: the octets of the field.
    ///   - now: the time at which the field arrived.
    init(_ field: [UInt8], now: Date) {
        var rest = field[...]
        let first = Self.next(&rest)
        // Without `=`, the text is not a name.
        let octets = first.value.map { (name: first.name, value: $0) } ?? (name: [], value: [])
        (name, value, charset) = Cookie.pair(octets.name, octets.value)
        size = octets.name.count + octets.value.count
        while !rest.isEmpty {
            let (name, value) = Self.next(&rest)
            set(FieldText(octets: name).text, value.map { FieldText(octets: $0).text } ?? "", now: now)
        }
    }

    /// Removes the text before the next semicolon, and the semicolon. Returns its parts before and after the first `=`,
    /// without white space around them; a nil value if there is no `=`.
    private static func next(_ rest: inout ArraySlice<UInt8>) -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>?) {
        let part = rest.prefix { $0 != UInt8(ascii: ";") }
        rest = rest[part.endIndex...].dropFirst()
        let name = part.prefix { $0 != UInt8(ascii: "=") }
        let hasValue = name.endIndex != part.endIndex
        return (name.trimmed, hasValue ? part[name.endIndex...].dropFirst().trimmed : nil)
    }

    private mutating func set(_ name: String, _ value: String, now: Date) {
        guard name.utf8.count <= 8, value.utf8.count <= Self.mostAttributeBytes else { return }
        switch FieldByte.lowercased(name) {
        case "expires": if let seconds = CookieDate.seconds(value) { expires = Date(timeIntervalSince1970: seconds) }
        case "max-age": if let seconds = Self.seconds(value) { end = now.addingTimeInterval(seconds) }
        case "domain":
            let isDotted = value.utf8.first == UInt8(ascii: ".")
            let domain = Self.canonical(FieldByte.lowercased(Substring(value.utf8.dropFirst(isDotted ? 1 : 0))))
            // An attribute without a value is ignored (section 5.2.3).
            if !domain.isEmpty { self.domain = domain }
        case "path": path = value.utf8.first == UInt8(ascii: "/") ? value : nil
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        default: break
        }
    }

    /// The domain with its labels beyond ASCII in their `xn--` form (section 5.1.2); as it is if it has no such form, or
    /// a dot at its end.
    private static func canonical(_ domain: String) -> String {
        let isInternational = domain.utf8.contains { $0 >= 0x80 } && domain.utf8.last != UInt8(ascii: ".")
        return isInternational ? HostName.canonical(domain) ?? domain : domain
    }

    /// The seconds of Max-Age; nil for other text than digits, with `-` before them or not.
    private static func seconds(_ text: String) -> Double? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        // A number beyond Int64 lasts for ever.
        return isNegative ? -1 : Double(Int64(Substring(digits)) ?? .max)
    }

    /// The cookie that the field sets (RFC 6265, section 5.3, steps 3 to 10).
    /// - Throws: the reason that the field sets none.
    func cookie(from target: CookieTarget) throws(Refusal) -> Cookie {
        guard !name.isEmpty else { throw Refusal("it has no name") }
        guard size <= Self.mostBytes else {
            throw Refusal(
                "its name and value have \(ByteCount(size)), and a cookie has at most \(ByteCount.grouped(Self.mostBytes))"
            )
        }
        var includesSubdomains = false
        if let domain {
            guard target.isBelow(domain) else {
                throw Refusal("its Domain is neither the host nor a domain above the host")
            }
            guard !name.utf8.prefix(7).map({ FieldByte.lowercased($0) }).elementsEqual("__host-".utf8) else {
                throw Refusal("its name begins with __Host-, and it has a Domain")
            }
            includesSubdomains = !target.isAddress && !PublicSuffixes.shares(domain, of: target.host)
            guard includesSubdomains || domain == target.host else { throw Refusal("its Domain is a public suffix") }
        }
        guard target.isSecure || !isSecure else { throw Refusal("it is Secure, and the connection is not") }
        let path = path ?? target.defaultPath
        guard path.utf8.count <= Self.mostAttributeBytes else {
            throw Refusal("the path of the URL has more than \(ByteCount(Self.mostAttributeBytes))")
        }
        do throws(FormatFailure) {
            return try Cookie(
                name: name, value: value, domain: includesSubdomains ? domain ?? target.host : target.host,
                includesSubdomains: includesSubdomains, path: path, isSecure: isSecure, isHTTPOnly: isHTTPOnly,
                // Max-Age counts, whatever Expires says.
                expires: end ?? expires, charset: charset
            ).checked()
        } catch {
            throw Refusal(error.reason)
        }
    }
}

extension Cookie {
    /// The name and the value of octets. They are read alike, because they are sent together.
    static func pair(
        _ name: some Collection<UInt8>, _ value: some Collection<UInt8>
    ) -> (name: String, value: String, charset: Charset?) {
        let (name, value) = (FieldText(octets: name), FieldText(octets: value))
        let isLatin1 = name.isLatin1 || value.isLatin1
        guard isLatin1 else { return (name.text, value.text, nil) }
        return (FieldText.latin1(name.octets), FieldText.latin1(value.octets), .latin1)
    }
}

/// Dates of the Expires attribute (RFC 6265, section 5.1.1): a time, a day, a month and a year, in any order.
enum CookieDate {
    /// The seconds since 1970; nil for text that is not a date.
    static func seconds(_ text: String) -> Double? {
        var time: [Int]?
        var day: Int?
        var month: Int?
        var year: Int?
        for token in text.utf8.split(whereSeparator: isDelimiter) {
            if time == nil, let found = clock(token) {
                time = found
            } else if day == nil, let found = number(token, 1...2) {
                day = found
            } else if month == nil, let found = monthNumber(token) {
                month = found
            } else if year == nil, let found = number(token, 2...4) {
                year = found < 70 ? found + 2000 : found < 100 ? found + 1900 : found
            }
        }
        guard let time, let day, let month, let year, year >= 1601, time[0] <= 23, time[1] <= 59, time[2] <= 59,
            (1...HTTPDate.days(inMonth: month, of: year)).contains(day)
        else { return nil }
        let days = HTTPDate.days(year: year, month: month, day: day)
        return Double(days * 86_400 + time[0] * 3_600 + time[1] * 60 + time[2])
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// The number before the first byte that is no digit, if it has so many digits.
    private static func number(_ token: Substring.UTF8View, _ counts: ClosedRange<Int>) -> Int? {
        let digits = token.prefix(while: isDigit)
        guard counts.contains(digits.count) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
    }

    /// Hours, minutes and seconds.
    private static func clock(_ token: Substring.UTF8View) -> [Int]? {
        let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].allSatisfy(isDigit), parts[1].allSatisfy(isDigit) else { return nil }
        let numbers = parts.compactMap { number($0, 1...2) }
        return numbers.count == 3 ? numbers : nil
    }

    private static func monthNumber(_ token: Substring.UTF8View) -> Int? {
        let start = token.prefix(3).map { FieldByte.lowercased($0) }
        return HTTPDate.months.firstIndex { $0.utf8.lazy.map { FieldByte.lowercased($0) }.elementsEqual(start) }
            .map { $0 + 1 }
    }
}
