import PatchbayJSON
import PatchbayRegistry

/// A format that a refused body seems to have, and what reads it: a clause for the sentence of the parser that refused
/// the body. It shows nothing of the body.
enum KnownFormat {
    /// The number of bytes that are looked at.
    private static let lookedAt = 1024

    /// The clause for a body that begins like one of the known formats; nil for any other body.
    ///
    /// - Parameter factory: the factory whose parser refused the body. It is not named.
    static func clause(for body: UnsafeRawBufferPointer, refusedBy factory: String) -> String? {
        let text = body.withoutMark
        let start = text.firstNonBlank(from: 0, upTo: min(text.count, lookedAt))
        let head = String(decoding: text[start..<min(text.count, start + lookedAt)], as: UTF8.self).lowercased()
        if factory != "json", head.hasPrefix("{") || head.hasPrefix("["), (try? JSON(document: body)) != nil {
            return clause("JSON", "json")
        }
        let isOfXML = factory == "xml-document" || factory == "property-list"
        // XML that is only damaged can begin like many formats, but not like these two.
        let known = starts.first { known in
            known.starts.contains { head.hasPrefix($0) }
                && (!isOfXML || ["text", "property-list"].contains(known.reader))
        }
        if let known { return known.reader == factory ? nil : clause(known.name, known.reader) }
        if isOfXML { return nil }
        if head.hasPrefix("<") { return markup(head) }
        if isCall(head[...]) { return "it looks like JSONP, which needs an UnwrappingSerializer" }
        return isForm(head.utf8) ? clause("a form", "form") : nil
    }

    /// The clause for JSON that goes on in the line after its first value; nil if the first value is not on one line, or
    /// if no value begins in the next line.
    ///
    /// - Parameters:
    ///   - first: the text of the first value, and the blanks around it.
    ///   - next: the first byte in the line after it.
    static func clause(after first: UnsafeRawBufferPointer, _ next: UInt8) -> String? {
        let start = first.firstNonBlank(from: 0, upTo: first.count)
        let end = first.lastIndex { !UnsafeRawBufferPointer.isBlank($0) } ?? start
        return first[start..<max(start, end)].contains(0x0A) ? nil : clause(before: next)
    }

    /// The clause for JSON in the next line, if a value can begin with the byte.
    static func clause(before next: UInt8) -> String? {
        beginsJSON(next) ? #"JSON on each line is for the factory "ndjson""# : nil
    }

    static func beginsJSON(_ byte: UInt8) -> Bool { "{[\"-0123456789tfn".utf8.contains(byte) }

    private static let starts: [(starts: [String], name: String, reader: String)] = [
        ([")]}'", ")]}", "while(", "while (", "for(", "for (", "throw ", "{}&&"], "JSON after a prefix", "xssi"),
        (["\u{1E}"], "JSON after record separators", "json-seq"),
        (["data:", "event:", "id:", "retry:", ":"], "server-sent events", "server-sent-events"),
        (["bplist"], "a property list", "property-list"), (["<!doctype html", "<html"], "HTML", "text"),
    ]

    private static func markup(_ head: String) -> String {
        if head.contains("<plist") || head.contains("<!doctype plist") {
            return clause("a property list", "property-list")
        }
        if head.hasPrefix("<?xml") { return clause("XML", "xml-document") }
        return #"it looks like XML or HTML, which the factories "xml-document" and "text" read"#
    }

    private static func clause(_ name: String, _ factory: String) -> String {
        "it looks like \(name), which the factory \"\(factory)\" reads"
    }

    /// Whether the text begins with the call of a function, perhaps after an empty comment.
    private static func isCall(_ head: Substring) -> Bool {
        let call = head.hasPrefix("/**/") ? head.dropFirst(4) : head
        let name = call.utf8.prefix { $0 == 0x24 || $0 == 0x2E || $0 == 0x5F || FieldByte.isLetterOrDigit($0) }
        return !name.isEmpty && call.utf8.dropFirst(name.count).first == UInt8(ascii: "(")
    }

    /// Whether the first line begins with the name of a field and an equals sign, and has no blanks.
    private static func isForm(_ head: String.UTF8View) -> Bool {
        let name = head.prefix { FieldByte.isLetterOrDigit($0) || "-._~*%+[]".utf8.contains($0) }
        return !name.isEmpty && head.dropFirst(name.count).first == UInt8(ascii: "=")
            && !head.prefix { $0 != 0x0A && $0 != 0x0D }.contains { UnsafeRawBufferPointer.isBlank($0) }
    }
}

extension JSON.ParseFailure {
    /// The failure of a whole body, with the format that the body seems to have.
    ///
    /// - Parameter factory: the factory whose parser refused the body.
    func knowing(_ body: UnsafeRawBufferPointer, refusedBy factory: String) -> JSON.ParseFailure {
        switch reason {
        case .trailingText where body.indices.contains(offset):
            let first = UnsafeRawBufferPointer(rebasing: body[..<offset]).withoutMark
            let isInNextLine = first.reversed().prefix { UnsafeRawBufferPointer.isBlank($0) }.contains(0x0A)
            let clause =
                isInNextLine
                ? KnownFormat.clause(after: first, body[offset]) : KnownFormat.clause(for: body, refusedBy: factory)
            return clause.map { adding("; \($0)") } ?? self
        case .value:
            return KnownFormat.clause(for: body, refusedBy: factory).map { adding("; \($0)") } ?? self
        default: return self
        }
    }

    /// The failure of bytes that are not UTF-8, with the charset of Content-Type if that is another one.
    func declared(_ charset: String?) -> JSON.ParseFailure {
        guard reason == .utf8 || reason == .encoding, let charset, !charset.isEmpty,
            TextEncodingName(label: charset) != .utf8
        else { return self }
        return adding(", and Content-Type says \(TextDecodingFailure.shown(charset))")
    }
}
