public import PatchbayPlatform

// What Foundation gives as `localizedDescription` is the sentence, of every public error of this module.

extension CSVFailure: LocalizedError {
    public var errorDescription: String? { description }
}

extension FormFailure: LocalizedError {
    public var errorDescription: String? { description }
}

extension ImageFailure: LocalizedError {
    public var errorDescription: String? { description }
}

extension OptionFailure: LocalizedError {
    public var errorDescription: String? { description }
}

extension MultipartFailure: LocalizedError {
    public var errorDescription: String? { description }
}

extension ProblemFailure: LocalizedError {
    public var errorDescription: String? { description }
}

extension PropertyListFailure: LocalizedError {
    public var errorDescription: String? { description }
}

extension UntypedResponseFailure: LocalizedError {
    public var errorDescription: String? { description }
}

extension XMLFailure: LocalizedError {
    public var errorDescription: String? { description }
}
