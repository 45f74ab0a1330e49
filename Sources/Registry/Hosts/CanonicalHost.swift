#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public struct CanonicalHost: Sendable, Hashable {
    public let name: String
    public let port: Int?
    public init?(url: URL) { return nil }
}
