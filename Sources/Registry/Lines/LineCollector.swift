import PatchbayPlatform

/// Cuts a body, which comes in pieces, into lines: the same ones wherever the pieces are cut, and each byte is looked at once.
package struct LineCollector: Sendable {
    package enum LineEnd: Sendable {
        /// LF alone; a CR before it is part of the line.
        case lineFeed
        /// LF, CR or both. A CR ends the line before it is known whether an LF follows.
        case any
    }

    /// One piece of a body, from which lines are taken.
    package struct Piece {
        let bytes: UnsafeRawBufferPointer
        /// Where the next line begins or goes on, and where the last one ended.
        package fileprivate(set) var offset = 0
        var lineEnd = 0
        // The next of each from `offset` on, where that has been looked for: a piece without any is searched for it once only.
        private var lineFeed = -1
        private var carriageReturn = -1

        package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        /// Passes over lines that somebody else has read, up to where the next one begins.
        package mutating func skip(to offset: Int) { self.offset = offset }

        /// The end of the line at `offset`; nil where it is not in the piece.
        mutating func nextEnd(_ ends: LineEnd) -> Int? {
            if lineFeed < offset { lineFeed = bytes.firstIndex(of: 0x0A, from: offset) }
            var end = lineFeed
            if ends == .any {
                if carriageReturn < offset { carriageReturn = bytes.firstIndex(of: 0x0D, from: offset) }
                end = min(end, carriageReturn)
            }
            return end < bytes.count ? end : nil
        }
    }

    private let ends: LineEnd
    private var buffer: ElementBuffer
    /// Whether the last line ended with a CR at the end of a piece.
    private var isBehindCarriageReturn = false

    package init(_ ends: LineEnd, limit: ElementLimit) {
        self.ends = ends
        buffer = ElementBuffer(limit: limit)
    }

    /// Whether nothing is kept of a line that began in another piece.
    package var isAtStart: Bool { buffer.count == 0 && !isBehindCarriageReturn }

    /// The next line without its end, until the collector is asked again; nil where none ends in the rest of the piece, which is kept
    /// then.
    package mutating func next(in piece: inout Piece) throws(ElementLimitFailure) -> UnsafeRawBufferPointer? {
        let bytes = piece.bytes
        if isBehindCarriageReturn, piece.offset < bytes.count {
            if bytes[piece.offset] == 0x0A { piece.offset += 1 }
            isBehindCarriageReturn = false
        }
        guard let end = piece.nextEnd(ends) else {
            try buffer.keep(UnsafeRawBufferPointer(rebasing: bytes[piece.offset...]))
            piece.offset = bytes.count
            return nil
        }
        let line = UnsafeRawBufferPointer(rebasing: bytes[piece.offset..<end])
        piece.lineEnd = end
        piece.offset = end + 1
        if bytes[end] == 0x0D {
            if piece.offset == bytes.count {
                isBehindCarriageReturn = true
            } else if bytes[piece.offset] == 0x0A {
                piece.offset += 1
            }
        }
        return try buffer.element(endingWith: line)
    }

    /// The last line, where it has no end; nil where the body ended with one.
    package mutating func last() throws(ElementLimitFailure) -> UnsafeRawBufferPointer? {
        guard buffer.count > 0 else { return nil }
        return try buffer.element(endingWith: UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// Hands the last bytes of the line that was given last over to another buffer, without a copy; false where the line lies in a
    /// piece.
    package mutating func move(last count: Int, to other: inout ElementBuffer) throws(ElementLimitFailure) -> Bool {
        try buffer.move(last: count, to: &other)
    }
}

extension UnsafeRawBufferPointer {
    /// Where a byte is next, from an offset on; the count where it is nowhere.
    package func firstIndex(of byte: UInt8, from offset: Int) -> Int {
        guard offset < count, let base = baseAddress,
            let found = memchr(base + offset, Int32(byte), count - offset)
        else { return count }
        return UnsafeRawPointer(found) - base
    }
}

/// The beginning of an element whose end has not come yet.
///
/// An element that lies in one piece of a body is lent as it lies there, and only one on which a piece ends is copied: each byte once.
package struct ElementBuffer: Sendable {
    package let limit: ElementLimit
    /// Memory that can be grown where it lies, as that of an array cannot. A copy of this value that wants to write takes memory of
    /// its own first.
    private var memory = BodyBuffer()
    /// How many bytes at the start are none of the element.
    private var start = 0
    /// Whether what is kept was lent as a whole element, and gives way to the next.
    private var isLent = false

    package init(limit: ElementLimit) { self.limit = limit }

    /// How many bytes are kept of an element without its end.
    package var count: Int { isLent ? 0 : memory.count - start }

    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory.bytes[start...]) }

    package mutating func keep(_ bytes: UnsafeRawBufferPointer) throws(ElementLimitFailure) {
        if isLent { removeAll() }
        guard !bytes.isEmpty else { return }
        guard bytes.count <= limit.bytes - count else { throw limit.exceeded }
        takeMemory()
        // Only where there is no memory, which is a limit too.
        guard memory.append(bytes) else { throw ElementLimitFailure(limit: memory.count) }
    }

    /// The element that ends with these bytes, until this value changes: they alone, where nothing is kept.
    package mutating func element(
        endingWith bytes: UnsafeRawBufferPointer
    ) throws(ElementLimitFailure) -> UnsafeRawBufferPointer {
        if isLent { removeAll() }
        if count == 0 {
            guard bytes.count <= limit.bytes else { throw limit.exceeded }
            return bytes
        }
        try keep(bytes)
        isLent = true
        return self.bytes
    }

    /// Hands the last bytes of the element that is lent over to another buffer, without a copy; false where none is lent, because
    /// the element lies in a piece.
    package mutating func move(last count: Int, to other: inout ElementBuffer) throws(ElementLimitFailure) -> Bool {
        guard isLent else { return false }
        guard count <= other.limit.bytes else { throw other.limit.exceeded }
        swap(&memory, &other.memory)
        other.start = other.memory.count - count
        other.isLent = false
        removeAll()
        return true
    }

    package mutating func removeAll() {
        isLent = false
        start = 0
        if isKnownUniquelyReferenced(&memory) { memory.removeAll() } else { memory = BodyBuffer() }
    }

    private mutating func takeMemory() {
        guard !isKnownUniquelyReferenced(&memory) else { return }
        let copy = BodyBuffer()
        _ = copy.append(memory.bytes)
        memory = copy
    }
}
