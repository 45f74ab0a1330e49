public import PatchbayPlatform
public import PatchbayRegistry

/// One request as a transport sends it: complete, checked, ready for the wire.
public struct TransportRequest: Sendable {
    /// The method, the URL and the fields.
    public var head: RequestHead
    /// The body; nil sends none.
    public var body: RequestBody?
    /// Whether the receiver is going to answer `.wait`, and for long. Such an exchange goes over HTTP/1.1, because libcurl 7.88 holds
    /// 32 MiB of a paused HTTP/2 transfer; URLSession, which cannot be paused, asks for the `identity` coding.
    public var mayPause = false
    /// Whether the receiver answers `.wait` where a disk is behind. Such an exchange goes over HTTP/1.1 with a libcurl before 8.23,
    /// of which 7.88.1 takes 57 MiB and more for a paused HTTP/2 transfer beside others on its connection, or fails it.
    package var mayWaitForDisk = false
    /// The fields that came behind the body, of a request that a `StubTransport` was sent; any other transport asks the body for them.
    public internal(set) var trailers: HeaderFields = [:]
    /// The cookies to send beside those of the head, and the place for those that the response sets; nil: neither.
    public var cookies: (any CookieStore)?

    /// A request with a body of any kind, or without one.
    public init(head: RequestHead, body: RequestBody?) {
        self.head = head
        self.body = body
    }

    /// A request with bytes at hand, or without a body.
    public init(head: RequestHead, body: Data? = nil) {
        self.init(head: head, body: body.map(RequestBody.data))
    }
}

extension TransportRequest: CustomStringConvertible, CustomReflectable {
    /// The head, without what may be a secret, and the length of the body.
    public var description: String { "\(head)" + (body.map { ", \($0)" } ?? "") }
    public var customMirror: Mirror {
        Mirror(self, children: ["head": head, "body": body as Any], displayStyle: .struct)
    }
}
