/// The encoding that an XML declaration names (XML 1.0, sections 2.8 and 4.3.3).
struct XMLDeclaration {
    /// The name, as written.
    let encoding: String
    /// Where `encoding="…"` stands, in bytes from the start of the document.
    let range: Range<Int>

    /// How many bytes of a document are looked at.
    static let maximumLength = 512

    /// Whether a declaration starts the document and goes on behind the bytes that are looked at.
    static func isTooLong(_ bytes: some Collection<UInt8>) -> Bool {
        let head = Array(bytes.prefix(maximumLength))
        return isOpening(head) && end(in: head) == nil && bytes.count > maximumLength
    }

    /// Reads the declaration at the very start of a document; nil where there is none, or none that names an encoding.
    init?(_ bytes: some Collection<UInt8>) {
        let head = Array(bytes.prefix(Self.maximumLength))
        guard Self.isOpening(head), let end = Self.end(in: head) else { return nil }
        var position = 5
        while position < end {
            defer { position += 1 }
            guard Self.isSpace(head[position]), head[(position + 1)...].starts(with: "encoding".utf8) else { continue }
            let start = position + 1
            var index = start + 8
            while index < end, Self.isSpace(head[index]) { index += 1 }
            guard index < end, head[index] == UInt8(ascii: "=") else { continue }
            index += 1
            while index < end, Self.isSpace(head[index]) { index += 1 }
            guard index < end, head[index] == UInt8(ascii: "\"") || head[index] == UInt8(ascii: "'") else { return nil }
            guard let close = head[(index + 1)..<end].firstIndex(of: head[index]) else { return nil }
            encoding = String(decoding: head[(index + 1)..<close], as: UTF8.self)
            range = start..<(close + 1)
            return
        }
        return nil
    }

    private static func isOpening(_ head: [UInt8]) -> Bool {
        head.starts(with: "<?xml".utf8) && head.count > 5 && isSpace(head[5])
    }

    private static func end(in head: [UInt8]) -> Int? {
        head.indices.first { head[$0...].starts(with: "?>".utf8) }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
