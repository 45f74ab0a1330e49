/// A media type: `type/subtype` and parameters (RFC 9110, section 8.3.1; WHATWG MIME Sniffing, section 4).
public struct MediaType: Sendable, Hashable {
    public struct Parameter: Sendable, Hashable {
        public let name: String
        public let value: String
    }
    public let type: String
    public let subtype: String
    public let parameters: [Parameter]
}
