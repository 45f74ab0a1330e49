public import PatchbayPlatform

/// A link of a response to another resource (RFC 8288), such as the next page of a list.
///
/// ```swift
/// let next = reply.head.links.first { $0.has("next") }?.target
/// ```
public struct Link: Sendable, Hashable {
    /// The URL of the other resource, resolved against the URL of the response.
    public let target: URL
    /// The relation types as the response spells them, such as `next` or `https://example.com/Rel`. `has(_:)` compares
    /// without regard to case.
    public let relations: [String]
    /// The title: the value of `title*`, else of `title` (RFC 8288, section 3.4.1); nil if there is neither.
    public let title: String?
    /// The segments of paths that the configuration keeps out of descriptions.
    private let maskedPathSegments: Set<String>

    fileprivate init(_ target: URL, _ relations: [String], _ title: String?, masking segments: Set<String>) {
        (self.target, self.relations, self.title, maskedPathSegments) = (target, relations, title, segments)
    }

    /// Whether the link has the relation type, such as `next` or a URI. The case of ASCII letters does not matter (RFC
    /// 8288, section 2.1.2).
    public func has(_ relation: String) -> Bool {
        let wanted = FieldByte.lowercased(relation)
        return relations.contains { FieldByte.lowercased($0) == wanted }
    }
}

extension Link: CustomStringConvertible, CustomReflectable {
    /// The relation types and the target, without possible secrets: `next: https://example.com/a?page=***`.
    public var description: String {
        "\(relations.joined(separator: " ")): \(Redaction.masked(target.absoluteString, named: maskedPathSegments))"
    }
    public var customMirror: Mirror { Mirror(described: self) }
}

extension ResponseHead {
    /// The links of the `Link` fields, in their order (RFC 8288, appendix B.2).
    ///
    /// A link without a valid target or without a relation type is left out. A link with an `anchor` is left out, too:
    /// such a link belongs to another resource. Malformed text ends the links of its field.
    public var links: [Link] {
        fields.values(for: "Link").flatMap { value in
            var parser = LinkParser(value)
            var links: [Link] = []
            while let next = parser.next() {
                if let link = link(next.target, next.parameters) { links.append(link) }
            }
            return links
        }
    }

    private func link(_ target: String, _ parameters: [(name: String, value: String)]) -> Link? {
        func first(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
        guard first("anchor") == nil, let rel = first("rel"),
            let url = target.isEmpty ? url : URL(string: target, relativeTo: url)?.absoluteURL
        else { return nil }
        let relations = rel.split { $0 == " " || $0 == "\t" }.map(String.init)
        guard !relations.isEmpty else { return nil }
        let title = first("title*").flatMap(\.extendedFieldValue) ?? first("title")
        return Link(url, relations, title, masking: request.maskedPathSegments)
    }
}

/// Reads the links of one field value (RFC 8288, appendix B.2 and B.3).
private struct LinkParser {
    private var rest: Substring.UTF8View

    init(_ value: String) { rest = value[...].utf8 }

    mutating func next() -> (target: String, parameters: [(name: String, value: String)])? {
        skip { FieldByte.isBlank($0) || $0 == UInt8(ascii: ",") }
        guard rest.popFirst() == UInt8(ascii: "<"), let end = rest.firstIndex(of: UInt8(ascii: ">")) else {
            rest = rest[rest.endIndex...]
            return nil
        }
        let target = String(Substring(rest[..<end]))
        rest = rest[rest.index(after: end)...]
        var parameters: [(name: String, value: String)] = []
        while true {
            skip(FieldByte.isBlank)
            guard rest.first == UInt8(ascii: ";") else { break }
            rest.removeFirst()
            skip(FieldByte.isBlank)
            let name = FieldByte.lowercased(take { !FieldByte.isBlank($0) && !"=;,".utf8.contains($0) })
            skip(FieldByte.isBlank)
            var value = ""
            if rest.first == UInt8(ascii: "=") {
                rest.removeFirst()
                skip(FieldByte.isBlank)
                value =
                    rest.first == UInt8(ascii: "\"")
                    ? quoted() : take { !FieldByte.isBlank($0) && !";,".utf8.contains($0) }
            }
            if !name.isEmpty { parameters.append((name, value)) }
        }
        return (target, parameters)
    }

    /// A quoted string (RFC 9110, section 5.6.4). Without its closing quote, it extends to the end of the text.
    private mutating func quoted() -> String {
        rest.removeFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\") {
                if let escaped = rest.popFirst() { bytes.append(escaped) }
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func take(while isPart: (UInt8) -> Bool) -> String {
        let part = rest.prefix(while: isPart)
        rest = rest[part.endIndex...]
        return String(Substring(part))
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) { rest = rest.drop(while: isSkipped) }
}
