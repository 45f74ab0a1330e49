public import PatchbayPlatform

// For every public error of this module, Foundation's `localizedDescription` is the sentence, and the sentence may be
// printed.

extension SessionError: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}

extension TransportFailure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}
