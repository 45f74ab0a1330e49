import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry
import TestSupport

/// Keeps everything that a transport hands over, and answers as the test says.
final class RecordingReceiver: ExchangeReceiver {
    struct Record: Sendable {
        var status: Int?
        var fields = HeaderFields()
        var body: [UInt8] = []
        var trailers = HeaderFields()
        var counts = Counts()

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    struct Counts: Sendable {
        var heads = 0
        /// Pieces of the body that were offered, and those of them that were taken.
        var offers = 0
        var chunks = 0
        var bytes = 0
        var sent = 0
    }

    let stop = OneShot()
    private let state = Guarded(Record())
    private let answerHead: @Sendable (Int) -> TransportFlow
    private let answerChunk: @Sendable (Counts) -> TransportFlow

    /// - Parameters:
    ///   - answerHead: asked with how often the head was offered, this time included.
    ///   - answerChunk: asked with the counts, this offer included.
    init(
        answerHead: @escaping @Sendable (Int) -> TransportFlow = { _ in .proceed },
        answerChunk: @escaping @Sendable (Counts) -> TransportFlow = { _ in .proceed }
    ) {
        self.answerHead = answerHead
        self.answerChunk = answerChunk
    }

    /// One that waits at offers of a generator's choice, for a signal that somebody else fires, or that has fired.
    static func hesitant(_ seed: UInt64) -> RecordingReceiver {
        let random = Guarded(SplitMix(seed: seed))
        return RecordingReceiver(answerChunk: { _ in
            let choice = random.withLock { Int.random(in: 0..<4, using: &$0) }
            guard choice < 2 else { return .proceed }
            let signal = OneShot()
            if choice == 0 { signal.fire() } else { Task { signal.fire() } }
            return .wait(signal)
        })
    }

    /// What a receiver waits for once.
    enum Wait: String, CaseIterable, Sendable {
        case none, head, piece, headAndPiece

        var receiver: RecordingReceiver {
            RecordingReceiver(
                answerHead: { $0 == 1 && (self == .head || self == .headAndPiece) ? Self.shortly : .proceed },
                answerChunk: { $0.offers == 1 && (self == .piece || self == .headAndPiece) ? Self.shortly : .proceed })
        }

        private static var shortly: TransportFlow {
            let signal = OneShot()
            Task { signal.fire() }
            return .wait(signal)
        }
    }

    var record: Record { state.withLock { $0 } }
    var counts: Counts { state.withLock(\.counts) }

    func receive(status: Int, fields: HeaderFields) -> TransportFlow {
        let heads = state.withLock { record in
            record.counts.heads += 1
            (record.status, record.fields) = (status, fields)
            return record.counts.heads
        }
        return answerHead(heads)
    }

    func receive(_ chunk: UnsafeRawBufferPointer) -> TransportFlow {
        let counts = state.withLock { record in
            record.counts.offers += 1
            return record.counts
        }
        let flow = answerChunk(counts)
        guard case .proceed = flow else { return flow }
        state.withLock { record in
            record.counts.chunks += 1
            record.counts.bytes += chunk.count
            record.body.append(contentsOf: chunk)
        }
        return flow
    }

    func receive(trailers: HeaderFields) { state.withLock { $0.trailers = trailers } }

    func sent(_ bytes: Int) { state.withLock { $0.counts.sent += bytes } }
}
