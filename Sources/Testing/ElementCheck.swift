import PatchbayRegistry

/// One run over the samples of one serializer of elements.
struct ElementCheck<Element: Equatable & Sendable> {
    typealias MakeParser = (ResponseHead, _ maximumElementBytes: Int) throws -> any ElementParser<Element>

    let findings: Findings
    let makeParser: MakeParser

    /// - Parameter checksQuotes: whether errors are searched for quotes of the bodies; false if the whole bodies were
    ///   checked before.
    func run(
        good: [ElementSample<Element>], bad: [ElementSample<Element>], unfinished: ConformanceSample?,
        checksQuotes: Bool
    ) {
        for sample in good { check(sample, isGood: true) }
        for sample in bad { check(sample, isGood: false) }
        for sample in good + bad { checkDamaged(sample.response) }
        if let sample = good.first(where: { !$0.elements.isEmpty }) { checkThrowingReader(sample.response) }
        if checksQuotes { for sample in bad { checkQuotes(sample.response) } }
        if let unfinished {
            checkLimit(unfinished)
        } else {
            for sample in good { checkLimit(in: sample) }
            for sample in good { checkCopies(sample.response) }
        }
    }

    // MARK: Samples

    private struct Outcome {
        var elements: [Element] = []
        var thrown: (any Error)?
        var error: String? { thrown.map { "\($0)" } }
    }

    private func check(_ sample: ElementSample<Element>, isGood: Bool) {
        let (response, count) = (sample.response, sample.response.body.count)
        let whole = outcome(response.body, response.head, Pieces.whole(count))
        switch whole.error {
        case let error? where isGood: return findings.add(response, "it is good, and was refused: \(error)")
        case nil where !isGood: return findings.add(response, "it is bad, and was taken")
        default: break
        }
        guard whole.elements == sample.elements else {
            return findings.add(
                response, "it has \(sample.elements.count) elements, and others were given: \(whole.elements.count)")
        }
        for pieces in Pieces.all(count) {
            let cut = outcome(response.body, response.head, pieces)
            guard cut.elements == whole.elements, cut.error == whole.error else {
                return findings.add(response, "it gives something else when it is cut at \(Pieces.written(pieces))")
            }
        }
    }

    /// Any bytes must give the same result in one piece and byte by byte.
    private func checkDamaged(_ sample: ConformanceSample) {
        for body in Damage.all(of: sample.body) {
            let whole = outcome(body, sample.head, Pieces.whole(body.count))
            let bytes = outcome(body, sample.head, Pieces.bytes(body.count))
            guard whole.elements == bytes.elements, (whole.error == nil) == (bytes.error == nil) else {
                return findings.add(sample, "damaged, it gives something else byte by byte than in one piece: \(body)")
            }
        }
    }

    private func outcome(
        _ body: [UInt8], _ head: ResponseHead, _ pieces: [Range<Int>], maximumElementBytes: Int = .max
    ) -> Outcome {
        var outcome = Outcome()
        do {
            var parser = try makeParser(head, maximumElementBytes)
            try body.withUnsafeBufferPointer { bytes in
                for piece in pieces { try parser.parse(bytes.span.extracting(piece)) { outcome.elements.append($0) } }
            }
            try parser.finish { outcome.elements.append($0) }
        } catch {
            outcome.thrown = error
        }
        return outcome
    }

    private func checkQuotes(_ sample: ConformanceSample) {
        let quotes = QuoteSearch { outcome($0, sample.head, Pieces.whole($0.count)).thrown }
        if quotes.finds(in: sample.body) { findings.add(sample, "its body is quoted by the error") }
    }

    // MARK: Promises

    private struct Enough: Error {}

    private func checkThrowingReader(_ sample: ConformanceSample) {
        do {
            var parser = try makeParser(sample.head, .max)
            try parser.parse(sample.body) { _ in throw Enough() }
            try parser.finish { _ in throw Enough() }
        } catch is Enough {
            return
        } catch {
            return findings.add(sample, "the error of its reader came out as another one: \(error)")
        }
        findings.add(sample, "the error of its reader was lost")
    }

    private func checkLimit(_ sample: ConformanceSample) {
        guard let last = sample.body.last else { return findings.add(sample, "it has no byte to repeat") }
        let limit = max(2 << 10, sample.body.count * 8)
        let refusal = bytesTaken(sample, last, limit: limit, pieceBytes: 97, atMost: limit * 4)
        switch refusal {
        case nil: findings.add(sample, "its element may have \(limit) bytes, and \(limit * 4) were taken")
        case let bytes? where bytes > limit * 2 + 97:
            findings.add(sample, "its element may have \(limit) bytes, and \(bytes) were taken before it was refused")
        case let bytes? where bytes < limit / 4:
            findings.add(sample, "its element may have \(limit) bytes, and was refused after \(bytes)")
        default: break
        }
        // A parser that copies would take many minutes for the pieces that follow.
        guard !isCopying(sample, [UInt8](repeating: last, count: 512)) else { return }
        let many = 2 << 20
        if let bytes = bytesTaken(sample, last, limit: many * 4, pieceBytes: 1, atMost: many) {
            findings.add(sample, "its element may have \(many * 4) bytes, and was refused after \(bytes)")
        }
    }

