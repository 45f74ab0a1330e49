/// A pattern for hosts: `api.example.com`, or `*.example.com` for its subdomains only, with an optional `:port`.
///
/// It is compared with `CanonicalHost` label by label. A pattern with a port matches that port alone, be it written in the URL
/// or the default of its scheme; one without matches every port. The default port of a scheme equals none in a URL.
public struct HostPattern: Sendable, Hashable {
    /// How narrow a pattern is: an exact host beats a wildcard, more labels beat fewer, then a port beats none.
    public struct Specificity: Sendable, Hashable, Comparable {
        let isExact: Bool
        let labels: Int
        let hasPort: Bool

        public static func < (left: Self, right: Self) -> Bool {
            if left.isExact != right.isExact { return right.isExact }
            if left.labels != right.labels { return left.labels < right.labels }
            return !left.hasPort && right.hasPort
        }
    }

    /// The host; of a wildcard the part behind `*.`.
    package let name: String
    package let isWildcard: Bool
    package let port: Int?

    /// Reads a pattern. It is ASCII; a name beyond that is refused with its `xn--` form, which is what to write, or with the
    /// character for which that form cannot be made here: a ligature or another form that stands for others, such as `ﬁ` and `①`, a
    /// joiner or another that is not seen, or a mark at the start of a label. Write the `xn--` form yourself then.
    /// - Throws: `PatternError`, which says what is wrong and shows the nearest valid spelling.
    public init(_ pattern: String) throws(PatternError) {
        (name, isWildcard, port) = try HostPatternParser.parse(pattern)
    }

    /// Whether the pattern is for the host; a pattern without a port is for all of them.
    public func matches(_ host: CanonicalHost) -> Bool {
        guard port == nil || port == host.effectivePort else { return false }
        guard isWildcard else { return host.name == name }
        // Whole labels: a dot stands before the part that is equal, and something before the dot. No address ends like a
        // wildcard, because the parser refuses those that end in a number.
        let above = host.name.utf8.count - name.utf8.count
        return above > 1 && host.name.utf8.dropFirst(above - 1).first == UInt8(ascii: ".")
            && host.name.utf8.dropFirst(above).elementsEqual(name.utf8)
    }

    /// How narrow it is: of several patterns for one host the narrowest counts.
    public var specificity: Specificity {
        Specificity(isExact: !isWildcard, labels: name.utf8.count { $0 == UInt8(ascii: ".") } + 1, hasPort: port != nil)
    }

    /// Of values that have patterns the one that would apply to the hosts of this pattern if it were not there: that of the narrowest
    /// other one.
    func narrowestOther<Value>(_ values: [Value], _ pattern: (Value) -> HostPattern?) -> Value? {
        guard let host = CanonicalHost(example) else { return nil }
        let others = values.compactMap { value in pattern(value).map { (pattern: $0, value: value) } }
            .filter { $0.pattern != self && $0.pattern.matches(host) }
        return others.max { $0.pattern.specificity < $1.pattern.specificity }?.value
    }

    /// A host, with its port, that the pattern matches.
    var example: String { isWildcard ? "a." + canonical.dropFirst(2) : canonical }

    /// The pattern in canonical spelling, the same for all spellings of one pattern.
    public var canonical: String {
        (isWildcard ? "*." : "") + name + (port.map { ":\($0)" } ?? "")
    }
}

extension HostPattern: CustomStringConvertible {
    public var description: String { canonical }
}
