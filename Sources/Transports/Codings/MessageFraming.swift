package import PatchbayRegistry

/// What the fields of a response say about the end of its body (RFC 9112, section 6.3), for both transports and the manager.
package enum MessageFraming {
    /// Why fields do not say clearly where the body ends. Whoever guessed could take the rest of the body for the next response of
    /// the connection, or the other way round.
    package struct Ambiguity: Error, Sendable {
        /// As in "the response is malformed: its Content-Length is not a length".
        package let reason: String
    }

    /// The length that the fields announce; nil where they announce none. For responses that can have a body.
    ///
    /// - Parameters:
    ///   - hasLength: whether there is a Content-Length among them, which whoever has read them knows.
    ///   - hasTransferCoding: the same of Transfer-Encoding.
    /// - Throws: where two fields, or two values of one, say different things.
    @discardableResult
    package static func length(
        _ fields: HeaderFields, hasLength: Bool, hasTransferCoding: Bool
    ) throws(Ambiguity) -> Int? {
        if hasLength, !hasTransferCoding, let only = fields.onlyValue(for: "Content-Length"), let length = number(only)
        {
            // As in most heads, and then there is nothing to take apart.
            return length
        }
        let lengths = hasLength ? fields.members(of: "Content-Length") : []
        let isChunked = hasTransferCoding ? try isChunked(fields) : false
        guard let first = lengths.first else { return nil }
        guard !isChunked else { throw Ambiguity(reason: "it has both a Content-Length and a Transfer-Encoding") }
        guard lengths.allSatisfy({ $0 == first }) else { throw Ambiguity(reason: "its Content-Length values differ") }
        guard let length = number(first) else { throw Ambiguity(reason: "its Content-Length is not a length") }
        return length
    }

    private static func isChunked(_ fields: HeaderFields) throws(Ambiguity) -> Bool {
        let codings = fields.members(of: "Transfer-Encoding").map { $0.lowercased() }
        if codings == ["chunked"] { return true }
        // `identity` was a coding once (RFC 2616, section 3.6) and never changed anything.
        guard codings == ["identity"] else {
            throw Ambiguity(reason: "its Transfer-Encoding is not the one that was asked for")
        }
        return false
    }

    /// Digits and nothing else: `Int` alone would take a sign.
    private static func number(_ text: String) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
}

extension HeaderFields {
    /// The length that Content-Length announces, of the body as it is coded; nil where there is none, or more than one.
    package var announcedLength: Int? {
        try? MessageFraming.length(self, hasLength: true, hasTransferCoding: false)
    }
}
