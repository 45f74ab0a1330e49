import PatchbayPlatform

/// Cuts a body, which arrives in pieces, into lines. The lines do not depend on how the body is cut into pieces. Each
/// byte is read only once.
package struct LineCollector: Sendable {
    /// One piece of a body, with a reading position.
    package struct Piece {
        let bytes: UnsafeRawBufferPointer
        /// The position at which the next line starts or continues.
        package fileprivate(set) var offset = 0
        /// The end of the last line that was found.
        var lineEnd = 0
        // The positions of the next LF and the next CR at or after `offset`; -1 before the first search, `bytes.count`
        // if there is none. So a piece without an LF or CR is searched only once.
        private var lineFeed = -1
        private var carriageReturn = -1

        package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        /// Skips lines that other code has read, up to the next line.
        package mutating func skip(to offset: Int) { self.offset = offset }

        /// The end of the line at `offset`; nil if it is not in the piece.
        mutating func nextEnd(orReturn endsAtReturn: Bool) -> Int? {
            if lineFeed < offset { lineFeed = bytes.firstIndex(of: 0x0A, from: offset) }
            var end = lineFeed
            if endsAtReturn {
                if carriageReturn < offset { carriageReturn = bytes.firstIndex(of: 0x0D, from: offset) }
                end = min(end, carriageReturn)
            }
            return end < bytes.count ? end : nil
        }
    }

    private let endsAtReturn: Bool
    private var buffer: ElementBuffer
    /// Whether the last line ended with a CR at the end of a piece.
    private var isBehindCarriageReturn = false
    /// The number of bytes of the pieces that were read to their end.
    private(set) var passed = 0

    /// - Parameter endsAtReturn: whether a line ends with LF, CR or CR LF. A CR at the end of a piece then ends the line
    ///   immediately, and an LF at the start of the next piece is skipped. If false, only LF ends a line; a CR before
    ///   it belongs to the line.
    package init(endsAtReturn: Bool, limit: ElementLimit) {
        self.endsAtReturn = endsAtReturn
        buffer = ElementBuffer(limit: limit)
    }

    /// Whether no part of an earlier piece is kept.
    package var isAtStart: Bool { buffer.count == 0 && !isBehindCarriageReturn }

    /// The next line without its line end, valid until the next call. Nil if the remaining bytes of the piece have no
    /// line end; these bytes are then kept.
    package mutating func next(in piece: inout Piece) throws(ElementLimitFailure) -> UnsafeRawBufferPointer? {
        let bytes = piece.bytes
        if isBehindCarriageReturn, piece.offset < bytes.count {
            if bytes[piece.offset] == 0x0A { piece.offset += 1 }
            isBehindCarriageReturn = false
        }
        guard let end = piece.nextEnd(orReturn: endsAtReturn) else {
            try buffer.keep(UnsafeRawBufferPointer(rebasing: bytes[piece.offset...]))
            piece.offset = bytes.count
            passed += bytes.count
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

    /// The last line, if it has no end; nil if the body ended with a line end.
    package mutating func last() throws(ElementLimitFailure) -> UnsafeRawBufferPointer? {
        guard buffer.count > 0 else { return nil }
        return try buffer.element(endingWith: UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// Moves the last `count` bytes of the last returned line to another buffer, without a copy; false if the line is
    /// in a piece.
    package mutating func move(last count: Int, to other: inout ElementBuffer) throws(ElementLimitFailure) -> Bool {
        try buffer.move(last: count, to: &other)
    }
}

extension UnsafeRawBufferPointer {
    /// The position of the first `byte` at or after an offset; `count` if there is none.
    package func firstIndex(of byte: UInt8, from offset: Int) -> Int {
        guard offset < count, let base = baseAddress,
            let found = memchr(base + offset, Int32(byte), count - offset)
        else { return count }
        return UnsafeRawPointer(found) - base
    }
}

/// The start of an element whose end has not arrived.
///
/// An element within one piece of a body is returned as a pointer into the piece. Only an element that is cut by the
/// end of a piece is copied, each byte once.
package struct ElementBuffer: Sendable {
    package let limit: ElementLimit
    /// Memory that can grow without a copy, unlike the memory of an array. A copy of this value allocates memory before
    /// it writes.
    private var memory = BodyBuffer()
    /// The number of bytes at the start that do not belong to the element.
    private var start = 0
    /// Whether the kept bytes were returned as a whole element. The next element then replaces them.
    private var isLent = false

    package init(limit: ElementLimit = ElementLimit(.max)) { self.limit = limit }

    /// The number of kept bytes of an element whose end has not arrived.
    package var count: Int { isLent ? 0 : memory.count - start }

    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory.bytes[start...]) }

    package mutating func keep(_ bytes: UnsafeRawBufferPointer) throws(ElementLimitFailure) {
        if isLent { removeAll() }
        guard !bytes.isEmpty else { return }
        guard bytes.count <= limit.bytes - count else { throw limit.exceeded }
        takeMemory()
        // If the memory is exhausted, the failure is the same as for an exceeded limit.
        guard memory.append(bytes) else { throw ElementLimitFailure(limit: memory.count) }
    }

    /// The element that ends with `bytes`. The result is valid until this value changes. If no bytes are kept, the
    /// element is `bytes`.
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

    /// Keeps the last `count` bytes of the element that was returned last, as the start of the next one: for parsers
    /// that read a piece together with the kept bytes. No byte moves twice if all other bytes were kept before.
    package mutating func keep(
        last count: Int, of element: UnsafeRawBufferPointer
    ) throws(ElementLimitFailure) {
        guard isLent else { return try keep(UnsafeRawBufferPointer(rebasing: element.suffix(count))) }
        takeMemory()
        isLent = false
        memory.removeFirst(memory.count - count)
        start = 0
    }

    /// Moves the last `count` bytes of the last returned element to another buffer, without a copy; false if that
    /// element is not in this buffer but in a piece.
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
