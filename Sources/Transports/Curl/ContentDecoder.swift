import PatchbayCodings
import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

/// Decodes the content codings of one body (RFC 9110, section 8.4), and knows whether each coding has reached its end.
///
/// The output of one coding waits in the buffer of its stage until the next stage, or the receiver, takes it. So
/// decoding can stop after any step, if the receiver waits or the limit of the turn is reached, and can continue from
/// that step.
final class ContentDecoder {
    /// The limit of decoding in one turn of the `EventLoop`, about 10 ms, during which other exchanges wait. The limit
    /// is in bytes: a step counts the bytes that it took and made, plus `stepWork`, because a step can take and make no
    /// bytes.
    static let turnWork = 4 << 20
    private static let stepWork = 1 << 10

    /// The codings in the order in which they are decoded.
    private let stages: [Stage]
    private let maximumOverhead: Int
    /// The number of bytes that the last stage has made.
    private var madeBytes = 0
    /// The number of decoded bytes of a chunk that was not taken completely. libcurl offers that chunk again.
    private var done = 0
    private var turn = 0
    private var work = 0

    /// The names of the codings that this process can decode, for Accept-Encoding; empty if it can decode no coding.
    static let names = ContentCoding.allCases.filter { $0.decoder() != nil }.map(\.rawValue)

    /// - Parameter names: the codings in the order in which they were applied, at least one.
    init(_ names: [String], _ limits: CurlLimits) throws(TransportFailure) {
        let limit = limits.contentCodings
        guard names.count <= limit else {
            let codings = limit == 1 ? "content coding" : "content codings"
            throw TransportFailure(.undecodableContent, "the body has more than \(limit) \(codings)")
        }
        var stages: [Stage] = []
        for name in names.reversed() {
            guard let coding = ContentCoding(name: name), let stage = Stage(coding) else {
                throw TransportFailure(
                    .undecodableContent, "the body has the content coding \(Self.shown(name)), which cannot be undone")
            }
            stages.append(stage)
        }
        self.stages = stages
        maximumOverhead = limits.codingOverhead
    }

    /// Whether every coding has reached its end. A body without bytes is complete as well.
    var isComplete: Bool { stages.allSatisfy(\.isComplete) }

    /// Decodes a chunk and passes the pieces to the receiver.
    ///
    /// - Parameter turn: the number of the loop's turn; the work in one turn is limited.
    /// - Returns: `.proceed` after the whole chunk was decoded and taken. After `.wait` the chunk must be offered again
    ///   when the signal has fired, possibly with more bytes after it; decoding continues after the last decoded byte.
    func decode(
        _ chunk: UnsafeRawBufferPointer, for receiver: any ExchangeReceiver, turn: Int
    ) throws(TransportFailure) -> TransportFlow {
        if turn != self.turn { (self.turn, work) = (turn, 0) }
        var rest = UnsafeRawBufferPointer(rebasing: chunk.dropFirst(done))
        done -= chunk.count - rest.count
        let flow = try decode(&rest, for: receiver)
        if case .wait = flow { done += chunk.count - rest.count }
        return flow
    }

    private func decode(
        _ rest: inout UnsafeRawBufferPointer, for receiver: any ExchangeReceiver
    ) throws(TransportFailure) -> TransportFlow {
        while let last = stages.last {
            if receiver.stop.hasFired { return .stop }
            if !last.output.isEmpty {
                switch receiver.receive(last.output) {
                case .proceed: last.drop(last.output.count)
                case .stop: return .stop
                case .wait(let signal): return .wait(signal)
                }
            }
            // Runs the last stage that can run, so that at most one piece of output waits before each stage.
            let next = stages.indices.last { stages[$0].canRun(on: $0 == 0 ? rest : stages[$0 - 1].output) }
            guard let next else { break }
            guard work < Self.turnWork else {
                // The signal has fired: libcurl offers the chunk again in the next turn of the `EventLoop`.
                let signal = OneShot()
                signal.fire()
                return .wait(signal)
            }
            try run(next, &rest)
        }
        return .proceed
    }

    private func run(_ index: Int, _ rest: inout UnsafeRawBufferPointer) throws(TransportFailure) {
        let stage = stages[index]
        let taken = try stage.run(on: index == 0 ? rest : stages[index - 1].output)
        if index == 0 {
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(taken))
        } else {
            stages[index - 1].drop(taken)
        }
        if index == stages.count - 1 { madeBytes += stage.output.count }
        work += Self.stepWork + taken + stage.output.count
        guard stage.takenBytes - madeBytes <= maximumOverhead else {
            throw TransportFailure(
                .undecodableContent,
                "the content codings of the body take over \(maximumOverhead) bytes that give nothing")
        }
    }

    /// The name of a coding from the response, made safe for the sentence of an error.
    private static func shown(_ name: String) -> String {
        let limit = 40
        let text = name.unicodeScalars.prefix(limit).map { scalar in
            (" "..."~").contains(scalar) && scalar != "\"" && scalar != "\\" ? Character(scalar) : "?"
        }
        return "\"\(String(text))\(name.unicodeScalars.count > limit ? "…" : "")\""
    }
}

extension ContentDecoder {
    /// One coding: its decoder and the buffer for its output.
    fileprivate final class Stage {
        private static let pieceBytes = 64 << 10

        private let decoder: any BodyDecoder
        private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 16)
        /// The decoded bytes that the next stage or the receiver has not taken. `output` points into `buffer`, so
        /// writing to `buffer` would change bytes that are still needed. So `run` is called only while `output` is
        /// empty, which `canRun` checks. The buffer lives as long as the stage.
        private(set) var output = UnsafeRawBufferPointer(start: nil, count: 0)
        private(set) var takenBytes = 0
        /// Whether the buffer was full, so that there can be more output without input.
        private var wasFull = false
        private var hasEnded = false

        var isComplete: Bool { hasEnded || takenBytes == 0 }

        init?(_ coding: ContentCoding) {
            guard let decoder = coding.decoder() else { return nil }
            self.decoder = decoder
        }

        deinit { buffer.deallocate() }

        func canRun(on input: UnsafeRawBufferPointer) -> Bool { output.isEmpty && (wasFull || !input.isEmpty) }

        /// Decodes once, into `output`, which must be empty.
        /// - Returns: the number of input bytes taken.
        func run(on input: UnsafeRawBufferPointer) throws(TransportFailure) -> Int {
            if hasEnded {
                wasFull = false
                guard !input.isEmpty else { return 0 }
                guard decoder.restart() else { throw .brokenCoding }
            }
            var (rest, room) = (input, buffer)
            hasEnded = try decoder.decode(&rest, into: &room)
            let (taken, made) = (input.count - rest.count, buffer.count - room.count)
            guard taken > 0 || made > 0 || input.isEmpty else { throw .brokenCoding }
            takenBytes += taken
            wasFull = made == buffer.count
            output = UnsafeRawBufferPointer(rebasing: buffer[..<made])
            return taken
        }

        func drop(_ count: Int) { output = UnsafeRawBufferPointer(rebasing: output.dropFirst(count)) }
    }
}
