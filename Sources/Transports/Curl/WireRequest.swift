import CPatchbayCurl
import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

/// A checked request, in the form for libcurl.
struct WireRequest: Sendable {
    let method: String
    let url: WireURL
    let lines: FieldLines
    /// The bytes to send. If nil, neither a body nor a length is sent.
    let body: RequestBody?
    /// The length of the body; nil if it is sent chunked.
    let bodyLength: Int64?
    let hasTrailers: Bool
    /// The number of bytes that libcurl reads at once, at most. Its buffer lives as long as the exchange.
    let bufferBytes: Int
    /// Whether this transport decodes the content codings of a response that is not a part of the content.
    let decodesContent: Bool
    /// Whether the response can be a part of the content, whose coding can't be decoded.
    let asksForPart: Bool
    /// Whether the body is sent only after an interim response of the server (`Expect: 100-continue`).
    let asksBeforeBody: Bool
    let sharedConnection: SharedConnection
    /// The files of the TLS settings, which are read before the exchange gets to the loop; nil if the settings need none.
    var files: TLSFiles.Content?
    var connection: ConnectionSettings { sharedConnection.settings }
    /// Whether HTTP/2 is used. With `HTTPVersions.automatic`, HTTP/2 needs TLS and a host that offers it. Even in this
    /// case, HTTP/2 is not used if libcurl would buffer without limit, send no trailers, or lose a response that is
    /// complete before the request body.
    let wantsHTTP2: Bool
    /// Whether the exchange can share a connection with other exchanges. If libcurl can't report connections, no
    /// connection is shared.
    var sharesConnections: Bool {
        wantsHTTP2 && !needsOwnConnection && connection.unixSocket == nil && Libcurl.reportsConnections
    }
    /// Whether the exchange needs a connection of its own. libcurl 7.88.1 fails the second exchange on an HTTP/2
    /// connection that it made with prior knowledge.
    var needsOwnConnection: Bool { connection.http == .http2 && !Libcurl.sharesPriorKnowledge }
    /// Whether the whole response can arrive before the body was sent: a small body in memory is sent with the head.
    var bodyMayLast: Bool {
        if case .data(let bytes) = body { bytes.count > 64 << 10 } else { body != nil }
    }
    /// Whether the request may be sent a second time without a response to the first: its method is idempotent (RFC
    /// 9110, section 9.2.2), or it has an `Idempotency-Key`.
    let isRepeatable: Bool

    init(_ request: borrowing TransportRequest) throws(TransportFailure) {
        let head = request.head
        try request.checkHead()
        guard head.method != "CONNECT" else {
            throw .unsupported("the method is not one that can be sent")
        }
        let url = try WireURL(head.url, host: request.host)
        // RFC 9110, section 8.6: a method that expects content announces a length even without content.
        let expectsContent = head.method == "POST" || head.method == "PUT" || head.method == "PATCH"
        let body = request.body ?? (expectsContent ? .data(Data()) : nil)
        guard body == nil || head.method != "HEAD" else {
            throw .unsupported("a HEAD request cannot have a body")
        }
        // Copied, because Foundation is resilient on Apple platforms: `borrowing` does not allow a request in the closure
        // that `&&` and `||` make of their right side.
        let (sink, isSuspendable) = (request.sink, request.isSuspendable)
        let isHeld = sink == .stream || isSuspendable
        let hasTrailers = request.announcesTrailers
        let bodyLength = hasTrailers ? nil : body?.length
        let wantsHTTP2: Bool
        let hasEnd = body == nil || bodyLength != nil
        // Over HTTP/2, libcurl 7.88.1 sends no trailers, without an error, and holds 32 MiB of an exchange that a
        // reader or a suspended task holds up.
        switch request.connection.http {
        case .http1: wantsHTTP2 = false
        case .automatic:
            wantsHTTP2 =
                url.isSecure && !isHeld && !hasTrailers
                && (sink != .file || Libcurl.boundsPausedStreams)
                && (hasEnd || Libcurl.keepsEarlyAnswers)
        case .http2:
            guard !hasTrailers else {
                throw .unsupported(
                    "fields behind the body need HTTP/1.1, and ConnectionSettings.http allows HTTP/2 alone")
            }
            wantsHTTP2 = true
        }
        var known: KnownFields = []
        var lines = try Self.lines(head.fields, body, length: bodyLength, &known)
        if wantsHTTP2 || sink == .stream, head.fields["TE"] == nil, head.fields["Connection"] == nil {
            // RFC 9110, section 10.1.4: TE is only for the next hop, so Connection must name it. libcurl leaves
            // Connection out over HTTP/2.
            lines.append("TE", "trailers")
            lines.append("Connection", "TE")
        }
        guard lines.bytes.count + url.text.utf8.count <= Self.mostHeadBytes else {
            throw .unsupported("the URL and the header fields have more bytes than the 1 MiB that libcurl sends")
        }
        // Each property is set once, here: otherwise the compiler builds a request in memory, and copies it.
        method = head.method
        self.url = url
        isRepeatable = RetryPolicy.isIdempotent(head.method, head.fields)
        self.lines = lines
        self.body = body
        self.bodyLength = bodyLength
        self.hasTrailers = hasTrailers
        // A larger buffer for each read is worth its memory where the body can be large.
        let isLarge = if case .memory(let limit) = sink { limit ?? 0 > 16 << 20 } else { sink == .file }
        bufferBytes = isLarge ? 512 << 10 : 64 << 10
        // A request that asks for no coding, because bytes are counted, gets the content in any case.
        asksForPart = known.contains(.range)
        let isCounted = sink == .file || asksForPart
        decodesContent =
            !known.contains(.acceptEncoding) || isCounted && head.fields["Accept-Encoding"] == "identity"
        asksBeforeBody = body != nil && known.contains(.expect)
        sharedConnection = request.sharedConnection
        self.wantsHTTP2 = wantsHTTP2
    }

    /// The limit of libcurl for a request head (DYN_HTTP_REQUEST), minus 4 KiB for libcurl's own fields. If a head
    /// exceeds its limit, libcurl reports a lack of memory.
    private static let mostHeadBytes = (1 << 20) - (4 << 10)

    /// The value of Accept-Encoding: the codings that can be decoded.
    private static let codings =
        ContentDecoder.names.isEmpty ? "identity" : ContentDecoder.names.joined(separator: ", ")

    /// - Parameter known: gets the known fields among the lines.
    private static func lines(
        _ fields: HeaderFields, _ body: RequestBody?, length: Int64?, _ known: inout KnownFields
    ) throws(TransportFailure) -> FieldLines {
        var lines = FieldLines()
        for (place, field) in fields.enumerated() {
            switch KnownFields.named(field.name) {
            case .transferEncoding:
                throw .unsupported("Transfer-Encoding is for the transport to choose")
            case .contentLength:
                let length = body == nil ? 0 : length
                guard let length, Int64(field.value) == length else {
                    throw .unsupported("Content-Length is not the length of the body")
                }
                continue  // libcurl writes it.
            case let name: known.formUnion(name)
            }
            if fields.isLatin1(at: place) {
                lines.append(field.name, octets: fields.octets(at: place))
            } else {
                lines.append(field.name, field.value)
            }
        }
        if !known.contains(.acceptEncoding) { lines.append("Accept-Encoding", codings) }
        if !known.contains(.accept) { lines.leaveOut("Accept") }
        // libcurl adds these fields to requests with a body.
        if body != nil, !known.contains(.expect) { lines.leaveOut("Expect") }
        if body != nil, !known.contains(.contentType) { lines.leaveOut("Content-Type") }
        return lines
    }
}
