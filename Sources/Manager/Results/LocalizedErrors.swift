public import PatchbayPlatform

// For every public error of this module, Foundation's `localizedDescription` is the sentence of the error. The sentence
// is safe to print.

extension SessionError: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}

extension TransportFailure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}
