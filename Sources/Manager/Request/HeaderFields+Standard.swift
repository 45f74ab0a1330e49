public import PatchbayRegistry

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension HeaderFields {
    /// The fields that every request starts with: who is asking, and the user's languages where they are known.
    public static var standard: HeaderFields {
        var fields: HeaderFields = ["User-Agent": UserAgent.value]
        #if canImport(FoundationEssentials)
            let languages = AcceptLanguage.languages(in: ProcessInfo.processInfo.environment)
        #else
            let languages = Locale.preferredLanguages
        #endif
        fields["Accept-Language"] = AcceptLanguage.value(languages)
        return fields
    }
}
