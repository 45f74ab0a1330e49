#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A finished file and the value that was made of it.
public struct Download<Value: Sendable>: Sendable {
    public let file: URL
    public let value: Value
}
