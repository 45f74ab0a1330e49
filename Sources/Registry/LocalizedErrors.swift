public import PatchbayPlatform

// Of every public error of this module: what Foundation gives as `localizedDescription` is the sentence, and the sentence may be
// printed.

extension BodyLimitFailure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}

extension ElementFailure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}

extension ElementLimitFailure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}

extension FormatFailure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}

extension LookupFailure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}

extension ManifestFailure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}

extension PatternFailure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}

extension TextDecodingFailure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}
