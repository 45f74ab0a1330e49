public import PatchbayJSON
import PatchbayPlatform

/// Content of many values, each encoded when it is its turn.
///
/// A sequence is asked for its next element when those before are sent, but for 256 KiB at most. What it throws, or an element that
/// cannot be encoded, fails the request, and the connection is closed before the body looks whole.
extension RequestContent {
    /// Elements as lines of JSON, as they come, sent once: a redirect or a retry that would send them again is an error.
    public static func ndjson<Elements: AsyncSequence & Sendable>(
        _ elements: Elements, options: JSON.EncodeOptions = JSON.EncodeOptions()
    ) -> RequestContent where Elements.Element: Encodable & Sendable {
        stream(JSONTexts.lines.chunks(elements, options), type: JSONTexts.lines.type)
    }

    /// Elements as lines of JSON, as they come.
    /// - Parameter make: gives the elements from the first one on, each time they are sent: a redirect or a retry sends them again.
    public static func ndjson<Elements: AsyncSequence & Sendable>(
        options: JSON.EncodeOptions = JSON.EncodeOptions(), _ make: @escaping @Sendable () throws -> Elements
    ) -> RequestContent where Elements.Element: Encodable & Sendable {
        stream(type: JSONTexts.lines.type) { JSONTexts.lines.chunks(try make(), options) }
    }

    /// Elements at hand as lines of JSON, encoded before the request is sent.
    public static func ndjson<Element: Encodable & Sendable>(
        _ elements: some Collection<Element> & Sendable, options: JSON.EncodeOptions = JSON.EncodeOptions()
    ) -> RequestContent {
        RequestContent(contentType: JSONTexts.lines.type, making: { try JSONTexts.lines.encode(elements, options) })
    }

    /// Elements as a JSON text sequence (RFC 7464), as they come, sent once: a redirect or a retry that would send them again is an
    /// error.
    public static func jsonSequence<Elements: AsyncSequence & Sendable>(
        _ elements: Elements, options: JSON.EncodeOptions = JSON.EncodeOptions()
    ) -> RequestContent where Elements.Element: Encodable & Sendable {
        stream(JSONTexts.sequence.chunks(elements, options), type: JSONTexts.sequence.type)
    }

    /// Elements as a JSON text sequence (RFC 7464), as they come.
    /// - Parameter make: gives the elements from the first one on, each time they are sent: a redirect or a retry sends them again.
    public static func jsonSequence<Elements: AsyncSequence & Sendable>(
        options: JSON.EncodeOptions = JSON.EncodeOptions(), _ make: @escaping @Sendable () throws -> Elements
    ) -> RequestContent where Elements.Element: Encodable & Sendable {
        stream(type: JSONTexts.sequence.type) { JSONTexts.sequence.chunks(try make(), options) }
    }

    /// Elements at hand as a JSON text sequence (RFC 7464), encoded before the request is sent.
    public static func jsonSequence<Element: Encodable & Sendable>(
        _ elements: some Collection<Element> & Sendable, options: JSON.EncodeOptions = JSON.EncodeOptions()
    ) -> RequestContent {
        RequestContent(
            contentType: JSONTexts.sequence.type, making: { try JSONTexts.sequence.encode(elements, options) })
    }
}

/// A format of JSON texts one behind the other, each with a line feed behind it.
private struct JSONTexts: Sendable {
    let type: String
    /// What each text begins with.
    let mark: [UInt8]

    static let lines = JSONTexts(type: "application/x-ndjson", mark: [])
    /// RFC 7464, section 2.2: a record separator begins a text.
    static let sequence = JSONTexts(type: "application/json-seq", mark: [0x1E])

    func encode(_ element: some Encodable, _ options: JSON.EncodeOptions) throws -> Data {
        // A compact text has no line feed but the escaped ones of its strings.
        var text = try JSON(encoding: element, options: options).serialized()
        var chunk = Data(mark)
        text.withUTF8 { chunk.append(contentsOf: $0) }
        chunk.append(0x0A)
        return chunk
    }

    func encode<Element: Encodable & Sendable>(
        _ elements: some Collection<Element>, _ options: JSON.EncodeOptions
    ) throws -> Data {
        try elements.reduce(into: Data()) { $0 += try encode($1, options) }
    }

    func chunks<Elements: AsyncSequence & Sendable>(
        _ elements: Elements, _ options: JSON.EncodeOptions
    ) -> AsyncThrowingMapSequence<Elements, Data> where Elements.Element: Encodable & Sendable {
        elements.map { try encode($0, options) }
    }
}
