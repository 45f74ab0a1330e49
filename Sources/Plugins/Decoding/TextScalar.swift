import PatchbayJSON
import PatchbayPlatform

/// A type that is read from text, by the rules of `XMLTree.Element.decode`, which are those of fields of CSV too.
protocol TextScalar: Decodable {
    /// Whether there can be no text but white space.
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
    /// Foundation would read as much as is a number, and so has to be given a number.
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
    static func read(_ text: String) -> Self? { Self(ScalarText.trimmed(text), radix: 10) }
}

extension TextScalar where Self: BinaryFloatingPoint {
    static func read(_ text: String) -> Self? {
        guard let double = ScalarText.real(ScalarText.trimmed(text)) else { return nil }
        let value = Self(double)
        return value.isFinite == double.isFinite ? value : nil
    }
}

extension Double: TextScalar {}
extension Float: TextScalar {}
extension Int: TextScalar {}
extension Int8: TextScalar {}
extension Int16: TextScalar {}
extension Int32: TextScalar {}
extension Int64: TextScalar {}
extension Int128: TextScalar {}
extension UInt: TextScalar {}
extension UInt8: TextScalar {}
extension UInt16: TextScalar {}
extension UInt32: TextScalar {}
extension UInt64: TextScalar {}
extension UInt128: TextScalar {}

/// Numbers and data as text has them: of an element or an attribute of XML, or a field of CSV.
enum ScalarText {
    static func trimmed(_ text: String) -> Substring {
        let start = text.utf8.firstIndex { !XMLCursor.isSpace($0) } ?? text.endIndex
        let end = text.utf8.lastIndex { !XMLCursor.isSpace($0) }.map { text.utf8.index(after: $0) } ?? start
        return text[start..<end]
    }

    /// The digits of C, not its hexadecimal; `INF` and `NaN` of XML Schema, and `nan`, `inf` and `infinity` as Foundation writes
    /// them.
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

    /// The number that the text is in JSON, with its digits; `true` and `false`; else a string, the text as it is.
    static func json(_ text: String) -> JSON {
        let word = trimmed(text)
        if word == "true" || word == "false" { return JSON(word == "true") }
        guard let first = word.utf8.first, "-0123456789".utf8.contains(first),
            let value = try? JSON(parsing: String(word)), value.kind == .number
        else { return JSON(text) }
        return value
    }

    /// Base64, white space anywhere in it.
    static func base64(_ text: some Sequence<UInt8>) -> Data? {
        Data(base64Encoded: Data(text.filter { !XMLCursor.isSpace($0) }))
    }
}
