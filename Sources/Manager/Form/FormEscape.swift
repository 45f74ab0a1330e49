/// Percent-encoding of names and values (RFC 3986, section 2): what is allowed stays, every other byte of the UTF-8 is escaped, so
/// that `&`, `=`, `+`, `[` and `#` mean themselves.
struct FormEscape {
    let spaces: FormRules.SpaceRule
    var allowed = ASCIISet.unreserved

    func callAsFunction(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if byte == UInt8(ascii: " "), spaces == .plus {
                bytes.append(UInt8(ascii: "+"))
            } else if byte != UInt8(ascii: " "), allowed.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
}

/// Some of the characters of ASCII, a bit each.
struct ASCIISet: Sendable {
    private var bits: UInt128 = 0

    /// Characters beyond ASCII are passed over.
    init(_ characters: some Sequence<Character>) {
        // A line break of two bytes is one character, whose asciiValue is that of the second.
        for character in characters where character.utf8.count == 1 {
            if let byte = character.asciiValue { bits |= 1 << UInt128(byte) }
        }
    }

    func contains(_ byte: UInt8) -> Bool { byte < 128 && bits >> UInt128(byte) & 1 == 1 }

    var characters: Set<Character> {
        Set((0..<128).filter(contains).map { Character(Unicode.Scalar($0)) })
    }

    /// Letters, digits and `-._~/?`.
    static let unreserved = ASCIISet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/?")
}
