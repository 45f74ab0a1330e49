#if FastJSON && os(Linux)
    import CPatchbaySimdjson
    import Testing

    @testable import PatchbayJSON

    /// That the trait does what it is for: without these, every other test passes with our own parser alone, as all do with a simdjson
    /// whose inside is not known.
    @Suite(.enabled(if: patchbay_simdjson_is_known(), "the door has not been tried with this version of simdjson"))
    struct SimdjsonTests {
        static let texts = [
            "numbers": "[\(Array(repeating: "-17", count: 200).joined(separator: ","))]",
            "strings": "[\(Array(repeating: #""\u00e9\n""#, count: 100).joined(separator: ","))]",
            "objects": "[\(Array(repeating: #"{"a":{},"b":[1.5,true,null]}"#, count: 50).joined(separator: ","))]",
            "one string": "\"\(String(repeating: "x", count: 300))\"",
        ]

        @Test(arguments: texts.keys.sorted()) func fillsTheTapeOfLongTexts(_ name: String) throws {
            let text = Array(try #require(Self.texts[name]).utf8)
            let filled = text.withUnsafeBufferPointer { Tape.filledBySimdjson($0, .init()) }
            let tape = try #require(filled).tape
            let plain = try text.withUnsafeBytes { try Tape.filledByParser($0, .init()) }
            #expect(tape.wordCount == plain.wordCount)
            let tags = (0..<plain.wordCount + 1).map { tape.tag(at: $0) }
            #expect(tags == (0..<plain.wordCount + 1).map { plain.tag(at: $0) })
        }
    }
#endif
