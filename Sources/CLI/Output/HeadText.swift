import Patchbay
import PatchbayPlatform

/// The heads of requests and responses as text, with or without their secrets.
struct HeadText {
    let isColoured: Bool
    let showsSecrets: Bool

    /// The lines of a response's head: the status line and the fields.
    /// - Parameter version: the version of HTTP, such as `1.1`; nil if it is unknown.
    func lines(_ head: ResponseHead, _ version: String?, prefix: String = "") -> [String] {
        let status = "HTTP\(version.map { "/" + $0 } ?? "") \(StatusText.of(head.status))"
        let colour: Colour =
            switch head.status {
            case 200..<300: .green
            case 300..<400: .cyan
            case 400...: .red
            default: .yellow
            }
        return [prefix + styled(status, colour)] + fields(head.fields, prefix: prefix)
    }

    /// The lines of a request's head, with the whole URL. The transport adds fields of its own, such as Host.
    func lines(_ head: RequestHead, prefix: String = "") -> [String] {
        let url = showsSecrets ? head.url.absoluteString : Secrets.masked(url: head.url.absoluteString)
        return [prefix + styled(head.method, .bold) + " " + TerminalText.line(url)]
            + fields(head.fields, prefix: prefix)
    }

    private func fields(_ fields: HeaderFields, prefix: String) -> [String] {
        fields.map { field in
            let value = showsSecrets ? field.value : Secrets.masked(field.value, of: field.name)
            return prefix + styled(TerminalText.line(field.name) + ":", .blue) + " " + TerminalText.line(value)
        }
    }

    private func styled(_ text: String, _ colour: Colour) -> String { isColoured ? colour.around(text) : text }
}

/// Masks credentials in the heads that are shown to a person. Whatever looks like one is masked: a name that speaks of
/// a token or a key, the value of a cookie, and in each URL the user and the values of items with such a name.
enum Secrets {
    /// Parts of a name.
    private static let parts = [
        "auth", "cookie", "token", "secret", "password", "passwd", "apikey", "privatekey", "signature", "credential",
        "session", "assertion",
    ]
    /// Words of a name, between `-`, `_` and `.`.
    private static let words: Set<Substring> = [
        "key", "sid", "jwt", "bearer", "csrf", "xsrf", "otp", "pass", "pwd", "sig",
    ]
    private static let open: Set<String> = ["www-authenticate", "proxy-authenticate"]

    static func isSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        guard !open.contains(name), !name.hasPrefix("access-control-") else { return false }
        return parts.contains { name.contains($0) } || name.split { "-_.".contains($0) }.contains { words.contains($0) }
    }

    /// The value of a header field: the scheme of an authorization stays, and the names of cookies stay.
    static func masked(_ value: String, of name: String) -> String {
        switch name.lowercased() {
        case "authorization", "proxy-authorization", "www-authenticate", "proxy-authenticate":
            authorization(value, name)
        case "cookie": value.split(separator: ";").map { maskedCookie($0) }.joined(separator: ";")
        case "set-cookie": setCookie(value)
        case "location", "content-location", "referer": masked(url: value)
        default: isSecret(name) ? "***" : masked(urlsIn: value)
        }
    }

    /// Keeps a scheme that is known, and the parameters of a challenge.
    private static func authorization(_ value: String, _ name: String) -> String {
        let scheme = value.prefix { $0 != " " }
        let known: Set<String> = ["basic", "bearer", "digest", "negotiate", "ntlm", "hawk", "aws4-hmac-sha256"]
        guard known.contains(scheme.lowercased()) else { return "***" }
        guard scheme.endIndex != value.endIndex else { return String(scheme) }
        let isChallenge = name.lowercased().hasSuffix("authenticate") && value[scheme.endIndex...].contains("=\"")
        return isChallenge ? value : scheme + " ***"
    }

    private static func setCookie(_ value: String) -> String {
        let known: Set<String> = [
            "path", "domain", "expires", "max-age", "secure", "httponly", "samesite", "partitioned", "priority",
        ]
        let pairs = value.split(separator: ";", omittingEmptySubsequences: false)
        return pairs.enumerated().map { number, pair in
            let name = pair.prefix { $0 != "=" }.trimmingPrefix { $0 == " " }.lowercased()
            return number > 0 && (known.contains(name) || name.isEmpty && !pair.contains("="))
                ? String(pair) : maskedCookie(pair)
        }.joined(separator: ";")
    }

    private static func maskedCookie(_ pair: Substring) -> String {
        pair.firstIndex(of: "=").map { pair[...$0] + "***" } ?? "***"
    }

    /// Masks the user of a URL, the values of its query, and the users of URLs in it.
    static func masked(url: String) -> String { masked(urlsIn: Redaction.masked(url)) }

    /// Masks the users of URLs in a text, and the values of items with a secret name.
    private static func masked(urlsIn text: String) -> String {
        guard text.contains("://") || text.contains("=") else { return text }
        return text.replacing(/:\/\/[^\/?#\s"<>]*@/, with: "://***@").replacing(
            /([?&;#])([^=&?;#\s"<>]+)=([^&;#\s"<>]*)/
        ) {
            match in
            isSecret(String(match.2)) || match.2 == "code" ? "\(match.1)\(match.2)=***" : String(match.0)
        }
    }
}
