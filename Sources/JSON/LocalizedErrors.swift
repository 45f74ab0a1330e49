public import PatchbayPlatform

// What Foundation gives as `localizedDescription` is the sentence, of every public error of this module.

extension JSON.ParseFailure: LocalizedError {
    public var errorDescription: String? { description }
}

extension JSON.UnknownKeysFailure: LocalizedError {
    public var errorDescription: String? { description }
}
