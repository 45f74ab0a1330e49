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
        // Foundation joins repeated fields with commas.
        let lengths = fields.values(for: "Content-Length").flatMap {
            $0.split(separator: ",", omittingEmptySubsequences: false).map { $0.drop(while: Self.isBlank) }
        }
        guard let first = lengths.first else {
            announced = nil
            return
        }
        guard fields["Transfer-Encoding"] == nil else {
            throw TransportFailure(.malformedResponse, "the response has both Content-Length and Transfer-Encoding")
        }
        guard lengths.allSatisfy({ $0 == first }) else {
            throw TransportFailure(.malformedResponse, "the response has two values of Content-Length")
        }
        guard !first.isEmpty, first.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int(first) else {
            throw TransportFailure(.malformedResponse, "the Content-Length of the response is not a number of bytes")
        }
        announced = length
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

    private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
}
