package import PatchbayRegistry

extension HeaderFields {
    /// What senders write into Content-Encoding that changes nothing: a charset or a transfer encoding of mail among it.
    private static let noCodings: Set<String> = ["", "identity", "none", "binary", "utf-8"]

    /// The content codings of a body, in lower case and in the order in which they were applied (RFC 9110, section 8.4).
    package var contentCodings: [String] {
        // Most heads have none.
        guard self["Content-Encoding"] != nil else { return [] }
        return members(of: "Content-Encoding").map { $0.lowercased() }.filter { !Self.noCodings.contains($0) }
    }

    /// Whether the body is coded, so that its Content-Length is not the length of what it means.
    package var hasContentCoding: Bool { !contentCodings.isEmpty }
}
