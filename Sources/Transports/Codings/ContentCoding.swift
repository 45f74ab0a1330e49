// What both transports and the manager know of a message on the wire: the table of content codings, and where its length is said. The
// code that undoes and makes codings is C, in CDoors/CPatchbayCurl, and is driven by Curl/ContentDecoder.

package import PatchbayRegistry

/// The content codings that bodies may have here, of requests and of responses (RFC 9110, section 8.4.1): the one table of them.
///
/// What undoes and makes them is C code, in `ContentDecoder.c` and `ContentEncoder.c`; URLSession undoes them by itself. In the
/// order in which Accept-Encoding names them.
package enum ContentCoding: String, Sendable, CaseIterable {
    case gzip, deflate
    case brotli = "br"
    case zstd

    /// The coding of a name in lower case; nil for one that nobody here knows.
    package init?(name: String) {
        // RFC 9110, section 8.4.1.3: a recipient takes the old name for the new one.
        self.init(rawValue: name == "x-gzip" ? "gzip" : name)
    }
}

extension HeaderFields {
    /// What senders write into Content-Encoding that changes nothing: a charset or a transfer encoding of mail among it.
    private static let noCodings: Set<String> = ["", "identity", "none", "binary", "utf-8"]

    /// The names of the content codings of a body, in lower case and in the order in which they were applied (RFC 9110, section 8.4).
    package var contentCodings: [String] {
        // Most heads have none.
        guard self["Content-Encoding"] != nil else { return [] }
        return members(of: "Content-Encoding").map { $0.lowercased() }.filter { !Self.noCodings.contains($0) }
    }

    /// Whether the body is coded, so that its Content-Length is not the length of what it means.
    package var hasContentCoding: Bool { !contentCodings.isEmpty }
}
