package import PatchbayRegistry

/// The end of a response body, as its fields define it (RFC 9112, section 6.3), for both transports and the manager.
package enum MessageFraming {
    /// The reason that the fields do not define the end of the body. A recipient that guesses could read the remaining
    /// bytes of the body as the next response on the connection, or the next response as bytes of the body.
    package struct Ambiguity: Error, Sendable {
        /// A clause, as in "the response is malformed: its Content-Length is not a length".
        package let reason: String
    }

    /// The length that the fields announce; nil if they announce no length. Only for responses that can have a body.
    ///
    /// - Parameters:
    ///   - hasLength: whether there is a Content-Length.
    ///   - hasTransferCoding: whether there is a Transfer-Encoding.
    /// - Throws: `Ambiguity` if two fields, or two values of one field, disagree.
    @discardableResult
    package static func length(
        _ fields: HeaderFields, hasLength: Bool, hasTransferCoding: Bool
    ) throws(Ambiguity) -> Int? {
        if hasLength, !hasTransferCoding, let only = fields.onlyValue(for: "Content-Length"),
            let length = Substring(only).decimalNumber
        {
            // The common case.
            return length
        }
        let lengths = hasLength ? fields.members(of: "Content-Length") : []
        let isChunked = hasTransferCoding ? try isChunked(fields) : false
        guard let first = lengths.first else { return nil }
        guard !isChunked else { throw Ambiguity(reason: "it has both a Content-Length and a Transfer-Encoding") }
        guard lengths.allSatisfy({ $0 == first }) else { throw Ambiguity(reason: "its Content-Length values differ") }
        guard let length = Substring(first).decimalNumber else {
            throw Ambiguity(reason: "its Content-Length is not a length")
        }
        return length
    }

    private static func isChunked(_ fields: HeaderFields) throws(Ambiguity) -> Bool {
        let codings = fields.members(of: "Transfer-Encoding").map { $0.lowercased() }
        if codings == ["chunked"] { return true }
        // `identity` was a coding in the past (RFC 2616, section 3.6), and has no effect.
        guard codings == ["identity"] else {
            throw Ambiguity(reason: "its Transfer-Encoding is not the one that was asked for")
        }
        return false
    }
}

extension HeaderFields {
    /// The length of the coded body from Content-Length; nil if there is no such field, or no single length.
    package var announcedLength: Int? {
        try? MessageFraming.length(self, hasLength: true, hasTransferCoding: false)
    }
}
