import PatchbayPlatform

/// A place in the bytes of a document, and what can be asked there.
struct XMLCursor {
    let bytes: UnsafeRawBufferPointer
    var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The byte here; nil at the end.
    var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    func starts(with text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard bytes.count - position >= length, let base = bytes.baseAddress else { return false }
        return memcmp(base + position, text.utf8Start, length) == 0
    }

    /// Where the byte comes next, at or behind `start` and before `end`, or anywhere where there is no `end`.
    func index(of byte: UInt8, from start: Int, to end: Int? = nil) -> Int? {
        let end = end ?? bytes.count
        guard start < end, let base = bytes.baseAddress else { return nil }
        guard let found = memchr(base + start, Int32(byte), end - start) else { return nil }
        return UnsafeRawPointer(found) - base
    }

    /// Goes on behind the end of a construct whose opening, here, has so many bytes.
    mutating func skip(_ opening: Int, past end: StaticString, _ reason: String) throws(XMLFailure) {
        let start = position
        position += opening
        while let next = index(of: end.utf8Start.pointee, from: position) {
            position = next
            if starts(with: end) {
                position += end.utf8CodeUnitCount
                return
            }
            position += 1
        }
        position = start
        throw failure(.notWellFormed, reason)
    }

    /// Goes on behind white space, and tells whether there was any.
    @discardableResult
    mutating func skipSpace() -> Bool {
        let start = position
        while let byte, Self.isSpace(byte) { position += 1 }
        return position > start
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

    func failure(_ code: XMLFailure.Code, _ reason: String) -> XMLFailure {
        .at(position, in: bytes, code, reason)
    }
}
