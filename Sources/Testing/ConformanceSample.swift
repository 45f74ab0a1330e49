import PatchbayPlatform
public import PatchbayRegistry

/// One response to try a serializer on.
public struct ConformanceSample: Sendable {
    /// What issues call it.
    public let name: String
    /// The bytes, after content decoding.
    public let body: [UInt8]
    /// The status and the fields they came with.
    public let head: ResponseHead

    /// A response with any head.
    public init(_ name: String, _ body: some Sequence<UInt8>, head: ResponseHead) {
        self.name = name
        self.body = Array(body)
        self.head = head
    }

    /// A response to a GET, with no header field but Content-Type.
    public init(_ name: String, _ body: some Sequence<UInt8>, contentType: String? = nil, status: Int = 200) {
        let url = URL(string: "http://origin.test/") ?? URL(filePath: "/")
        let fields = contentType.map { [HeaderFields.Field(name: "Content-Type", value: $0)] } ?? []
        self.init(
            name, body,
            head: ResponseHead(status: status, fields: HeaderFields(fields), url: url, request: RequestHead(url: url)))
    }

    /// A response whose body is this text in UTF-8.
    public init(_ name: String, text: String, contentType: String? = nil, status: Int = 200) {
        self.init(name, text.utf8, contentType: contentType, status: status)
    }
}

extension ConformanceSample: CustomStringConvertible, CustomReflectable {
    /// `an empty object, 2 bytes`
    public var description: String { "\(name), \(ByteCount(body.count))" }
    public var customMirror: Mirror { Mirror(described: self) }
}
