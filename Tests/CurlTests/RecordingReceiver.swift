import PatchbayManager
import PatchbayRegistry

/// Keeps everything that a transport hands over, and answers as the test says.
final class RecordingReceiver: ExchangeReceiver {
    struct Record: Sendable {
        var status: Int?
        var fields = HeaderFields()
        var body: [UInt8] = []
        var heads = 0
        var chunks = 0
        var offers = 0
        var sent = 0

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    let stop = Signal()
    private let state = Guarded(Record())
    private let answerHead: @Sendable (Int) -> Flow
    private let answerChunk: @Sendable (Record) -> Flow

    /// - Parameters:
    ///   - answerHead: asked with how often the head was offered, this time included.
    ///   - answerChunk: asked with the record before the chunk.
    init(
        answerHead: @escaping @Sendable (Int) -> Flow = { _ in .proceed },
        answerChunk: @escaping @Sendable (Record) -> Flow = { _ in .proceed }
    ) {
        self.answerHead = answerHead
        self.answerChunk = answerChunk
    }

    var record: Record { state.withLock { $0 } }

    func receive(status: Int, fields: HeaderFields) -> Flow {
        let heads = state.withLock { record in
            record.heads += 1
            (record.status, record.fields) = (status, fields)
            return record.heads
        }
        return answerHead(heads)
    }

    func receive(_ chunk: UnsafeRawBufferPointer) -> Flow {
        let record = state.withLock { record in
            record.offers += 1
            return record
        }
        let flow = answerChunk(record)
        guard case .proceed = flow else { return flow }
        state.withLock { record in
            record.chunks += 1
            record.body.append(contentsOf: chunk)
        }
        return flow
    }

    func sent(_ bytes: Int) { state.withLock { $0.sent += bytes } }
}
