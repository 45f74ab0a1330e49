/// Reads the patterns of `HostPattern` and says what is wrong with what is none.
enum HostPatternParser {
    typealias Parsed = (name: String, isWildcard: Bool, port: Int?)

    static func parse(_ pattern: String) throws(PatternError) -> Parsed {
        try PatternError.checkLength(of: pattern)
        guard !pattern.isEmpty else { throw PatternError("an empty string is no host") }
        guard !pattern.contains("://") else { throw url(pattern) }
        guard let (host, digits) = HostName.splittingPort(pattern) else { throw unreadable(pattern) }
        var port: Int?
        if let digits {
            port = HostName.port(digits)
            guard let port, port > 0 else {
                throw PatternError("\"\(pattern)\" has a port that is no number from 1 to 65535")
            }
        }
        guard host.utf8.allSatisfy({ $0 < 0x80 }) else { throw beyondASCII(pattern, host, port) }
        if host.hasPrefix("[") { return (try address(host, in: pattern), false, port) }
        guard host.hasPrefix("*") else { return (try name(host, in: pattern), false, port) }
        return (try wildcard(host, in: pattern), true, port)
    }

    private static func wildcard(_ host: Substring, in pattern: String) throws(PatternError) -> String {
        guard host != "*" else {
            throw PatternError("\"\(pattern)\" would match every host, which is what the global list is for")
        }
        guard host.hasPrefix("*.") else {
            let rest = host.drop { $0 == "*" }
            throw PatternError(
                "\"\(pattern)\" is no wildcard; one begins with \"*.\"",
                suggestion: valid("*.\(rest.hasPrefix(".") ? rest.dropFirst() : rest)"))
        }
        let name = try name(host.dropFirst(2), in: pattern)
        guard !HostName.isAddress(name) else {
            throw PatternError("\"\(pattern)\" can match nothing: an address has no subdomains")
        }
        return name
    }

    private static func name(_ host: Substring, in pattern: String) throws(PatternError) -> String {
        let name = host.hasSuffix(".") ? host.dropLast() : host
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard !labels.contains("") else {
            let suggestion = pattern.hasPrefix(".") ? valid("*\(pattern)") : nil
            throw PatternError("\"\(pattern)\" has an empty label", suggestion: suggestion)
        }
        guard !name.contains("*") else {
            throw PatternError("\"\(pattern)\" has a * that is not its whole first label")
        }
        guard name.utf8.allSatisfy(isNameByte) else {
            throw PatternError("\"\(pattern)\" has a character that no host name has")
        }
        guard name.utf8.count <= 253, labels.allSatisfy({ $0.utf8.count <= 63 }) else {
            throw PatternError("\"\(pattern)\" is too long: a label has at most 63 bytes and a name 253")
        }
        return FieldByte.lowercased(name)
    }

    private static func address(_ host: Substring, in pattern: String) throws(PatternError) -> String {
        guard !host.contains("%"), let address = HostName.canonical(String(host)) else {
            throw PatternError("\"\(pattern)\" is no IPv6 address in brackets")
        }
        return address
    }

    // MARK: What is wrong

    private static func url(_ pattern: String) -> PatternError {
        let authority = pattern.split(separator: "/", omittingEmptySubsequences: true).dropFirst().first ?? ""
        return PatternError("\"\(pattern)\" is a URL, not a host", suggestion: valid(String(authority)))
    }

    private static func beyondASCII(_ pattern: String, _ host: Substring, _ port: Int?) -> PatternError {
        let isWildcard = host.hasPrefix("*.")
        if let unmapped = HostName.unmapped(in: String(host)) {
            return PatternError(
                "\"\(pattern)\" is not ASCII; its \(unmapped) is not mapped here, write the name in its xn-- form")
        }
        let name = HostName.canonical(String(isWildcard ? host.dropFirst(2) : host))
        let suggestion = name.map { (isWildcard ? "*." : "") + $0 + (port.map { ":\($0)" } ?? "") }
        return PatternError("\"\(pattern)\" is not ASCII", suggestion: suggestion.flatMap(valid))
    }

    private static func unreadable(_ pattern: String) -> PatternError {
        let suggestion = HostName.canonical("[\(pattern)]")
        return PatternError("\"\(pattern)\" is neither a host nor a host and a port", suggestion: suggestion)
    }

    /// The suggestion, where it is a pattern indeed.
    private static func valid(_ suggestion: String) -> String? {
        (try? HostPattern(suggestion))?.canonical
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }
}
