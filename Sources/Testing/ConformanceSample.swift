import PatchbayPlatform
public import PatchbayRegistry

/// One response to test a serializer with.
public struct ConformanceSample: Sendable {
    /// The name of the sample in findings.
    public let name: String
    /// The bytes, after content decoding.
    public let body: [UInt8]
    /// The status and the fields of the response.
    public let head: ResponseHead

    /// A response with any head.
    public init(_ name: String, _ body: some Sequence<UInt8>, head: ResponseHead) {
        self.name = name
        self.body = Array(body)
        self.head = head
    }

    /// A response to a GET, with Content-Type as its only header field.
    public init(_ name: String, _ body: some Sequence<UInt8>, contentType: String? = nil, status: Int = 200) {
        let url = URL(string: "http://origin.test/") ?? URL(filePath: "/")
        let fields = contentType.map { [(name: "Content-Type", value: $0)] } ?? []
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

/// One response to test a serializer of elements with, and the elements in it.
public struct ElementSample<Element: Sendable>: Sendable {
    /// The response.
    public let response: ConformanceSample
    /// The elements of a good sample, or the elements before the fault in a bad sample.
    public let elements: [Element]

    /// - Parameters:
    ///   - response: the response.
    ///   - elements: the elements that the serializer must give, in order.
    public init(_ response: ConformanceSample, _ elements: [Element]) {
        self.response = response
        self.elements = elements
    }
}

extension ElementSample: CustomStringConvertible, CustomReflectable {
    /// `two lines, 3 bytes, 2 elements`
    public var description: String {
        "\(response), \(elements.count == 1 ? "1 element" : "\(elements.count) elements")"
    }
    public var customMirror: Mirror { Mirror(described: self) }
}
