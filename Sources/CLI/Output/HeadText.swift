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

    /// The lines of a request's head, with the whole URL.
    func lines(_ head: RequestHead, prefix: String = "") -> [String] {
        let url = showsSecrets ? head.url.absoluteString : Secrets.masked(url: head.url.absoluteString)
        return [prefix + styled(head.method, .bold) + " " + TerminalText.line(url)]
            + fields(head.fields, prefix: prefix)
    }

    func fields(_ fields: some Sequence<HeaderFields.Element>, prefix: String) -> [String] {
        fields.map { field in
            let value = showsSecrets ? field.value : Secrets.masked(field.value, of: field.name)
            return prefix + styled(TerminalText.line(field.name) + ":", .blue) + " " + TerminalText.line(value)
        }
    }

    private func styled(_ text: String, _ colour: Colour) -> String { isColoured ? colour.around(text) : text }
}

/// Masks credentials in the messages that are shown to a person. Whatever looks like one is masked: the value of a name
/// that speaks of a token or a key, the value of a cookie, and in each URL the user and tokens.
enum Secrets {
    /// Parts of a name.
    private static let parts = [
        "auth", "cookie", "token", "secret", "password", "passwd", "apikey", "privatekey", "signature", "credential",
        "session", "assertion", "passphrase", "passcode", "samlresponse", "device_code",
    ]
    /// Words of a name. Characters other than letters and digits separate words, and so do capitals.
    private static let words: Set<Substring> = [
        "key", "sid", "jwt", "bearer", "csrf", "xsrf", "otp", "pass", "pwd", "sig", "pin", "pw", "psw", "hmac",
        "ticket", "verifier",
    ]
    private static let open: Set<String> = ["www-authenticate", "proxy-authenticate", "idempotency-key"]

    static func isSecret(_ name: String) -> Bool {
        let written = name
        var name = written.lowercased()
        if name.contains("author") { name.replace(/author(?:s|ity)?(?![a-z])/, with: "") }
        guard !open.contains(name), !name.hasPrefix("access-control-") else { return false }
        guard !parts.contains(where: { name.contains($0) }) else { return true }
        let spaced = written == name ? name : written.replacing(/([a-z0-9])([A-Z])/) { "\($0.1)-\($0.2)" }.lowercased()
        return spaced.split { !$0.isLetter && !$0.isNumber }.contains { words.contains($0) }
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

    /// Masks the user of a URL, and the secrets of its path and its query. The rest of the query is the user's own.
    static func masked(url: String) -> String {
        let (place, end) = Redaction.split(url)
        let parts: [Substring] = [end.prefix { $0 != "#" }, end.drop { $0 != "#" }]
        return masked(urlsIn: place) + parts.map { String($0.prefix(1)) + masked(items: $0.dropFirst()) }.joined()
    }

    /// Masks the secrets of a query or a form: values with a secret name, and values that hold a token or a URL with a
    /// secret.
    static func masked(items: Substring) -> String {
        items.split(separator: "&", omittingEmptySubsequences: false).map { item in
            let name = item.prefix { $0 != "=" }
            guard name.endIndex < item.endIndex else { return holdsSecret(item) ? "***" : String(item) }
            let known = String(decoding: name.utf8.unescaped(), as: UTF8.self)
            let isHidden =
                isSecret(known) || known.lowercased() == "code" || holdsSecret(item[name.endIndex...].dropFirst())
            return Redaction.name(name) + (isHidden ? "=***" : item[name.endIndex...])
        }.joined(separator: "&")
    }

    private static func holdsSecret(_ value: Substring) -> Bool {
        let text = String(decoding: value.utf8.unescaped(), as: UTF8.self)
        return masked(urlsIn: text) != text || text.contains(where: "=:{<\n".contains) && namesSecret(text)
            || text.prefixMatch(of: /(?i)(?:basic|bearer)\s/) != nil
            || text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.contains { Redaction.isToken($0) }
    }

    /// The text of a body without its secrets; nil if it has a secret name, and is neither a form nor complete JSON.
    static func masked(body text: String, _ type: MediaType?, isWhole: Bool) -> String? {
        if type?.essence == MediaType.form.essence { return masked(items: text[...]) }
        if isWhole, type?.subtype == "json" || type?.suffix == "json", let json = try? JSON(parsing: text) {
            let shown = masked(json)
            return shown == json ? text : shown.serialized(pretty: true)
        }
        return namesSecret(text) || masked(urlsIn: text) != text ? nil : text
    }

    private static func namesSecret(_ text: String) -> Bool {
        text.split { !$0.isLetter && !$0.isNumber && !"-_.".contains($0) }.contains { isSecret(String($0)) }
    }

    private static func masked(_ json: JSON) -> JSON {
        if let members = json.object {
            return .object(members.map { ($0.key, isSecret($0.key) ? "***" : masked($0.value)) })
        }
        if let text = json.string, holdsSecret(text[...]) { return "***" }
        return json.array.map { .array($0.map(masked)) } ?? json
    }

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
