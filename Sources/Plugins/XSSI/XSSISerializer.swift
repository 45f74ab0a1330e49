import PatchbayJSON
package import PatchbayRegistry

/// Removes the prefix that keeps a JSON document from running as a script. The entries after this one read the
/// remaining body.
///
/// A body that doesn't begin with the prefix is declined: the entries after this one read it unchanged. A response
/// without a media type is declined.
package struct XSSISerializer: BodyDecliningSerializer {
    /// The prefix to remove, compared byte by byte in UTF-8. Nil is `)]}'`, as Gerrit and Angular write it: with the comma
    /// and the line end after it, if there are any.
    package var prefix: String?

    package func declineReason(_ head: ResponseHead) -> String? {
        head.mediaType == nil ? "there is no media type to go on with" : nil
    }

    package func declineReason(_ body: ResponseBody) -> String? {
        body.withUnsafeBytes { rest(of: $0) == nil } ? "the body does not begin with its prefix" : nil
    }

    package func unwrap(_ body: ResponseBody, _ head: ResponseHead) throws -> (ResponseBody, MediaType) {
        guard let mediaType = head.mediaType else {
            let reason = "the response has no media type, so there is none for what is behind the prefix"
            throw FormatFailure("xssi", .unsupported, reason, sentence: reason)
        }
        let inside = body.withUnsafeBytes { bytes in
            rest(of: bytes).map { ResponseBody(UnsafeRawBufferPointer(rebasing: $0)) }
        }
        return (inside ?? body, mediaType)
    }

    /// The bytes after the prefix; nil if the prefix is not there.
    private func rest(of bytes: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer>? {
        let text = prefix ?? ")]}'"
        let bytes = bytes.withoutMark
        guard bytes.starts(with: text.utf8) else { return nil }
        var rest = bytes.dropFirst(text.utf8.count)
        guard prefix == nil else { return rest }
        for byte in ",\r\n".utf8 where rest.first == byte { rest = rest.dropFirst() }
        return rest
    }
}

struct XSSIOptions: Decodable, Sendable {
    var prefix: String?

    func serializer() throws -> XSSISerializer {
        guard prefix != "" else { throw OptionFailure("prefix", "is empty") }
        return XSSISerializer(prefix: prefix)
    }
}
