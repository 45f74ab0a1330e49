import Foundation
import PatchbayManager
import PatchbayPlatform

/// The body of a request, read to its end before it is sent: in memory, or in a temporary file if it is large.
///
/// URLSession on Linux can't wait for a body while it is sent (measured with Swift 6.3.1): Foundation has no bound
/// streams, takes a stream without waiting bytes for one that has ended, and a read that waits stops all sessions of the
/// process. A stream of a file never waits.
enum WholeBody: Sendable {
    case data(Data)
    case file(BodyFile)

    /// The size of the largest body in memory.
    static let memoryLimit = 16 << 20

    /// - Parameters:
    ///   - io: writes the file.
    ///   - receiver: is told that bytes move.
    ///   - stop: ends the wait for the source, or for the disk.
    init(
        _ body: RequestBody, on io: IOExecutor, for receiver: some ExchangeReceiver, unless stop: OneShot
    ) async throws(TransportFailure) {
        switch body {
        case .data(let data): self = .data(data)
        case .source(let source): self = try await Self.read(source, io, receiver as? any TimedReceiver, stop)
        }
    }

    private static func read(
        _ source: any RequestBodySource, _ io: IOExecutor, _ receiver: (any TimedReceiver)?, _ stop: OneShot
    ) async throws(TransportFailure) -> WholeBody {
        var bytes = Data()
        var file: BodyFile?
        let trailers = try await source.drain(unless: stop) { piece throws(TransportFailure) in
            receiver?.moved()
            bytes.append(contentsOf: piece)
            guard bytes.count > (file == nil ? memoryLimit : BodyFile.pieceSize) else { return }
            let growing = file ?? BodyFile(io)
            file = growing
            try await growing.append(bytes, unless: stop)
            bytes = Data()
        }
        guard trailers.isEmpty else { throw .trailers }
        guard let file else { return .data(bytes) }
        try await file.append(bytes, unless: stop)
        return .file(file)
    }
}

/// The temporary file of one body, which only this user can read. Where the system has /proc, the file has no name once it
/// is there: nobody can replace it, and a process that is killed leaves nothing. Elsewhere it is removed with this object.
final class BodyFile: Sendable {
    /// The number of bytes that are worth a step of their own.
    static let pieceSize = 1 << 18

    private struct State: Sendable {
        /// Negative before the first bytes.
        var descriptor: Int32 = -1
        var count = 0
        var hasName = false
    }

    private let path = URL.temporaryDirectory.appending(
        path: "patchbay-body-" + String(UInt64.random(in: .min ... .max), radix: 36)
    ).path(percentEncoded: false)
    private let io: IOExecutor
    private let queue: IOExecutor.SerialQueue
    private let state = Guarded(State())

    init(_ io: IOExecutor) {
        self.io = io
        queue = IOExecutor.SerialQueue(io)
    }

    deinit {
        let file = state.withLock { $0 }
        guard file.descriptor >= 0 else { return }
        // A disk that hangs must not hold the thread of the caller.
        queue.enqueue { [path] in
            SystemCall.close(file.descriptor)
            if file.hasName { unlink(path) }
        }
    }

    /// The URL under which the file can be read.
    var url: URL {
        let file = state.withLock { $0 }
        return URL.file(at: file.hasName ? path : Self.link(file.descriptor))
    }

    private static func link(_ descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

    var count: Int { state.withLock(\.count) }

    /// Appends bytes. The first bytes create the file.
    func append(_ bytes: Data, unless stop: OneShot) async throws(TransportFailure) {
        switch await queue.run(until: stop, { self.write(bytes) }) {
        case .done(0): return
        case .done(let code): throw Self.failure(SystemError.words(code))
        case .refused: throw Self.failure(io.exhaustion)
        case .left:
            queue.abandon()
            throw .stoppedBeforeBody
        }
    }

    private func write(_ bytes: Data) -> Int32 {
        state.withLock { state in
            if state.descriptor < 0 {
                state.descriptor = SystemCall.create(path)
                guard state.descriptor >= 0 else { return errno }
                state.hasName = access(Self.link(state.descriptor), R_OK) != 0 || unlink(path) != 0
            }
            // Beyond this size, the system would end the process.
            guard bytes.count <= SystemCall.largestFile - state.count else { return EFBIG }
            state.count += bytes.count
            return bytes.withUnsafeBytes { [file = state.descriptor] in SystemCall.writeAll(file, $0) }
        }
    }

    private static func failure(_ reason: String) -> TransportFailure {
        .unsupported(
            "URLSession cannot send a body of more than \(WholeBody.memoryLimit) bytes without a temporary file, which "
                + "cannot be written (\(reason))")
    }
}
