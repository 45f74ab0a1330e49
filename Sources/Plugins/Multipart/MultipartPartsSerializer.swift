import PatchbayJSON
package import PatchbayRegistry

/// Reads a body of parts, one part at a time: `multipart/mixed`, `multipart/form-data` (RFC 7578), or any other type
/// with a boundary. Content-Transfer-Encoding is undone (RFC 2045, section 6).
///
/// In a stream of a type other than `ResponsePart`, the registry chooses an entry for each part by the part's media
/// type.
package struct MultipartPartsSerializer: StreamingSerializer, NeverDecliningSerializer {
    /// The maximum number of parts. A body with more parts is an error.
    package var maximumParts = 1_000

    /// - Throws: `FormatFailure` if Content-Type names no boundary of 1 to 70 bytes (RFC 2046, section 5.1.1).
    package func makeParser(_ head: ResponseHead, maximumElementBytes: Int) throws -> MultipartParser {
        guard let boundary = head.mediaType?[parameter: "boundary"] else {
            throw FormatFailure.multipart(.malformed, "Content-Type names no boundary")
        }
        let bytes = boundary.utf8
        guard (1...70).contains(bytes.count), bytes.last != UInt8(ascii: " "), bytes.allSatisfy({ $0 >= 0x20 }) else {
            throw FormatFailure.multipart(
                .malformed, "the boundary in Content-Type must have 1 to 70 bytes, and no blank at its end")
        }
        return MultipartParser(boundary: boundary, maximumParts: maximumParts, maximumElementBytes: maximumElementBytes)
    }
}

struct MultipartPartsOptions: Decodable, Sendable {
    var maxParts: Int?

    func serializer() throws -> MultipartPartsSerializer {
        let maximum = try maxParts.map { try OptionFailure.check("maxParts", $0, in: 1...1_000_000) }
        return MultipartPartsSerializer(maximumParts: maximum ?? 1_000)
    }
}

extension FormatFailure {
    /// - Parameter reason: the reason in plain words. It contains none of the content; a part is named by its number,
    ///   counted from 1.
    static func multipart(_ code: Code, _ reason: String) -> FormatFailure {
        FormatFailure("multipart", code, reason, sentence: "the parts were refused: \(reason)")
    }
}
