import Foundation

/// Reads the text of one element of an XML property list.
enum XMLPropertyListScalar {
    static func read(_ element: XMLPropertyListElement, _ bytes: [UInt8]) throws(PropertyListFailure) -> PropertyList {
        if element == .data {
            guard let data = ScalarText.base64(bytes) else {
                throw malformed("data is not base64")
            }
            return .data(data)
        }
        let text = String(decoding: bytes, as: UTF8.self)
        switch element {
        case .yes, .no:
            guard ScalarText.trimmed(text).isEmpty else { throw malformed("true or false has content") }
            return .bool(element == .yes)
        case .integer:
            guard let integer = integer(ScalarText.trimmed(text)) else {
                throw malformed("an integer is not one of up to 64 bits")
            }
            return integer
        case .real:
            guard let real = ScalarText.real(ScalarText.trimmed(text)) else {
                throw malformed("a real is not a number")
            }
            return .real(real)
        case .date:
            guard let date = date(ScalarText.trimmed(text)) else {
                throw malformed("a date is not of the form 2001-01-01T00:00:00Z")
            }
            return .date(date)
        case .string, .data, .key, .plist, .array, .dict: return .string(text)
        }
    }

    /// Decimal or, with `0x`, hexadecimal; with a sign or without.
    private static func integer(_ text: Substring) -> PropertyList? {
        let negative = text.hasPrefix("-")
        let digits = negative || text.hasPrefix("+") ? text.dropFirst() : text
        let hexadecimal = digits.hasPrefix("0x") || digits.hasPrefix("0X")
        let number = hexadecimal ? digits.dropFirst(2) : digits
        guard number.first?.isHexDigit == true, let magnitude = UInt64(number, radix: hexadecimal ? 16 : 10) else {
            return nil
        }
        if negative {
            return magnitude <= Int64.min.magnitude ? .integer(Int64(truncatingIfNeeded: 0 &- magnitude)) : nil
        }
        return Int64(exactly: magnitude).map(PropertyList.integer) ?? .unsigned(magnitude)
    }

    /// `YYYY-MM-DDThh:mm:ssZ`: what has this length and is a date of XML Schema has no fraction and no offset.
    private static func date(_ text: Substring) -> Date? {
        text.utf8.count == 20 ? XMLDate.dateTime(text) : nil
    }

    private static func malformed(_ reason: String) -> PropertyListFailure { PropertyListFailure(.malformed, reason) }
}
