public import PatchbayPlatform

// What Foundation gives as `localizedDescription` is the sentence, of every public error of this module.

extension BodyLimitExceeded: LocalizedError {
    public var errorDescription: String? { description }
}

extension ElementFailure: LocalizedError {
    public var errorDescription: String? { description }
}

extension ElementLimitExceeded: LocalizedError {
    public var errorDescription: String? { description }
}

extension LookupFailure: LocalizedError {
    public var errorDescription: String? { description }
}

extension ManifestFailure: LocalizedError {
    public var errorDescription: String? { description }
}

extension PatternError: LocalizedError {
    public var errorDescription: String? { description }
}

extension TextDecodingError: LocalizedError {
    public var errorDescription: String? { description }
}
