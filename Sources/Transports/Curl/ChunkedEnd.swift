/// Finds the end of a chunked body in its bytes on the wire (RFC 9112, section 7.1). A line is allowed to end with LF
/// alone.
///
/// This reader refuses nothing: libcurl reads the same bytes, and fails the exchange if they are malformed.
struct ChunkedEnd {
    private enum Place {
        /// In a line with the size of a chunk. The value is the size according to the digits that were read.
        case size(Int)
        /// In a line with the size of a chunk, after the digits.
        case restOfSize(Int)
        /// In a chunk that has this many more bytes.
        case chunk(Int)
        case endOfChunk
        /// In a line after the last chunk.
        case field(isEmpty: Bool)
        case end
        /// After an invalid size.
        case lost
    }

    private var place = Place.size(0)

    var isReached: Bool {
        if case .end = place { true } else { false }
    }

    mutating func read(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while let byte = rest.first {
            if case .chunk(let left) = place {
                let taken = min(left, rest.count)
                rest = rest.dropFirst(taken)
                place = taken == left ? .endOfChunk : .chunk(left - taken)
            } else {
                rest = rest.dropFirst()
                place = place(behind: byte)
            }
        }
    }

    private func place(behind byte: UInt8) -> Place {
        let isEndOfLine = byte == 0x0A
        switch place {
        case .size(let size), .restOfSize(let size):
            guard !isEndOfLine else { return size == 0 ? .field(isEmpty: true) : .chunk(size) }
            guard case .size = place, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                return .restOfSize(size)
            }
            return size > Int.max >> 4 ? .lost : .size(size << 4 | digit)
        case .endOfChunk: return isEndOfLine ? .size(0) : .endOfChunk
        case .field(let isEmpty):
            guard isEndOfLine else { return .field(isEmpty: isEmpty && byte == 0x0D) }
            return isEmpty ? .end : .field(isEmpty: true)
        case .chunk, .end, .lost: return place
        }
    }
}
