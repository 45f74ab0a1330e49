import PatchbayPlatform
import PatchbayRegistry

/// Reads a source that can block, on the `IOExecutor` and a little ahead of the transport. So the transport never waits
/// for a disk or foreign code: if no bytes are ready, `read` returns `.wait`.
///
/// The source is read by one thread at a time and in order: `rewind` takes effect after the running read. A source that
/// is released during a read is deallocated after that read.
final class ReadAhead: RequestBodySource {
    /// The limit of the bytes that wait for the transport. The next piece is read only if it fits into the limit.
    static let limit = 256 << 10

    private struct State {
        /// The bytes that were read and that the transport has not taken. The news signal fires after new bytes and at
        /// the end.
        var mailbox = Mailbox(limit: ReadAhead.limit)
        /// The trailer fields at the end of the source, or its failure; nil while the source has not ended.
        var end: Result<HeaderFields, any Error>?
        var isReading = false
        /// Whether the source ever had no bytes ready. A source that always has bytes ready is read as fast as its disk
        /// allows.
        var hasWaited = false
        /// Continues reading when the signal of the source fires; nil if the source gave no signal.
        var listener: OneShot.Listener?
        /// The number of rewinds. Bytes that were read before the last rewind are dropped.
        var pass = 0

        mutating func startsReading() -> Bool {
            guard !isReading, end == nil, mailbox.count <= ReadAhead.limit - Mailbox.pieceSize else { return false }
            isReading = true
            return true
        }
    }

    private enum Reading: Sendable {
        case bytes([UInt8])
        case wait(OneShot)
        case end(Result<HeaderFields, any Error>)
    }

    let length: Int64?
    private let source: any RequestBodySource
    private let fields: ContentTrailers?
    private let queue: IOExecutor.SerialQueue
    private let state = Guarded(State())

    /// - Parameter trailers: the trailer fields that are computed at the end of the source.
    init(_ source: any RequestBodySource, _ trailers: ContentTrailers? = nil, on io: IOExecutor) {
        (self.source, fields) = (source, trailers)
        length = source.length
        queue = IOExecutor.SerialQueue(io)
    }

    convenience init(_ body: RequestBody, _ trailers: ContentTrailers, on io: IOExecutor) {
        switch body {
        case .data(let data): self.init(DataSource(data), trailers, on: io)
        case .source(let source): self.init(source, trailers, on: io)
        }
    }

