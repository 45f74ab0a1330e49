package import PatchbayPlatform

/// Keeps secrets out of descriptions, debug descriptions and mirrors.
///
/// The library cannot know which names and values of a service are secret. So it shows only harmless parts: the names
/// in a query, path segments that do not look like a token, and the values of a short list of header fields.
package enum Redaction {
    /// A URL, or other text in its position, with `***` for user information, the values of its query, the fragment,
    /// and path segments that can be secrets (RFC 3986, section 3).
    ///
    /// - Parameter named: more segments to mask, as in `SessionConfiguration.maskedPathSegments`.
    package static func masked(_ text: String, named: Set<String> = []) -> String {
        let (place, end) = split(text, named: named)
        return place + maskedEnd(end)
    }

    /// The text that `masked` gives up to the query, and the query and the fragment as they are.
    package static func split(_ text: String, named: Set<String> = []) -> (place: String, end: Substring) {
        let (authorityStart, hasMark) = Self.authorityStart(of: text)
        let hostStart = Self.hostStart(in: text[authorityStart...])
        let (path, end) = Self.path(of: text, hostStart, hasMark)
        let user = hostStart == authorityStart ? "" : "***@"
        return (
            text[..<authorityStart] + user + text[hostStart..<path.startIndex] + maskedPath(path, named), text[end...]
        )
    }

    /// A URL, or other text in its position, for a sentence: without user information, query and fragment, and with
    /// `***` for path segments that can be secrets. A URL without a host, such as `data:`, shows only its scheme.
    package static func shown(_ text: String, named: Set<String> = []) -> String {
        let (authorityStart, hasMark) = Self.authorityStart(of: text)
        guard hasMark || authorityStart == text.startIndex || text.lowercased().hasPrefix("http") else {
            return String(text.prefix { $0 != ":" }) + ":…"
        }
        let hostStart = Self.hostStart(in: text[authorityStart...])
        let path = Self.path(of: text, hostStart, hasMark).path
        return String(text[..<authorityStart]) + text[hostStart..<path.startIndex] + maskedPath(path, named)
    }

    /// The result of `shown` in quotes, with at most 80 characters, and with escapes for invisible characters, because
    /// the text can come from another program or server.
    package static func quoted(_ text: String, named: Set<String> = []) -> String {
        quoted(shown: shown(text, named: named))
    }

    /// Text that is safe to show, in quotes, with at most 80 characters and with escapes for invisible characters.
    package static func quoted(shown text: String) -> String {
        Quoted(text).description.unicodeScalars.reduce(into: "") { quoted, scalar in
            if scalar.isInvisible || [.privateUse, .unassigned].contains(scalar.properties.generalCategory) {
                quoted += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                quoted.unicodeScalars.append(scalar)
            }
        }
    }

    /// The path, and the index of its end in `text`.
    private static func path(
        of text: String, _ hostStart: String.Index, _ hasMark: Bool
    ) -> (path: Substring, end: String.Index) {
        // Without `//`, text that looks like a host can be the first path segment.
        let start = hasMark ? text[hostStart...].firstIndex(where: endsAuthority) ?? text.endIndex : hostStart
        let end = text[start...].unicodeScalars.firstIndex { $0 == "?" || $0 == "#" } ?? text.endIndex
        return (text[start..<end], end)
    }

    /// The target of a request for a sentence: host, the port if it is not the default, and the path.
    package static func place(_ url: URL, named: Set<String> = []) -> String? {
        guard let host = url.host(), !host.isEmpty else { return nil }
        let isDefault = url.port == nil || CanonicalHost(url: url).map { $0.port == nil } ?? false
        let port = isDefault ? "" : url.port.map { ":\($0)" } ?? ""
        let path = maskedPath(url.path(percentEncoded: true)[...], named)
        return (host.contains(":") ? "[\(host)]" : host) + port + (path == "/" ? "" : shortened(path))
    }

    /// A path, percent-encoded, with `***` for segments that can be secrets.
    package static func path(_ path: String, named: Set<String>) -> String { maskedPath(path[...], named) }

    /// The value of a harmless header field; for other fields its length.
    package static func masked(_ field: HeaderFields.Element) -> String {
        let isShown =
            harmless.contains(field.name.lowercased()) && field.value.utf8.count <= maximumLength
            && field.value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        return isShown ? field.value : "<\(ByteCount(field.value.utf8.count))>"
    }

    /// The name of a header field or query item for a description: `***` if it is too long, looks like a token, or has
    /// invisible characters.
    package static func name(_ name: some StringProtocol) -> String {
        let isShown =
            !isToken(name) && name.utf8.count <= maximumLength
            && !name.unicodeScalars.contains(where: \.isInvisible)
        return isShown ? String(name) : "***"
    }

    /// The scheme of a URL, if it is a known one. Text before a colon can be something else, such as a password after a
    /// missing scheme.
    package static func scheme(_ scheme: String) -> String? {
        schemes.contains(scheme.lowercased()) ? scheme : nil
    }

    /// The start of the authority: after `scheme://` or `//`, or else after a known scheme and its partial slashes, or
    /// at the start of the text.
    private static func authorityStart(of text: String) -> (String.Index, hasMark: Bool) {
        if let mark = text.prefixMatch(of: /(?:[A-Za-z0-9+.-]*:)?\/\//) { return (mark.range.upperBound, true) }
        guard let colon = text.firstIndex(of: ":"), scheme(String(text[..<colon])) != nil else {
            return (text.startIndex, false)
        }
        let rest = text[text.index(after: colon)...]
        return (rest.firstIndex { $0 != "/" && $0 != "\\" } ?? text.endIndex, false)
    }

    /// The start of the host: after the user information, if there is any.
    private static func hostStart(in rest: Substring) -> Substring.Index {
        let authority = rest.prefix { !endsAuthority($0) }
        let host = authority.lastIndex(of: "@").map { authority[$0...].dropFirst() } ?? authority
        let port = host.hasPrefix("[") ? host.drop { $0 != "]" }.dropFirst() : host.drop { $0 != ":" }
        // A "port" with other characters than digits is a password, and can contain the characters that end an
        // authority.
        let isPassword = port.first == ":" && port.dropFirst().contains { !$0.isASCII || !$0.isNumber }
        let end = (isPassword ? rest : authority).lastIndex(of: "@")
        return end.map { rest.index(after: $0) } ?? rest.startIndex
    }

    /// Looks at the first scalar only: with a combining mark behind it, `?` is another character, but still ends the
    /// authority of a URL.
    private static func endsAuthority(_ character: Character) -> Bool {
        character.unicodeScalars.first.map("/?#\\".unicodeScalars.contains) ?? false
    }

    private static func maskedPath(_ path: Substring, _ named: Set<String>) -> String {
        var before: Substring?
        return path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            defer { before = segment }
            // Java servers put session ids into the parameters of a segment (RFC 3986, section 3.3).
            let name = segment.prefix { $0 != ";" }
            // The digits of a percent-encoded byte do not count as digits of a token.
            let isSecret = isToken(name.replacing(/%[0-9A-Fa-f]{2}/, with: "%")) || isNamed(name, after: before, named)
            return (isSecret ? "***" : String(name)) + (name.endIndex < segment.endIndex ? ";***" : "")
        }.joined(separator: "/")
    }

    /// `abc` names the segment `abc`, and `abc/` the segment after it.
    private static func isNamed(_ segment: Substring, after before: Substring?, _ named: Set<String>) -> Bool {
        guard !named.isEmpty, !segment.isEmpty else { return false }
        return named.contains(String(segment)) || before.map { named.contains($0 + "/") } ?? false
    }

    /// Masks `?a=1&b#c` to `?a=***&***#***`: a query item without a name counts as a value.
    private static func maskedEnd(_ text: Substring) -> String {
        let fragment = text.firstIndex(of: "#") ?? text.endIndex
        let query = text[..<fragment].dropFirst()
        let members = query.split { $0 == "&" || $0 == ";" }.map { member in
            member.firstIndex(of: "=").map { name(member[..<$0]) + "=***" } ?? "***"
        }
        return (text.hasPrefix("?") ? "?" + members.joined(separator: "&") : "")
            + (fragment < text.endIndex ? "#***" : "")
    }

    /// Whether the text looks like a token: more than 20 characters, with digits and letters.
    package static func isToken(_ text: some StringProtocol) -> Bool {
        text.count > 20 && text.contains(where: \.isNumber) && text.contains(where: \.isLetter)
    }

    private static func shortened(_ text: String) -> String {
        text.utf8.count > maximumLength ? text.prefix(maximumLength) + "…" : text
    }

    private static let schemes: Set = [
        "http", "https", "blob", "data", "file", "ftp", "ftps", "javascript", "mailto", "ws", "wss",
    ]

    /// The longest name or value that is shown, in bytes.
    private static let maximumLength = 200

    /// The common fields whose values describe the message, not its sender (RFC 9110, RFC 9111).
    private static let harmless: Set = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "accept-ranges", "age", "allow",
        "cache-control",
        "connection", "content-encoding", "content-language", "content-length", "content-range", "content-type", "date",
        "expires", "last-modified", "range", "retry-after", "server", "transfer-encoding", "user-agent", "vary",
    ]
}
