import PatchbayJSON
import PatchbayPlatform
package import PatchbayRegistry

/// Reads server-sent events (WHATWG HTML, section 9.2). The body is UTF-8 whatever a `charset` parameter says.
///
/// The elements are the events, or values of any `Decodable` type that are decoded as JSON from the data of the events.
/// An event with empty data, which servers send to keep a connection alive, contains no such value and is skipped.
package struct ServerSentEventSerializer:
    StreamingSerializer, JSONElementDecodingSerializer, NeverDecliningSerializer
{
    /// The types of the events that become elements, with `message` for events without a type; nil for all types.
    package var events: Set<String>?
    /// The data of an event after which there are no more elements; the event itself is no element. Nil if only the end
    /// of the body ends the elements.
    package var until: String?
    package var maximumLineBytes: Int
    package var maximumEventBytes: Int
    /// Decodes types from the data of events.
    package var json: JSONSerializer

    package init(
        events: Set<String>? = nil, until: String? = nil, maximumLineBytes: Int = 8 << 20,
        maximumEventBytes: Int = 8 << 20, json: JSONSerializer = JSONSerializer()
    ) {
        self.events = events
        self.until = until
        self.maximumLineBytes = maximumLineBytes
        self.maximumEventBytes = maximumEventBytes
        self.json = json
    }

    package func makeParser(
        _ head: ResponseHead, maximumElementBytes: Int
    ) throws -> some ElementParser<ServerSentEvent> {
        ServerSentEventParser(self, maximumElementBytes) { event in
            ServerSentEvent(
                type: event.type, data: String(decoding: event.data, as: UTF8.self), lastEventID: event.lastEventID,
                retry: event.retry)
        }
    }

    package func makeParser<Value: Decodable & Sendable>(
        of type: Value.Type, _ head: ResponseHead, maximumElementBytes: Int
    ) throws -> any ElementParser<Value> {
        let json = json
        return ServerSentEventParser(self, maximumElementBytes) { event in
            event.data.isEmpty ? nil : try json.decode(type, try Self.value(of: event.data, json))
        }
    }

    /// Parses the data of an event. Bytes that are not UTF-8 become U+FFFD, as in the whole stream (WHATWG HTML, section
    /// 9.2.5).
    private static func value(of data: UnsafeRawBufferPointer, _ json: JSONSerializer) throws -> JSON {
        do throws(JSON.ParseFailure) {
            return try json.value(data)
        } catch {
            guard error.reason == .utf8 else { throw error }
            return try Array(String(decoding: data, as: UTF8.self).utf8).withUnsafeBytes { try json.value($0) }
        }
    }
}

struct ServerSentEventOptions: Decodable, Sendable {
    let events: [String]?
    let until: String?
    let maxLineBytes: Int?
    let maxEventBytes: Int?

    func serializer(_ json: JSONSerializer) throws -> ServerSentEventSerializer {
        if events?.isEmpty == true { throw OptionFailure("events", "is empty") }
        if events?.contains("") == true { throw OptionFailure("events", "has an empty name") }
        if until == "" { throw OptionFailure("until", "is empty") }
        return ServerSentEventSerializer(
            events: events.map { Set($0) }, until: until,
            maximumLineBytes: try OptionFailure.check("maxLineBytes", maxLineBytes ?? 8 << 20, in: 1...Int.max),
            maximumEventBytes: try OptionFailure.check("maxEventBytes", maxEventBytes ?? 8 << 20, in: 1...Int.max),
            json: json)
    }
}

/// One event of a stream of server-sent events (WHATWG HTML, section 9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// The type of the event: `message` if the server doesn't name one.
    public var type: String
    /// The values of the `data` fields, joined with LF.
    public var data: String
    /// The id of this event or, without one, of the last earlier event with an id; empty if there was none.
    public var lastEventID: String
    /// The time to wait before the stream is requested again, if this event sets it.
    public var retry: Duration?

    /// An event as a server would send it, for tests.
    public init(type: String = "message", data: String, lastEventID: String = "", retry: Duration? = nil) {
        self.type = type
        self.data = data
        self.lastEventID = lastEventID
        self.retry = retry
    }
}

extension ServerSentEvent: MeasuredElement {
    /// The texts of the type and the data. Events share the text of the id.
    package var parsedBytes: Int { type.parsedBytes + data.parsedBytes }
}

extension ServerSentEvent: CustomStringConvertible, CustomReflectable {
    /// The type and the size of the data: `message, 12 bytes`.
    public var description: String { "\(type), \(ByteCount(data.utf8.count))" }
    public var customMirror: Mirror { Mirror(described: self) }
}
