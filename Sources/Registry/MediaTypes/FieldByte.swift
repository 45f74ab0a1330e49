/// The kinds of byte that header values are made of (RFC 9110, section 5.6; WHATWG MIME Sniffing, section 3).
///
/// Those of single bytes are inlinable: in loops of other modules a call would cost more than what it asks.
@usableFromInline
package enum FieldByte {
    /// HTTP token code point: what names, types and unquoted values consist of.
    @inlinable
    package static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// A byte of an HTTP quoted-string token code point: tab, space to tilde, U+0080 to U+00FF.
    ///
    /// In UTF-8 the last of these begin with C2 or C3; a byte from C4 up begins a code point beyond U+00FF.
    package static func isQuotedText(_ byte: UInt8) -> Bool {
        byte == 0x09 || (byte >= 0x20 && byte <= 0x7E) || (byte >= 0x80 && byte <= 0xC3)
    }

    /// HTTP tab or space.
    @inlinable
    package static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// HTTP whitespace: tab, space, CR, LF.
    package static func isWhitespace(_ byte: UInt8) -> Bool { isBlank(byte) || byte == 0x0A || byte == 0x0D }

    @inlinable
    package static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }

    /// The text with its ASCII letters in lower case; other letters stay as they are.
    package static func lowercased(_ text: some StringProtocol) -> String {
        let bytes = text.utf8
        guard bytes.contains(where: { $0 != lowercased($0) }) else { return String(text) }
        return String(decoding: bytes.map { lowercased($0) }, as: UTF8.self)
    }

    /// Whether the text is an HTTP token: not empty, token code points only.
    package static func isToken(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { isToken($0) }
    }

    /// The same, for callers in other modules, where the generic one would not be specialised.
    package static func isToken(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { !$0.isEmpty && $0.allSatisfy { isToken($0) } }
    }
}
