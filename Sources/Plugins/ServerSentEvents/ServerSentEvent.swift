import PatchbayRegistry

/// One event of a stream of server-sent events (WHATWG HTML, section 9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// What kind of event it is: `message` where the server does not say.
    public var type: String
    /// The text: the values of its `data` fields, with LF between them.
    public var data: String
    /// The id of this event or of the last one before that had one; empty where there was none.
    public var lastEventID: String
    /// How long to wait before the stream is asked for again, where this event says so.
    public var retry: Duration?

    /// An event as a server would send it, for tests.
    public init(type: String = "message", data: String, lastEventID: String = "", retry: Duration? = nil) {
        self.type = type
        self.data = data
        self.lastEventID = lastEventID
        self.retry = retry
    }
}

extension ServerSentEvent: CustomStringConvertible, CustomReflectable {
    /// The type, and how long the data is: `message, 12 bytes`.
    public var description: String { "\(type), \(ByteCount(data.utf8.count))" }
    public var customMirror: Mirror { Mirror(described: self) }
}
