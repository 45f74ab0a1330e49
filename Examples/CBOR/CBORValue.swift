import Foundation

/// One data item of CBOR: every value of the format, whatever the length of its encoding was (RFC 8949, section 2).
enum CBORValue: Sendable {
    case unsigned(UInt64)
    /// The integer -1 - n, so that -2^64 has a place too.
    case negative(UInt64)
    case bytes(Data)
    case text(String)
    case array([CBORValue])
    /// Keys are values of any kind. The order of a map has no meaning in CBOR, so it is not kept.
    case map([CBORValue: CBORValue])
    indirect case tagged(UInt64, CBORValue)
    /// A simple value, from 0 to 23 or from 32 to 255.
    case simple(UInt8)
    /// A half, single or double.
    case float(Double)

    static let null = CBORValue.simple(22)
    static let undefined = CBORValue.simple(23)

    static func bool(_ value: Bool) -> CBORValue { .simple(value ? 21 : 20) }

    static func integer(_ value: Int64) -> CBORValue {
        // ~n is -1 - n, and overflows for no n.
        value < 0 ? .negative(UInt64(~value)) : .unsigned(UInt64(value))
    }

    /// The item inside all of its tags.
    var untagged: CBORValue {
        var item = self
        while case .tagged(_, let inner) = item { item = inner }
        return item
    }

    /// The number, rounded to a Double where it is an integer of more than 53 bits; nil for what is not a number.
    var number: Double? {
        switch self {
        case .unsigned(let value): Double(value)
        case .negative(let value): -1 - Double(value)
        case .float(let value): value
        default: nil
        }
    }

    /// The kind of the item, for sentences.
    var kind: String {
        switch self {
        case .unsigned, .negative: "an integer"
        case .bytes: "a byte string"
        case .text: "a text string"
        case .array: "an array"
        case .map: "a map"
        case .tagged(let tag, _): "an item with the tag \(tag)"
        case .simple: "a simple value"
        case .float: "a float"
        }
    }
}

/// Values are equal as keys of a map are (section 5.6.1): text by its bytes, NaN to the same NaN, and 0.0 to -0.0.
extension CBORValue: Hashable {
    static func == (left: CBORValue, right: CBORValue) -> Bool {
        switch (left, right) {
        case (.unsigned(let left), .unsigned(let right)), (.negative(let left), .negative(let right)): left == right
        case (.bytes(let left), .bytes(let right)): left == right
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)): left == right
        case (.map(let left), .map(let right)): left == right
        case (.tagged(let left, let item), .tagged(let right, let other)): left == right && item == other
        case (.simple(let left), .simple(let right)): left == right
        case (.float(let left), .float(let right)): left == right || left.bitPattern == right.bitPattern
        default: false
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .unsigned(let value), .negative(let value): hasher.combine(value)
        // Data's own hash is that of its first bytes: keys that begin alike would all collide.
        case .bytes(let value): value.withUnsafeBytes { hasher.combine(bytes: $0) }
        case .text(var value): value.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        case .array(let items): hasher.combine(items)
        case .map(let map): hasher.combine(map)
        case .tagged(let tag, let item):
            hasher.combine(tag)
            hasher.combine(item)
        case .simple(let value): hasher.combine(value)
        case .float(let value): hasher.combine(value)
        }
    }
}

extension CBORValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    init(integerLiteral value: Int64) { self = .integer(value) }
    init(stringLiteral value: String) { self = .text(value) }
    init(arrayLiteral items: CBORValue...) { self = .array(items) }
    init(dictionaryLiteral members: (CBORValue, CBORValue)...) {
        self = .map(Dictionary(members) { _, last in last })
    }
}
