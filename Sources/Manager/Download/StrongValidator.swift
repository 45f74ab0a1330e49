import PatchbayRegistry

/// A validator that distinguishes two versions of a file well enough to join bytes of two responses (RFC 9110, section
/// 8.8).
struct StrongValidator: Sendable, Hashable {
    /// The ETag or the Last-Modified of the server, for If-Range.
    let value: String

    /// - Throws: the reason that the response has no strong validator.
    init(_ fields: HeaderFields) throws(Refusal) {
        let tags = fields.values(for: "ETag")
        guard tags.isEmpty else {
            // Section 13.1.5: a date does not replace a weak tag.
            guard tags.count == 1, let tag = tags.first, Self.isStrong(tag) else {
                throw Refusal("its ETag is weak or malformed")
            }
            value = tag
            return
        }
        guard let modified = fields["Last-Modified"] else {
            throw Refusal("the response has neither an ETag nor a Last-Modified")
        }
        // Section 8.8.2.2: two versions within one second have the same date, and the clocks of the server can differ a
        // little.
        guard let change = HTTPDate.seconds(modified), let date = fields["Date"].flatMap(HTTPDate.seconds),
            date - change >= 60
        else {
            throw Refusal("the response has no ETag, and no Date a minute or more after its Last-Modified")
        }
        value = modified
    }

    /// Whether a response of status 206 belongs to this version.
    ///
    /// The response must repeat the ETag, but is allowed to leave out the Last-Modified (section 15.3.7).
    func agrees(with fields: HeaderFields) -> Bool {
        guard isDate else { return fields.values(for: "ETag") == [value] }
        return fields["Last-Modified"].map { $0 == value } ?? true
    }

    var name: String { isDate ? "Last-Modified" : "ETag" }

    /// Whether the value is a date: an entity tag contains no space.
    private var isDate: Bool { value.utf8.contains(0x20) }

    /// Whether an ETag is strong. An ETag without quotes, as some servers send it, is accepted: a server that refuses
    /// it in If-Range answers with the whole file. If the server answers with a range, the ETag of that response is
    /// compared.
    private static func isStrong(_ tag: String) -> Bool {
        guard !tag.hasPrefix("W/") else { return false }
        let isQuoted = tag.utf8.count >= 2 && tag.utf8.first == 0x22 && tag.utf8.last == 0x22
        let inner = isQuoted ? tag.dropFirst().dropLast() : tag[...]
        return !tag.isEmpty && inner.utf8.allSatisfy { $0 == 0x21 || ($0 >= 0x23 && $0 != 0x7F) }
    }
}

extension StrongValidator: Codable {
    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard Self.isStrong(text) || HTTPDate.seconds(text) != nil else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "not a strong validator"))
        }
        value = text
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
