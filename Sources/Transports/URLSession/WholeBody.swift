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
    case file(BodyFile, count: Int)

    /// The size of the largest body in memory.
    static let memoryLimit = 16 << 20

    /// Reads a source to its end.
    /// - Parameters:
    ///   - io: writes the file.
    ///   - receiver: is told that bytes move.
    ///   - stop: ends the wait for the source, or for the disk.
    static func read(
        _ source: any RequestBodySource, on io: IOExecutor, for receiver: (any TimedReceiver)?, unless stop: OneShot
    ) async throws(TransportFailure) -> WholeBody {
        var bytes = Data()
        var (file, count) = (BodyFile?.none, 0)
        let trailers = try await source.drain(unless: stop) { piece throws(TransportFailure) in
            receiver?.moved()
            bytes.append(contentsOf: piece)
            guard bytes.count > (file == nil ? memoryLimit : BodyFile.pieceSize) else { return }
            let growing = if let file { file } else { try await BodyFile.made(on: io, unless: stop) }
            file = growing
            try await growing.append(bytes, at: count, unless: stop)
            (bytes, count) = (Data(), count + bytes.count)
        }
        guard trailers.isEmpty else { throw .trailers }
        guard let file else { return .data(bytes) }
        try await file.append(bytes, at: count, unless: stop)
        return .file(file, count: count + bytes.count)
    }
}

/// The temporary file of one body, which only this user can read. Where the system has /proc, the file has no name once it
/// is there: nobody can replace it, and a process that is killed leaves nothing. Elsewhere it is removed with this object.
final class BodyFile: Sendable {
    /// The number of bytes that are worth a step of their own.
    static let pieceSize = 1 << 18

    private let queue: IOExecutor.SerialQueue
    private let descriptor: Int32
    /// Nil for a file without a name.
    private let path: String?

    static func made(on io: IOExecutor, unless stop: OneShot) async throws(TransportFailure) -> BodyFile {
        let queue = IOExecutor.SerialQueue(io)
        return try await run(on: queue, unless: stop) { () throws(TransportFailure) in try BodyFile(queue) }
    }

    private init(_ queue: IOExecutor.SerialQueue) throws(TransportFailure) {
        self.queue = queue
        let path = URL.temporaryDirectory.appending(
            path: "patchbay-body-" + String(UInt64.random(in: .min ... .max), radix: 36)
        ).path(percentEncoded: false)
        descriptor = SystemCall.create(path)
        guard descriptor >= 0 else { throw Self.failure(SystemError.words(errno)) }
        self.path = access(Self.link(descriptor), R_OK) != 0 || unlink(path) != 0 ? path : nil
    }

    deinit {
        // A disk that hangs must not hold the thread of the caller.
        queue.enqueue { [descriptor, path] in
            SystemCall.close(descriptor)
            if let path { unlink(path) }
        }
    }

    /// The URL under which the file can be read.
    var url: URL { URL.file(at: path ?? Self.link(descriptor)) }

    private static func link(_ descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

    /// Appends bytes.
    /// - Parameter count: the number of bytes in the file.
    func append(_ bytes: Data, at count: Int, unless stop: OneShot) async throws(TransportFailure) {
        try await Self.run(on: queue, unless: stop) { [self] () throws(TransportFailure) in
            // Beyond this size, the system would end the process.
            let fits = bytes.count <= SystemCall.largestFile - count
            let code = fits ? bytes.withUnsafeBytes { SystemCall.writeAll(descriptor, $0) } : EFBIG
            guard code == 0 else { throw Self.failure(SystemError.words(code)) }
        }
    }

    private static func run<Value: Sendable>(
        on queue: IOExecutor.SerialQueue, unless stop: OneShot,
        _ work: @escaping @Sendable () throws(TransportFailure) -> Value
    ) async throws(TransportFailure) -> Value {
        switch await queue.run(until: stop, { Result(catching: work) }) {
        case .done(let result): return try result.get()
        case .refused: throw failure(queue.executor.exhaustion)
        case .left:
            queue.abandon()
            throw .stoppedBeforeBody
        }
    }

    private static func failure(_ reason: String) -> TransportFailure {
        .unsupported(
            "URLSession cannot send a body of more than \(WholeBody.memoryLimit) bytes without a temporary file, which "
                + "cannot be written (\(reason))")
    }
}
