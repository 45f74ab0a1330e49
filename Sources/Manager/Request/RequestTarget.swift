import PatchbayPlatform
import PatchbayRegistry

/// The URL of a request, and the credentials that were written in it.
struct RequestTarget {
    /// Absolute, `http` or `https`, with an ASCII host, no fragment and no user information.
    let url: URL
    let host: CanonicalHost
    /// The value of Authorization for the user information of the URL (RFC 7617); nil for a URL without user
    /// information.
    let authorization: String?
    /// Whether the URL was made by adding to the base URL, and so has its origin. False if that is unknown.
    let isBelowBase: Bool

    /// A target whose URL was made by adding to the base URL, and is in its final form.
    init(belowBase url: URL, host: CanonicalHost) {
        self.url = url
        self.host = host
        authorization = nil
        isBelowBase = true
    }

    /// - Parameter shown: the text that the reason of a refusal shows instead of the target, without segments in `masking`.
    /// - Throws: `Refusal` if the text is not a URL, has no host, or has a scheme other than `http` and `https`.
    init(
        _ target: String, query: QueryItems = [], encodedQuery: String? = nil, base: URL?, masking: Set<String> = [],
        shown: String? = nil
    ) throws(Refusal) {
        let subject = TargetSubject(shown ?? target, base: base, masking)
        let target = try subject.mapped(target)
        let base = base.map(Self.directory)
        // The empty reference is the base itself (RFC 3986, section 4.4). Foundation does not parse it as a URL.
        guard let resolved = (target.isEmpty ? base : URL(string: Self.escaped(target), relativeTo: base))?.absoluteURL,
            let components = URLComponents(url: resolved, resolvingAgainstBaseURL: true)
        else { throw subject.unreadable }
        try self.init(components, query: [query.encoded, encodedQuery ?? ""], subject)
    }

    /// The target of a redirect: `location` resolved against the URL of the redirecting request (RFC 9110, section
    /// 10.2.2).
    init(location: String, from url: URL, masking: Set<String> = []) throws(Refusal) {
        let subject = TargetSubject(location: location, masking)
        let location = try subject.mapped(location)
        // The empty reference is the requested URL itself (RFC 3986, section 4.4). Foundation does not parse it as a
        // URL.
        guard let resolved = location.isEmpty ? url : URL(string: Self.escaped(location), relativeTo: url)?.absoluteURL,
            var components = URLComponents(url: resolved, resolvingAgainstBaseURL: true)
        else { throw subject.unreadable }
        // A server must not set the credentials of the next request.
        components.user = nil
        components.password = nil
        try self.init(components, query: [], subject)
    }

    /// The text with an escape for each character after its authority that a URL cannot have (RFC 3986, section 2).
    ///
    /// Foundation escapes these characters too, but then it also escapes each `%`, even the one of a valid escape:
    /// `a%20b[]` became `a%2520b%5B%5D`. Text without a valid escape is left to Foundation.
    private static func escaped(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        let bytes = Array(text.utf8)
        let start = endOfAuthority(in: text).map { text.utf8.distance(from: text.startIndex, to: $0) } ?? 0
        var isChanged = false
        var hasEscape = false
        var hasFragment = false
        var result = Array(bytes[..<start])
        for (position, byte) in bytes.enumerated().dropFirst(start) {
            let isEscape =
                byte == UInt8(ascii: "%") && position + 2 < bytes.count && bytes[position + 1].isHexDigit
                && bytes[position + 2].isHexDigit
            let isFirstHash = byte == UInt8(ascii: "#") && !hasFragment
            hasEscape = hasEscape || isEscape
            hasFragment = hasFragment || isFirstHash
            if isEscape || isFirstHash || byte.isQueryByte {
                result.append(byte)
            } else {
                isChanged = true
                let hex = String(byte, radix: 16, uppercase: true)
                result += ("%" + (hex.utf8.count < 2 ? "0" : "") + hex).utf8
            }
        }
        return isChanged && hasEscape ? String(decoding: result, as: UTF8.self) : text
    }

