import PatchbayCodings
import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayCurl

/// The decoder by itself, fed as libcurl feeds it.
@Suite struct ContentDecoderTests {
    struct Coded: Sendable, CustomTestStringConvertible {
        let coding: String
        let bytes: [UInt8]
        let plain: [UInt8]
        var testDescription: String { coding }
    }

    private static let text = Array(CodedBody.text.utf8)

    /// Each coding alone, made small and made by hand, and each pair of them.
    static let bodies: [Coded] =
        CodedBody.all.map { Coded(coding: $0.coding, bytes: $0.bytes, plain: text) }
        + StoredCoding.allCases.map { Coded(coding: $0.rawValue, bytes: $0.code(text), plain: text) }
        + StoredCoding.allCases.flatMap { outer in
            CodedBody.all.dropLast().map {
                Coded(coding: "\($0.coding), \(outer)", bytes: outer.code($0.bytes), plain: text)
            }
        }

    /// Places in a body: every one of a short body, and of a longer one about 200.
    private func places(_ bytes: [UInt8]) -> some Sequence<Int> {
        stride(from: 1, to: bytes.count, by: 1 + bytes.count / 200)
    }

    enum End: Equatable {
        case whole([UInt8])
        /// Every byte was taken, but a coding has not come to its end.
        case open
        case broken
    }

    /// Offers the bytes in chunks as libcurl does: what was not taken comes again, cut in another place or with more behind it.
    ///
    /// - Parameters:
    ///   - sizes: how long the next chunk is.
    ///   - waits: whether the receiver waits at the next offer.
    private func play(
        _ bytes: [UInt8], _ coding: String, sizes: () -> Int, waits: @escaping @Sendable () -> Bool = { false }
    ) throws -> End {
        let fields: HeaderFields = ["Content-Encoding": coding]
        let decoder = try ContentDecoder(fields.contentCodings, CurlLimits())
        let receiver = RecordingReceiver(answerChunk: { _ in waits() ? .wait(OneShot()) : .proceed })
        var rest = bytes[...]
        var turn = 0
        while !rest.isEmpty {
            let chunk = rest.prefix(max(1, sizes()))
            turn += 1
            do {
                switch try chunk.withUnsafeBytes({ try decoder.decode($0, for: receiver, turn: turn) }) {
                case .proceed: rest = rest.dropFirst(chunk.count)
                case .wait: continue
                case .stop: Issue.record("nobody asked for a stop")
                }
            } catch is TransportFailure {
                return .broken
            }
        }
        return decoder.isComplete ? .whole(receiver.record.body) : .open
    }

    @Test("Wherever a coded body is split, and byte by byte, it is the same", arguments: bodies)
    func splits(_ coded: Coded) throws {
        #expect(try play(coded.bytes, coded.coding, sizes: { 1 }) == .whole(coded.plain))
        for split in places(coded.bytes) {
            var sizes = [split, coded.bytes.count].makeIterator()
            let end = try play(coded.bytes, coded.coding, sizes: { sizes.next() ?? 1 })
            #expect(end == .whole(coded.plain), "split at \(split)")
        }
    }

    @Test("Whenever its receiver waits, it is the same", arguments: bodies)
    func waits(_ coded: Coded) throws {
        // Large enough for several pieces between the codings, and behind them.
        let long = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 9) }
        let last = StoredCoding.allCases.first { coded.coding.hasSuffix($0.rawValue) } ?? .gzip
        let stack = Coded(coding: "zstd, \(last)", bytes: last.code(StoredCoding.zstd.code(long)), plain: long)
        for seed in 0..<6 as Range<UInt64> {
            for (body, largest) in [(coded, 100), (stack, 60_000)] {
                let random = Guarded(SplitMix(seed: seed))
                let end = try play(
                    body.bytes, body.coding, sizes: { random.withLock { Int.random(in: 1...largest, using: &$0) } },
                    waits: { random.withLock { Int.random(in: 0..<3, using: &$0) == 0 } })
                #expect(end == .whole(body.plain), "seed \(seed)")
            }
        }
    }

    @Test("Cut anywhere it is no success, and neither is what has bytes behind it", arguments: bodies)
    func damaged(_ coded: Coded) throws {
        for count in places(coded.bytes) {
            let random = Guarded(SplitMix(seed: UInt64(count)))
            let end = try play(
                Array(coded.bytes.prefix(count)), coded.coding,
                sizes: { random.withLock { Int.random(in: 1...400, using: &$0) } },
                waits: { random.withLock { Int.random(in: 0..<3, using: &$0) == 0 } })
            #expect(end == .open, "cut after \(count)")
        }
        for size in [1, 7, 100_000] {
            #expect(try play(coded.bytes + [0x47, 0x47, 0x47, 0x47], coded.coding, sizes: { size }) == .broken)
        }
    }

    @Test("Bytes that were changed give the same whether they come at once or piece by piece", arguments: bodies)
    func changed(_ coded: Coded) throws {
        var random = SplitMix(seed: 11)
        for _ in 0..<40 {
            var bytes = coded.bytes
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let whole = try play(bytes, coded.coding, sizes: { bytes.count })
            #expect(try play(bytes, coded.coding, sizes: { 1 }) == whole)
            #expect(try play(bytes, coded.coding, sizes: { Int.random(in: 1...99, using: &random) }) == whole)
        }
    }

    @Test("A turn decodes so much and not more, and takes a chunk up again where it was")
    func turns() throws {
        let decoder = try ContentDecoder(["gzip"], CurlLimits())
        let receiver = RecordingReceiver()
        let bomb = GzipMember.bomb
        var turns = 0
        var offers = 0
        var taken = false
        while !taken {
            turns += 1
            let before = receiver.counts.bytes
            // A second offer in a turn gets no further.
            for _ in 0..<2 where !taken {
                offers += 1
                let flow = try bomb.withUnsafeBytes { try decoder.decode($0, for: receiver, turn: turns) }
                switch flow {
                case .proceed: taken = true
                case .wait(let signal): try #require(signal.hasFired)
                case .stop: Issue.record("nobody asked for a stop")
                }
            }
            #expect(receiver.counts.bytes - before <= ContentDecoder.turnWork + (64 << 10))
            try #require(turns < 1_000)
        }
        #expect(turns >= (64 << 20) / ContentDecoder.turnWork)
        #expect(receiver.counts.bytes >= 64 << 20)
        #expect(!decoder.isComplete)
    }

    @Test("A receiver's signal to stop is seen between two pieces")
    func stop() throws {
        let decoder = try ContentDecoder(["gzip"], CurlLimits())
        let stop = Guarded<OneShot?>(nil)
        let receiver = RecordingReceiver(answerChunk: { counts in
            if counts.offers == 3 { stop.withLock { $0 }?.fire() }
            return .proceed
        })
        stop.withLock { $0 = receiver.stop }
        let flow = try GzipMember.bomb.withUnsafeBytes { try decoder.decode($0, for: receiver, turn: 1) }
        guard case .stop = flow else {
            Issue.record("\(flow)")
            return
        }
        #expect(receiver.counts.offers == 3)
    }
}
