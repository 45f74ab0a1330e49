/// Keeps credentials that stand in a URL out of what is printed.
enum Secrets {
    /// The text with user information (`user:password@`) and the values of telling query keys replaced by `***`.
    ///
    /// Works on anything that someone typed where a URL belongs, well formed or not (RFC 3986, section 3).
    static func masked(_ text: String) -> String {
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
        let name = parameter[..<equals].lowercased()
        return telling.contains(where: name.contains) ? parameter[...equals] + "***" : parameter
    }

    /// Parts of names whose values are credentials.
    private static let telling = [
        "token", "key", "pass", "pwd", "secret", "sig", "auth", "credential", "session", "code", "jwt", "otp",
    ]
}
