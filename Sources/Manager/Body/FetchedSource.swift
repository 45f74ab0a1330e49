import PatchbayPlatform
import PatchbayRegistry

/// Reads a source that can block, on the `IOExecutor` and a little ahead of the transport. So the transport never waits
/// for a disk or foreign code: if no bytes are ready, `read` returns `.wait`.
///
/// The source is read by one thread at a time and in order: `rewind` takes effect after the running read. A source that
/// is released during a read is deallocated after that read.
final class FetchedSource: RequestBodySource {
    /// The limit of the bytes that wait for the transport. The next piece is read only if it fits into the limit.
    static let limit = 256 << 10

    private struct State {
        /// The bytes that were read and that the transport has not taken. More bytes are promised until the source has no
        /// bytes ready: a source that always has bytes ready is read as fast as its disk allows.
        var pipe = BodyPipe<any Error>(limit: FetchedSource.limit, promisesBytes: true)
        /// Whether the source is being read, or its signal is waited for.
        var isReading = false
        /// Continues reading when the signal of the source fires; nil if the source gave no signal.
        var listener: OneShot.Listener?
        /// The number of rewinds that have not taken effect. Until then, nothing is read.
        var rewinds = 0
        /// The number of rewinds. Whatever a read from before the last one gives is dropped.
        var pass = 0

        /// Whether a read of this pass goes on with the next piece.
        mutating func goesOn(_ pass: Int) -> Bool {
            guard pass == self.pass else { return false }
            isReading = rewinds == 0 && pipe.end == nil && pipe.fits(BodyPipe<any Error>.pieceSize)
            return isReading
        }

        /// The pass whose reading is to begin; nil if it has begun.
        mutating func startsReading() -> Int? { !isReading && goesOn(pass) ? pass : nil }
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

    deinit { state.withLock { $0.listener.take() }?.remove() }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
        let (piece, pass) = try state.waking { state, wakes in
            (try state.pipe.read(into: buffer, &wakes), state.startsReading())
        }
        if let pass { readOn(pass) }
        return piece
    }

    /// Rewinds to the first byte without waiting, because a transport can't wait. If the source can be read only once,
    /// the next `read` throws.
    func rewind() {
        beginRewind()
        let work: IOExecutor.Work = { [weak self] in
            if let self, (try? goBack()) != nil { readAll(state.withLock(\.pass)) }
        }
        queue.enqueue(work, orRefuse: { [weak self] in if let self { endRewind(.failure(refusal)) } })
    }

    /// Rewinds to the first byte, after the running read. Throws if the source can be read only once.
    func rewound() async throws {
        beginRewind()
        // The wait lasts at most as long as the call.
        guard case .done(let outcome) = await queue.run(until: OneShot(), { Result { try self.goBack() } }) else {
            throw refusal
        }
        try outcome.get()
    }

    /// Called when the call has ended. If a read of the source hangs, its thread then counts as lost.
    func abandon() { queue.abandon() }

    /// Drops the bytes that were read.
    private func beginRewind() {
        let listener = state.waking { state, wakes in
            (state.rewinds, state.pass) = (state.rewinds + 1, state.pass + 1)
            state.pipe.open(&wakes)
            return state.listener.take()
        }
        listener?.remove()
    }

    private func goBack() throws {
        let outcome = Result { try source.rewind() }
        endRewind(outcome)
        try outcome.get()
    }

    private func endRewind(_ outcome: Result<Void, any Error>) {
        state.waking { state, wakes in
            (state.rewinds, state.isReading) = (state.rewinds - 1, false)
            if case .failure(let error) = outcome, state.rewinds == 0 { state.pipe.finish(.failure(error), &wakes) }
        }
    }

    private var refusal: ContentFailure { ContentFailure(.unreadableFile, queue.executor.exhaustion) }

    private func readOn(_ pass: Int) {
        queue.enqueue(
            { [weak self] in self?.readAll(pass) },
            orRefuse: { [weak self] in
                if let self { change(pass) { $0.finish(.failure(refusal), &$1) } }
            })
    }

    private func readAll(_ pass: Int) {
        while state.withLock({ $0.goesOn(pass) }) {
            var piece = RequestBodyPiece.end()
            do {
                let bytes = try [UInt8](unsafeUninitializedCapacity: BodyPipe<any Error>.pieceSize) { buffer, count in
                    piece = try source.checkedRead(into: UnsafeMutableRawBufferPointer(buffer))
                    if case .bytes(let read) = piece { count = read }
                }
                switch piece {
                case .wait(let signal): return wait(for: signal, pass)
                case .bytes:
                    // Copied, so that a small piece does not keep a large buffer alive.
                    let kept = bytes.count < BodyPipe<any Error>.pieceSize / 2 ? Array(bytes[...]) : bytes
                    change(pass) { _ = $0.write(kept, &$1) }
                case .end(let trailers):
                    let fields =
                        try self.fields.map { HeaderFields(Array(trailers) + Array(try $0.fields())) } ?? trailers
                    change(pass) { $0.finish(.success(fields), &$1) }
                }
            } catch {
                change(pass) { $0.finish(.failure(error), &$1) }
            }
        }
    }

    /// Continues reading when the signal fires, unless the source is rewound first.
    private func wait(for signal: OneShot, _ pass: Int) {
        // A transport that was promised bytes is woken, so that it reads again and gets a signal without that promise.
        if !signal.promisesBytes { change(pass) { $0.breakPromise(&$1) } }
        let listener = signal.listen { [weak self] in self?.readOn(pass) }
        let dropped = state.withLock { state -> OneShot.Listener? in
            guard state.pass == pass else { return listener }
            defer { state.listener = listener }
            return state.listener
        }
        dropped?.remove()
    }

    /// Changes the pipe, unless the source was rewound since the pass began.
    private func change(_ pass: Int, _ change: (inout BodyPipe<any Error>, inout Wakes) -> Void) {
        state.waking { state, wakes in if state.pass == pass { change(&state.pipe, &wakes) } }
    }
}

/// A source that knows whether its reads can block. If they never block, the source is not read ahead.
protocol ReadySource: RequestBodySource {
    var neverBlocks: Bool { get }
}

extension RequestBody {
    /// Rewinds the body for a redirect or another attempt.
    /// - Returns: the reason that the body can't be sent twice; nil if it can.
    func rewindFailure() async -> Refusal? {
        do {
            switch self {
            case .data: break
            case .source(let source as FetchedSource): try await source.rewound()
            case .source(let source): try source.rewind()
            }
            return nil
        } catch let failure as ContentFailure where failure.code != .alreadySent {
            return Refusal("the body of the request cannot be sent again: \(failure.reason)")
        } catch {
            return Refusal("the body of the request cannot be sent twice")
        }
    }

    /// Returns the body. If reading the body can block, it is wrapped in a `FetchedSource`.
    func readAhead(on io: IOExecutor) -> RequestBody {
        switch self {
        case .data: self
        case .source(let source as any ReadySource) where source.neverBlocks: self
        case .source(let source): .source(FetchedSource(source, on: io))
        }
    }

    /// Stops waiting for a source that can block.
    func abandon() {
        if case .source(let source as FetchedSource) = self { source.abandon() }
    }
}