    /// Checks the limit without an element that does not end: with a small limit, an element of a good sample is too
    /// long.
    private func checkLimit(in sample: ElementSample<Element>) {
        let (response, bytes) = (sample.response, longestElement(of: sample))
        guard bytes >= 3 else { return }
        let limit = max(1, bytes / 4)
        let pieces = Pieces.bytes(response.body.count)
        let taken = outcome(response.body, response.head, pieces, maximumElementBytes: limit)
        if taken.thrown == nil, taken.elements == sample.elements {
            findings.add(response, "an element of \(bytes) bytes was taken, where one may have \(limit)")
        }
    }

    /// The size in bytes of the longest of several elements, or a lower bound of that size. A byte belongs to an
    /// element if changing the byte changes that element only. Changing a byte before all elements, such as a byte of a
    /// header row, changes several elements.
    private func longestElement(of sample: ElementSample<Element>) -> Int {
        let (response, elements) = (sample.response, sample.elements)
        var counts = elements.map { _ in 0 }
        guard elements.count > 1 else { return 0 }
        // The step selects about a thousand offsets, and fewer in a long body, which would otherwise take minutes.
        let count = response.body.count
        for place in stride(from: 0, to: count, by: max(1, count / 1_024, count * count >> 25)) {
            for bit in [1, 2, 4] as [UInt8] {
                var body = response.body
                body[place] ^= bit
                let outcome = outcome(body, response.head, Pieces.whole(body.count))
                guard outcome.thrown == nil, outcome.elements.count == elements.count else { continue }
                let changed = elements.indices.filter { outcome.elements[$0] != elements[$0] }
                guard changed.count == 1 else { continue }
                counts[changed[0]] += 1
                break
            }
        }
        return counts.max() ?? 0
    }

    /// The number of bytes that the parser was given until it refused an element that does not end; nil if the parser
    /// accepts all of the bytes.
    private func bytesTaken(
        _ sample: ConformanceSample, _ byte: UInt8, limit: Int, pieceBytes: Int, atMost most: Int
    ) -> Int? {
        var taken = sample.body.count
        do {
            var parser = try makeParser(sample.head, limit)
            try parser.parse(sample.body) { _ in }
            let piece = [UInt8](repeating: byte, count: pieceBytes)
            while taken < most {
                taken += pieceBytes
                try parser.parse(piece) { _ in }
            }
            return nil
        } catch {
            return taken
        }
    }
}

private enum Pieces {
    static func whole(_ count: Int) -> [Range<Int>] { [0..<count] }
    static func bytes(_ count: Int) -> [Range<Int>] { (0..<count).map { $0..<($0 + 1) } }

    /// All ways to cut a body: in two at any offset with an empty piece between the two, byte by byte, and 64 times in
    /// pieces of random lengths.
    static func all(_ count: Int) -> [[Range<Int>]] {
        // The step selects about a thousand offsets in a long body.
        let places = stride(from: 0, through: count, by: max(1, count / 1_024))
        var random = RandomBytes(seed: UInt64(truncatingIfNeeded: count))
        return places.map { [0..<$0, $0..<$0, $0..<count] } + [bytes(count)]
            + (0..<64).map { _ in
                var pieces: [Range<Int>] = []
                let most = 1 + random.below(max(1, count / 3))
                while pieces.last?.upperBound ?? 0 < count {
                    let start = pieces.last?.upperBound ?? 0
                    pieces.append(start..<min(count, start + random.below(most + 1)))
                }
                return pieces
            }
    }

    static func written(_ pieces: [Range<Int>]) -> String {
        let places = pieces.dropLast().map(\.upperBound)
        return places.count > 8 ? "\(places.prefix(8).map(String.init).joined(separator: ", ")) …" : "\(places)"
    }
}

/// Bodies that are nearly right, and bodies that are entirely wrong.
private enum Damage {
    static func all(of body: [UInt8]) -> [[UInt8]] {
        var random = RandomBytes(seed: UInt64(truncatingIfNeeded: body.count))
        var bodies = stride(from: 0, to: body.count, by: max(1, body.count / 256)).map { Array(body.prefix($0)) }
        guard !body.isEmpty else { return [] }
        for _ in 0..<256 {
            var turned = body
            turned[random.below(body.count)] ^= 1 << random.below(8)
            bodies.append(turned)
        }
        for _ in 0..<64 { bodies.append((0..<random.below(200)).map { _ in UInt8(random.below(256)) }) }
        // The body's own bytes in random order are closer to valid input than random bytes.
        for _ in 0..<128 { bodies.append((0..<random.below(100)).map { _ in body[random.below(body.count)] }) }
        return bodies
    }
}

/// Random numbers that are the same in every run (SplitMix64).
private struct RandomBytes {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func below(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ mixed >> 31) % UInt64(bound))
    }
}
