import Patchbay
import PatchbayPlatform

/// The transport of the platform. Tells a transcript the fields that the transport adds, and the beginning of each body.
struct ToldTransport: Transport {
    #if os(Linux)
        private let base = CurlTransport()
    #else
        private let base = URLSessionTransport()
    #endif
    private let transcript: Transcript

    init(_ transcript: Transcript) { self.transcript = transcript }

    func perform(
        _ request: TransportRequest, for receiver: some ExchangeReceiver
    ) async throws(TransportFailure) -> ExchangeTimings {
        let transcript = transcript
        await transcript.asked()
        #if os(Linux)
            transcript.tell(base.addedFields(of: request))
        #endif
        var request = request
        let type = request.head.fields["Content-Type"].flatMap { MediaType(parsing: $0) }
        switch request.body {
        case .data(let data)?: transcript.tell(BodyText(data, of: data.count, type))
        case .source(let source)?:
            let length = source.length.map { Int(clamping: $0) }
            request.body = .source(ToldSource(source) { transcript.tell(BodyText($0, of: length, type)) })
        case nil: break
        }
        return try await base.perform(request, for: receiver)
    }
}

/// The source of a body. Tells the beginning of the body once it was read.
private final class ToldSource: RequestBodySource {
    private let source: any RequestBodySource
    /// Nil when it was told.
    private let beginning = Guarded<Data?>(Data())
    private let tell: @Sendable (Data) -> Void

    init(_ source: any RequestBodySource, _ tell: @escaping @Sendable (Data) -> Void) {
        (self.source, self.tell) = (source, tell)
    }

    var length: Int64? { source.length }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
        let piece = try source.read(into: buffer)
        let (bytes, isEnd) =
            switch piece {
            case .bytes(let count): (Data(buffer.prefix(count)), false)
            // If the length is unknown, the next bytes can come much later, as when a person types them.
            case .wait: (Data(), length == nil)
            case .end: (Data(), true)
            }
        let told = beginning.withLock { beginning -> Data? in
            guard let all = beginning.map({ $0 + bytes }), !all.isEmpty else { return nil }
            let isFull = isEnd || all.count >= BodyText.mostBytes || Int64(all.count) == length
            beginning = isFull ? nil : all
            return isFull ? all : nil
        }
        if let told { tell(told) }
        return piece
    }

    func rewind() throws {
        try source.rewind()
        beginning.withLock { $0 = $0.map { _ in Data() } }
    }
}
