package import PatchbayPlatform

extension RequestBody {
    /// The bytes of the whole body, for a transport that cannot read a source while it sends.
    ///
    /// - Throws: `TransportFailure` with the code `unreadableBody` where the source fails, `unsupportedRequest` where it has more
    ///   bytes than `limit`, `stopped` where `stop` fires first.
    package func collected(limit: Int = 64 << 20, unless stop: StopSignal) async throws(TransportFailure) -> Data {
        switch self {
        case .data(let data): return data
        case .source(let source): return try await Self.collect(source, limit, unless: stop)
        }
    }

    private static func collect(
        _ source: any RequestBodySource, _ limit: Int, unless stop: StopSignal
    ) async throws(TransportFailure) -> Data {
        var body = Data()
        var piece = [UInt8](repeating: 0, count: 65_536)
        while !stop.hasFired {
            let read: RequestBodyPiece
            do {
                read = try piece.withUnsafeMutableBytes { try source.read(into: $0) }
            } catch {
                throw .unreadableBody
            }
            switch read {
            case .end: return body
            case .wait(let signal): await signal.fired(unless: stop)
            case .bytes(let count):
                body.append(contentsOf: piece.prefix(count))
                guard body.count <= limit else {
                    throw TransportFailure(
                        .unsupportedRequest, "the transport cannot send a streamed body of more than \(limit) bytes")
                }
            }
        }
        throw TransportFailure(.stopped, "the exchange was stopped before the body was read")
    }
}
