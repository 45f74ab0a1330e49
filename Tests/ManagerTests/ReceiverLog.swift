import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

/// Writes down what a transport delivers and answers each piece, counted from 1, as the test says.
final class ReceiverLog: ExchangeReceiver {
    private struct State {
        var events: [String] = []
        var pieces = 0
        var waiting: [(piece: Int, signal: OneShot)] = []
    }

    let stop = OneShot()
    private let state = Guarded(State())
    private let answer: @Sendable (Int) -> TransportFlow

    init(_ answer: @escaping @Sendable (Int) -> TransportFlow = { _ in .proceed }) {
        self.answer = answer
    }

    var events: [String] { state.withLock { $0.events } }

    func receive(status: Int, fields: HeaderFields) -> TransportFlow {
        piece((["head \(status)"] + fields.map { "\($0.name): \($0.value)" }).joined(separator: " "))
    }

    func receive(_ chunk: UnsafeRawBufferPointer) -> TransportFlow {
        piece("chunk \(String(decoding: chunk, as: UTF8.self))")
    }

    func sent(_ bytes: Int) { state.withLock { $0.events.append("sent \(bytes)") } }

    /// Waits until so many pieces were offered.
    func asked(_ piece: Int) async {
        let signal = OneShot()
        let already = state.withLock { state in
            state.waiting.append((piece, signal))
            return state.pieces >= piece
        }
        if already { signal.fire() }
        await signal.fired()
    }

    private func piece(_ event: String) -> TransportFlow {
        let (count, due) = state.withLock { state in
            state.events.append(event)
            state.pieces += 1
            return (state.pieces, state.waiting.filter { $0.piece <= state.pieces }.map(\.signal))
        }
        for signal in due { signal.fire() }
        return answer(count)
    }
}
