public import PatchbayPlatform

// What Foundation gives as `localizedDescription` is the sentence, of every public error of this module.

extension AuthenticationFailure: LocalizedError {
    public var errorDescription: String? { description }
}

extension ContentFailure: LocalizedError {
    public var errorDescription: String? { description }
}

extension FileFailure: LocalizedError {
    public var errorDescription: String? { description }
}

extension ParametersFailure: LocalizedError {
    public var errorDescription: String? { description }
}

extension ResponseValidator.Failure: LocalizedError {
    public var errorDescription: String? { description }
}

extension RetryFailure: LocalizedError {
    public var errorDescription: String? { description }
}

extension SessionError: LocalizedError {
    public var errorDescription: String? { description }
}

extension TransportFailure: LocalizedError {
    public var errorDescription: String? { description }
}
