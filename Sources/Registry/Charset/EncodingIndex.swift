/// An index of the WHATWG Encoding Standard: the character of each pointer (section 5).
///
/// The characters are in the constant data of the program as UTF-8, three bytes each. So nothing is built at run time,
/// and reading a character is one load.
///
/// `@unchecked Sendable`: sharing the pointer would be unsafe if other code wrote to its memory or freed it. The
/// pointer refers to the constant data of the program, which is mapped read-only and lives as long as the process.
struct EncodingIndex: @unchecked Sendable {
    private let cells: UnsafePointer<UInt8>
    private let count: Int

    init(_ characters: StaticString) {
        cells = characters.utf8Start
        count = characters.utf8CodeUnitCount / 3
    }

    /// The character of a pointer; U+FFFD if the index has none.
    subscript(pointer: Int) -> UTF8Character {
        guard pointer >= 0, pointer < count else { return .replacement }
        // Loads four bytes of a three-byte cell. At the last cell, the fourth is the zero byte that ends every
        // StaticString. The guard above refuses invalid pointers from a server.
        let word = UnsafeRawPointer(cells + pointer &* 3).loadUnaligned(as: UInt32.self)
        return UTF8Character(bytes: UInt32(littleEndian: word) & 0xFF_FFFF)
    }
}

/// A character in UTF-8, or two characters whose UTF-8 has four bytes in total. The lowest byte of `bytes` comes first.
struct UTF8Character: Equatable {
    let bytes: UInt32

    /// U+FFFD, which is in no index.
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

    /// The number of bytes of the text. Only U+0000 has a zero byte, and it counts as one byte.
    var count: Int { 4 - (bytes | 1).leadingZeroBitCount / 8 }
}
