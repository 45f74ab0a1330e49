import Foundation
import PatchbayJSON

/// Numbers and data as text has them: of an element or an attribute of XML, or a field of CSV.
enum ScalarText {
    /// The text without the white space around it.
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
