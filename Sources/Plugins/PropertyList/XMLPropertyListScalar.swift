import Foundation

/// Reads the text of one element of an XML property list.
enum XMLPropertyListScalar {
    static func read(_ element: XMLPropertyListElement, _ bytes: [UInt8]) throws(PropertyListFailure) -> PropertyList {
        if element == .data {
            guard let data = Data(base64Encoded: Data(bytes.filter { !XMLCursor.isSpace($0) })) else {
                throw malformed("data is not base64")
            }
            return .data(data)
        }
        let text = String(decoding: bytes, as: UTF8.self)
        switch element {
        case .yes, .no:
            guard trimmed(text).isEmpty else { throw malformed("true or false has content") }
            return .bool(element == .yes)
        case .integer:
            guard let integer = integer(trimmed(text)) else {
                throw malformed("an integer is not one of up to 64 bits")
            }
            return integer
        case .real:
            guard let real = real(trimmed(text)) else { throw malformed("a real is not a number") }
            return .real(real)
        case .date:
            guard let date = date(trimmed(text)) else {
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

    /// The digits of C, not its hexadecimal; `nan`, `inf` and `infinity` as Foundation writes them.
    private static func real(_ text: Substring) -> Double? {
        if text.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }) {
            return Double(text).flatMap { $0.isFinite ? $0 : nil }
        }
        return switch text.lowercased() {
        case "nan": .nan
        case "inf", "+inf", "infinity", "+infinity": .infinity
        case "-inf", "-infinity": -.infinity
        default: nil
        }
    }

    /// `YYYY-MM-DDThh:mm:ssZ`, in the Gregorian calendar and Coordinated Universal Time.
    private static func date(_ text: Substring) -> Date? {
        let bytes = Array(text.utf8)
        let pattern = Array("0000-00-00T00:00:00Z".utf8)
        guard bytes.count == pattern.count else { return nil }
        for (byte, expected) in zip(bytes, pattern) {
            let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            guard expected == UInt8(ascii: "0") ? isDigit : byte == expected else { return nil }
        }
        func number(_ range: Range<Int>) -> Int {
            bytes[range].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        }
        let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
        let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...12).contains(month), (1...lengths[month - 1]).contains(day), hour < 24, minute < 60, second < 60,
            year > 0
        else { return nil }
        let before = year - 1
        let days =
            before * 365 + before / 4 - before / 100 + before / 400 + lengths[..<(month - 1)].reduce(0, +) + day - 1
        // 730,485 days lie between 0001-01-01 and the reference date, 2001-01-01.
        return Date(
            timeIntervalSinceReferenceDate: Double(((days - 730_485) * 24 + hour) * 3_600 + minute * 60 + second))
    }

    private static func trimmed(_ text: String) -> Substring {
        let start = text.utf8.firstIndex { !XMLCursor.isSpace($0) } ?? text.endIndex
        let end = text.utf8.lastIndex { !XMLCursor.isSpace($0) }.map { text.utf8.index(after: $0) } ?? start
        return text[start..<end]
    }

    private static func malformed(_ reason: String) -> PropertyListFailure { PropertyListFailure(.malformed, reason) }
}
