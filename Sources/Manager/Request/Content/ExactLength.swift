import PatchbayRegistry

/// Checks that a source has exactly the announced length. The last byte is withheld until the source has ended, so that
/// content of another length never looks complete.
struct ExactLength: Sendable {
    private let length: Int64
    /// The noun that the error begins with, such as `the content`.
    private let name: String
    /// The number of bytes that the source has given.
    private var offset: Int64 = 0
    /// The last byte, while it is unknown whether another byte follows.
    private var last: UInt8?
    /// The trailer fields; nil before the source has ended.
    private var trailers: HeaderFields?

    init(_ length: Int64, of name: String) { (self.length, self.name) = (length, name) }

    /// Reads the next piece of `source` into the buffer.
    /// - Throws: `ContentFailure` if the source has more or fewer bytes, and the errors of `source`.
    mutating func read(
        into buffer: UnsafeMutableRawBufferPointer,
        from source: (UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece
    ) throws -> RequestBodyPiece {
        var count = 0
        if offset < length {
            let space = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(clamping: length - offset)))
            let piece = try source(space)
            switch piece {
            case .wait: return piece
            case .end: throw wrongLength
            case .bytes(let given):
                guard (0...space.count).contains(given) else { throw wrongLength }
                offset += Int64(given)
                guard offset == length, given > 0 else { return piece }
                count = given
            }
        } else if let last, let first = buffer.indices.first {
            buffer[first] = last
            count = 1
        } else if let trailers {
            return .end(trailers: trailers)
        }
        // Probes one extra byte: receiving it means that the body exceeds the announced length.
        let next = try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { try source($0) }
        switch next {
        case .bytes: throw wrongLength
        case .end(let trailers):
            (self.trailers, last) = (trailers, nil)
            return count > 0 ? .bytes(count) : next
        case .wait:
            guard count > 0 else { return next }
            last = buffer[count - 1]
            return count > 1 ? .bytes(count - 1) : next
        }
    }

    private var wrongLength: ContentFailure {
        ContentFailure(.wrongLength, "\(name) has more or fewer bytes than were announced")
    }
}
