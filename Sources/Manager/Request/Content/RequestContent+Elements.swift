import PatchbayJSON
import PatchbayPlatform
public import PatchbayRegistry

extension RequestContent {
    /// Content of many values, each encoded when it is its turn: as lines of JSON (`application/x-ndjson`), or as a JSON text sequence
    /// (`application/json-seq`, RFC 7464). Another type fails the call with code `invalidRequest` before anything is sent.
    ///
    /// A sequence is asked for its next element when those before are sent, but for 256 KiB at most. What it throws, or an element that
    /// cannot be encoded, fails the request, and the connection is closed before the body looks whole. Elements at hand are
    /// `.value(array, in: .ndjson)`.
    /// - Parameter isRepeatable: whether the sequence gives its elements from the first one on each time it is asked, so that a redirect
    ///   or a retry can send them again; else that is an error.
    public static func elements<Elements: AsyncSequence & Sendable>(
        _ elements: Elements, in type: MediaType = .ndjson, isRepeatable: Bool = false
    ) -> RequestContent where Elements.Element: Encodable & Sendable {
        guard let texts = JSONTexts(type) else {
            return RequestContent(type.description) { throw ContentFailure.unwritable(elementsOf: type) }
        }
        return stream(type.description, elements.map { try texts.encode($0) }, isRepeatable)
    }
}

/// A format of JSON texts one behind the other, each with a line feed behind it.
struct JSONTexts: Sendable {
    /// What each text begins with.
    private let mark: [UInt8]

    /// Nil where the media type is no such format.
    init?(_ type: MediaType) {
        switch type.essence {
        case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines": mark = []
        // RFC 7464, section 2.2: a record separator begins a text.
        case "application/json-seq": mark = [0x1E]
        default: return nil
        }
    }

    func encode(_ element: some Encodable) throws -> Data { encode(try JSON(encoding: element)) }

    /// Each element of an array, as one text.
    func encode(elementsOf value: some Encodable) throws -> Data {
        guard let elements = try JSON(encoding: value).array else {
            throw ContentFailure(.unwritableValue, "only an array has elements to write one by one")
        }
        return elements.reduce(into: Data()) { $0 += encode($1) }
    }

    private func encode(_ json: JSON) -> Data {
        // A compact text has no line feed but the escaped ones of its strings.
        var text = json.serialized()
        var chunk = Data(mark)
        text.withUTF8 { chunk.append(contentsOf: $0) }
        chunk.append(0x0A)
        return chunk
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
        .alreadySent, "its sequence was sent before, and can be sent once only (isRepeatable is false)")
}
