import PatchbayRegistry
import TestSupport
import Testing

/// The decoders against the WHATWG Encoding Standard: every pointer of its indexes, every short sequence of bytes, many long ones.
@Suite(
    .enabled(if: StandardIndexes.folder != nil, "set PATCHBAY_SUITES to the folder of the suites"),
    .timeLimit(.minutes(5)))
struct EncodingStandardTests {
    private let indexes: StandardIndexes

    init() throws { indexes = try StandardIndexes.read.get() }

    /// An index, a decoder that reads it, and what bytes it reads at a pointer.
    struct Reader: Sendable, CustomTestStringConvertible {
        let index: String
        let encoding: TextEncodingName
        /// Which pointers no bytes lead this decoder to; none, mostly.
        var outOfReach = (pointers: 0..<0, name: "")
        let bytes: @Sendable (Int) -> [Int]

        var testDescription: String { "\(index) by \(encoding)" }
    }

    static let readers =
        EverySequence.singleByte.map { encoding in
            let index = encoding == .logicalHebrew ? "iso-8859-8" : encoding.rawValue.lowercased()
            return Reader(index: index, encoding: encoding) { [0x80 + $0] }
        }
        + [TextEncodingName.gbk, .gb18030].flatMap { encoding in
            [
                Reader(index: "gb18030", encoding: encoding) { pointer in
                    [0x81 + pointer / 190, pointer % 190 + (pointer % 190 < 0x3F ? 0x40 : 0x41)]
                },
                Reader(index: "gb18030-ranges", encoding: encoding) { EverySequence.fourBytes($0).map { Int($0) } },
            ]
        } + [
            Reader(index: "big5", encoding: .big5) { pointer in
                [0x81 + pointer / 157, pointer % 157 + (pointer % 157 < 0x3F ? 0x40 : 0x62)]
            },
            Reader(index: "jis0208", encoding: .eucJP, outOfReach: (8_836..<12_000, "from 8836 on")) { pointer in
                [0xA1 + pointer / 94, 0xA1 + pointer % 94]
            },
            Reader(index: "jis0212", encoding: .eucJP) { pointer in [0x8F, 0xA1 + pointer / 94, 0xA1 + pointer % 94] },
            Reader(index: "jis0208", encoding: .iso2022JP, outOfReach: (8_836..<12_000, "from 8836 on")) { pointer in
                [0x1B, 0x24, 0x42, 0x21 + pointer / 94, 0x21 + pointer % 94, 0x1B, 0x28, 0x42]
            },
            Reader(index: "iso-2022-jp-katakana", encoding: .iso2022JP, outOfReach: (0..<63, "for encoders")) { _ in []
            },
            Reader(index: "jis0208", encoding: .shiftJIS) { pointer in
                let (row, cell) = (pointer / 188, pointer % 188)
                return [row + (row < 0x1F ? 0x81 : 0xC1), cell + (cell < 0x3F ? 0x40 : 0x41)]
            },
            Reader(index: "euc-kr", encoding: .eucKR) { pointer in [0x81 + pointer / 190, 0x41 + pointer % 190] },
        ]

    @Test func everyIndexHasAReader() {
        #expect(Set(indexes.all.keys) == Set(Self.readers.map(\.index)))
    }

    @Test(arguments: readers) func everyPointer(_ reader: Reader) throws {
        let index = try #require(indexes.all[reader.index])
        var (right, outOfReach, wrong) = (0, 0, [Int]())
        for (pointer, scalar) in index.sorted(by: { $0.key < $1.key }) {
            guard !reader.outOfReach.pointers.contains(pointer) else {
                outOfReach += 1
                continue
            }
            let bytes = reader.bytes(pointer).map { UInt8(truncatingIfNeeded: $0) }
            let text = try? TextDecoder.decode(
                ResponseBody(bytes), .missing, defaultCharset: reader.encoding.rawValue)
            if text?.unicodeScalars.map(\.value) == [scalar] { right += 1 } else { wrong.append(pointer) }
        }
        if outOfReach > 0 {
            let name = reader.outOfReach.name
            print("\(reader.testDescription): \(right) right, \(outOfReach) out of reach: \(name)")
        }
        #expect(!index.isEmpty)
        #expect(wrong.isEmpty, "\(wrong.count) wrong: \(wrong.prefix(10))")
    }

