public import PatchbayJSON

/// A pattern for hosts: `api.example.com`, or `*.example.com` for its subdomains only, with an optional `:port`.
///
/// The pattern is compared with the host of a URL label by label. A pattern with a port matches only this port, written
/// in the URL or default; a pattern without a port matches every port.
public struct HostPattern: Sendable, Hashable {
    /// The order of patterns from wide to narrow: an exact host beats a wildcard, more labels beat fewer, then a port
    /// beats none.
    package struct Specificity: Sendable, Hashable, Comparable {
        let isExact: Bool
        let labels: Int
        let hasPort: Bool

        package static func < (left: Self, right: Self) -> Bool {
            if left.isExact != right.isExact { return right.isExact }
            if left.labels != right.labels { return left.labels < right.labels }
            return !left.hasPort && right.hasPort
        }
    }

    /// The host, an address as it is written; for a wildcard, the part after `*.`.
    package let name: String
    /// The host, an address in its one spelling.
    private let plainName: String
    package let isWildcard: Bool
    package let port: Int?

    /// Reads a pattern, which must be ASCII. For a name beyond ASCII, the error suggests the `xn--` form. If this form
    /// cannot be computed here, the error names the character: a ligature or another compatibility character such as
    /// `ﬁ` and `①`, a joiner or another invisible character, or a mark at the start of a label. Write the `xn--` form
    /// yourself then.
    /// - Throws: `FormatFailure` with the fault and the nearest valid spelling.
    public init(parsing pattern: String) throws(FormatFailure) {
        do throws(PatternFailure) { try self.init(pattern: pattern) } catch { throw error.formatFailure }
    }

    /// Like `init(parsing:)`, but the error has the suggestion as a property.
    package init(pattern: String) throws(PatternFailure) {
        let (name, isWildcard, port) = try Self.parse(pattern)
        self.init(name: name, isWildcard: isWildcard, port: port)
    }

    private init(name: String, isWildcard: Bool, port: Int?) {
        (self.name, self.isWildcard, self.port) = (name, isWildcard, port)
        plainName = HostName.plainAddress(name) ?? name
    }

    /// Whether the pattern matches the host, in whatever spelling an address is. A pattern without a port matches all
    /// ports.
    package func matches(_ host: CanonicalHost) -> Bool {
        isWildcard ? matchesAsWritten(host) : plainName == host.plainName && matchesPort(of: host)
    }

    private func matchesPort(of host: CanonicalHost) -> Bool { port == nil || port == host.effectivePort }

    /// The pattern with an address in its one spelling.
    package var plain: HostPattern { HostPattern(name: plainName, isWildcard: isWildcard, port: port) }

    /// Whether the pattern matches the host as it is written: the rule for credentials, which no other spelling of an
    /// address gets.
    package func matchesAsWritten(_ host: CanonicalHost) -> Bool {
        guard matchesPort(of: host) else { return false }
        guard isWildcard else { return host.name == name }
        // Compares whole labels: a dot comes before the equal part, and at least one character before the dot. No
        // address ends like a wildcard, because the parser refuses wildcards that end in a number.
        let above = host.name.utf8.count - name.utf8.count
        return above > 1 && host.name.utf8.dropFirst(above - 1).first == UInt8(ascii: ".")
            && host.name.utf8.dropFirst(above).elementsEqual(name.utf8)
    }

    /// The order for choosing between several patterns for one host: the most specific pattern is used.
    package var specificity: Specificity {
        Specificity(isExact: !isWildcard, labels: name.utf8.count { $0 == UInt8(ascii: ".") } + 1, hasPort: port != nil)
    }

    /// The pattern of the hosts that both patterns match; nil if there are none.
    func intersection(_ other: HostPattern) -> HostPattern? {
        guard port == nil || other.port == nil || port == other.port else { return nil }
        guard let narrower = isWithin(other) ? self : other.isWithin(self) ? other : nil else { return nil }
        return HostPattern(name: narrower.name, isWildcard: narrower.isWildcard, port: port ?? other.port)
    }

    /// Whether this pattern matches every host that `other` matches.
    func covers(_ other: HostPattern) -> Bool { (port == nil || port == other.port) && other.isWithin(self) }

    /// Whether the names of this pattern are names of the other one, whatever the ports.
    private func isWithin(_ outer: HostPattern) -> Bool {
        guard outer.isWildcard else { return !isWildcard && plainName == outer.plainName }
        return name.hasSuffix("." + outer.name) || isWildcard && name == outer.name
    }

    /// A host, with its port, that the pattern matches.
    package var example: String { isWildcard ? "a." + canonical.dropFirst(2) : canonical }

    /// The canonical spelling of the pattern.
    package var canonical: String {
        (isWildcard ? "*." : "") + name + (port.map { ":\($0)" } ?? "")
    }
}

/// An invalid literal ends the program with a sentence. Text that is only known at run time goes through
/// `init(parsing:)`, which throws.
extension HostPattern: ExpressibleByStringLiteral {
    public init(stringLiteral pattern: String) {
        do throws(PatternFailure) {
            try self.init(pattern: pattern)
        } catch {
            fatalError("a literal of HostPattern: \(error)")
        }
    }
}

extension HostPattern: CustomStringConvertible {
    public var description: String { canonical }
}

