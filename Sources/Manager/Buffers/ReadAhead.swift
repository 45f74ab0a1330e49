import PatchbayPlatform
import PatchbayRegistry

/// Reads a source that may block on the executor, a little ahead of the transport, which so never waits for a disk or for the code of
/// others: where nothing is there yet, it is told so.
///
/// The source is asked by one at a time, and in order: `rewind` comes after the read that is under way. One that is let go of in the
/// middle is released when that read has returned.
final class ReadAhead: RequestBodySource {
    /// How many bytes wait at most; as many again may be with the transport.
    static let limit = 256 << 10

    private struct State {
        /// What was read and not taken yet; its news are that there is something.
        var mailbox = Mailbox(limit: ReadAhead.limit)
        /// With the fields behind the bytes.
        var end: Result<HeaderFields, any Error>?
        var isReading = false
        /// Whether the source has had nothing to give at times. One that never had is read as fast as its disk gives it.
        var hasWaited = false
        /// Reads on when the signal fires that the source waits for; nil where it does not.
        var listener: OneShot.Listener?
        /// How often it was rewound: what was read before is not wanted any more.
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

    /// - Parameter trailers: made when the source has ended.
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

    /// Goes back to the first byte, for a transport, which cannot wait for it: a source that cannot be read twice fails at its next
    /// read.
    func rewind() {
        let pass = startPass()
        let work: IOExecutor.Work = { [weak self] in
            guard let self, (try? goBack(pass)) != nil, startsReading(pass) else { return }
            readAll(pass)
        }
        queue.enqueue(work, orRefuse: { [weak self] in self?.refuse(pass) })
    }

    /// Goes back to the first byte, when the read that is under way has returned; throws where the source cannot be read twice.
    func rewound() async throws {
        let pass = startPass()
        // Whoever asks waits no longer than the call may last.
        guard
            case .done(let outcome) = await queue.run(
                until: OneShot(), { Result { try self.goBack(pass) } })
        else {
            throw refusal
        }
        try outcome.get()
    }

    /// The call is over: what its source has not given yet nobody waits for.
    func abandon() { queue.abandon() }

    /// Forgets what was read. Nothing is read before the source has gone back.
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
            // A source that goes back gives nothing to those who asked before.
            guard state.withLock({ $0.pass == pass }) else { return }
            let reading = read()
            if case .wait(let signal) = reading {
                if !signal.promisesBytes { noteWait(pass) }
                return wait(for: signal, pass)
            }
            keep(reading, pass)
        } while startsReading(pass)
    }

    /// Reads on when the signal fires, unless the source goes back before.
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
            // None at all are the end to a transport, too.
            case .bytes where !bytes.isEmpty:
                // A small piece does not hold a large one's memory.
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

    /// The source has nothing to give: whoever was told that bytes are coming asks again, and is told that.
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

/// A source that may never block, so that nobody has to read it ahead.
protocol ReadySource: RequestBodySource {
    var neverBlocks: Bool { get }
}

extension RequestBody {
    /// Goes back to the first byte, for a redirect or another try; false where the body cannot be sent twice.
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

    /// The same, read on the executor where reading may block.
    func readAhead(on io: IOExecutor) -> RequestBody {
        switch self {
        case .data: self
        case .source(let source as any ReadySource) where source.neverBlocks: self
        case .source(let source): .source(ReadAhead(source, on: io))
        }
    }
}
