/// A small gzip stream of very many zeros.
enum Bomb {
    /// 64 MiB in about 70 KB: deflate's fixed Huffman codes (RFC 1951, section 3.2.6), one zero and then copies of 258 bytes.
    static let gzip: [UInt8] = {
        var bits = BitWriter([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])
        bits.write(0b1, count: 1)  // The last block,
        bits.write(0b01, count: 2)  // with fixed codes.
        bits.writeCode(0x30, count: 8)  // The literal 0.
        for _ in 0..<((64 << 20) / 258) {
            bits.writeCode(0b1100_0101, count: 8)  // Length 258,
            bits.writeCode(0, count: 5)  // distance 1.
        }
        return bits.bytes
    }()

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
    }
}
