public import PatchbayPlatform
public import PatchbayRegistry

/// One scripted response of a `StubTransport`: what arrives, when, and how it ends.
public struct StubReply: Sendable {
    /// The status code.
    public var status: Int
    /// The header fields, exactly those: nothing is added.
    public var fields: HeaderFields
    /// The pieces of the body, each handed over as one chunk.
    public var chunks: [Data]
    /// How long the head keeps its reader waiting.
    public var delay: Duration
    /// The failure that ends the exchange after the last chunk; nil ends it well.
    public var failure: TransportFailure?

    /// A response whose body arrives in pieces.
    public init(
        status: Int = 200, fields: HeaderFields = [:], chunks: [Data] = [], delay: Duration = .zero,
        failure: TransportFailure? = nil
    ) {
        self.status = status
        self.fields = fields
        self.chunks = chunks
        self.delay = delay
        self.failure = failure
    }

    /// A response whose body arrives in one piece.
    public init(
        status: Int = 200, fields: HeaderFields = [:], body: Data, delay: Duration = .zero,
        failure: TransportFailure? = nil
    ) {
        self.init(
            status: status, fields: fields, chunks: body.isEmpty ? [] : [body], delay: delay, failure: failure)
    }

    /// A response whose body is a text, sent as UTF-8.
    public init(
        status: Int = 200, fields: HeaderFields = [:], body: String, delay: Duration = .zero,
        failure: TransportFailure? = nil
    ) {
        self.init(status: status, fields: fields, body: Data(body.utf8), delay: delay, failure: failure)
    }
}

extension StubReply: CustomStringConvertible, CustomReflectable {
    /// Status, fields without what may be a secret, and the length of the body: `200 [Content-Type: text/plain], 3 bytes`.
    public var description: String {
        let bytes = chunks.reduce(0) { $0 + $1.count }
        return "\(status) \(fields), \(ByteCount(bytes))" + (failure.map { ", then \($0)" } ?? "")
    }
    public var customMirror: Mirror { Mirror(described: self) }
}
