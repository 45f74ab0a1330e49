public import PatchbayJSON
public import PatchbayPlatform
import PatchbayRegistry

/// The body of a request and its media type, made when the request is sent.
public struct RequestContent: Sendable {
    /// The value of Content-Type, unless the request sets one.
    public let contentType: String
    package let makeBody: @Sendable () throws -> RequestBody

    /// Content of your own making; what `makeBytes` throws fails the request before anything is sent.
    public init(contentType: String, making makeBytes: @escaping @Sendable () throws -> Data) {
        self.init(contentType: contentType, reading: { .data(try makeBytes()) })
    }

    /// Content that is read while it is sent. What `body` throws fails the request before anything is sent.
    public init(contentType: String, reading body: @escaping @Sendable () throws -> RequestBody) {
        self.contentType = contentType
        makeBody = body
    }

    /// Bytes as they are.
    public static func data(_ data: Data, type: String = "application/octet-stream") -> RequestContent {
        RequestContent(contentType: type, making: { data })
    }

    /// Text as UTF-8.
    public static func text(_ text: String, type: String = "text/plain; charset=utf-8") -> RequestContent {
        RequestContent(contentType: type, making: { Data(text.utf8) })
    }

    /// A value as JSON (RFC 8259).
    public static func json(
        _ value: some Encodable & Sendable, options: JSON.EncodeOptions = JSON.EncodeOptions()
    ) -> RequestContent {
        RequestContent(
            contentType: "application/json",
            making: { Data(try JSON(encoding: value, options: options).serialized().utf8) })
    }

    /// Names and values as a form (WHATWG URL, section 5.2: spaces become `+`, all but `*-._` and letters and digits is
    /// percent-encoded).
    public static func form(_ fields: [(name: String, value: String)]) -> RequestContent {
        RequestContent(
            contentType: "application/x-www-form-urlencoded", making: { Data(FormEncoding.encode(fields).utf8) })
    }
}

extension RequestContent: CustomStringConvertible, CustomReflectable {
    /// The media type. What is in it is made when it is sent.
    public var description: String { contentType }
    public var customMirror: Mirror { Mirror(described: self) }
}