// Reads patterns, and explains faults.
extension HostPattern {
    private static func parse(
        _ pattern: String
    ) throws(PatternFailure) -> (name: String, isWildcard: Bool, port: Int?) {
        try PatternFailure.checkLength(of: pattern)
        guard !pattern.isEmpty else { throw PatternFailure("an empty string is no host") }
        guard !pattern.contains("://") else { throw url(pattern) }
        if let slash = pattern.utf8.firstIndex(of: UInt8(ascii: "/")) {
            throw PatternFailure(
                "\"\(pattern)\" has a path, which only a key of \"hosts\" in a manifest may have",
                suggestion: valid(String(pattern[..<slash])))
        }
        guard let (host, digits) = HostName.splittingPort(pattern) else { throw unreadable(pattern) }
        var port: Int?
        if let digits {
            port = HostName.port(digits)
            guard let port, port > 0 else {
                throw PatternFailure("\"\(pattern)\" has a port that is no number from 1 to 65535")
            }
        }
        guard host.utf8.allSatisfy({ $0 < 0x80 }) else { throw beyondASCII(pattern, host, port) }
        if host.hasPrefix("[") { return (try address(host, in: pattern), false, port) }
        guard host.hasPrefix("*") else {
            let name = try name(host, in: pattern)
            guard !HostName.isAddress(name) || HostName.plainAddress(name) != nil else {
                throw PatternFailure("\"\(pattern)\" ends in a number, and is no IPv4 address")
            }
            return (name, false, port)
        }
        return (try wildcard(host, in: pattern), true, port)
    }

    private static func wildcard(_ host: Substring, in pattern: String) throws(PatternFailure) -> String {
        guard host != "*" else {
            throw PatternFailure(
                "\"\(pattern)\" would match every host, which is what \"plugins\" and \"policy\" at the top level of a manifest are for"
            )
        }
        guard host.hasPrefix("*.") else {
            let rest = host.drop { $0 == "*" }
            throw PatternFailure(
                "\"\(pattern)\" is no wildcard; one begins with \"*.\"",
                suggestion: valid("*.\(rest.hasPrefix(".") ? rest.dropFirst() : rest)"))
        }
        let name = try name(host.dropFirst(2), in: pattern)
        guard !HostName.isAddress(name) else {
            throw PatternFailure("\"\(pattern)\" can match nothing: an address has no subdomains")
        }
        return name
    }

    private static func name(_ host: Substring, in pattern: String) throws(PatternFailure) -> String {
        let name = host.hasSuffix(".") ? host.dropLast() : host
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard !labels.contains("") else {
            let suggestion = pattern.hasPrefix(".") ? valid("*\(pattern)") : nil
            throw PatternFailure("\"\(pattern)\" has an empty label", suggestion: suggestion)
        }
        guard !name.contains("*") else {
            throw PatternFailure(
                "\"\(pattern)\" has a * that is not its whole first label; write \"*.\" and a name, or each host")
        }
        if let scalar = name.unicodeScalars.first(where: { !$0.utf8.allSatisfy(isNameByte) }) {
            throw PatternFailure("\"\(pattern)\" has \(scalar.shown), which no host name has")
        }
        guard name.utf8.count <= 253, labels.allSatisfy({ $0.utf8.count <= 63 }) else {
            throw PatternFailure("\"\(pattern)\" is too long: a label has at most 63 bytes and a name 253")
        }
        return FieldByte.lowercased(name)
    }

    private static func address(_ host: Substring, in pattern: String) throws(PatternFailure) -> String {
        guard !host.contains("%"), let address = HostName.canonical(String(host)) else {
            throw PatternFailure("\"\(pattern)\" is no IPv6 address in brackets")
        }
        return address
    }

    // MARK: Faults

    private static func url(_ pattern: String) -> PatternFailure {
        let authority = pattern.split(separator: "/", omittingEmptySubsequences: true).dropFirst().first ?? ""
        return PatternFailure("\"\(pattern)\" is a URL, not a host", suggestion: valid(String(authority)))
    }

    private static func beyondASCII(_ pattern: String, _ host: Substring, _ port: Int?) -> PatternFailure {
        let isWildcard = host.hasPrefix("*.")
        let bare = String(isWildcard ? host.dropFirst(2) : host)
        if let fault = HostName.fault(in: bare) {
            let why =
                switch fault.reason {
                case .unmapped: "is not mapped here, write the name in its xn-- form"
                case .misplaced: "may not stand there (UTS 46)"
                case .forbidden: "is in no host name"
                case .direction: "may not stand there in a name from right to left (RFC 5893)"
                }
            return PatternFailure("\"\(pattern)\" is not ASCII; its \(fault.number) \(why)")
        }
        let name = HostName.canonical(bare)
        let suggestion = name.map { (isWildcard ? "*." : "") + $0 + (port.map { ":\($0)" } ?? "") }
        return PatternFailure("\"\(pattern)\" is not ASCII", suggestion: suggestion.flatMap(valid))
    }

    private static func unreadable(_ pattern: String) -> PatternFailure {
        let suggestion = HostName.canonical("[\(pattern)]")
        return PatternFailure("\"\(pattern)\" is neither a host nor a host and a port", suggestion: suggestion)
    }

    /// `suggestion`, if it is a valid pattern; otherwise nil.
    private static func valid(_ suggestion: String) -> String? {
        (try? HostPattern(pattern: suggestion))?.canonical
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        FieldByte.isLetterOrDigit(byte) || "-_.".utf8.contains(byte)
    }
}
