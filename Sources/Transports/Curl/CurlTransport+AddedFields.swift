package import PatchbayManager
package import PatchbayRegistry

extension CurlTransport {
    /// The fields that this transport and libcurl add to a request, for a person. Left out are those that depend on
    /// whether the host chooses HTTP/2, and those for a proxy.
    package func addedFields(of request: TransportRequest) -> [HeaderFields.Element] {
        // The loop is made first, because the content codings depend on libcurl.
        guard (try? runningLoop()) != nil, let wire = try? WireRequest(request) else { return [] }
        let fields = request.head.fields
        var added: [HeaderFields.Element] = []
        if fields["Host"] == nil {
            let name = wire.connection.http == .http2 ? ":authority" : wire.wantsHTTP2 ? "Host or :authority" : "Host"
            added.append((name, wire.url.host.description))
        }
        let own = fields.count { KnownFields.named($0.name) != .contentLength }
        for line in wire.lines.bytes.split(separator: 0).dropFirst(own) {
            let parts = String(decoding: line, as: UTF8.self).split(separator: ": ", maxSplits: 1).map(String.init)
            guard parts.count == 2, parts[0] != "Connection" || !wire.wantsHTTP2 else { continue }
            added.append((parts[0], parts[1]))
        }
        switch wire.bodyLength {
        case let length? where fields["Content-Length"] == nil: added.append(("Content-Length", "\(length)"))
        case nil where wire.body != nil && !wire.wantsHTTP2: added.append(("Transfer-Encoding", "chunked"))
        default: break
        }
        return added
    }
}
