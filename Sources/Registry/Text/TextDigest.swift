/// A short name for a number of texts: FNV-1a, 64 bits. It tells them apart, and is no proof against forgery.
package struct TextDigest {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    package mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte) }
        // No byte of UTF-8, so that two texts never run into one.
        add(0xFF)
    }

    package var hexadecimal: String {
        let digits = String(state, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    private mutating func add(_ byte: UInt8) {
        state = (state ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}
