public import PatchbayRegistry

/// A file on a server that knows ranges (RFC 9110, section 14).
public struct RangedFile: Sendable {
    public var body: [UInt8]
    /// The ETag, or whatever else says which version it is.
    public var version: HeaderFields

    public init(_ body: some Sequence<UInt8>, version: HeaderFields = ["ETag": "\"v1\""]) {
        self.body = Array(body)
        self.version = version
    }

    /// So many bytes, of which hardly any two that are near each other are alike.
    public init(bytes count: Int, version: HeaderFields = ["ETag": "\"v1\""]) {
        self.init((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }, version: version)
    }

    /// The answer to a GET with these fields: the whole, or all from where its Range begins.
    public func answer(to request: HeaderFields) -> (status: Int, fields: HeaderFields, body: [UInt8]) {
        var fields = version
        let condition = request["If-Range"]
        let isUnchanged = condition == nil || condition == version["ETag"] || condition == version["Last-Modified"]
        guard let range = request["Range"], isUnchanged, range.hasPrefix("bytes="), range.hasSuffix("-"),
            let start = Int(range.dropFirst("bytes=".count).dropLast())
        else { return (200, fields, body) }
        guard start < body.count else {
            fields["Content-Range"] = "bytes */\(body.count)"
            return (416, fields, [])
        }
        fields["Content-Range"] = "bytes \(start)-\(body.count - 1)/\(body.count)"
        return (206, fields, Array(body[start...]))
    }
}
