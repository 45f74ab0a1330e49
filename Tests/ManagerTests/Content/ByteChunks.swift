import Foundation
import PatchbayManager
import PatchbayRegistry
import TestSupport

/// A sequence of texts that counts how many were fetched, and may fail or wait at its end.
struct ByteChunks: AsyncSequence, Sendable {
    typealias Element = Data

    enum End: Sendable { case over, failure, never }
    struct Broken: Error, Equatable {}

    let texts: [String]
    var end = End.over
    /// The texts fetched so far, over all passes.
    let fetched = Shared(0)
    /// Fires when a pass that never ends has given all its texts.
    let waits = OneShot()
    /// Fires when a pass that never ends is cancelled.
    let cancelled = OneShot()

    init(_ texts: [String], end: End = .over) {
        self.texts = texts
        self.end = end
    }

    struct Iterator: AsyncIteratorProtocol {
        typealias Element = Data

        let chunks: ByteChunks
        var index = 0

        mutating func next() async throws -> Data? {
            // As a network would, and so that every read has to wait.
            await Task.yield()
            guard index < chunks.texts.count else { return try await over() }
            defer { index += 1 }
            chunks.fetched.withLock { $0 += 1 }
            return Data(chunks.texts[index].utf8)
        }

        private func over() async throws -> Data? {
            switch chunks.end {
            case .over: return nil
            case .failure: throw Broken()
            case .never:
                chunks.waits.fire()
                do { try await Task.sleep(for: .seconds(3600)) } catch { chunks.cancelled.fire() }
                return nil
            }
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }
}
