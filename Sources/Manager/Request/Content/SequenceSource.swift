import PatchbayPlatform
import PatchbayRegistry

/// Reads a body from an asynchronous sequence of chunks, or of elements that are written. A task fetches them, at most
/// 256 KiB ahead. The transport never waits for foreign code.
final class SequenceSource<Elements: AsyncSequence & Sendable>: ReadySource {
    private struct State {
        var pipe = BodyPipe<any Error>(limit: FetchedSource.limit)
        /// Fetches the elements; nil before the first read of a pass.
        var fetching: Task<Void, Never>?
        /// The number of passes that have ended.
        var pass = 0
        var hasBegun = false
    }

    let length: Int64?
    /// A separate task waits for the elements.
    let neverBlocks = true
    private let make: @Sendable () throws -> Elements
    private let write: @Sendable (Elements.Element, _ place: Int) throws -> Data
    private let isRepeatable: Bool
    private let state = Guarded(State())

    /// - Parameters:
    ///   - make: called at the first read, and at the first read after each `rewind`.
    ///   - write: the bytes of an element at its place in a pass, counted from 0.
    init(
        length: Int64? = nil, isRepeatable: Bool = true, _ make: @escaping @Sendable () throws -> Elements,
        write: @escaping @Sendable (Elements.Element, _ place: Int) throws -> Data
    ) {
        (self.length, self.make, self.write, self.isRepeatable) = (length, make, write, isRepeatable)
    }

    convenience init(
        length: Int64? = nil, isRepeatable: Bool = true, _ make: @escaping @Sendable () throws -> Elements
    ) where Elements.Element == Data {
        self.init(length: length, isRepeatable: isRepeatable, make) { chunk, _ in chunk }
    }

    deinit { abandon() }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
        let newPass = state.withLock { state -> Int? in
            state.hasBegun = true
            return state.fetching == nil ? state.pass : nil
        }
        if let newPass {
            let task = fetching(try make(), newPass)
            state.withLock { $0.fetching = task }
        }
        return try state.waking { try $0.pipe.read(into: buffer, &$1) }
    }

    func rewind() throws {
        abandon()
        if !isRepeatable, state.withLock(\.hasBegun) { throw ContentFailure.alreadySent }
    }

    /// Ends the pass. Cancellation handlers are foreign code that can be slow, so they run on a task of their own.
    private func abandon() {
        let task = state.waking { state, wakes in
            state.pass += 1
            state.pipe.open(&wakes)
            return state.fetching.take()
        }
        if let task { Task.detached { task.cancel() } }
    }

    /// Fetches the elements into the pipe. Detached: the transport can read on a thread that currently belongs to another
    /// call's task.
    private func fetching(_ elements: Elements, _ pass: Int) -> Task<Void, Never> {
        Task.detached { [weak self, write] in
            var count = 0
            do {
                for try await element in elements {
                    var rest = try write(element, count)
                    count += 1
                    if count.isMultiple(of: 64) { await giveWay() }
                    repeat {
                        let piece = rest.prefix(BodyPipe<any Error>.pieceSize)
                        switch self?.write(piece, pass) ?? .stop {
                        case .proceed: rest = rest.dropFirst(piece.count)
                        case .wait(let room): await room.fired()
                        case .stop: return
                        }
                    } while !rest.isEmpty
                }
                self?.end(.success([:]), pass)
            } catch {
                self?.end(.failure(error), pass)
            }
        }
    }

    private func write(_ piece: Data, _ pass: Int) -> TransportFlow {
        state.waking { state, wakes in
            pass == state.pass ? piece.withUnsafeBytes { state.pipe.write($0, &wakes) } : .stop
        }
    }

    private func end(_ result: Result<HeaderFields, any Error>, _ pass: Int) {
        state.waking { state, wakes in if pass == state.pass { state.pipe.finish(result, &wakes) } }
    }
}

extension AsyncSequence where Self: Sendable {
    /// Returns a function that gives the sequence: for each pass if `isRepeatable`, otherwise for the first pass only,
    /// however many bodies are made of the sequence.
    func pass(isRepeatable: Bool) -> @Sendable () throws -> Self {
        guard !isRepeatable else { return { self } }
        let once = Guarded<Self?>(self)
        return {
            guard let elements = once.withLock({ $0.take() }) else { throw ContentFailure.alreadySent }
            return elements
        }
    }
}

extension ContentFailure {
    static let alreadySent = ContentFailure(
        .alreadySent, "its sequence was sent before, and can be sent once only (isRepeatable is false)")
}
