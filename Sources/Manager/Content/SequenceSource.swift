import PatchbayPlatform
import PatchbayRegistry

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
