// Facts about messages that both transports and the manager need: the table of content codings, and the announced
// length.

package import PatchbayRegistry

/// The content codings of request and response bodies (RFC 9110, section 8.4.1), in the order of Accept-Encoding.
///
/// `BodyDecoder` of CurlTransport decodes them, and `encode` encodes gzip and deflate; URLSession decodes by itself.
package enum ContentCoding: String, Sendable, CaseIterable {
    case gzip, deflate
    case brotli = "br"
    case zstd

    /// The coding with this lower-case name; nil for an unknown coding.
    package init?(name: String) {
        // RFC 9110, section 8.4.1.3: a recipient treats the old name `x-gzip` as `gzip`.
        self.init(rawValue: name == "x-gzip" ? "gzip" : name)
    }
}

extension HeaderFields {
    /// Values of Content-Encoding that do not name a coding, such as a charset or a transfer encoding of mail.
    private static let noCodings: Set<String> = ["", "identity", "none", "binary", "utf-8"]

    /// The content codings of a body in lower case, in the order in which they were applied (RFC 9110, section 8.4).
    package var contentCodings: [String] {
        // Most heads have no such field.
        guard self["Content-Encoding"] != nil else { return [] }
        return members(of: "Content-Encoding").map { $0.lowercased() }.filter { !Self.noCodings.contains($0) }
    }

    /// Whether the body is coded, so that Content-Length is not the length of the content.
    package var hasContentCoding: Bool { !contentCodings.isEmpty }
}
