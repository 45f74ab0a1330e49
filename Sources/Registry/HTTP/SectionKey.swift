package import PatchbayPlatform

/// A key of `hosts` in a manifest: a host pattern, perhaps with a path of whole segments: `api.example.com/export`.
///
/// A key with a path matches the URLs whose paths begin with its segments. The path of a URL is split at its slashes,
/// and then each segment is decoded once. Segments are compared by their bytes.
package struct SectionKey: Sendable, Hashable {
    /// An address is in its one spelling.
    package let host: HostPattern
    /// The segments as UTF-8; empty for a key of whole hosts.
    package let path: [[UInt8]]

    /// Reads a pattern of `HostPattern`, with or without a path, which is not percent-encoded.
    package init(pattern text: String) throws(PatternFailure) {
        guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")), !text.contains("://") else {
            do throws(PatternFailure) {
                self.init(try HostPattern(pattern: text))
            } catch {
                // A key can have the path of a URL, and a pattern cannot.
                let afterMark = text.firstRange(of: "://").map { String(text[$0.upperBound...]) } ?? ""
                let better = afterMark.contains("/") ? (try? SectionKey(pattern: afterMark))?.canonical : nil
                throw PatternFailure(error.reason, suggestion: better ?? error.suggestion)
            }
            return
        }
        try PatternFailure.checkLength(of: text)
        let path = try Self.segments(text[slash...], of: text)
        let host: HostPattern
        do throws(PatternFailure) {
            host = try HostPattern(pattern: String(text[..<slash]))
        } catch {
            throw PatternFailure(error.reason, suggestion: error.suggestion.map { $0 + text[slash...] })
        }
        let bits = path.count == 1 ? Int(String(decoding: path[0], as: UTF8.self)) : nil
        guard !HostName.isAddress(host.name) || !(bits.map((0...128).contains) ?? false) else {
            throw PatternFailure("\"\(text)\" is a range of addresses, and a key is one host; write each address")
        }
        self.init(host, path: path)
    }

    package init(_ host: HostPattern, path: [[UInt8]] = []) { (self.host, self.path) = (host.plain, path) }

    private static func segments(_ path: Substring, of key: String) throws(PatternFailure) -> [[UInt8]] {
        // A `better` key is never `key` itself, whose failure this is.
        func failure(_ fault: String, _ better: String) -> PatternFailure {
            PatternFailure("\"\(key)\" has \(fault)", suggestion: (try? SectionKey(pattern: better))?.canonical)
        }
        if let end = key.utf8.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) {
            throw failure("a query or a fragment, and only the path of a URL counts", String(key[..<end]))
        }
        guard !path.utf8.contains(UInt8(ascii: "%")) else {
            let decoded = String(decoding: path.utf8.unescaped(), as: UTF8.self)
            throw failure(
                "a % in its path, whose segments are written decoded",
                decoded == path ? "" : String(key[..<path.startIndex]) + decoded)
        }
        let segments = path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        func without(_ isDropped: (Substring.UTF8View) -> Bool) -> String {
            ([key[..<path.startIndex]] + segments.filter { !isDropped($0) }.map { Substring($0) }).joined(
                separator: "/")
        }
        let isStar = { (segment: Substring.UTF8View) in segment.contains(UInt8(ascii: "*")) }
        guard !segments.contains(where: isStar) else {
            let before = segments.prefix { !isStar($0) }.count
            throw failure(
                "a * in its path, where each segment is literal",
                segments[before...].allSatisfy(isStar) ? without(isStar) : "")
        }
        guard segments.last?.isEmpty == false else {
            throw failure("a / at its end, and a path covers all below it without one", without(\.isEmpty))
        }
        guard !segments.contains(where: \.isEmpty) else {
            throw failure("an empty segment in its path", without(\.isEmpty))
        }
        if let dots = segments.first(where: { isDots($0) }) {
            throw failure("the segment \"\(Substring(dots))\" in its path, which matches nothing", "")
        }
        guard !path.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") }) else {
            let better = key.replacing("\\", with: "/")
            throw failure("a character in its path that no key has", better == key ? "" : better)
        }
        return segments.map(Array.init)
    }

    private static func isDots(_ segment: some Collection<UInt8>) -> Bool {
        segment.count <= 2 && !segment.isEmpty && segment.allSatisfy { $0 == UInt8(ascii: ".") }
    }

    /// The first segments of the path of a URL, each decoded once. None if any segment of the path is `.` or `..`,
    /// because readers of the URL differ about the path that it names.
    static func segments(of url: URL, atMost most: Int) -> [[UInt8]] {
        var text = url.absoluteString
        return text.withUTF8 { text in
            let slash = UInt8(ascii: "/")
            var rest = text[...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
            // After the scheme and the authority.
            guard let start = rest.firstIndex(of: slash), rest[start...].starts(with: "//".utf8) else { return [] }
            rest = rest[(start + 2)...]
            guard let end = rest.firstIndex(of: slash) else { return [] }
            rest = rest[(end + 1)...]
            var found: [[UInt8]] = []
            for segment in rest.split(separator: slash, omittingEmptySubsequences: false) {
                // Two dots have at most six bytes: `%2e%2E`.
                guard found.count < most || segment.count <= 6 else { continue }
                let decoded = segment.unescaped()
                guard !isDots(decoded) else { return [] }
                if found.count < most { found.append(decoded) }
            }
            return found
        }
    }

    package var isWildcard: Bool { host.isWildcard }

    /// The order for choosing between several keys for one URL: the narrowest host is used, then the longest path.
    package var specificity: (HostPattern.Specificity, Int) { (host.specificity, path.count) }

    /// The value of the narrowest other key that covers this one. It would apply to the URLs of this key if this key
    /// did not exist.
    package func narrowestOther<Value>(_ values: [Value], _ key: (Value) -> SectionKey?) -> Value? {
        var narrowest: (key: SectionKey, value: Value)?
        for value in values {
            guard let key = key(value), key.covers(self), key != self else { continue }
            if narrowest.map({ $0.key.specificity < key.specificity }) ?? true { narrowest = (key, value) }
        }
        return narrowest?.value
    }

    /// Whether this key matches every URL that `other` matches.
    func covers(_ other: SectionKey) -> Bool { other.path.starts(with: path) && host.covers(other.host) }

    /// The key of the URLs of this key whose hosts match a pattern; nil if there are none.
    func intersection(_ pattern: HostPattern) -> SectionKey? {
        host.intersection(pattern).map { SectionKey($0, path: path) }
    }

    /// The segments as text, each after a slash.
    package var pathText: String { path.map { "/" + String(decoding: $0, as: UTF8.self) }.joined() }

    /// A host with its port, and with the path, that the key matches.
    package var example: String { host.example + pathText }

    /// The canonical spelling of the key.
    package var canonical: String { host.canonical + pathText }
}