    /// The end of the authority, which follows `//`, at the start or behind a scheme (RFC 3986, section 3). Nil without one.
    static func endOfAuthority(in text: String) -> String.Index? {
        let scheme = text.utf8.prefix { !endsAuthority($0) }
        let rest = text.utf8[scheme.endIndex...]
        guard rest.starts(with: "//".utf8), scheme.last ?? UInt8(ascii: ":") == UInt8(ascii: ":") else { return nil }
        return rest.dropFirst(2).firstIndex(where: endsAuthority) ?? text.endIndex
    }

    static func endsAuthority(_ byte: UInt8) -> Bool { "/?#".utf8.contains(byte) }

    private init(_ parts: URLComponents, query: [String], _ subject: TargetSubject) throws(Refusal) {
        var components = parts
        guard let scheme = components.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            throw subject.refused(scheme: components.scheme)
        }
        guard let written = components.encodedHost, !written.isEmpty else { throw Refusal("\(subject) has no host") }
        guard let named = components.url, let host = CanonicalHost(url: named) else {
            guard let fault = HostName.fault(in: components.host ?? "") else {
                throw Refusal("\(subject) has no host or port that can be asked")
            }
            throw subject.refused(fault)
        }
        if components.scheme != scheme {
            components.scheme = scheme
            // Setting the scheme makes Foundation rewrite the host, and lose labels that its IDNA does not read.
            components.encodedHost = written
        }
        // The zone of an IPv6 address stays encoded (RFC 6874).
        if written.contains("%"), !host.name.contains("%") {
            // Foundation traps on a host with a character that `isWritable` refuses.
            guard HostName.isWritable(host.name) else {
                throw Refusal("the host of \(subject) has a character that no host has")
            }
            components.encodedHost = host.name
        }
        authorization = Self.authorization(components.user, components.password)
        components.user = nil
        components.password = nil
        components.fragment = nil
        for added in query where !added.isEmpty {
            guard Self.isQuery(added) else { throw Refusal("the query has a character that is not percent-encoded") }
            components.percentEncodedQuery =
                components.percentEncodedQuery.map { $0.isEmpty ? added : $0 + "&" + added } ?? added
        }
        if components.percentEncodedPath.isEmpty { components.percentEncodedPath = "/" }
        guard let url = components.url, url.absoluteString.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw subject.unreadable
        }
        self.url = url
        self.host = host
        isBelowBase = false
    }

    /// A base URL with a path always counts as a folder, so that relative targets resolve below it.
    private static func directory(_ base: URL) -> URL {
        guard !base.path(percentEncoded: true).isEmpty, !base.absoluteString.hasSuffix("/"),
            var components = URLComponents(url: base, resolvingAgainstBaseURL: true)
        else { return base }
        components.percentEncodedPath += components.percentEncodedPath.hasSuffix("/") ? "" : "/"
        return components.url ?? base
    }

    /// Whether the text is a query (RFC 3986, section 3.4).
    private static func isQuery(_ text: String) -> Bool {
        var bytes = Array(text.utf8)[...]
        while let byte = bytes.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                guard byte.isQueryByte else { return false }
                continue
            }
            guard let high = bytes.popFirst(), let low = bytes.popFirst(), high.isHexDigit, low.isHexDigit else {
                return false
            }
        }
        return true
    }

    private static func authorization(_ user: String?, _ password: String?) -> String? {
        guard user?.isEmpty == false || password?.isEmpty == false else { return nil }
        return "Basic " + Data("\(user ?? ""):\(password ?? "")".utf8).base64EncodedString()
    }
}

extension UInt8 {
    var isHexDigit: Bool {
        (0x30...0x39).contains(self) || (0x41...0x46).contains(self) || (0x61...0x66).contains(self)
    }

    /// Whether the byte is allowed in a query without percent-encoding: pchar, `/` and `?`, except the percent sign.
    fileprivate var isQueryByte: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
            || Self.queryMarks.contains(self)
    }

    private static let queryMarks = Set("-._~!$&'()*+,;=:@/?".utf8)
}
