import PatchbayJSON
import PatchbayPlatform

/// A type that is read from text, by the rules of `XMLTree.Element.decode`. The rules also apply to CSV fields.
protocol TextScalar: Decodable {
    /// Whether empty text, or white space alone, is a value of this type.
    static var takesEmptyText: Bool { get }

    static func read(_ text: String) -> Self?
}

extension TextScalar {
    static var takesEmptyText: Bool { false }
}

extension String: TextScalar {
    static var takesEmptyText: Bool { true }
    static func read(_ text: String) -> String? { text }
}

extension Data: TextScalar {
    static var takesEmptyText: Bool { true }
    static func read(_ text: String) -> Data? { ScalarText.base64(text.utf8) }
}

extension Bool: TextScalar {
    static func read(_ text: String) -> Bool? {
        switch ScalarText.trimmed(text) {
        case "true", "1": true
        case "false", "0": false
        default: nil
        }
    }
}

extension Date: TextScalar {
    static func read(_ text: String) -> Date? {
        let text = ScalarText.trimmed(text)
        return XMLDate.dateTime(text) ?? XMLDate.mail(text)
    }
}

extension URL: TextScalar {
    static func read(_ text: String) -> URL? { URL(string: String(ScalarText.trimmed(text))) }
}

extension Decimal: TextScalar {
    /// `Decimal(string:)` reads a number and ignores any text after it, so the whole text is checked first.
    static func read(_ text: String) -> Decimal? {
        let text = ScalarText.trimmed(text)
        let number = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text
        let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let digits = parts.joined()
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Decimal(string: String(text)).flatMap { $0.isNaN ? nil : $0 }
    }
}

extension TextScalar where Self: FixedWidthInteger {
    /// Reads the widest integer, because the standard library's parser is compiled once for each type that it reads.
    static func read(_ text: String) -> Self? {
        let text = ScalarText.trimmed(text)
        if Self.bitWidth > 64 { return Self(text, radix: 10) }
        return Self.isSigned ? Int64(text).flatMap(Self.init(exactly:)) : UInt64(text).flatMap(Self.init(exactly:))
    }
}

extension TextScalar where Self: BinaryFloatingPoint {
    static func read(_ text: String) -> Self? {
        let text = ScalarText.trimmed(text)
        guard let double = ScalarText.real(text) else { return nil }
        // Not by way of the Double, which would be rounded twice.
        let value = Self.self == Float.self ? (Float(text) as? Self) ?? Self(double) : Self(double)
        return value.isFinite == double.isFinite ? value : nil
    }
}

// The numbers of text, which are those of property lists.
extension Double: TextScalar, PropertyListScalar {}
extension Float: TextScalar, PropertyListScalar {}
extension Int: TextScalar, PropertyListScalar {}
extension Int8: TextScalar, PropertyListScalar {}
extension Int16: TextScalar, PropertyListScalar {}
extension Int32: TextScalar, PropertyListScalar {}
extension Int64: TextScalar, PropertyListScalar {}
extension Int128: TextScalar, PropertyListScalar {}
extension UInt: TextScalar, PropertyListScalar {}
extension UInt8: TextScalar, PropertyListScalar {}
extension UInt16: TextScalar, PropertyListScalar {}
extension UInt32: TextScalar, PropertyListScalar {}
extension UInt64: TextScalar, PropertyListScalar {}
extension UInt128: TextScalar, PropertyListScalar {}

/// Reads numbers and data from the text of an XML element or attribute, or of a CSV field.
enum ScalarText {
    static func trimmed(_ text: String) -> Substring {
        let start = text.utf8.firstIndex { !XMLCursor.isSpace($0) } ?? text.endIndex
        let end = text.utf8.lastIndex { !XMLCursor.isSpace($0) }.map { text.utf8.index(after: $0) } ?? start
        return text[start..<end]
    }

    /// A decimal number as in C, but not a hexadecimal one; `INF` and `NaN` as in XML Schema; `nan`, `inf` and
    /// `infinity` as Foundation writes them.
    static func real(_ text: Substring) -> Double? {
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

    /// A number if the text is one in JSON (its digits are kept), a Boolean for `true` or `false`, else the unchanged
    /// text as a string.
    static func json(_ text: String) -> JSON {
        let word = trimmed(text)
        if word == "true" || word == "false" { return JSON(word == "true") }
        guard let first = word.utf8.first, "-0123456789".utf8.contains(first),
            let value = try? JSON(parsing: String(word)), value.kind == .number
        else { return JSON(text) }
        return value
    }

    /// Decodes Base64, with white space anywhere in it.
    static func base64(_ text: some Sequence<UInt8>) -> Data? {
        Data(base64Encoded: Data(text.filter { !XMLCursor.isSpace($0) }))
    }
}