extension SectionKey: CustomStringConvertible {
    package var description: String { canonical }
}

/// A host with or without a path, for a question about a table: `api.example.com/export`.
package struct Endpoint: Sendable {
    package let host: CanonicalHost
    private let path: String

    package init(_ host: CanonicalHost, path: String = "") { (self.host, self.path) = (host, path) }

    /// Reads `host`, `host:port`, or one of them with a path; nil for other text, as a URL or a pattern.
    package init?(_ text: String) {
        let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) ?? text.endIndex
        let authority = String(text[..<slash])
        let isURL = authority.hasSuffix(":") && text[slash...].hasPrefix("//")
        guard !isURL, !authority.contains("*"), let host = CanonicalHost(authority) else { return nil }
        self.init(host, path: String(text[slash...]))
    }

    /// The host that a text other than a host probably means: that of a URL, one that a pattern matches, or an IPv6
    /// address without its brackets.
    package static func nearest(to text: String) -> String? {
        if let mark = text.firstRange(of: "://") {
            return Endpoint(String(text[mark.upperBound...].prefix { $0 != "?" && $0 != "#" }))?.description
        }
        return Endpoint(text.hasPrefix("*.") ? "a" + text.dropFirst() : "[\(text)]")?.description
    }

    /// A URL of the host and the path.
    package var url: URL { URL(string: "https://\(host)\(path.isEmpty ? "/" : path)") ?? URL(filePath: "/") }
}

extension Endpoint: CustomStringConvertible {
    package var description: String { "\(host)\(path)" }
}
