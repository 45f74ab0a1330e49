/// An index of the WHATWG Encoding Standard: the character of each pointer (section 5).
///
/// The characters stand in the constant data of the program as UTF-8, three bytes each, so that nothing is built before the first
/// text and a look-up is one load.
///
/// `@unchecked Sendable`: the pointer would be unsafe to share if somebody wrote behind it or freed it. It leads into the constant
/// data of the program, which is mapped read-only and stays as long as the process.
struct EncodingIndex: @unchecked Sendable {
    private let cells: UnsafePointer<UInt8>
    private let count: Int

    init(_ characters: StaticString) {
        cells = characters.utf8Start
        count = characters.utf8CodeUnitCount / 3
    }

    /// The character of a pointer; U+FFFD where the index has none.
    subscript(pointer: Int) -> UTF8Character {
        guard pointer >= 0, pointer < count else { return .replacement }
        // Loads four bytes of a cell of three, which would read past the end at the last cell, were it not for the zero byte that
        // ends every StaticString. A pointer that a server made up is caught by the guard above.
        let word = UnsafeRawPointer(cells + pointer &* 3).loadUnaligned(as: UInt32.self)
        return UTF8Character(bytes: UInt32(littleEndian: word) & 0xFF_FFFF)
    }
}

/// A character in UTF-8, or two in four bytes together. The first byte is the lowest.
struct UTF8Character: Equatable {
    let bytes: UInt32

    /// U+FFFD, which no index has.
    static let replacement = Self(0xFFFD)

    init(bytes: UInt32) { self.bytes = bytes }

    /// - Parameter scalar: a Unicode scalar value.
    init(_ scalar: UInt32) {
        func trail(_ shift: UInt32) -> UInt32 { 0x80 | scalar >> shift & 0x3F }
        bytes =
            switch scalar {
            case 0..<0x80: scalar
            case 0x80..<0x800: 0xC0 | scalar >> 6 | trail(0) << 8
            case 0x800..<0x1_0000: 0xE0 | scalar >> 12 | trail(6) << 8 | trail(0) << 16
            default: 0xF0 | scalar >> 18 | trail(12) << 8 | trail(6) << 16 | trail(0) << 24
            }
    }

    /// How many bytes it takes: no byte but that of U+0000 is zero.
    var count: Int { 4 - (bytes | 1).leadingZeroBitCount / 8 }
}