    /// Each pair behind each beginning: what is an error at the end of a body, all of it before more.
    @Test(
        arguments: [
            (.gb18030, [[]], []), (.big5, [[]], []), (.eucJP, [[], [0x8F]], []), (.shiftJIS, [[]], []),
            (.eucKR, [[]], []),
            (
                .iso2022JP,
                [
                    [0x1B], [0x1B, 0x28, 0x4A], [0x1B, 0x28, 0x49], [0x1B, 0x24, 0x42], [0x1B, 0x24, 0x42, 0x21, 0x1B],
                ],
                [0x1B, 0x28, 0x42]
            ),
        ] as [(TextEncodingName, [[UInt8]], [UInt8])])
    func everyPairOfBytes(_ encoding: TextEncodingName, _ beginnings: [[UInt8]], _ end: [UInt8]) {
        var comparison = Comparison(encoding: encoding, indexes: indexes)
        // For ISO-2022-JP all bytes are alike that have the highest bit.
        let isSevenBit = encoding == .iso2022JP
        for beginning in beginnings {
            for lead in UInt8(isSevenBit ? 0 : 0x80)...(isSevenBit ? 0x80 : 0xFF) {
                var (all, valid): ([UInt8], [UInt8]) = ([], [])
                for trail in UInt8.min...(isSevenBit ? 0x80 : 0xFF) {
                    // The letter keeps two bytes from being a mark.
                    let sequence = [0x61] + beginning + [lead, trail]
                    all += sequence + end
                    let expected = comparison.expected(sequence)
                    if expected.offset == nil { valid += sequence + end } else { comparison.check(sequence, expected) }
                }
                comparison.check(all)
                comparison.check(valid)
                comparison.check([0x61] + beginning + [lead])
            }
        }
        #expect(comparison.isRight, "\(comparison)")
    }

    @Test(arguments: EverySequence.singleByte + [.userDefined]) func everyByte(_ encoding: TextEncodingName) {
        var comparison = Comparison(encoding: encoding, indexes: indexes)
        for byte in UInt8.min...UInt8.max { comparison.check([0x61, byte, 0x62]) }
        #expect(comparison.isRight, "\(comparison)")
    }

    /// The four-byte form of gb18030, all of its 1,587,600 sequences.
    @Test func everySequenceOfFourBytes() {
        var comparison = Comparison(encoding: .gb18030, indexes: indexes)
        for start in stride(from: 0, to: 126 * 12_600, by: 1_260) {
            let pointers = start..<start + 1_260
            let scalars = pointers.map { indexes.gb18030Ranges($0) }
            let expected = StandardDecoder.Outcome(
                text: scalars.map { $0 ?? 0xFFFD }, offset: scalars.firstIndex(of: nil).map { $0 * 4 })
            comparison.check(pointers.flatMap(EverySequence.fourBytes), expected)
        }
        #expect(comparison.isRight, "\(comparison)")
    }

    /// Bytes drawn from those that mean something, in bodies of every length up to 40.
    @Test(arguments: TextEncodingName.allCases) func randomBytes(_ encoding: TextEncodingName) {
        let sets: [TextEncodingName: [UInt8]] = [
            .iso2022JP: [
                0x1B, 0x1B, 0x1B, 0x28, 0x28, 0x24, 0x42, 0x42, 0x4A, 0x49, 0x40, 0x21, 0x30, 0x5C, 0x7E, 0x0E, 0x80,
            ],
            .gb18030: [0x30, 0x31, 0x39, 0x81, 0x84, 0x90, 0xE3, 0xFE, 0xFF, 0x80, 0x40, 0x7F, 0x0A],
            .eucJP: [0x8E, 0x8F, 0x8F, 0xA1, 0xB0, 0xDF, 0xE0, 0xFE, 0xFF, 0x80, 0xA0, 0x41, 0x7F],
            .utf8: [0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xE0, 0xE1, 0xED, 0xF0, 0xF1, 0xF4, 0xF5, 0x41],
            .utf16LE: [0xD8, 0xDB, 0xDC, 0xDF, 0x00, 0x41, 0xE0],
            .utf16BE: [0xD8, 0xDB, 0xDC, 0xDF, 0x00, 0x41, 0xE0],
        ]
        var random = Random(state: 42)
        var comparison = Comparison(encoding: encoding, indexes: indexes)
        for round in 0..<TestLength.count(400, of: 2_000, "random texts of each encoding") {
            let bytes = (0..<round % 41).map { _ in
                guard let set = sets[encoding], random.next(8) > 0 else { return UInt8(random.next(256)) }
                return set[random.next(set.count)]
            }
            // A mark would be taken for one.
            if bytes.starts(with: [0xEF, 0xBB, 0xBF]) || bytes.starts(with: [0xFE, 0xFF])
                || bytes.starts(with: [0xFF, 0xFE])
            {
                continue
            }
            comparison.check(bytes)
        }
        #expect(comparison.isRight, "\(comparison)")
    }

