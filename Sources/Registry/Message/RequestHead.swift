#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The method, the URL and the header fields of a request: all of it but the body.
public struct RequestHead: Sendable, Hashable {
    /// The method, upper case by convention and compared exactly (RFC 9110, section 9.1).
    public var method: String
    public var url: URL
    public var fields: HeaderFields

    public init(method: String = "GET", url: URL, fields: HeaderFields = [:]) {
        self.method = method
        self.url = url
        self.fields = fields
    }
}
