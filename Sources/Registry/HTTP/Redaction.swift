package import PatchbayPlatform

/// Keeps what may be a secret out of everything that is printed: in descriptions, debug descriptions and mirrors.
///
/// Who the credentials of a service are by name nobody knows but the service. So what is shown is what is known to be harmless:
/// of a query its names, of a path what does not look like a token, and the header fields of a short list.
package enum Redaction {
    /// A URL, or what someone typed where one belongs, with `***` in place of user information, the values of its query, what
    /// stands behind `#`, and of the segments of the path that may be secrets (RFC 3986, section 3).
    ///
    /// - Parameter named: segments that are not shown either, as `SessionConfiguration.maskedPathSegments` names them.
    package static func masked(_ text: String, named: Set<String> = []) -> String {
        let (authorityStart, hasMark) = Self.authorityStart(of: text)
        let hostStart = Self.hostStart(in: text[authorityStart...])
        let (path, end) = Self.path(of: text, hostStart, hasMark)
        return text[..<authorityStart] + (hostStart == authorityStart ? "" : "***@") + text[hostStart..<path.startIndex]
            + maskedPath(path, named) + maskedEnd(text[end...])
    }

    /// A URL, or what someone typed where one belongs, as a sentence about it has it: without user information, query and fragment, and
    /// masked as above. Of a URL that names no host, such as `data:`, no more than the scheme.
    package static func shown(_ text: String, named: Set<String> = []) -> String {
        let (authorityStart, hasMark) = Self.authorityStart(of: text)
        guard hasMark || authorityStart == text.startIndex || text.lowercased().hasPrefix("http") else {
            return String(text.prefix { $0 != ":" }) + ":…"
        }
        let hostStart = Self.hostStart(in: text[authorityStart...])
        let path = Self.path(of: text, hostStart, hasMark).path
        return String(text[..<authorityStart]) + text[hostStart..<path.startIndex] + maskedPath(path, named)
    }

    /// The same in quotes, at most 80 characters of it, with escapes for what is not seen: it may come from anyone.
    package static func quoted(_ text: String, named: Set<String> = []) -> String {
        quoted(shown: shown(text, named: named))
    }

    /// What is shown already, in quotes.
    package static func quoted(shown text: String) -> String {
        Quoted(text).description.unicodeScalars.reduce(into: "") { quoted, scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                quoted += "\\u{\(String(scalar.value, radix: 16))}"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
    }

    /// The path, and where it ends.
    private static func path(
        of text: String, _ hostStart: String.Index, _ hasMark: Bool
    ) -> (path: Substring, end: String.Index) {
        // Without `//` what looks like a host may as well be the first segment of a path.
        let start = hasMark ? text[hostStart...].firstIndex(where: endsAuthority) ?? text.endIndex : hostStart
        let end = text[start...].firstIndex { $0 == "?" || $0 == "#" } ?? text.endIndex
        return (text[start..<end], end)
    }

    /// Where a request goes, as a sentence names it: host, the port where it is not the default, and the path.
    package static func place(_ url: URL, named: Set<String> = []) -> String? {
        guard let host = url.host(), !host.isEmpty else { return nil }
        let isDefault = url.port == nil || CanonicalHost(url: url).map { $0.port == nil } ?? false
        let port = isDefault ? "" : url.port.map { ":\($0)" } ?? ""
        let path = maskedPath(url.path(percentEncoded: true)[...], named)
        return (host.contains(":") ? "[\(host)]" : host) + port + (path == "/" ? "" : shortened(path))
    }

    /// The value of a header field where the field is known to be harmless, else how long it is.
    package static func masked(_ field: HeaderFields.Element) -> String {
        let isShown =
            harmless.contains(field.name.lowercased()) && field.value.utf8.count <= maximumLength
            && field.value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        return isShown ? field.value : "<\(ByteCount(field.value.utf8.count))>"
    }

    /// The name of a header field, a query's member or the like, which may come from anyone.
    package static func name(_ name: some StringProtocol) -> String {
        let isShown =
            !isToken(name) && name.utf8.count <= maximumLength
            && name.unicodeScalars.allSatisfy { ![.control, .format].contains($0.properties.generalCategory) }
        return isShown ? String(name) : "***"
    }

    /// The scheme of a URL where it is one that is known: what stands before a colon need be no scheme. A password can, where the
    /// real one was left out.
    package static func scheme(_ scheme: String) -> String? {
        schemes.contains(scheme.lowercased()) ? scheme : nil
    }

    /// Where the authority begins: behind `scheme://` or `//`, which are its mark; else behind a known scheme and what is there of
    /// the slashes, or at the start.
    private static func authorityStart(of text: String) -> (String.Index, hasMark: Bool) {
        if let mark = text.prefixMatch(of: /(?:[A-Za-z0-9+.-]*:)?\/\//) { return (mark.range.upperBound, true) }
        guard let colon = text.firstIndex(of: ":"), scheme(String(text[..<colon])) != nil else {
            return (text.startIndex, false)
        }
        let rest = text[text.index(after: colon)...]
        return (rest.firstIndex { $0 != "/" && $0 != "\\" } ?? text.endIndex, false)
    }

    /// Where the host begins: behind the user information, if there is any.
    private static func hostStart(in rest: Substring) -> Substring.Index {
        let authority = rest.prefix { !endsAuthority($0) }
        let host = authority.lastIndex(of: "@").map { authority[$0...].dropFirst() } ?? authority
        let port = host.hasPrefix("[") ? host.drop { $0 != "]" }.dropFirst() : host.drop { $0 != ":" }
        // What looks like a port and has no digits is a password, and what ends the authority is part of it.
        let isPassword = port.first == ":" && port.dropFirst().contains { !$0.isASCII || !$0.isNumber }
        let end = (isPassword ? rest : authority).lastIndex(of: "@")
        return end.map { rest.index(after: $0) } ?? rest.startIndex
    }

    private static func endsAuthority(_ character: Character) -> Bool { "/?#\\".contains(character) }

    private static func maskedPath(_ path: Substring, _ named: Set<String>) -> String {
        var before: Substring?
        return path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            defer { before = segment }
            // Parameters of a segment (RFC 3986, section 3.3) are where Java servers put a session.
            let name = segment.prefix { $0 != ";" }
            // The digits of what is percent-encoded are none of the text's.
            let isSecret = isToken(name.replacing(/%[0-9A-Fa-f]{2}/, with: "%")) || isNamed(name, after: before, named)
            return (isSecret ? "***" : String(name)) + (name.endIndex < segment.endIndex ? ";***" : "")
        }.joined(separator: "/")
    }

    /// `abc` names the segment `abc`, and `abc/` the one behind it.
    private static func isNamed(_ segment: Substring, after before: Substring?, _ named: Set<String>) -> Bool {
        guard !named.isEmpty, !segment.isEmpty else { return false }
        return named.contains(String(segment)) || before.map { named.contains($0 + "/") } ?? false
    }

    /// Masks `?a=1&b#c` to `?a=***&***#***`: a member without a name is all value.
    private static func maskedEnd(_ text: Substring) -> String {
        let fragment = text.firstIndex(of: "#") ?? text.endIndex
        let query = text[..<fragment].dropFirst()
        let members = query.split { $0 == "&" || $0 == ";" }.map { member in
            member.firstIndex(of: "=").map { name(member[..<$0]) + "=***" } ?? "***"
        }
        return (text.hasPrefix("?") ? "?" + members.joined(separator: "&") : "")
            + (fragment < text.endIndex ? "#***" : "")
    }

    /// Whether the text looks like a token: more than 20 characters, digits and letters among them.
    private static func isToken(_ text: some StringProtocol) -> Bool {
        text.count > 20 && text.contains(where: \.isNumber) && text.contains(where: \.isLetter)
    }

    private static func shortened(_ text: String) -> String {
        text.utf8.count > maximumLength ? text.prefix(maximumLength) + "…" : text
    }

    private static let schemes: Set = [
        "http", "https", "blob", "data", "file", "ftp", "ftps", "javascript", "mailto", "ws", "wss",
    ]

    /// How much of anyone else's text is shown at once.
    private static let maximumLength = 200

    /// Fields whose values are about the message, not about who sends it, and are the same for many (RFC 9110, RFC 9111).
    private static let harmless: Set = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "accept-ranges", "age", "allow",
        "cache-control",
        "connection", "content-encoding", "content-language", "content-length", "content-range", "content-type", "date",
        "expires", "last-modified", "range", "retry-after", "server", "transfer-encoding", "user-agent", "vary",
    ]
}
