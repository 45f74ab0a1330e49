import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

/// Keeps what a transport delivers and answers each piece, counted from 1, as the test says.
final class Recorder: ExchangeReceiver {
    struct Record: Sendable {
        var heads: [(status: Int, fields: HeaderFields)] = []
        var body: [UInt8] = []
        var sent = 0
        var pieces = 0

        var status: Int? { heads.first?.status }
        var fields: HeaderFields { heads.first?.fields ?? [:] }
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    let stop = OneShot()
    /// Fires when nobody holds the recorder any more.
    let released = OneShot()
    private let state = Guarded(Record())
    private let answer: @Sendable (Int) -> TransportFlow

    init(_ answer: @escaping @Sendable (Int) -> TransportFlow = { _ in .proceed }) { self.answer = answer }

    deinit { released.fire() }

    var record: Record { state.withLock { $0 } }

    func receive(status: Int, fields: HeaderFields) -> TransportFlow {
        let flow = next()
        if case .proceed = flow { state.withLock { $0.heads.append((status, fields)) } }
        return flow
    }

    func receive(_ chunk: UnsafeRawBufferPointer) -> TransportFlow {
        let flow = next()
        if case .proceed = flow {
            let bytes = Array(chunk)
            state.withLock { $0.body += bytes }
        }
        return flow
    }

    func sent(_ bytes: Int) { state.withLock { $0.sent += bytes } }

    private func next() -> TransportFlow {
        let piece = state.withLock { state in
            state.pieces += 1
            return state.pieces
        }
        return answer(piece)
    }
}
