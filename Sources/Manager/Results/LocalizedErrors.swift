public import PatchbayPlatform

// Of every public error of this module: what Foundation gives as `localizedDescription` is the sentence, and the sentence may be
// printed.

extension AuthenticationFailure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}

extension ContentFailure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}

extension FileFailure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}

extension ResponseValidator.Failure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}

extension RetryFailure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}

extension SessionError: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}

extension TransportFailure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}
