public import PatchbayRegistry

extension RawServer {
    /// One request as it came over the wire.
    public struct Request: Sendable {
        public let method: String
        /// The request target as it was sent.
        public let target: String
        public let fields: HeaderFields
        /// The bytes of the body, chunked coding undone; empty where the server does not read bodies.
        public internal(set) var body: [UInt8] = []
        /// The field lines behind the body.
        public internal(set) var trailers: [String] = []
        /// The bytes of the head, with the blank line.
        public let rawHead: [UInt8]

        public var text: String { String(decoding: body, as: UTF8.self) }

        /// Reads a head; lines that are no header fields are left out.
        init(rawHead: [UInt8]) {
            self.rawHead = rawHead
            let lines = String(decoding: rawHead, as: UTF8.self).split(
                separator: "\r\n", omittingEmptySubsequences: true)
            let parts = (lines.first ?? "").split(separator: " ", maxSplits: 2)
            method = parts.first.map(String.init) ?? ""
            target = parts.dropFirst().first.map(String.init) ?? ""
            var fields = HeaderFields()
            for line in lines.dropFirst() {
                guard let colon = line.firstIndex(of: ":") else { continue }
                let value = line[line.index(after: colon)...].drop { $0 == " " }
                fields.append(String(value), for: String(line[..<colon]))
            }
            self.fields = fields
        }
    }
}
