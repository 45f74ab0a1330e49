import PatchbayPlatform
import PatchbayRegistry

/// Reads a source that may block on the executor, a little ahead of the transport. So the transport never waits for a
/// disk or foreign code: if no bytes are ready, it is told so.
///
/// The source is read by one thread at a time and in order: `rewind` takes effect after the running read. A source that
/// is released during a read is deallocated after that read.
final class ReadAhead: RequestBodySource {
    /// The limit of waiting bytes; the transport may have as many again.
    static let limit = 256 << 10

    private struct State {
        /// The bytes that were read and not taken. Its news signal fires when there are some.
        var mailbox = Mailbox(limit: ReadAhead.limit)
        /// The end of the source: its trailer fields or its failure; nil before.
        var end: Result<HeaderFields, any Error>?
        var isReading = false
        /// Whether the source was ever without bytes. A source that never was is read as fast as its disk allows.
        var hasWaited = false
        /// Continues reading when the signal of the source fires; nil if it does not wait.
        var listener: OneShot.Listener?
        /// The number of rewinds. Bytes from before the last one are dropped.
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

    /// - Parameter trailers: computed at the end of the source.
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

    /// Returns to the first byte, for a transport, which cannot wait for it. A source that can be read only once fails
    /// at its next read.
    func rewind() {
        let pass = startPass()
        let work: IOExecutor.Work = { [weak self] in
            guard let self, (try? goBack(pass)) != nil, startsReading(pass) else { return }
            readAll(pass)
        }
        queue.enqueue(work, orRefuse: { [weak self] in self?.refuse(pass) })
    }

    /// Returns to the first byte, after the running read. Throws if the source can be read only once.
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

    /// The call has ended: later bytes of the source are dropped.
    func abandon() { queue.abandon() }

    /// Drops the read bytes. Nothing is read before the source has returned to its start.
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
            // A source that returns to its start gives nothing to earlier readers.
            guard state.withLock({ $0.pass == pass }) else { return }
            let reading = read()
            if case .wait(let signal) = reading {
                if !signal.promisesBytes { noteWait(pass) }
                return wait(for: signal, pass)
            }
            keep(reading, pass)
        } while startsReading(pass)
    }

    /// Continues reading when the signal fires, unless the source returns to its start first.
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
                piece = try source.read(into: UnsafeMutableRawBufferPointer(buffer))
                guard case .bytes(let read) = piece else { return }
                guard read <= buffer.count else {
                    throw ContentFailure(
                        .wrongLength, "the source of the content gave more bytes than there was room for")
                }
                count = max(read, 0)
            }
            switch piece {
            case .wait(let signal): return .wait(signal)
            // A read of zero bytes also means the end of the body.
            case .bytes where !bytes.isEmpty:
                // Copied, so that a small piece does not keep a large buffer alive.
                return .bytes(bytes.count < Mailbox.pieceSize / 2 ? Array(bytes[...]) : bytes)
            case .bytes: return .end(.success(try fields?.fields() ?? [:]))
            case .end(let trailers):
                guard let made = try fields?.fields() else { return .end(.success(trailers)) }
                return .end(.success(HeaderFields(Array(trailers) + Array(made))))
            }
        } catch {
            return .end(.failure(error))
        }
    }

    /// The source has no bytes now: a reader that was promised some asks again, and learns it.
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

/// A source that may never block, so that it needs no reading ahead.
protocol ReadySource: RequestBodySource {
    var neverBlocks: Bool { get }
}

extension RequestBody {
    /// Returns to the first byte, for a redirect or another attempt; false if the body cannot be sent twice.
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

    /// The same, read on the executor if reading may block.
    func readAhead(on io: IOExecutor) -> RequestBody {
        switch self {
        case .data: self
        case .source(let source as any ReadySource) where source.neverBlocks: self
        case .source(let source): .source(ReadAhead(source, on: io))
        }
    }
}
