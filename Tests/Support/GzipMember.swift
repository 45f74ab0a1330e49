/// Gzip members (RFC 1952) that repeat a few bytes very often.
package enum GzipMember {
    package static let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

    /// The member of no bytes.
    package static let empty = head + [0x03, 0x00] + end(of: [])

    /// 64 MiB of zeros in about 70 KB.
    package static let bomb = repeating([0], count: 64 << 20, isWhole: false)

    /// A member of at least `count` bytes that is the pattern again and again, whole each time: its bytes, and then copies of 258
    /// bytes with deflate's fixed Huffman codes (RFC 1951, section 3.2.6).
    ///
    /// - Parameter isWhole: false leaves out what follows the last block, for which all the bytes have to be made.
    package static func repeating(_ pattern: [UInt8], count: Int, isWhole: Bool = true) -> [UInt8] {
        var bits = BitWriter(head)
        bits.write(0b1, count: 1)  // The last block,
        bits.write(0b01, count: 2)  // with fixed codes.
        for byte in pattern { bits.writeLiteral(byte) }
        let least = max(0, count - pattern.count + 257) / 258
        let copies = (least + pattern.count - 1) / pattern.count * pattern.count
        for _ in 0..<copies { bits.writeCopy(distance: pattern.count) }
        bits.writeCode(0, count: 7)  // The end of the block.
        guard isWhole else { return bits.bytes }
        let whole = (0..<pattern.count + copies * 258).map { pattern[$0 % pattern.count] }
        return bits.bytes + end(of: whole)
    }

    /// The checksum and the length that end a member of these bytes.
    package static func end(of bytes: [UInt8]) -> [UInt8] {
        let sum = bytes.reduce(UInt32.max) { $0 >> 8 ^ table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] }
        return StoredCoding.little(Int(~sum), bytes: 4) + StoredCoding.little(bytes.count, bytes: 4)
    }

    /// CRC-32 (RFC 1952, section 8), a byte at a time.
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(index) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1 }
    }

    private struct BitWriter {
        private(set) var bytes: [UInt8]
        private var used = 8

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        mutating func write(_ value: Int, count: Int) {
            for bit in 0..<count {
                if used == 8 {
                    bytes.append(0)
                    used = 0
                }
                if value >> bit & 1 == 1 { bytes[bytes.count - 1] |= 1 << UInt8(used) }
                used += 1
            }
        }

        /// Huffman codes go with their highest bit first.
        mutating func writeCode(_ value: Int, count: Int) {
            for bit in (0..<count).reversed() { write(value >> bit & 1, count: 1) }
        }

        mutating func writeLiteral(_ byte: UInt8) {
            byte < 144 ? writeCode(0x30 + Int(byte), count: 8) : writeCode(0x190 + Int(byte) - 144, count: 9)
        }

        /// 258 bytes from so many bytes back, 32,768 at most.
        mutating func writeCopy(distance: Int) {
            writeCode(0b1100_0101, count: 8)  // Length 258.
            guard distance > 2 else { return writeCode(distance - 1, count: 5) }
            let extra = Int.bitWidth - 2 - (distance - 1).leadingZeroBitCount
            writeCode(2 * (extra + 1) + (distance - 1) >> extra & 1, count: 5)
            write((distance - 1) & (1 << extra - 1), count: extra)
        }
    }
}
