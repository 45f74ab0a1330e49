public import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry

/// Content of many values, each encoded when it is its turn.
///
/// A sequence is asked for its next element when those before are sent, but for 256 KiB at most. What it throws, or an element that
/// cannot be encoded, fails the request, and the connection is closed before the body looks whole.
extension RequestContent {
    /// Elements as lines of JSON, as they come, sent once: a redirect or a retry that would send them again is an error.
    public static func ndjson<Elements: AsyncSequence & Sendable>(
        _ elements: Elements, options: JSON.CodingOptions = JSON.CodingOptions()
    ) -> RequestContent where Elements.Element: Encodable & Sendable {
        stream(JSONTexts.lines.chunks(elements, options), type: JSONTexts.lines.type)
    }

    /// Elements as lines of JSON, as they come.
    /// - Parameter make: gives the elements from the first one on, each time they are sent: a redirect or a retry sends them again.
    public static func ndjson<Elements: AsyncSequence & Sendable>(
        options: JSON.CodingOptions = JSON.CodingOptions(), _ make: @escaping @Sendable () throws -> Elements
    ) -> RequestContent where Elements.Element: Encodable & Sendable {
        stream(type: JSONTexts.lines.type) { JSONTexts.lines.chunks(try make(), options) }
    }

    /// Elements at hand as lines of JSON, encoded before the request is sent.
    public static func ndjson<Element: Encodable & Sendable>(
        _ elements: some Collection<Element> & Sendable, options: JSON.CodingOptions = JSON.CodingOptions()
    ) -> RequestContent {
        RequestContent(contentType: JSONTexts.lines.type, making: { try JSONTexts.lines.encode(elements, options) })
    }

    /// Elements as a JSON text sequence (RFC 7464), as they come, sent once: a redirect or a retry that would send them again is an
    /// error.
    public static func jsonSequence<Elements: AsyncSequence & Sendable>(
        _ elements: Elements, options: JSON.CodingOptions = JSON.CodingOptions()
    ) -> RequestContent where Elements.Element: Encodable & Sendable {
        stream(JSONTexts.sequence.chunks(elements, options), type: JSONTexts.sequence.type)
    }

    /// Elements as a JSON text sequence (RFC 7464), as they come.
    /// - Parameter make: gives the elements from the first one on, each time they are sent: a redirect or a retry sends them again.
    public static func jsonSequence<Elements: AsyncSequence & Sendable>(
        options: JSON.CodingOptions = JSON.CodingOptions(), _ make: @escaping @Sendable () throws -> Elements
    ) -> RequestContent where Elements.Element: Encodable & Sendable {
        stream(type: JSONTexts.sequence.type) { JSONTexts.sequence.chunks(try make(), options) }
    }

    /// Elements at hand as a JSON text sequence (RFC 7464), encoded before the request is sent.
    public static func jsonSequence<Element: Encodable & Sendable>(
        _ elements: some Collection<Element> & Sendable, options: JSON.CodingOptions = JSON.CodingOptions()
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

    func encode(_ element: some Encodable, _ options: JSON.CodingOptions) throws -> Data {
        // A compact text has no line feed but the escaped ones of its strings.
        var text = try JSON(encoding: element, options: options).serialized()
        var chunk = Data(mark)
        text.withUTF8 { chunk.append(contentsOf: $0) }
        chunk.append(0x0A)
        return chunk
    }

    func encode<Element: Encodable & Sendable>(
        _ elements: some Collection<Element>, _ options: JSON.CodingOptions
    ) throws -> Data {
        try elements.reduce(into: Data()) { $0 += try encode($1, options) }
    }

    func chunks<Elements: AsyncSequence & Sendable>(
        _ elements: Elements, _ options: JSON.CodingOptions
    ) -> AsyncThrowingMapSequence<Elements, Data> where Elements.Element: Encodable & Sendable {
        elements.map { try encode($0, options) }
    }
}

/// Reads a body from an asynchronous sequence of chunks. One chunk is held at a time; the next is fetched when it is used up.
final class SequenceSource<Chunks: AsyncSequence & Sendable>: RequestBodySource where Chunks.Element == Data {
    let length: Int64?
    private let make: @Sendable () throws -> Chunks
    private let isRepeatable: Bool
    private let reading = Guarded<ChunkReading?>(nil)

    /// - Parameter make: called at the first read, and again at the first one after each `rewind`.
    init(length: Int64?, _ make: @escaping @Sendable () throws -> Chunks) {
        (self.length, self.make, isRepeatable) = (length, make, true)
    }

    /// - Parameter chunks: taken at the first read. After that there is no way back.
    init(length: Int64?, _ chunks: SinglePass<Chunks>) {
        (self.length, make, isRepeatable) = (length, { try chunks.take() }, false)
    }

    deinit { abandon() }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
        let reading = try reading.withLock { $0 } ?? ChunkReading(try make())
        self.reading.withLock { $0 = reading }
        return try reading.read(into: buffer)
    }

    func rewind() throws {
        guard abandon(), !isRepeatable else { return }
        throw ContentFailure.alreadySent
    }

    /// Ends the pass; false where none had begun.
    @discardableResult
    private func abandon() -> Bool {
        let old = reading.withLock { reading in
            defer { reading = nil }
            return reading
        }
        old?.abandon()
        return old != nil
    }
}

/// A sequence that may have only one pass, however often a body is made of it.
final class SinglePass<Elements: Sendable>: Sendable {
    private let elements: Guarded<Elements?>

    init(_ elements: Elements) { self.elements = Guarded(elements) }

    /// - Throws: `ContentFailure` but for the first time.
    func take() throws(ContentFailure) -> Elements {
        guard let elements = elements.withLock({ $0.take() }) else { throw .alreadySent }
        return elements
    }
}

extension ContentFailure {
    static let alreadySent = ContentFailure(
        .alreadySent, "its sequence was sent before, and can be sent once only; a closure can make a new one")
}
