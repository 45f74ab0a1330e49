import PatchbayRegistry

/// Keeps credentials that stand in a URL or a header field out of what is printed.
package enum Secrets {
    /// The text with user information (`user:password@`) and the values of telling query keys replaced by `***`.
    ///
    /// Works on anything that someone typed where a URL belongs, well formed or not (RFC 3986, section 3).
    package static func masked(_ text: String) -> String {
        let afterScheme = scheme(of: text)
        let rest = text[afterScheme...]
        let authorityEnd = rest.firstIndex { "/?#\\".contains($0) } ?? text.endIndex
        let authority = rest[..<authorityEnd]
        let host = authority.lastIndex(of: "@").map { "***" + authority[$0...] } ?? String(authority)
        return text[..<afterScheme] + host + maskedParameters(text[authorityEnd...])
    }

    /// Where the authority begins: behind `scheme://`, or at the start.
    private static func scheme(of text: String) -> String.Index {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return text.startIndex }
        return text.index(colon, offsetBy: 3)
    }

    /// Masks values in `?a=1&token=2#access_token=3`, in the query and in the fragment.
    private static func maskedParameters(_ text: Substring) -> String {
        var result = ""
        var parameter = ""
        for character in text {
            if "?&;#".contains(character) {
                result += maskedParameter(parameter)
                parameter = ""
                result.append(character)
            } else {
                parameter.append(character)
            }
        }
        return result + maskedParameter(parameter)
    }

    private static func maskedParameter(_ parameter: String) -> String {
        guard let equals = parameter.firstIndex(of: "=") else { return parameter }
        return isTelling(parameter[..<equals]) ? parameter[...equals] + "***" : parameter
    }

    /// The value of a header field, or `***` where its name says that it is a credential.
    static func masked(_ field: HeaderFields.Field) -> String {
        isTelling(field.name) || isCookie(field.name) ? "***" : masked(field.value)
    }

    private static func isTelling(_ name: some StringProtocol) -> Bool {
        let name = name.lowercased()
        return telling.contains(where: name.contains)
    }

    private static func isCookie(_ name: String) -> Bool { name.lowercased().hasSuffix("cookie") }

    /// Parts of names whose values are credentials.
    private static let telling = [
        "token", "key", "pass", "pwd", "secret", "sig", "auth", "credential", "session", "code", "jwt", "otp",
    ]
}
