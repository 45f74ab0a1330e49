import PatchbayPlatform
public import PatchbayRegistry

extension RequestContent {
    /// The elements of a sequence. Each element is written when it is fetched, while the body is sent.
    ///
    /// The first entry that is for the host, covers the media type and can write elements writes the elements. The
    /// standard table writes lines of JSON (`application/x-ndjson`), JSON text sequences (`application/json-seq`, RFC
    /// 7464) and CSV (`text/csv`, RFC 4180). If no entry can write them, the call fails with code `noWriter` before
    /// anything is sent.
    ///
    /// Elements are fetched at most 256 KiB ahead of sending. An error of the sequence fails the call with code
    /// `unreadableContent`, and an element that cannot be written fails it with code `writing`. In both cases the
    /// connection is closed before the body is complete. To send an array, use `.value(array, in: .ndjson)`.
    /// - Parameters:
    ///   - elements: the sequence. Its iteration begins when the body is sent.
    ///   - type: the media type, which becomes the Content-Type.
    ///   - isRepeatable: whether each iteration of the sequence starts at the first element. Then a redirect or a retry
    ///     can send the elements again; otherwise sending them again is an error.
    public static func elements<Elements: AsyncSequence & Sendable>(
        _ elements: Elements, in type: MediaType = .ndjson, isRepeatable: Bool = false
    ) -> RequestContent where Elements.Element: Encodable & Sendable {
        let pass = elements.pass(isRepeatable: isRepeatable)
        let unwritten = UnwrittenContent(
            .elements(Elements.Element.self) { lookup, writer in
                .source(
                    SequenceSource(isRepeatable: isRepeatable) {
                        let position = Guarded(0)
                        return try pass().map { element in
                            let place = position.withLock { next in
                                defer { next += 1 }
                                return next
                            }
                            do {
                                let value = unwrapped(element) ?? element
                                return try writer.writeElement(value, at: place, as: lookup.type)
                            } catch let error as EncodingError {
                                throw lookup.failure(error.inElement(place))
                            } catch {
                                throw lookup.failure(error)
                            }
                        }
                    })
            }, in: type)
        return RequestContent(unwritten, isStreamed: true)
    }
}

/// Reads a body from an asynchronous sequence of chunks.
final class SequenceSource<Chunks: AsyncSequence & Sendable>: ReadySource where Chunks.Element == Data {
    let length: Int64?
    /// A separate task waits for the chunks.
    let neverBlocks = true
    private let make: @Sendable () throws -> Chunks
    private let isRepeatable: Bool
    private let reading = Guarded<ChunkReading?>(nil)
    private let hasBegun = Guarded(false)

    /// - Parameter make: called at the first read, and at the first read after each `rewind`.
    init(length: Int64? = nil, isRepeatable: Bool = true, _ make: @escaping @Sendable () throws -> Chunks) {
        (self.length, self.make, self.isRepeatable) = (length, make, isRepeatable)
    }

    deinit { abandon() }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
        hasBegun.withLock { $0 = true }
        let reading = try reading.withLock { $0 } ?? ChunkReading(try make())
        self.reading.withLock { $0 = reading }
        return try reading.read(into: buffer)
    }

    func rewind() throws {
        abandon()
        if !isRepeatable, hasBegun.withLock({ $0 }) { throw ContentFailure.alreadySent }
    }

    /// Ends the pass.
    private func abandon() {
        let old = reading.withLock { reading in
            defer { reading = nil }
            return reading
        }
        old?.abandon()
    }
}

/// A sequence that is iterated at most one time, however many bodies are made of it.
final class SinglePass<Elements: Sendable>: Sendable {
    private let elements: Guarded<Elements?>

    init(_ elements: Elements) { self.elements = Guarded(elements) }

    /// - Throws: `ContentFailure` on every call but the first.
    func take() throws(ContentFailure) -> Elements {
        guard let elements = elements.withLock({ $0.take() }) else { throw .alreadySent }
        return elements
    }
}

extension AsyncSequence where Self: Sendable {
    /// Returns a function that gives the sequence: for each pass if `isRepeatable`, otherwise for the first pass only.
    func pass(isRepeatable: Bool) -> @Sendable () throws -> Self {
        guard !isRepeatable else { return { self } }
        let once = SinglePass(self)
        return { try once.take() }
    }
}

extension ContentFailure {
    static let alreadySent = ContentFailure(
        .alreadySent, "its sequence was sent before, and can be sent once only (isRepeatable is false)")
}
