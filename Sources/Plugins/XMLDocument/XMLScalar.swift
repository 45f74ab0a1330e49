import Foundation

/// A type that is read from text, by the rules of `XMLTree.Element.decode`.
protocol XMLScalar: Decodable {
    /// Whether there can be no text but white space.
    static var takesEmptyText: Bool { get }

    static func read(_ text: String) -> Self?
}

extension XMLScalar {
    static var takesEmptyText: Bool { false }
}

extension String: XMLScalar {
    static var takesEmptyText: Bool { true }
    static func read(_ text: String) -> String? { text }
}

extension Data: XMLScalar {
    static var takesEmptyText: Bool { true }
    static func read(_ text: String) -> Data? { XMLScalarText.base64(text.utf8) }
}

extension Bool: XMLScalar {
    static func read(_ text: String) -> Bool? {
        switch XMLScalarText.trimmed(text) {
        case "true", "1": true
        case "false", "0": false
        default: nil
        }
    }
}

extension Date: XMLScalar {
    static func read(_ text: String) -> Date? {
        let text = XMLScalarText.trimmed(text)
        return XMLDate.dateTime(text) ?? XMLDate.mail(text)
    }
}

extension URL: XMLScalar {
    static func read(_ text: String) -> URL? { URL(string: String(XMLScalarText.trimmed(text))) }
}

extension Decimal: XMLScalar {
    /// Foundation would read as much as is a number, and so has to be given a number.
    static func read(_ text: String) -> Decimal? {
        let text = XMLScalarText.trimmed(text)
        let number = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text
        let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let digits = parts.joined()
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Decimal(string: String(text)).flatMap { $0.isNaN ? nil : $0 }
    }
}

extension XMLScalar where Self: FixedWidthInteger {
    static func read(_ text: String) -> Self? { Self(XMLScalarText.trimmed(text), radix: 10) }
}

extension XMLScalar where Self: BinaryFloatingPoint {
    static func read(_ text: String) -> Self? {
        guard let double = XMLScalarText.real(XMLScalarText.trimmed(text)) else { return nil }
        let value = Self(double)
        return value.isFinite == double.isFinite ? value : nil
    }
}

extension Double: XMLScalar {}
extension Float: XMLScalar {}
extension Int: XMLScalar {}
extension Int8: XMLScalar {}
extension Int16: XMLScalar {}
extension Int32: XMLScalar {}
extension Int64: XMLScalar {}
extension Int128: XMLScalar {}
extension UInt: XMLScalar {}
extension UInt8: XMLScalar {}
extension UInt16: XMLScalar {}
extension UInt32: XMLScalar {}
extension UInt64: XMLScalar {}
extension UInt128: XMLScalar {}
