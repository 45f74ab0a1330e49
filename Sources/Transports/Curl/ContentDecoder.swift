import CPatchbayCurl
import PatchbayManager
import PatchbayRegistry

/// Undoes the content codings of one body (RFC 9110, section 8.4), and knows whether it has seen the end of each.
final class ContentDecoder {
    /// Codings beyond this many are an attack.
    private static let maximumCodings = 5

    private let stages: [Stage]

    /// The names that this process can undo, for Accept-Encoding; empty where it can undo none.
    static let names: [String] = [
        ("gzip", PATCHBAY_CODING_GZIP), ("deflate", PATCHBAY_CODING_DEFLATE), ("br", PATCHBAY_CODING_BROTLI),
        ("zstd", PATCHBAY_CODING_ZSTD),
    ].filter { patchbay_coding_is_there($0.1) != 0 }.map(\.0)

    /// Nil where there is nothing to undo.
    init?(_ fields: HeaderFields) throws(TransportFailure) {
        guard fields["Content-Encoding"] != nil else { return nil }
        let names = fields.members(of: "Content-Encoding").map { $0.lowercased() }
            // `none` is no coding, but what some say for it.
            .filter { !["", "identity", "none"].contains($0) }
        guard !names.isEmpty else { return nil }
        guard names.count <= Self.maximumCodings else {
            throw TransportFailure(.undecodableContent, "the body has more than \(Self.maximumCodings) content codings")
        }
        var stages: [Stage] = []
        for name in names.reversed() {
            guard let coding = Self.coding(name), let stage = Stage(coding) else {
                throw TransportFailure(.undecodableContent, "the body has a content coding that cannot be undone")
            }
            stages.append(stage)
        }
        self.stages = stages
    }

    /// Whether every coding has come to its end. A body of no bytes at all is complete, too.
    var isComplete: Bool { stages.allSatisfy(\.isComplete) }

    /// Decodes a chunk and hands the pieces over as they come, until `take` returns false.
    /// - Returns: false where `take` did.
    func decode(
        _ chunk: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool
    ) throws(TransportFailure) -> Bool {
        try decode(chunk, stages[...], take)
    }

    /// One stage after the other; at most `maximumCodings` deep.
    private func decode(
        _ chunk: UnsafeRawBufferPointer, _ stages: ArraySlice<Stage>, _ take: (UnsafeRawBufferPointer) -> Bool
    ) throws(TransportFailure) -> Bool {
        guard let stage = stages.first else { return chunk.isEmpty || take(chunk) }
        var rest = chunk[...]
        while true {
            let (taken, piece) = try stage.run(UnsafeRawBufferPointer(rebasing: rest))
            rest = rest.dropFirst(taken)
            if !piece.isEmpty, try !decode(piece, stages.dropFirst(), take) { return false }
            // A full piece may have more behind it without any input.
            if rest.isEmpty, piece.count < Stage.pieceBytes { return true }
        }
    }

    private static func coding(_ name: String) -> patchbay_coding? {
        switch name {
        case "gzip", "x-gzip": PATCHBAY_CODING_GZIP
        case "deflate": PATCHBAY_CODING_DEFLATE
        case "br": PATCHBAY_CODING_BROTLI
        case "zstd": PATCHBAY_CODING_ZSTD
        default: nil
        }
    }
}

extension ContentDecoder {
    /// One coding: a decoder of the C door and the buffer that it writes to.
    fileprivate final class Stage {
        static let pieceBytes = 64 << 10

        private let decoder: UnsafeMutableRawPointer
        private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 16)
        private var hasBegun = false
        private var hasEnded = false

        var isComplete: Bool { hasEnded || !hasBegun }

        init?(_ coding: patchbay_coding) {
            guard let decoder = patchbay_decoder_open(coding) else { return nil }
            self.decoder = decoder
        }

        deinit {
            patchbay_decoder_close(decoder)
            buffer.deallocate()
        }

        /// How many bytes were taken, and what they gave; that is valid until the next call.
        func run(_ input: UnsafeRawBufferPointer) throws(TransportFailure) -> (Int, UnsafeRawBufferPointer) {
            guard let start = input.baseAddress, let output = buffer.baseAddress else {
                return (0, .init(start: nil, count: 0))
            }
            if !input.isEmpty { hasBegun = true }
            var taken = 0
            var made = 0
            let state = patchbay_decoder_run(
                decoder, start.assumingMemoryBound(to: UInt8.self), input.count, &taken,
                output.assumingMemoryBound(to: UInt8.self), buffer.count, &made)
            guard state != PATCHBAY_DECODING_BROKEN, taken > 0 || made > 0 || input.isEmpty else {
                throw TransportFailure(.undecodableContent, "the content coding of the body is broken")
            }
            hasEnded = state == PATCHBAY_DECODING_ENDED
            return (taken, UnsafeRawBufferPointer(rebasing: buffer[..<made]))
        }
    }
}
