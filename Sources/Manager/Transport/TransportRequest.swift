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
    public var body: RequestBody?
    /// Whether the receiver may answer `.wait`. Such an exchange asks for the `identity` coding over HTTP/1.1, because a paused
    /// compressed or HTTP/2 transfer is buffered without a bound by libcurl 7.88.
    public var mayPause = false
    /// The cookies to send beside those of the head, and the place for those that the response sets; nil: neither.
    public var cookies: (any CookieStore)?

    public init(head: RequestHead, body: RequestBody?) {
        self.head = head
        self.body = body
    }

    /// A request with bytes at hand, or without a body.
    public init(head: RequestHead, body: Data? = nil) {
        self.init(head: head, body: body.map(RequestBody.data))
    }
}
