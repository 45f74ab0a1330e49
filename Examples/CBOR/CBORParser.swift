import Foundation
import Patchbay

extension CBORValue {
    /// Reads the one item that the bytes are.
    /// - Throws: `FormatFailure` if the bytes are not one well-formed item, if text is not UTF-8, if a key stands twice in a map, or if more
    ///   than `CBORParser.maximumDepth` items lie inside each other.
    init(parsing data: Data) throws(FormatFailure) {
        var parser = CBORParser(data)
        self = try parser.item()
        try parser.end()
    }
}

/// Reads items, and refuses all that is not well-formed (RFC 8949, appendix F) or not valid (section 5.3.1).
///
/// A length that the bytes announce is compared with the bytes that are there. No memory is taken for it.
struct CBORParser {
    /// How many items may lie inside each other.
    static let maximumDepth = 128

    /// The initial byte of an item, and the argument behind it (section 3).
    private struct Head {
        let majorType: UInt8
        let information: UInt8
        /// The number, the length or the bits of a float; nil for an indefinite length, and for a break.
        let argument: UInt64?
    }

    private let bytes: [UInt8]
    private var position = 0
    /// Where the head stands that was read last: errors name this place.
    private var start = 0

    init(_ data: Data) { bytes = [UInt8](data) }

    /// Reads one item, and those that lie in it.
    /// - Parameter depth: how many items it lies in.
    mutating func item(depth: Int = 0) throws(FormatFailure) -> CBORValue {
        guard depth < Self.maximumDepth else {
            throw failure(.depth, "more than \(Self.maximumDepth) items lie inside each other")
        }
        let head = try head()
        switch (head.majorType, head.argument) {
        case (0, let value?): return .unsigned(value)
        case (1, let value?): return .negative(value)
        case (2, _): return .bytes(Data(try pieces(of: head).joined()))
        case (3, _): return .text(try text(of: head))
        case (4, var left):
            var items: [CBORValue] = []
            while try hasNext(&left) { items.append(try item(depth: depth + 1)) }
            return .array(items)
        case (5, var left):
            var map: [CBORValue: CBORValue] = [:]
            while try hasNext(&left) {
                let key = try item(depth: depth + 1)
                let isNew = map.updateValue(try item(depth: depth + 1), forKey: key) == nil
                guard isNew else { throw failure(.duplicateKey, "a key stands twice in a map") }
            }
            return .map(map)
        case (6, let tag?): return .tagged(tag, try item(depth: depth + 1))
        case (7, let bits?): return try simpleOrFloat(head.information, bits)
        case (7, nil): throw failure(.malformed, "a break stands outside of an item of indefinite length")
        default: throw failure(.malformed, "an item of this type has no indefinite length")
        }
    }

    /// Checks that nothing follows.
    func end() throws(FormatFailure) {
        guard position == bytes.count else {
            throw FormatFailure("cbor", .malformed, "bytes follow the item", offset: position)
        }
    }

    private mutating func head() throws(FormatFailure) -> Head {
        start = position
        let first = try take(1).first ?? 0
        let (majorType, information) = (first >> 5, first & 0x1F)
        switch information {
        case 0...23: return Head(majorType: majorType, information: information, argument: UInt64(information))
        case 24...27:
            let argument = try take(1 << (UInt64(information) - 24)).reduce(0) { $0 << 8 | UInt64($1) }
            return Head(majorType: majorType, information: information, argument: argument)
        case 31: return Head(majorType: majorType, information: information, argument: nil)
        default: throw failure(.malformed, "the additional information of an item is reserved")
        }
    }

    private mutating func take(_ count: UInt64) throws(FormatFailure) -> ArraySlice<UInt8> {
        guard count <= UInt64(bytes.count - position) else {
            throw failure(.truncated, "the bytes end inside an item")
        }
        defer { position += Int(count) }
        return bytes[position..<(position + Int(count))]
    }

    /// Whether another item follows in an array or a map. Takes the break at the end of one of indefinite length.
    /// - Parameter left: how many items are still to come; nil for an indefinite length.
    private mutating func hasNext(_ left: inout UInt64?) throws(FormatFailure) -> Bool {
        guard let count = left else { return !takesBreak() }
        guard count > 0 else { return false }
        // An item has a byte or more.
        guard count <= UInt64(bytes.count - position) else {
            throw failure(.truncated, "an array or a map announces more items than there are bytes")
        }
        left = count - 1
        return true
    }

    private mutating func takesBreak() -> Bool {
        guard position < bytes.count, bytes[position] == 0xFF else { return false }
        position += 1
        return true
    }

    /// The pieces of a string: one, or those of an indefinite length (section 3.2.3).
    private mutating func pieces(of head: Head) throws(FormatFailure) -> [ArraySlice<UInt8>] {
        if let length = head.argument { return [try take(length)] }
        var pieces: [ArraySlice<UInt8>] = []
        while !takesBreak() {
            let piece = try self.head()
            guard piece.majorType == head.majorType, let length = piece.argument else {
                throw failure(.malformed, "a piece of a string is not a string of the same type and a definite length")
            }
            pieces.append(try take(length))
        }
        return pieces
    }

    /// Each piece of a text is UTF-8 for itself: no character is cut in two.
    private mutating func text(of head: Head) throws(FormatFailure) -> String {
        var text = ""
        for piece in try pieces(of: head) {
            guard let valid = String(validating: piece, as: UTF8.self) else {
                throw failure(.encoding, "a text string is not UTF-8")
            }
            text += valid
        }
        return text
    }

    private func simpleOrFloat(_ information: UInt8, _ bits: UInt64) throws(FormatFailure) -> CBORValue {
        switch information {
        case 24 where bits < 32: throw failure(.malformed, "a simple value below 32 has two bytes")
        case 25: return .float(ShortFloat.half.double(bits))
        case 26: return .float(ShortFloat.single.double(bits))
        case 27: return .float(Double(bitPattern: bits))
        default: return .simple(UInt8(truncatingIfNeeded: bits))
        }
    }

    private func failure(_ code: FormatFailure.Code, _ reason: String) -> FormatFailure {
        FormatFailure("cbor", code, reason, offset: start)
    }
}
