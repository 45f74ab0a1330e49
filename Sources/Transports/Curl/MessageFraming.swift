import PatchbayManager
import PatchbayRegistry

/// Refuses heads that do not say clearly where their body ends (RFC 9112, section 6.3), for responses that can have one.
enum MessageFraming {
    /// Throws where two fields, or two values of one, say different things about the end of the body.
    /// - Parameter known: the fields that were seen when the head was read.
    static func check(_ fields: HeaderFields, _ known: KnownFields) throws(TransportFailure) {
        if !known.contains(.transferEncoding), hasOneLength(fields) { return }
        let lengths = known.contains(.contentLength) ? fields.members(of: "Content-Length") : []
        var isChunked = false
        if known.contains(.transferEncoding) {
            let codings = fields.members(of: "Transfer-Encoding").map { $0.lowercased() }
            isChunked = codings == ["chunked"]
            // `identity` was a coding once (RFC 2616, section 3.6) and never changed anything.
            guard isChunked || codings == ["identity"] else {
                throw .malformed("its Transfer-Encoding is not the one that was asked for")
            }
        }
        guard let first = lengths.first else { return }
        guard !isChunked else { throw .malformed("it has both a Content-Length and a Transfer-Encoding") }
        guard lengths.allSatisfy({ $0 == first }) else { throw .malformed("its Content-Length values differ") }
        guard !first.isEmpty, first.utf8.allSatisfy({ (0x30...0x39).contains($0) }), Int64(first) != nil else {
            throw .malformed("its Content-Length is not a length")
        }
    }

    /// Whether there is one length, a number and nothing else, as in most heads: then there is nothing to take apart.
    private static func hasOneLength(_ fields: HeaderFields) -> Bool {
        guard let length = fields.onlyValue(for: "Content-Length") else { return false }
        return length.utf8.allSatisfy { (0x30...0x39).contains($0) } && Int64(length) != nil
    }
}
