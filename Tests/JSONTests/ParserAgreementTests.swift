import Foundation
import PatchbayJSON
import TestSupport
import Testing

/// The parser of this build against the one without traits: the same value to the last bit, or the same failure.
///
/// With the trait `FastJSON` these are two parsers. simdjson is not asked for short texts, so every text is made longer.
@Suite struct ParserAgreementTests {
    enum Outcome: Equatable {
        case value(JSON, text: String)
        case failure(JSON.ParseFailure)

        init(_ parse: () throws(JSON.ParseFailure) -> JSON) {
            do throws(JSON.ParseFailure) {
                let json = try parse()
                // Equal numbers may still be of different kinds or signs, which the text tells.
                self = .value(json, text: json.description)
            } catch {
                self = .failure(error)
            }
        }
    }

    static func expectAgreement(
        _ bytes: [UInt8], _ options: JSON.ParseOptions = .init(), sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let (ours, plain) = bytes.withUnsafeBytes { bytes in
            (
                Outcome { () throws(JSON.ParseFailure) in try JSON(document: bytes, options: options) },
                Outcome { () throws(JSON.ParseFailure) in try JSON(plainlyParsing: bytes, options: options) }
            )
        }
        #expect(ours == plain, "\(String(decoding: bytes.prefix(2000), as: UTF8.self))", sourceLocation: sourceLocation)
    }

    static let blanks = [UInt8](repeating: 0x20, count: 300)

    /// A text as it is, behind blanks, before blanks, and as the last element and the only member of something longer.
    static func variants(_ text: [UInt8]) -> [[UInt8]] {
        let filler = Array(#"["\#(String(repeating: "x", count: 300))",1.5,"#.utf8)
        let member = Array(#"{"\#(String(repeating: "k", count: 300))":"#.utf8)
        return [
            text, blanks + text, text + blanks, filler + text + [UInt8(ascii: "]")],
            member + text + [UInt8(ascii: "}")],
        ]
    }

    @Test func onEveryListedText() {
        let refused = RefusedTextTests.structure + RefusedTextTests.numbers + RefusedTextTests.strings
        var texts = (refused + RefusedTextTests.encodings).map(\.bytes)
        texts += AcceptedTextTests.cases.map { Array($0.text.utf8) }
        texts += NumberTests.cases.map { Array($0.text.utf8) }
        texts += DuplicateKeysTests.repeated.map { Array($0.0.utf8) }
        for text in texts {
            for variant in Self.variants(text) {
                Self.expectAgreement(variant)
                Self.expectAgreement([0xEF, 0xBB, 0xBF] + variant)
                Self.expectAgreement(variant, .init(refusesDuplicateKeys: true, allowsFragments: false))
            }
        }
    }

    static let minusZeros = [
        "-0", "[-0]", "[ -0 ]", "[1,-0]", #"{"a":-0}"#, #"{"a": -0,"b":0}"#, "[-0,-0.0,-0e1,-0E-1]", "[-00]", "[-0x]",
        #"["-0"]"#, #"["a:-0,b"]"#, #"["2026-01-01",0,10-0]"#, "[-01]", "[-0\n]", "[-0", "[-0\0]", "[\t-0\r]",
    ]

    @Test(arguments: minusZeros) func onMinusZero(_ text: String) {
        for variant in Self.variants(Array(text.utf8)) { Self.expectAgreement(variant) }
    }

    @Test func onMinusZeroAtEveryPlace() throws {
        for length in 4080...4110 {
            let text = "[\"\(String(repeating: "x", count: length))\",-0,1]"
            Self.expectAgreement(Array(text.utf8))
            #expect(try JSON(document: text)[1]?.double?.sign == .minus)
        }
    }

    @Test(arguments: [0, 1, 2, 3, 511, 512, 513, 1023, 1024, 1025, 4096, 5000]) func onDepth(_ depth: Int) {
        for limit in [depth - 1, depth, depth + 1, 512] {
            let options = JSON.ParseOptions(maximumDepth: limit)
            for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
                for innermost in ["1", "[]", "{}"] {
                    let text =
                        String(repeating: open, count: depth) + innermost + String(repeating: close, count: depth)
                    Self.expectAgreement(Self.blanks + Array(text.utf8), options)
                    Self.expectAgreement(Self.blanks + Array(text.utf8.dropLast()), options)
                }
            }
        }
    }

    @Test func onEveryPrefix() {
        var generator = DocumentGenerator(seed: 77)
        var text = Self.blanks
        while text.count < 900 { text = Self.blanks + Array(generator.document().utf8) }
        for count in 250...text.count { Self.expectAgreement(Array(text.prefix(count))) }
    }

    @Test(arguments: 0..<40) func onGeneratedAndDamagedDocuments(_ seed: UInt64) {
        var generator = DocumentGenerator(seed: 5000 + seed)
        for _ in 0..<40 {
            let document = Array("[\((0..<5).map { _ in generator.document() }.joined(separator: ","))]".utf8)
            Self.expectAgreement(document)
            Self.expectAgreement(document, .init(refusesDuplicateKeys: true))
            for _ in 0..<5 {
                var damaged = document
                let place = Int.random(in: 0..<damaged.count, using: &generator.random)
                switch Int.random(in: 0..<4, using: &generator.random) {
                case 0: damaged.remove(at: place)
                case 1: damaged[place] = UInt8.random(in: 0...255, using: &generator.random)
                case 2: damaged.insert(damaged.randomElement(using: &generator.random) ?? 0, at: place)
                default: damaged.removeSubrange(place...)
                }
                Self.expectAgreement(damaged)
            }
        }
    }

    /// Objects of every size with a key repeated somewhere, next to keys that look alike.
    @Test func onRepeatedKeys() {
        var random = SplitMix(seed: 8)
        for count in Array(1...12) + [63, 64, 65, 66, 200] {
            for _ in 0..<8 {
                let keys = (0..<count).map { _ in
                    ["", "a", "ab", "abc", "abcd"].randomElement(using: &random).map {
                        "\($0)\(String(repeating: "-", count: Int.random(in: 0...1, using: &random) * 9))"
                            + "\(Int.random(in: 0..<2 * count, using: &random))\($0)"
                    } ?? ""
                }
                let members = keys.map {
                    "\"\($0)\":[{\"\($0)\":0,\"x\":1,\"x\":{}},\"\",true,-1,18446744073709551615]"
                }
                let text = Self.blanks + Array("{\(members.joined(separator: ","))}".utf8)
                Self.expectAgreement(text)
                Self.expectAgreement(text, .init(refusesDuplicateKeys: true))
            }
        }
    }

    private static let corpora = ProcessInfo.processInfo.environment["PATCHBAY_CORPORA"]

    @Test(
        .enabled(if: corpora != nil, "set PATCHBAY_CORPORA to the folder of canada.json and its kin"),
        .timeLimit(.minutes(5)),
        arguments: ["canada", "citm_catalog", "twitter"])
    func onTheCorpora(_ name: String) throws {
        let folder = try #require(Self.corpora)
        Self.expectAgreement(Array(try Data(contentsOf: URL(filePath: folder).appending(path: "\(name).json"))))
    }
}
