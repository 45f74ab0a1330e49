package import PatchbayPlatform

extension JSON {
    /// The reason that bytes are not a JSON document, with its position.
    package struct ParseFailure: Error, Sendable, Hashable, CustomStringConvertible {
        package enum Reason: String, Sendable {
            case empty
            /// The text starts like UTF-16 or UTF-32.
            case encoding
            /// The document needs more memory than `ParseOptions.maximumSize` allows or the system has, or its text is
            /// over 2 GiB.
            case size
            /// More containers are open than `ParseOptions.maximumDepth` allows.
            case depth
            /// The document is neither an object nor an array, and `ParseOptions.allowsFragments` is false.
            case fragment
            case unexpectedEnd, value, key, colon, separator, trailingText, number, numberRange
            case controlCharacter, escape, surrogate, utf8
            /// A key is repeated in one object, and `ParseOptions.refusesDuplicateKeys` is true.
            case duplicateKey
        }

        package let reason: Reason
        /// The fault in one clause. It contains no part of the document except the name of a duplicate key.
        package let message: String
        /// The offset in bytes from the start of the given bytes, including a byte order mark.
        package let offset: Int
        package let line: Int
        /// The column in Unicode scalars, from 1, without a byte order mark.
        package let column: Int

        /// The position and the message, as in `line 3, column 7: expected a colon after a key`.
        package var description: String { "line \(line), column \(column): \(message)" }

        /// This failure, with the mistake by its name where the text has a comment, a text in single quotes, or a comma
        /// before a closing bracket.
        ///
        /// - Parameters:
        ///   - bytes: the text that could not be parsed.
        ///   - remedy: what to write instead of a comment.
        package func named(in bytes: some ContiguousBytes, insteadOfComments remedy: String) -> ParseFailure {
            guard [.value, .key, .colon, .separator, .trailingText].contains(reason) else { return self }
            return bytes.withUnsafeBytes { bytes in
                guard bytes.indices.contains(offset) else { return self }
                let next = offset + 1 < bytes.count ? bytes[offset + 1] : 0
                switch bytes[offset] {
                case UInt8(ascii: "#"),
                    UInt8(ascii: "/") where [UInt8(ascii: "/"), UInt8(ascii: "*")].contains(next):
                    return named("JSON has no comments; \(remedy)", at: offset, in: bytes)
                case UInt8(ascii: "'"):
                    return named("JSON has its texts in double quotes, not in single ones", at: offset, in: bytes)
                case UInt8(ascii: "]"), UInt8(ascii: "}"):
                    let before = bytes[..<offset].lastIndex { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }
                    guard let before, bytes[before] == UInt8(ascii: ",") else { return self }
                    let bracket = Character(UnicodeScalar(bytes[offset]))
                    return named(
                        "JSON has no trailing commas; remove this one before \"\(bracket)\"", at: before, in: bytes)
                default: return self
                }
            }
        }

        private func named(_ message: String, at offset: Int, in bytes: UnsafeRawBufferPointer) -> ParseFailure {
            Fault(reason: reason, message: message, offset: offset).located(in: bytes)
        }

        /// This failure with a clause after its message.
        package func adding(_ clause: String) -> ParseFailure {
            ParseFailure(reason: reason, message: message + clause, offset: offset, line: line, column: column)
        }
    }
}

extension JSON.ParseFailure: FormatFault {
    package var formatFailure: FormatFailure {
        let code: FormatFailure.Code =
            switch reason {
            case .empty: .empty
            case .encoding, .utf8: .encoding
            case .size: .limit
            case .depth: .depth
            case .fragment: .unsupported
            case .unexpectedEnd: .truncated
            case .numberRange: .range
            case .duplicateKey: .duplicateKey
            default: .malformed
            }
        return FormatFailure(self, "json", code, message, line: line, column: column, offset: offset)
    }
}

/// A parse failure before its line and column have been counted.
struct Fault: Error {
    let reason: JSON.ParseFailure.Reason
    let message: String
    let offset: Int

    func located(in source: UnsafeRawBufferPointer) -> JSON.ParseFailure {
        let place = SourceText(bytes: source).position(ofOffset: offset)
        return JSON.ParseFailure(
            reason: reason, message: message, offset: offset, line: place.line, column: place.column)
    }
}
