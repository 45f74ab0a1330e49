import PatchbayRegistry

/// An XML declaration that names an encoding (XML 1.0, sections 2.8, 2.9 and 4.3.3).
///
/// The whole declaration is checked before the name is used, so that an error in it is reported in every encoding.
/// libxml2 would miss the error: it gets the declaration without a name other than UTF-8.
struct XMLDeclaration {
    /// The name, as written.
    let encoding: String
    /// The range of `encoding="…"`, in bytes from the start of the document.
    let range: Range<Int>

    /// The maximum length of a declaration, in bytes.
    static let maximumLength = 512

    /// Reads the declaration at the very start of a document; nil if there is none, or if it names no encoding.
    init?(_ bytes: some Collection<UInt8>) throws(XMLFailure) {
        let head = Array(bytes.prefix(Self.maximumLength))
        let isCut = bytes.count > head.count
        let result = head.withUnsafeBytes { head in
            Result { () throws(XMLFailure) in try Self.read(XMLCursor(head), isCut: isCut) }
        }
        guard let range = try result.get() else { return nil }
        encoding = String(decoding: head[range.value], as: UTF8.self)
        self.range = range.whole
    }

    /// The range of a value in a declaration, and the range of the whole pseudo-attribute `name="value"`.
    private typealias Place = (value: Range<Int>, whole: Range<Int>)

    /// Reads the declaration and returns the ranges of the encoding.
    private static func read(_ start: XMLCursor, isCut: Bool) throws(XMLFailure) -> Place? {
        var cursor = start
        guard cursor.starts(with: "<?xml") else { return nil }
        cursor.position += 5
        guard let byte = cursor.byte, XMLCursor.isSpace(byte) else { return nil }
        var end = cursor
        do throws(XMLFailure) {
            try end.skip(0, past: "?>", "")
        } catch {
            // XMLMarkup reports a declaration that is not closed.
            guard isCut else { return nil }
            throw XMLFailure(.encoding, "its XML declaration does not end within \(maximumLength) bytes")
        }
        guard let version = try take("version", &cursor), isVersion(cursor.bytes[version.value]) else {
            throw broken(cursor)
        }
        let encoding = try take("encoding", &cursor)
        if let encoding, !isEncodingName(cursor.bytes[encoding.value]) { throw broken(cursor) }
        if let standalone = try take("standalone", &cursor) {
            let word = cursor.bytes[standalone.value]
            guard word.elementsEqual("yes".utf8) || word.elementsEqual("no".utf8) else { throw broken(cursor) }
        }
        cursor.skipSpace()
        guard cursor.starts(with: "?>") else { throw broken(cursor) }
        return encoding
    }

    /// Moves past `name="…"` and the space before it, if it comes next.
    private static func take(_ name: StaticString, _ cursor: inout XMLCursor) throws(XMLFailure) -> Place? {
        var next = cursor
        guard next.skipSpace(), next.starts(with: name) else { return nil }
        let start = next.position
        next.position += name.utf8CodeUnitCount
        next.skipSpace()
        guard next.byte == UInt8(ascii: "=") else { throw broken(next) }
        next.position += 1
        next.skipSpace()
        guard let quote = next.byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
            let close = next.index(of: quote, from: next.position + 1)
        else { throw broken(next) }
        let value = (next.position + 1)..<close
        next.position = close + 1
        cursor = next
        return (value, start..<next.position)
    }

    private static func isVersion(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        text.count > 2 && text.starts(with: "1.".utf8) && text.dropFirst(2).allSatisfy(XMLCursor.isDigit)
    }

    /// XML 1.0, section 4.3.3, EncName.
    private static func isEncodingName(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard let first = text.first, FieldByte.isLetterOrDigit(first), !XMLCursor.isDigit(first) else { return false }
        return text.allSatisfy { FieldByte.isLetterOrDigit($0) || "._-".utf8.contains($0) }
    }

    private static func broken(_ cursor: XMLCursor) -> XMLFailure {
        cursor.failure(.notWellFormed, "the XML declaration is broken")
    }
}