    deinit { state.withLock { $0.listener.take() }?.remove() }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
        let (piece, pass) = try state.withLock { state -> (RequestBodyPiece, Int?) in
            let count = state.mailbox.copy(into: buffer).bytes
            let piece: RequestBodyPiece
            if count > 0 {
                piece = .bytes(count)
            } else if let end = state.end {
                piece = .end(trailers: try end.get())
            } else {
                piece = .wait(state.mailbox.awaitNews(promisesBytes: !state.hasWaited))
            }
            return (piece, state.startsReading() ? state.pass : nil)
        }
        if let pass { readOn(pass) }
        return piece
    }

    /// Rewinds to the first byte without waiting, because a transport can't wait. If the source can be read only once,
    /// the next `read` throws.
    func rewind() {
        let pass = startPass()
        let work: IOExecutor.Work = { [weak self] in
            guard let self, (try? goBack(pass)) != nil, startsReading(pass) else { return }
            readAll(pass)
        }
        queue.enqueue(work, orRefuse: { [weak self] in self?.refuse(pass) })
    }

    /// Rewinds to the first byte, after the running read. Throws if the source can be read only once.
    func rewound() async throws {
        let pass = startPass()
        // The wait lasts at most as long as the call.
        guard
            case .done(let outcome) = await queue.run(
                until: OneShot(), { Result { try self.goBack(pass) } })
        else {
            throw refusal
        }
        try outcome.get()
    }

    /// Called when the call has ended. If a read of the source hangs, its thread then counts as lost.
    func abandon() { queue.abandon() }

    /// Drops the bytes that were read. Nothing is read before the source was rewound.
    private func startPass() -> Int {
        let (pass, dropped, arrived) = state.withLock { state in
            let arrived = state.mailbox.takeNews()
            let dropped = state
            state = State(isReading: true, pass: dropped.pass + 1)
            return (state.pass, dropped, arrived)
        }
        dropped.listener?.remove()
        arrived?.fire()
        return pass
    }

    private func goBack(_ pass: Int) throws {
        do {
            try source.rewind()
        } catch {
            keep(.end(.failure(error)), pass)
            throw error
        }
        state.withLock { if $0.pass == pass { $0.isReading = false } }
    }

    private func startsReading(_ pass: Int) -> Bool { state.withLock { $0.pass == pass && $0.startsReading() } }

    private func readOn(_ pass: Int) {
        queue.enqueue(
            { [weak self] in self?.readAll(pass) }, orRefuse: { [weak self] in self?.refuse(pass) })
    }

    private func refuse(_ pass: Int) { keep(.end(.failure(refusal)), pass) }

    private var refusal: ContentFailure { ContentFailure(.unreadableFile, queue.executor.exhaustion) }

    private func readAll(_ pass: Int) {
        repeat {
            // After a rewind, the bytes of earlier passes are not needed.
            guard state.withLock({ $0.pass == pass }) else { return }
            let reading = read()
            if case .wait(let signal) = reading {
                if !signal.promisesBytes { noteWait(pass) }
                return wait(for: signal, pass)
            }
            keep(reading, pass)
        } while startsReading(pass)
    }

    /// Continues reading when the signal fires, unless the source is rewound first.
    private func wait(for signal: OneShot, _ pass: Int) {
        let listener = signal.listen { [weak self] in self?.readOn(pass) }
        let dropped = state.withLock { state -> OneShot.Listener? in
            guard state.pass == pass else { return listener }
            defer { state.listener = listener }
            return state.listener
        }
        dropped?.remove()
    }

    private func read() -> Reading {
        do {
            var piece = RequestBodyPiece.end()
            let bytes = try [UInt8](unsafeUninitializedCapacity: Mailbox.pieceSize) { buffer, count in
                piece = try source.checkedRead(into: UnsafeMutableRawBufferPointer(buffer))
                if case .bytes(let read) = piece { count = read }
            }
            switch piece {
            case .wait(let signal): return .wait(signal)
            case .bytes:
                // Copied, so that a small piece does not keep a large buffer alive.
                return .bytes(bytes.count < Mailbox.pieceSize / 2 ? Array(bytes[...]) : bytes)
            case .end(let trailers):
                guard let made = try fields?.fields() else { return .end(.success(trailers)) }
                return .end(.success(HeaderFields(Array(trailers) + Array(made))))
            }
        } catch {
            return .end(.failure(error))
        }
    }

    /// Notes that the source has no bytes ready. If the transport was promised bytes, it is woken, so that it reads
    /// again and gets a signal without that promise.
    private func noteWait(_ pass: Int) {
        let arrived = state.withLock { state -> OneShot? in
            guard state.pass == pass, !state.hasWaited else { return nil }
            state.hasWaited = true
            return state.mailbox.takeNews()
        }
        arrived?.fire()
    }

    private func keep(_ reading: Reading, _ pass: Int) {
        let arrived = state.withLock { state -> OneShot? in
            guard state.pass == pass else { return nil }
            state.isReading = false
            switch reading {
            case .bytes(let bytes): state.mailbox.append(bytes)
            case .end(let end): state.end = end
            case .wait: return nil
            }
            return state.mailbox.takeNews()
        }
        arrived?.fire()
    }
}

/// A source that knows whether its reads can block. If they never block, the source is not read ahead.
protocol ReadySource: RequestBodySource {
    var neverBlocks: Bool { get }
}

extension RequestBody {
    /// Rewinds the body for a redirect or another attempt. The result is false if the body can't be sent twice.
    func isRewound() async -> Bool {
        do {
            switch self {
            case .data: break
            case .source(let source as ReadAhead): try await source.rewound()
            case .source(let source): try source.rewind()
            }
            return true
        } catch {
            return false
        }
    }

    /// Returns the body. If reading the body can block, it is wrapped in a `ReadAhead`.
    func readAhead(on io: IOExecutor) -> RequestBody {
        switch self {
        case .data: self
        case .source(let source as any ReadySource) where source.neverBlocks: self
        case .source(let source): .source(ReadAhead(source, on: io))
        }
    }
}
