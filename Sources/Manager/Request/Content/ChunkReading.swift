import PatchbayPlatform
import PatchbayRegistry

/// One pass over a sequence of chunks. A task fetches chunks into a mailbox of limited size. The transport reads from
/// the mailbox and never waits for foreign code.
final class ChunkReading: Sendable {
    private struct State {
        /// The mailbox signals news when a chunk has arrived or the sequence has ended.
        var mailbox = Mailbox(limit: ReadAhead.limit)
        var end: Result<Void, any Error>?
        var isAbandoned = false
    }

    private let state = Guarded(State())
    private let fetching = Guarded<Task<Void, Never>?>(nil)

    init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) where Chunks.Element == Data {
        // Detached: the transport can read on a thread that currently belongs to another call's task.
        let task = Task.detached { [weak self] in
            var count = 0
            do {
                for try await chunk in chunks {
                    count += 1
                    // Lets the tasks run that are ready: a sequence that always has a chunk never waits.
                    if count.isMultiple(of: 64) { await Task<Void, Never> {}.value }
                    var offset = 0
                    while let wait = self?.offer(chunk, from: &offset) { await wait.fired() }
                    if self?.isAbandoned ?? true { return }
                }
                self?.end(.success(()))
            } catch {
                self?.end(.failure(error))
            }
        }
        fetching.withLock { $0 = task }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
        let (piece, room) = try state.withLock { state -> (RequestBodyPiece, OneShot?) in
            let (count, room) = state.mailbox.copy(into: buffer)
            if count > 0 { return (.bytes(count), room) }
            guard let end = state.end else { return (.wait(state.mailbox.awaitNews()), nil) }
            try end.get()
            return (.end(), nil)
        }
        room?.fire()
        return piece
    }

    /// Ends the pass. Cancellation handlers are foreign code that can be slow, so they run on a task of their own.
    func abandon() {
        let room = state.withLock { state in
            state.isAbandoned = true
            return state.mailbox.removeAll()
        }
        let task = fetching.withLock { $0 }
        Task.detached { task?.cancel() }
        room?.fire()
    }

    private var isAbandoned: Bool { state.withLock(\.isAbandoned) }

    /// Puts the chunk from the offset on into the mailbox, a piece at a time, and moves the offset.
    /// - Returns: the signal to wait for before the rest; nil after the whole chunk, or if nobody reads any more.
    private func offer(_ chunk: Data, from offset: inout Int) -> OneShot? {
        while offset < chunk.count {
            let piece = offset..<min(chunk.count, offset + Mailbox.pieceSize)
            let (room, fetched) = state.withLock { state -> (OneShot?, OneShot?) in
                guard !state.isAbandoned else { return (nil, nil) }
                if let room = state.mailbox.room(for: piece.count) { return (room, nil) }
                chunk.withUnsafeBytes { state.mailbox.append(UnsafeRawBufferPointer(rebasing: $0[piece])) }
                return (nil, state.mailbox.takeNews())
            }
            fetched?.fire()
            if let room { return room }
            offset = piece.upperBound
        }
        return nil
    }

    private func end(_ result: Result<Void, any Error>) {
        let fetched = state.withLock { state in
            state.end = result
            return state.mailbox.takeNews()
        }
        fetched?.fire()
    }
}
