import PatchbayPlatform
import PatchbayRegistry

/// One pass over a sequence of chunks, between the task that fetches them and the transport that reads them.
final class ChunkReading: Sendable {
    private struct State {
        /// What has not been read yet of the chunk that was fetched last. Its bytes may be the caller's own, with a deallocator.
        var chunk = Data()
        var end: Result<Void, any Error>?
        var isAbandoned = false
        /// Fires when the chunk is used up; nil where there is none.
        var used: OneShot?
        /// Fires when there is a chunk or the end; nil where nobody waits for it.
        var fetched: OneShot?
    }

    private let state = Guarded(State())
    private let fetching = Guarded<Task<Void, Never>?>(nil)

    init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) where Chunks.Element == Data {
        // Detached: the transport may read on a thread that another call's task has at the moment.
        let task = Task.detached { [weak self] in
            do {
                for try await chunk in chunks where !chunk.isEmpty {
                    guard let used = self?.offer(chunk) else { return }
                    await used.fired()
                }
                self?.end(.success(()))
            } catch {
                self?.end(.failure(error))
            }
        }
        fetching.withLock { $0 = task }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
        let (piece, used, dropped) = try state.withLock { state -> (RequestBodyPiece, OneShot?, Data?) in
            let chunk = state.chunk
            if chunk.isEmpty {
                if let end = state.end {
                    try end.get()
                    return (.end(), nil, nil)
                }
                let fetched = state.fetched ?? OneShot()
                state.fetched = fetched
                return (.wait(fetched), nil, nil)
            }
            let piece = chunk.prefix(buffer.count)
            buffer.copyBytes(from: piece)
            let isUsed = piece.count == chunk.count
            state.chunk = isUsed ? Data() : chunk.dropFirst(piece.count)
            return (.bytes(piece.count), isUsed ? state.used : nil, chunk)
        }
        withExtendedLifetime(dropped) {}
        used?.fire()
        return piece
    }

    func abandon() {
        let used = state.withLock { state in
            state.isAbandoned = true
            return state.used
        }
        fetching.withLock { $0 }?.cancel()
        used?.fire()
    }

    /// What to wait for before the next chunk is fetched; nil where none is wanted.
    private func offer(_ chunk: Data) -> OneShot? {
        let used = OneShot()
        let (isWanted, fetched, dropped) = state.withLock { state -> (Bool, OneShot?, OneShot?) in
            guard !state.isAbandoned else { return (false, nil, nil) }
            // Of the one before nothing is left.
            state.chunk = chunk
            defer { (state.used, state.fetched) = (used, nil) }
            return (true, state.fetched, state.used)
        }
        withExtendedLifetime(dropped) {}
        fetched?.fire()
        return isWanted ? used : nil
    }

    private func end(_ result: Result<Void, any Error>) {
        let fetched = state.withLock { state in
            state.end = result
            defer { state.fetched = nil }
            return state.fetched
        }
        fetched?.fire()
    }
}
