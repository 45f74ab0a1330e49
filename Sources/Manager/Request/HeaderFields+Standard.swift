import PatchbayPlatform
public import PatchbayRegistry

extension HeaderFields {
    /// The default fields of every request: `User-Agent`, and `Accept-Language` if the user's languages are known.
    public static var standard: HeaderFields {
        var fields: HeaderFields = ["User-Agent": UserAgent.value]
        #if canImport(Darwin)
            let languages = Locale.preferredLanguages
        #else
            let languages = AcceptLanguage.languages(in: ProcessInfo.processInfo.environment)
        #endif
        fields["Accept-Language"] = AcceptLanguage.value(languages)
        return fields
    }
}

extension HeaderFields {
    /// The value of `Authorization` for a user name and a password (RFC 7617), in UTF-8.
    /// - Throws: `SessionError` with code `invalidRequest` if the user name has a colon, which would end the name.
    public static func basic(user: String, password: String) throws(SessionError) -> String {
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            throw SessionError(.invalidRequest, "a user name with a colon cannot be sent in a basic authorization")
        }
        return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }
}

/// The value of Accept-Language (RFC 9110, section 12.5.4) for the languages that a user prefers.
enum AcceptLanguage {
    /// The first six languages, each with a quality 0.1 below the quality of the previous language; nil for no
    /// languages.
    static func value(_ languages: [String]) -> String? {
        let ranges = languages.prefix(6).enumerated().map { place, language in
            place == 0 ? language : "\(language);q=0.\(10 - place)"
        }
        return ranges.isEmpty ? nil : ranges.joined(separator: ", ")
    }

    /// The languages that the environment names, best first: `LANGUAGE`, else the locale of messages (gettext's rule).
    static func languages(in environment: [String: String]) -> [String] {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        // In the C locale, LANGUAGE is ignored.
        guard let locale, tag(locale) != nil else { return [] }
        let named = (environment["LANGUAGE"] ?? "").split(separator: ":").compactMap { tag(String($0)) }
        var seen: Set<String> = []
        return (named.isEmpty ? [tag(locale)].compactMap { $0 } : named).filter { seen.insert($0).inserted }
    }

    /// `de_DE.UTF-8@euro` as `de-DE`; nil for `C`, `POSIX` and text that is not a language tag.
    private static func tag(_ locale: String) -> String? {
        let name = locale.prefix { $0 != "." && $0 != "@" }
        guard name != "C", name != "POSIX" else { return nil }
        let parts = name.split(omittingEmptySubsequences: false) { $0 == "_" || $0 == "-" }
        let isTag = parts.allSatisfy { part in
            (1...8).contains(part.utf8.count)
                && part.utf8.allSatisfy { byte in
                    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                }
        }
        return isTag ? parts.joined(separator: "-") : nil
    }
}

/// The value of `User-Agent` (RFC 9110, section 10.1.5), in ASCII.
package enum UserAgent {
    package static let version = "0.1.0"
    package static let value = "Patchbay/\(version) (\(platform))"

    #if os(Linux)
        private static let platform = "Linux"
    #elseif os(macOS)
        private static let platform = "macOS"
    #elseif os(iOS)
        private static let platform = "iOS"
    #elseif os(tvOS)
        private static let platform = "tvOS"
    #elseif os(watchOS)
        private static let platform = "watchOS"
    #elseif os(visionOS)
        private static let platform = "visionOS"
    #else
        private static let platform = "other"
    #endif
}
