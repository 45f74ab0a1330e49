import PatchbayPlatform
public import PatchbayRegistry

extension HeaderFields {
    /// The fields that every request starts with: who is asking, and the user's languages where they are known.
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
