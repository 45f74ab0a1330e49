import PatchbayRegistry

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads a body from an asynchronous sequence of chunks. One chunk is held at a time; the next is fetched when it is used up.
final class SequenceSource<Chunks: AsyncSequence & Sendable>: RequestBodySource where Chunks.Element == Data {
    let length: Int64?
    private let make: @Sendable () throws -> Chunks
    private let reading = Guarded<ChunkReading?>(nil)

    /// - Parameter make: called at the first read, and again at the first one after each `rewind`.
    init(length: Int64?, _ make: @escaping @Sendable () throws -> Chunks) {
        self.length = length
        self.make = make
    }

    deinit { rewind() }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
        let reading = try reading.withLock { $0 } ?? ChunkReading(try make())
        self.reading.withLock { $0 = reading }
        return try reading.read(into: buffer)
    }

    func rewind() {
        let old = reading.withLock { reading in
            defer { reading = nil }
            return reading
        }
        old?.abandon()
    }
}
