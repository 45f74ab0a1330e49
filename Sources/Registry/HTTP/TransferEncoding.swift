import PatchbayPlatform

/// The encoding of a part's body, as its Content-Transfer-Encoding names it (RFC 2045, section 6).
package enum TransferEncoding: Sendable, Hashable {
    /// `7bit`, `8bit` and `binary`, and a part without the field: the bytes are the body.
    case none
    case base64, quotedPrintable
    /// Any other encoding: what the bytes stand for is not known.
    case unknown

    /// Reads the field. The name is compared without regard to case; blanks, a comment and parameters after it have no
    /// meaning.
    package init(_ fields: HeaderFields) {
        let value = fields["Content-Transfer-Encoding"] ?? ""
        let text = value.utf8.drop(while: FieldByte.isBlank)
        let name = text.prefix { !FieldByte.isBlank($0) && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "(") }
        switch FieldByte.lowercased(Substring(name)) {
        case "7bit", "8bit", "binary": self = .none
        case "": self = text.isEmpty ? .none : .unknown
        case "base64": self = .base64
        case "quoted-printable": self = .quotedPrintable
        default: self = .unknown
        }
    }

    /// The body that was encoded; the bytes themselves for an unknown encoding. Nil for bytes that are not Base64.
    package func decoded(_ bytes: UnsafeRawBufferPointer) -> ResponseBody? {
        switch self {
        case .none, .unknown: ResponseBody(bytes)
        case .base64: Self.decodedBase64(bytes).map { ResponseBody($0) }
        case .quotedPrintable: ResponseBody(Self.decodedQuotedPrintable(bytes))
        }
    }

    /// Decodes Base64 (section 6.8). Characters outside the alphabet are ignored, and a `=` ends the data.
    ///
    /// - Returns: nil if there is text but no character of the alphabet, or if the last character has no partner: the
    ///   bytes were cut, or are not Base64.
    private static func decodedBase64(_ bytes: UnsafeRawBufferPointer) -> Data? {
        var digits = Data(
            bytes.prefix { $0 != UInt8(ascii: "=") }.filter { FieldByte.isLetterOrDigit($0) || "+/".utf8.contains($0) })
        guard !digits.isEmpty || bytes.allSatisfy(FieldByte.isWhitespace), digits.count % 4 != 1 else { return nil }
        while digits.count % 4 != 0 { digits.append(UInt8(ascii: "=")) }
        return Data(base64Encoded: digits)
    }

    /// Decodes quoted-printable (section 6.7). Blanks at the end of a line were added on the way and are dropped; a `=`
    /// before them joins the line with the next one. A `=` that begins no escape is kept, as the section advises.
    private static func decodedQuotedPrintable(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while !rest.isEmpty {
            let lineFeed = rest.firstIndex(of: UInt8(ascii: "\n"))
            var line = rest[..<(lineFeed ?? rest.endIndex)]
            rest = rest[(lineFeed.map { $0 + 1 } ?? rest.endIndex)...]
            let hasReturn = lineFeed != nil && line.last == UInt8(ascii: "\r")
            if hasReturn { line.removeLast() }
            while let last = line.last, FieldByte.isBlank(last) { line.removeLast() }
            let isJoined = line.last == UInt8(ascii: "=")
            if isJoined { line.removeLast() }
            decoded += line.unescaped(UInt8(ascii: "="))
            guard lineFeed != nil, !isJoined else { continue }
            decoded += hasReturn ? [0x0D, 0x0A] : [0x0A]
        }
        return decoded
    }
}
