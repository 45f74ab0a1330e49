/// Codes bytes without making them smaller, in blocks that any decoder has to take: what was made can be coded again, and the
/// window of the decoder is the largest that it may be.
package enum StoredCoding: String, CaseIterable, Sendable {
    case gzip, deflate, br, zstd

    package static let maximumBlock = 65_535

    package func code(_ bytes: [UInt8]) -> [UInt8] {
        let blocks = stride(from: 0, to: bytes.count, by: Self.maximumBlock).flatMap { start in
            block(Array(bytes[start..<min(start + Self.maximumBlock, bytes.count)]))
        }
        return head + blocks + end(of: bytes)
    }

    package var head: [UInt8] {
        switch self {
        case .gzip: GzipMember.head
        case .deflate: [0x78, 0x01]
        // A window of 16 MiB, and a block of metadata without any, behind which bytes begin (RFC 7932, section 9).
        case .br: [0x6F, 0x00]
        // A window of 8 MiB (RFC 8878, section 3.1.1).
        case .zstd: [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x68]
        }
    }

    /// A block of at least one byte, and of `maximumBlock` bytes at most.
    package func block(_ bytes: [UInt8]) -> [UInt8] {
        let low = UInt8(truncatingIfNeeded: bytes.count)
        let high = UInt8(truncatingIfNeeded: bytes.count >> 8)
        switch self {
        case .gzip, .deflate: return [0x00, low, high, ~low, ~high] + bytes
        case .br: return Self.little((bytes.count - 1) << 3 | 1 << 19, bytes: 3) + bytes
        case .zstd: return Self.little(bytes.count << 3, bytes: 3) + bytes
        }
    }

    package func end(of bytes: [UInt8]) -> [UInt8] {
        let lastBlock: [UInt8] = [0x01, 0x00, 0x00, 0xFF, 0xFF]
        switch self {
        case .gzip: return lastBlock + GzipMember.end(of: bytes)
        case .deflate: return lastBlock + Self.little(Int(Self.adler(bytes)), bytes: 4).reversed()
        case .br: return [0x03]
        case .zstd: return [0x01, 0x00, 0x00]
        }
    }

    package static func little(_ value: Int, bytes: Int) -> [UInt8] {
        (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// Adler-32 (RFC 1950, section 8.2).
    private static func adler(_ bytes: [UInt8]) -> UInt32 {
        var (one, two): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            one = (one + UInt32(byte)) % 65_521
            two = (two + one) % 65_521
        }
        return two << 16 | one
    }
}
