import PatchbayCodings
import PatchbayManager
import PatchbayRegistry

/// What a head says of the length of its body, and whether the body that came is that long (RFC 9112, section 6).
struct ResponseFraming: Sendable {
    private let status: Int
    private let hasNoBody: Bool
    private let isEncoded: Bool
    private let announced: Int?

    /// Refuses a head whose framing says two things, where a body can come.
    init(method: String, status: Int, fields: HeaderFields) throws(TransportFailure) {
        self.status = status
        hasNoBody = !ResponseHead.canHaveBody(status, to: method)
        isEncoded = fields.hasContentCoding
        guard !hasNoBody else {
            announced = nil
            return
        }
        do throws(MessageFraming.Ambiguity) {
            announced = try MessageFraming.length(
                fields, hasLength: fields["Content-Length"] != nil,
                hasTransferCoding: fields["Transfer-Encoding"] != nil)
        } catch {
            throw TransportFailure(.malformedResponse, "the response is malformed: \(error.reason)")
        }
    }

    /// Why a body of so many bytes, after content decoding, is not the one announced; nil where it may be.
    func failure(received: Int, isBodyLost: Bool) -> TransportFailure? {
        if hasNoBody { return nil }
        if isBodyLost, announced != 0 {
            return TransportFailure(
                .truncatedBody, "URLSession drops the body of a \(status) response without a usable Location")
        }
        guard !isEncoded, let announced, received != announced else { return nil }
        return TransportFailure(.truncatedBody, "the body has \(received) bytes where \(announced) were announced")
    }
}
