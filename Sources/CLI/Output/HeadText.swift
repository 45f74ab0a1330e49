import Patchbay
import PatchbayPlatform

/// The heads of requests and responses as text, with or without their secrets.
struct HeadText {
    let isColoured: Bool
    let showsSecrets: Bool

    /// The lines of a response's head: the status line and the fields.
    /// - Parameter version: the version of HTTP, such as `1.1`; nil if it is unknown.
    func lines(_ head: ResponseHead, _ version: String?, prefix: String = "") -> [String] {
        let status = "HTTP\(version.map { "/" + $0 } ?? "") \(head.status)"
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
        let url = showsSecrets ? head.url.absoluteString : Redaction.masked(head.url.absoluteString)
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
/// a token, the value of a cookie, the query of a URL.
enum Secrets {
    private static let words = [
        "auth", "cookie", "token", "secret", "password", "passwd", "api-key", "apikey", "api_key", "access-key",
        "access_key", "signature", "credential", "session",
    ]

    static func isSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        let isPublic = name.hasPrefix("access-control-") || ["www-authenticate", "proxy-authenticate"].contains(name)
        return !isPublic && words.contains { name.contains($0) }
    }

    /// The value of a header field: the scheme of an authorization stays, and the names of cookies stay.
    static func masked(_ value: String, of name: String) -> String {
        switch name.lowercased() {
        case "authorization", "proxy-authorization":
            guard let space = value.firstIndex(of: " ") else { return "***" }
            return value[..<space] + " ***"
        case "cookie":
            return value.split(separator: ";").map { maskedCookie($0) }.joined(separator: ";")
        case "set-cookie":
            guard let end = value.firstIndex(of: ";") else { return maskedCookie(value[...]) }
            return maskedCookie(value[..<end]) + value[end...]
        case "location", "content-location", "referer": return Redaction.masked(value)
        default: return isSecret(name) ? "***" : value
        }
    }

    private static func maskedCookie(_ pair: Substring) -> String {
        pair.firstIndex(of: "=").map { pair[...$0] + "***" } ?? "***"
    }
}
