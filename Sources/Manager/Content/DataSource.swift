import PatchbayPlatform
import PatchbayRegistry

/// Gives bytes at hand piece by piece.
final class DataSource: RequestBodySource {
    let length: Int64?
    private let data: Data
    private let rest: Guarded<Data>

    init(_ data: Data) {
        self.data = data
        rest = Guarded(data)
        length = Int64(data.count)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> RequestBodyPiece {
        rest.withLock { rest in
            let piece = rest.prefix(buffer.count)
            guard !piece.isEmpty else { return .end }
            buffer.copyBytes(from: piece)
            rest = rest.dropFirst(piece.count)
            return .bytes(piece.count)
        }
    }

    func rewind() { rest.withLock { $0 = data } }
}
