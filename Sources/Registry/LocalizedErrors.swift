public import PatchbayPlatform

// What Foundation gives as `localizedDescription` is the sentence, of every public error of this module.

extension BodyLimitFailure: LocalizedError {
    public var errorDescription: String? { description }
}

extension ElementFailure: LocalizedError {
    public var errorDescription: String? { description }
}

extension ElementLimitFailure: LocalizedError {
    public var errorDescription: String? { description }
}

extension LookupFailure: LocalizedError {
    public var errorDescription: String? { description }
}

extension ManifestFailure: LocalizedError {
    public var errorDescription: String? { description }
}

extension PatternFailure: LocalizedError {
    public var errorDescription: String? { description }
}

extension TextDecodingFailure: LocalizedError {
    public var errorDescription: String? { description }
}
