import Foundation
import Patchbay

extension CBORValue {
    /// The item in its preferred serialization, with the keys of maps in the order of their bytes, so that equal values have the same bytes
    /// (RFC 8949, section 4.2.1).
    /// - Throws: `FormatFailure` for a simple value from 24 to 31, which CBOR does not have, and for more than `CBORParser.maximumDepth`
    ///   items inside each other.
    func encoded() throws(FormatFailure) -> Data {
        var writer = CBORWriter()
        try writer.write(self)
        return Data(writer.bytes)
    }
}

private struct CBORWriter {
    var bytes: [UInt8] = []

    /// - Parameter depth: how many items it lies in.
    mutating func write(_ value: CBORValue, depth: Int = 0) throws(FormatFailure) {
        guard depth < CBORParser.maximumDepth else {
            throw FormatFailure("cbor", .depth, "more than \(CBORParser.maximumDepth) items lie inside each other")
        }
        switch value {
        case .unsigned(let value): writeHead(0, value)
        case .negative(let value): writeHead(1, value)
        case .bytes(let value):
            writeHead(2, UInt64(value.count))
            bytes += value
        case .text(let value):
            writeHead(3, UInt64(value.utf8.count))
            bytes += value.utf8
        case .array(let items):
            writeHead(4, UInt64(items.count))
            for item in items { try write(item, depth: depth + 1) }
        case .map(let map):
            writeHead(5, UInt64(map.count))
            var members: [(key: [UInt8], value: CBORValue)] = []
            for (key, value) in map {
                var writer = CBORWriter()
                try writer.write(key, depth: depth + 1)
                members.append((writer.bytes, value))
            }
            members.sort { $0.key.lexicographicallyPrecedes($1.key) }
            for member in members {
                bytes += member.key
                try write(member.value, depth: depth + 1)
            }
        case .tagged(let tag, let item):
            writeHead(6, tag)
            try write(item, depth: depth + 1)
        case .simple(24...31): throw FormatFailure("cbor", .range, "CBOR has no simple values from 24 to 31")
        case .simple(let value): writeHead(7, UInt64(value))
        case .float(let value): write(value)
        }
    }

    /// The shortest float that keeps the value.
    private mutating func write(_ value: Double) {
        if let bits = ShortFloat.half.bits(value) {
            write(0xF9, bits, count: 2)
        } else if let bits = ShortFloat.single.bits(value) {
            write(0xFA, bits, count: 4)
        } else {
            write(0xFB, value.bitPattern, count: 8)
        }
    }

    /// The shortest head for an argument.
    private mutating func writeHead(_ majorType: UInt8, _ argument: UInt64) {
        let first = majorType << 5
        switch argument {
        case 0...23: bytes.append(first | UInt8(argument))
        case 24...0xFF: write(first | 24, argument, count: 1)
        case 0x100...0xFFFF: write(first | 25, argument, count: 2)
        case 0x1_0000...0xFFFF_FFFF: write(first | 26, argument, count: 4)
        default: write(first | 27, argument, count: 8)
        }
    }

    private mutating func write(_ first: UInt8, _ argument: UInt64, count: UInt64) {
        bytes.append(first)
        for place in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: argument >> (8 * place))) }
    }
}
