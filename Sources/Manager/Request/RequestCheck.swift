import PatchbayRegistry

/// Prevents injection into the wire format: the parts of a request that come from the program's own input cannot start
/// a new line or a new message (RFC 9110, sections 5.1, 5.5 and 9.1).
enum RequestCheck {
    static func check(method: String, hasContent: Bool = false) throws(Refusal) {
        guard FieldByte.isToken(method) else { throw Refusal("the method is not a token") }
        // RFC 9110, section 9.3.1: content in a GET request has no meaning, and some servers close the connection.
        guard !hasContent || !["GET", "HEAD"].contains(method.uppercased()) else {
            throw Refusal("a \(method.uppercased()) request cannot have content")
        }
    }

    static func check(_ fields: HeaderFields) throws(Refusal) {
        for field in fields {
            guard FieldByte.isToken(field.name) else { throw Refusal("a header field name is not a token") }
            var value = field.value
            if let control = value.withUTF8({ $0.first { !FieldByte.isValue($0) } }) {
                throw Refusal("the value of header field \(field.name) has \(name(of: control)) in it")
            }
            if framing.haveField(field.name) {
                throw Refusal("header field \(field.name) is written by the transport and cannot be set")
            }
        }
    }

    /// Checks the names of trailer fields. A field for framing, routing, reading or authenticating a message must come
    /// before the content (RFC 9110, section 6.5.1).
    static func check(trailers names: [String]) throws(Refusal) {
        guard !names.isEmpty else { throw Refusal("its trailers have no names") }
        for name in names {
            guard FieldByte.isToken(name) else { throw Refusal("a trailer field name is not a token") }
            guard !notBehindContent.haveField(name) else {
                throw Refusal("field \(name) cannot be sent behind the content (RFC 9110, section 6.5.1)")
            }
        }
    }

    private static let notBehindContent = [
        "Age", "Authorization", "Cache-Control", "Connection", "Content-Encoding", "Content-Length", "Content-Range",
        "Content-Type", "Cookie", "Date", "Expect", "Expires", "Host", "If-Match", "If-Modified-Since", "If-None-Match",
        "If-Range", "If-Unmodified-Since", "Keep-Alive", "Location", "Max-Forwards", "Pragma", "Proxy-Authenticate",
        "Proxy-Authorization", "Proxy-Connection", "Range", "Retry-After", "Set-Cookie", "TE", "Trailer",
        "Transfer-Encoding", "Upgrade", "Vary", "Warning", "WWW-Authenticate",
    ]

    private static let framing = ["Content-Length", "Transfer-Encoding"]

    private static func name(of control: UInt8) -> String {
        switch control {
        case 0x0D: "a carriage return"
        case 0x0A: "a line feed"
        case 0x00: "a NUL"
        default: "a control character"
        }
    }
}

extension [String] {
    /// Whether the names include the name of the field, ignoring case (RFC 9110, section 5.1).
    func haveField(_ name: String) -> Bool { contains { HeaderFields.matches($0, name) } }
}

/// The reason that a request or a redirect is refused. It is the end of an error's sentence.
struct Refusal: Error, Hashable {
    let reason: String
    init(_ reason: String) { self.reason = reason }
}
