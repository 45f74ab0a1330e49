package import PatchbayPlatform
package import PatchbayRegistry

/// The text of an XML body as UTF-8, checked and ready for a parser.
package struct XMLText: Sendable {
    /// Well-formed UTF-8 that no XML declaration contradicts.
    package let utf8: Data
    package let limits: XMLLimits
    /// The number of bytes that a parser is allowed to deliver, computed from the size before the expansion of
    /// entities.
    let maximumCharacters: Int

    /// Finds the encoding, decodes the body, turns every line end into a line feed, and checks the markup.
    ///
    /// The encoding comes from the byte order mark, else from the override, else from the `charset` parameter of
    /// Content-Type, else from the XML declaration, else it is UTF-8 (RFC 7303, section 3). Text in another encoding is
    /// converted, and the name of the encoding in the declaration is replaced by spaces.
    package init(
        _ body: ResponseBody, _ contentType: ContentType, _ limits: XMLLimits, charsetOverride: String? = nil
    ) throws(XMLFailure) {
        let text = Self.normalizingLineEnds(of: try Self.utf8(body, contentType, charsetOverride))
        utf8 = try Self.checked(text, limits)
        self.limits = limits
        maximumCharacters = limits.characters(forBodyOf: text.count)
    }

    private static func utf8(
        _ body: ResponseBody, _ contentType: ContentType, _ charsetOverride: String?
    ) throws(XMLFailure) -> Data {
        let mark = body.withUnsafeBytes { TextDecoder.byteOrderMark(of: $0) }
        let data = body.data.dropFirst(mark?.encoding == .utf8 ? 3 : 0)
        let declaration = try XMLDeclaration(data)
        let declared = contentType.mediaType?[parameter: "charset"].flatMap { $0.isEmpty ? nil : $0 }
        let parameter = charsetOverride ?? declared
        let label = parameter ?? declaration?.encoding ?? "utf-8"
        let encoding = mark?.encoding ?? TextEncodingName(label: label)
        if encoding == .utf8 {
            guard String(validating: data, as: UTF8.self) != nil else {
                let isContradicted = declaration.map { TextEncodingName(label: $0.encoding) != .utf8 } ?? false
                let advice = "; its declaration names another charset, which the option charsetOverride can set"
                throw XMLFailure(.encoding, "its bytes are not UTF-8" + (isContradicted ? advice : ""))
            }
            guard let declaration, TextEncodingName(label: declaration.encoding) != .utf8 else { return data }
            return blank(declaration, in: data)
        }
        // A declaration that can be read byte by byte is not in UTF-16.
        if mark == nil, parameter == nil, encoding == .utf16LE || encoding == .utf16BE {
            throw XMLFailure(.encoding, "it declares UTF-16, which its bytes are not")
        }
        let text: String
        do throws(TextDecodingFailure) {
            text = try TextDecoder.decode(
                body, contentType, defaultCharset: label, charsetOverride: charsetOverride)
        } catch {
            throw XMLFailure(.encoding, "\(error)")
        }
        let converted = Data(text.utf8)
        return try XMLDeclaration(converted).map { blank($0, in: converted) } ?? converted
    }

    /// The document with a line feed for every line end. XML 1.0, section 2.11, requires this before parsing; libxml2
    /// leaves the line ends in CDATA sections as they are.
    private static func normalizingLineEnds(of utf8: Data) -> Data {
        utf8.withUnsafeBytes { bytes in
            let cursor = XMLCursor(bytes)
            guard cursor.index(of: 0x0D, from: 0) != nil else { return utf8 }
            // The text never gets longer, so the output always fits.
            return Data(
                [UInt8](unsafeUninitializedCapacity: bytes.count) { normalized, count in
                    var position = 0
                    while position < bytes.count {
                        let end = cursor.index(of: 0x0D, from: position) ?? bytes.count
                        UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(normalized)[count...])
                            .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[position..<end]))
                        count += end - position
                        position = end + 1
                        guard end < bytes.count else { break }
                        normalized[count] = 0x0A
                        count += 1
                        if position < bytes.count, bytes[position] == 0x0A { position += 1 }
                    }
                })
        }
    }

    /// The document after the checks and edits of `XMLMarkup`, as parsers can read it.
    private static func checked(_ utf8: Data, _ limits: XMLLimits) throws(XMLFailure) -> Data {
        // XML 1.0, appendix F: a zero byte among the first four means undeclared UTF-16 or UTF-32.
        guard !utf8.prefix(4).contains(0) else {
            throw XMLFailure(.encoding, "it looks like UTF-16 or UTF-32 without a byte order mark")
        }
        // The first byte order mark has been removed. libxml2 skips a second one and reads the declaration after it.
        guard !utf8.starts(with: "\u{FEFF}".utf8) else {
            throw XMLFailure(.encoding, "it has more than one byte order mark")
        }
        let result = utf8.withUnsafeBytes { bytes -> Result<[XMLMarkup.Edit], XMLFailure> in
            Result { () throws(XMLFailure) in try XMLMarkup.check(bytes, limits) }
        }
        let edits = try result.get()
        guard !edits.isEmpty else { return utf8 }
        var edited = Data(capacity: utf8.count)
        var position = utf8.startIndex
        for edit in edits {
            edited += utf8[position..<(utf8.startIndex + edit.range.lowerBound)]
            edited += edit.bytes ?? []
            if edit.bytes == nil {
                // The bytes are overwritten with spaces in `edited`, because a declaration can be as long as the body.
                let start = edited.endIndex
                edited += utf8[(utf8.startIndex + edit.range.lowerBound)..<(utf8.startIndex + edit.range.upperBound)]
                edited.withUnsafeMutableBytes { bytes in
                    for index in start..<bytes.count where bytes[index] != 0x0A { bytes[index] = 0x20 }
                }
            }
            position = utf8.startIndex + edit.range.upperBound
        }
        return edited + utf8[position...]
    }

    private static func blank(_ declaration: XMLDeclaration, in data: Data) -> Data {
        var data = Data(data)
        data.replaceSubrange(declaration.range, with: repeatElement(UInt8(ascii: " "), count: declaration.range.count))
        return data
    }
}
