public import PatchbayPlatform
public import PatchbayRegistry

/// The body of a request: bytes in memory, or a source that is read while it is sent.
public enum RequestBody: Sendable {
    case data(Data)
    case source(any RequestBodySource)

    /// The bytes, if they are in memory; nil for a source.
    public var data: Data? {
        if case .data(let data) = self { data } else { nil }
    }

    /// A source that gives the bytes in either case.
    var reader: any RequestBodySource {
        switch self {
        case .data(let data): MultipartSource(data)
        case .source(let source): source
        }
    }

    /// The length in bytes; nil if it is unknown before the end. The body is then sent chunked.
    public var length: Int64? {
        switch self {
        case .data(let data): Int64(data.count)
        case .source(let source): source.length
        }
    }
}

/// Gives the bytes of a request body piece by piece, on one thread at a time.
///
/// A session manager reads on a thread of its own, where a call is allowed to block, and at most 256 KiB ahead of the
/// bytes that are sent. A transport that is given a source reads on a thread of its choice: there every call must
/// return quickly, and the current Swift task can be the task of another call.
public protocol RequestBodySource: AnyObject, Sendable {
    /// The total number of bytes; nil if it is unknown.
    var length: Int64? { get }

    /// Writes the next bytes into `buffer`. If it throws, the exchange ends with
    /// `TransportFailure.Code.unreadableBody`.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece

    /// Rewinds to the first byte, for a redirect or another attempt. Throws if the body can't be read twice.
    func rewind() throws
}

extension RequestBodySource {
    /// Reads the next bytes of a source that can be foreign. A read of zero bytes also means the end.
    /// - Throws: `ContentFailure` for a number of bytes that the source cannot have written, and the errors of `read`.
    func checkedRead(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
        let piece = try read(into: buffer)
        guard case .bytes(let count) = piece else { return piece }
        guard (0...buffer.count).contains(count) else {
            throw ContentFailure(.wrongLength, "its source wrote \(count) of at most \(ByteCount(buffer.count))")
        }
        return count == 0 ? .end() : piece
    }
}

/// The result of one read.
public enum RequestBodyPiece: Sendable {
    /// This many bytes, at least one, were written.
    case bytes(Int)
    /// There are no bytes yet: read again when the signal has fired.
    case wait(OneShot)
    /// There are no more bytes. The trailer fields are sent after the body (RFC 9110, section 6.5). A request with
    /// trailer fields announces them in its `Trailer` field, and its body is sent chunked, whatever its length.
    case end(trailers: HeaderFields = [:])
}

extension RequestBody: CustomStringConvertible, CustomReflectable {
    /// The number of bytes, not the bytes: `1,024 bytes`, `a stream`.
    public var description: String {
        switch self {
        case .data(let data): ByteCount(data.count).description
        case .source(let source): source.length.map { "a stream of \(ByteCount($0))" } ?? "a stream"
        }
    }
    public var customMirror: Mirror { Mirror(described: self) }
}

extension RequestBody {
    /// The bytes of the whole body and the trailer fields, for a transport that sends no body.
    ///
    /// - Throws: `TransportFailure` with code `unreadableBody` if the source fails, `unsupportedRequest` if it has more
    ///   than 64 MiB, `stopped` if `stop` fires first.
    package func collected(unless stop: OneShot) async throws(TransportFailure) -> (bytes: Data, trailers: HeaderFields)
    {
        let limit = 64 << 20
        switch self {
        case .data(let data): return (data, [:])
        case .source(let source):
            var bytes = Data()
            let trailers = try await source.drain(unless: stop) { piece throws(TransportFailure) in
                bytes.append(contentsOf: piece)
                guard bytes.count <= limit else {
                    throw TransportFailure(
                        .unsupportedRequest, "the transport cannot send a streamed body of more than \(limit) bytes")
                }
            }
            return (bytes, trailers)
        }
    }
}

extension RequestBodySource {
    /// Reads the source to its end, for a transport that can't read it while it sends, and returns the trailer fields.
    ///
    /// - Parameter take: gets the bytes piece by piece.
    /// - Throws: `TransportFailure` with code `unreadableBody` if the source fails, `stopped` if `stop` fires first, and
    ///   the failures of `take`.
    package func drain(
        unless stop: OneShot, _ take: (ArraySlice<UInt8>) async throws(TransportFailure) -> Void
    ) async throws(TransportFailure) -> HeaderFields {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !stop.hasFired {
            let piece: RequestBodyPiece
            do {
                piece = try buffer.withUnsafeMutableBytes { try checkedRead(into: $0) }
            } catch {
                throw .unreadableBody
            }
            switch piece {
            case .end(let trailers): return trailers
            case .wait(let signal): await signal.fired(unless: stop)
            case .bytes(let count): try await take(buffer.prefix(count))
            }
        }
        throw .stoppedBeforeBody
    }
}
