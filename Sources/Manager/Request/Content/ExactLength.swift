import PatchbayRegistry

/// Holds a source to the length that was announced for it. The last byte is given when it is known that no other follows, so that content
/// of another length never looks whole.
struct ExactLength: Sendable {
    private let length: Int64
    /// Whose length it is, in the words that begin the error.
    private let name: String
    /// The bytes that the source has given.
    private var offset: Int64 = 0
    /// The last of them, while it is not known whether another follows.
    private var last: UInt8?
    /// The fields behind the last byte, once that is known.
    private var trailers: HeaderFields?

    init(_ length: Int64, of name: String) { (self.length, self.name) = (length, name) }

    /// The next piece of what `source` gives into the space that it is given.
    /// - Throws: `ContentFailure` where it has more bytes or fewer, and what `source` throws.
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
        // There is room for one more byte than may come.
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
