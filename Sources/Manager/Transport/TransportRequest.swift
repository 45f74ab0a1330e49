public import PatchbayRegistry

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One request as a transport sends it: complete, checked, ready for the wire.
public struct TransportRequest: Sendable {
    public var head: RequestHead
    /// The body; nil sends none.
    public var body: Data?
    /// Whether the receiver may answer `.wait`. Such an exchange asks for the `identity` coding over HTTP/1.1, because a paused
    /// compressed or HTTP/2 transfer is buffered without a bound by libcurl 7.88.
    public var mayPause = false

    public init(head: RequestHead, body: Data? = nil) {
        self.head = head
        self.body = body
    }
}