    /// Errors and long characters throughout, so that the text is longer than is likely, and begins at every offset.
    @Test(arguments: TextEncodingName.allCases) func longBodies(_ encoding: TextEncodingName) {
        var random = Random(state: 7)
        var comparison = Comparison(encoding: encoding, indexes: indexes)
        for shift in 1...9 {
            comparison.check(
                Array(repeating: 0x61, count: shift) + (0..<1_000).map { _ in UInt8(random.next(256)) | 0x80 })
        }
        #expect(comparison.isRight, "\(comparison)")
    }

    /// The digests that the decoders are held to where the indexes are not at hand.
    @Test(arguments: EverySequence.digests) func digest(_ encoding: TextEncodingName, _ digest: String) {
        var made = TextDigest()
        for body in EverySequence.bodies(of: encoding) {
            let text = StandardDecoder.decode(body, encoding, indexes).text
            made.add(String(String.UnicodeScalarView(text.compactMap { Unicode.Scalar($0) })))
        }
        #expect(made.hexadecimal == digest, "\(encoding)")
    }
}

/// Bodies of one encoding, decoded by ours and by the standard's decoder, lossy and strict.
private struct Comparison: CustomStringConvertible {
    let encoding: TextEncodingName
    let indexes: StandardIndexes
    private var count = 0
    private var faults: [String] = []

    init(encoding: TextEncodingName, indexes: StandardIndexes) {
        self.encoding = encoding
        self.indexes = indexes
    }

    var isRight: Bool { count > 0 && faults.isEmpty }
    var description: String { "\(faults.count) of \(count) wrong: \(faults.prefix(5).joined(separator: "; "))" }

    func expected(_ bytes: [UInt8]) -> StandardDecoder.Outcome { StandardDecoder.decode(bytes, encoding, indexes) }

    mutating func check(_ bytes: [UInt8], _ outcome: StandardDecoder.Outcome? = nil) {
        count += 1
        let expected = outcome ?? expected(bytes)
        let text = Result.text(
            Array(String(String.UnicodeScalarView(expected.text.compactMap { Unicode.Scalar($0) })).utf8))
        let lossy = result(bytes, lossy: true)
        if lossy != text { faults.append("lossy \(bytes.prefix(40)): \(lossy)") }
        let refusal = expected.offset.map { encoding == .replacement ? Result.refused : .malformed($0) }
        let strict = result(bytes, lossy: false)
        if strict != refusal ?? text { faults.append("strict \(bytes.prefix(40)): \(strict)") }
    }

    /// Text as UTF-8, because strings are equal where they are canonically equivalent.
    private enum Result: Equatable {
        case text([UInt8])
        case malformed(Int)
        case refused
    }

    private func result(_ bytes: [UInt8], lossy: Bool) -> Result {
        do throws(TextDecodingFailure) {
            let text = try TextDecoder.decode(
                ResponseBody(bytes), .missing, defaultCharset: encoding.rawValue, lossy: lossy)
            return .text(Array(text.utf8))
        } catch {
            guard case .malformed(let offset) = error.reason else { return .refused }
            return .malformed(offset)
        }
    }
}

/// The same numbers in each run.
private struct Random {
    var state: UInt64

    mutating func next(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }
}
