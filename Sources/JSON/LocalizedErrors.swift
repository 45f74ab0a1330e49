#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

// What Foundation gives as `localizedDescription` is the sentence, of every public error of this module.

extension JSON.ParseFailure: LocalizedError {
    public var errorDescription: String? { description }
}

extension JSON.UnknownKeys: LocalizedError {
    public var errorDescription: String? { description }
}
