import PatchbayManager
import PatchbayRegistry
import Testing

@testable import PatchbayCurl

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("What the sink of a response means for libcurl")
struct WireSinkTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let sink: TransportRequest.Sink
        var isSuspendable = false
        /// Whether HTTP/2 is used over https; nil if that depends on libcurl's version.
        let usesHTTP2: Bool?
        let bufferBytes: Int
        /// Whether a coding is decoded though the request asked for none.
        var decodesUnasked = false

        /// The same for a task that can be suspended: never over HTTP/2.
        var suspendable: Row {
            Row(
                testDescription: "\(testDescription), of a task that can be suspended", sink: sink, isSuspendable: true,
                usesHTTP2: false, bufferBytes: bufferBytes, decodesUnasked: decodesUnasked)
        }
    }

    private static let plain = [
        Row(testDescription: "memory", sink: .memory(limit: nil), usesHTTP2: true, bufferBytes: 64 << 10),
        Row(
            testDescription: "16 MiB of memory", sink: .memory(limit: 16 << 20), usesHTTP2: true, bufferBytes: 64 << 10),
        Row(testDescription: "more memory", sink: .memory(limit: 17 << 20), usesHTTP2: true, bufferBytes: 512 << 10),
        Row(testDescription: "a file", sink: .file, usesHTTP2: nil, bufferBytes: 512 << 10, decodesUnasked: true),
        Row(testDescription: "a stream", sink: .stream, usesHTTP2: false, bufferBytes: 64 << 10),
    ]

    @Test(arguments: plain + plain.map(\.suspendable)) func concludes(_ row: Row) throws {
        try MultiHandle.loadLibcurl()
        let url = try #require(URL(string: "https://origin.test/"))
        var request = TransportRequest(head: RequestHead(url: url, fields: ["Accept-Encoding": "identity"]))
        (request.sink, request.isSuspendable) = (row.sink, row.isSuspendable)
        let wire = try WireRequest(request)
        #expect(wire.wantsHTTP2 == row.usesHTTP2 ?? Libcurl.boundsPausedStreams)
        let lines = wire.lines.bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        #expect(lines.contains("TE: trailers") == (wire.wantsHTTP2 || row.sink == .stream))
        #expect(wire.bufferBytes == row.bufferBytes)
        #expect(wire.decodesContent == row.decodesUnasked)
    }
}
