/// The encoding that an XML declaration names (XML 1.0, sections 2.8 and 4.3.3).
struct XMLDeclaration {
    /// The name, as written.
    let encoding: String
    /// Where `encoding="…"` stands, in bytes from the start of the document.
    let range: Range<Int>

    /// Reads the declaration at the very start of a document; nil where there is none, or none that names an encoding.
    init?(_ bytes: some Collection<UInt8>) {
        let head = Array(bytes.prefix(512))
        guard head.starts(with: "<?xml".utf8), head.count > 5, Self.isSpace(head[5]),
            let end = head.indices.first(where: { head[$0...].starts(with: "?>".utf8) })
        else { return nil }
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

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
