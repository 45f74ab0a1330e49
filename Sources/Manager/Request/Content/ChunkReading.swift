import PatchbayPlatform
import PatchbayRegistry

/// One pass over a sequence of chunks, between the task that fetches them and the transport that reads them.
final class ChunkReading: Sendable {
    private struct State {
        /// What has not been read yet of the chunk that was fetched last.
        var chunk = Data()
        var end: Result<Void, any Error>?
        var isAbandoned = false
        /// Fires when the chunk is used up; nil where there is none.
        var used: StopSignal?
        /// Fires when there is a chunk or the end; nil where nobody waits for it.
        var fetched: StopSignal?
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
        let (piece, used) = try state.withLock { state -> (RequestBodyPiece, StopSignal?) in
            if state.chunk.isEmpty {
                if let end = state.end {
                    try end.get()
                    return (.end, nil)
                }
                let fetched = state.fetched ?? StopSignal()
                state.fetched = fetched
                return (.wait(fetched), nil)
            }
            let piece = state.chunk.prefix(buffer.count)
            buffer.copyBytes(from: piece)
            state.chunk = state.chunk.dropFirst(piece.count)
            return (.bytes(piece.count), state.chunk.isEmpty ? state.used : nil)
        }
        used?.fire()
        return piece
    }

    /// No more will be read.
    func abandon() {
        let used = state.withLock { state in
            state.isAbandoned = true
            return state.used
        }
        fetching.withLock { $0 }?.cancel()
        used?.fire()
    }

    /// What to wait for before the next chunk is fetched; nil where none is wanted.
    private func offer(_ chunk: Data) -> StopSignal? {
        let used = StopSignal()
        let (isWanted, fetched) = state.withLock { state in
            guard !state.isAbandoned else { return (false, StopSignal?.none) }
            state.chunk = chunk
            state.used = used
            defer { state.fetched = nil }
            return (true, state.fetched)
        }
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
