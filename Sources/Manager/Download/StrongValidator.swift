import PatchbayRegistry

/// What tells one version of a file from the next, well enough to join bytes of two responses (RFC 9110, section 8.8).
struct StrongValidator: Sendable, Hashable {
    /// The ETag or the Last-Modified as the server sent it, and so the value of If-Range.
    let value: String

    /// - Throws: why the response has none.
    init(_ fields: HeaderFields) throws(Refusal) {
        let tags = fields.values(for: "ETag")
        guard tags.isEmpty else {
            // Section 13.1.5: a date does not stand in for a tag that is weak.
            guard tags.count == 1, let tag = tags.first, Self.isStrong(tag) else {
                throw Refusal("its ETag is weak or malformed")
            }
            value = tag
            return
        }
        guard let modified = fields["Last-Modified"] else {
            throw Refusal("the response has neither an ETag nor a Last-Modified")
        }
        // Section 8.8.2.2: two versions of one second have the same date, and the server's clocks may differ a little.
        guard let change = HTTPDate.seconds(modified), let date = fields["Date"].flatMap(HTTPDate.seconds),
            date - change >= 60
        else {
            throw Refusal("the response has no ETag, and its Last-Modified is less than a minute before its Date")
        }
        value = modified
    }

    /// Whether the part that a response of status 206 holds is of this version.
    ///
    /// Such a response has to repeat the ETag, and may leave out the Last-Modified (section 15.3.7).
    func agrees(with fields: HeaderFields) -> Bool {
        guard isDate else { return fields.values(for: "ETag") == [value] }
        return fields["Last-Modified"].map { $0 == value } ?? true
    }

    var name: String { isDate ? "Last-Modified" : "ETag" }

    /// No entity tag has a blank.
    private var isDate: Bool { value.utf8.contains(0x20) }

    /// Some servers forget the quotes. One that knows better answers such an If-Range with the whole file, and one that does
    /// not has its ETag compared, so nothing wrong comes of it.
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
