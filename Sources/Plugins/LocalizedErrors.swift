public import PatchbayPlatform

// Of every public error of this module: what Foundation gives as `localizedDescription` is the sentence, and the sentence may be
// printed.

extension CSVFailure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}

extension FormFailure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}

extension ImageFailure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}

extension OptionFailure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}

extension MultipartFailure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}

extension ProblemFailure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}

extension PropertyListFailure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}

extension UntypedResponseFailure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}

extension XMLFailure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}
