/// The digits of a number with more digits than its Double. They are encoded in the payload of the number's word:
///
/// | bits | `digits` | `text` |
/// |---|---|---|
/// | 54 | 1 | 0 |
/// | 53 | 0 | 1 if the number can also have fewer digits |
/// | 32–39 | the number of digits after the point | 0 |
/// | 0–31 | the lowest bits of the digits as one integer | the offset of a record in `strings`, plus 1 |
///
/// A record has a byte of length and the text. TapeWriter.h writes the same payloads.
enum LongNumber {
    case digits(lowest: UInt32, places: Int)
    case text(record: Int)

    /// The number of significant digits that every Double keeps.
    static let digitsOfDouble = 15
    /// The number of digits that always fit in 64 bits.
    static let digitsOfInteger = 19
    /// The longest kept text: its length fits in a byte.
    static let longestText = 255
    static let flag: UInt64 = 1 << 54
    /// The flag of a `text` whose digits were not counted.
    static let uncounted: UInt64 = 1 << 53

    /// Whether a number with this text has more significant digits than every Double keeps.
    static func isLong(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var digits = 0
        for byte in text {
            if byte | 0x20 == UInt8(ascii: "e") { break }
            if digits > 0 ? byte >= UInt8(ascii: "0") : byte > UInt8(ascii: "0") { digits += 1 }
        }
        return digits > digitsOfDouble
    }

    init?(payload: UInt64) {
        let low = UInt32(truncatingIfNeeded: payload)
        if payload & Self.flag != 0 {
            self = .digits(lowest: low, places: Int(payload >> 32 & 0xFF))
        } else if low > 0 {
            self = .text(record: Int(low) - 1)
        } else {
            return nil
        }
    }

    static func payload(record: Int) -> UInt64 { UInt64(record) + 1 }

    /// The payload for a number of at most 19 digits; nil if its exponent is outside `powers`.
    static func payload(_ significand: UInt64, exponent: Int) -> UInt64? {
        guard powers.indices.contains(-exponent) else { return nil }
        return flag | UInt64(-exponent) << 32 | UInt64(UInt32(truncatingIfNeeded: significand))
    }

    /// The text of `digits`: the integer near `scaled` that has these lowest bits, with a point before the last
    /// `places` digits.
    static func text(of value: Double, _ lowest: UInt32, _ places: Int) -> String {
        let near = scaled(value, places)
        let difference = Int32(bitPattern: lowest &- UInt32(truncatingIfNeeded: near))
        var text = (near &+ UInt64(truncatingIfNeeded: difference)).description
        if places > 0 {
            text = String(repeating: "0", count: max(0, places + 1 - text.utf8.count)) + text
            text.insert(".", at: text.index(text.endIndex, offsetBy: -places))
        }
        return value < 0 ? "-" + text : text
    }

    /// `value` without its sign, multiplied by 10^places, as an integer; equal on every machine. The integer differs
    /// from the written digits by less than 2^13: the digits are below 10^19, and a rounded division and a rounded
    /// multiplication are together off by at most one part in 2^52. So the integer also fits in 64 bits.
    private static func scaled(_ value: Double, _ places: Int) -> UInt64 {
        let product = value.magnitude * powers[places]
        return product < 0x1p64 ? UInt64(product) : 0
    }

    /// The powers of ten that a Double holds exactly.
    private static let powers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}

enum Number {
    case int(Int64)
    case uint(UInt64)
    case double(Double)

    var nearest: Double {
        switch self {
        case .int(let value): Double(value)
        case .uint(let value): Double(value)
        case .double(let value): value
        }
    }
}
