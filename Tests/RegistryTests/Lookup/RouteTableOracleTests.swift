import PatchbayRegistry
import Testing

/// The compiled table against the plainest way to say the same: ask every entry, from first to last.
@Suite("The compiled table")
struct RouteTableOracleTests {
    /// Numbers that look random and are the same in every run (SplitMix64).
    struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
    }

    static let types = ["text", "image", "application"]
    static let subtypes = ["a", "b", "json", "c+json", "d+xml", "xml", "e+json", "zip"]
    static let patterns = [
        "text/*", "image/*", "*/*", "+json", "+xml", "image/*+xml", "application/*+json", "@json", "@xml", "@image",
        "@zip-based", "@scriptable",
    ]

    static func pattern(_ generator: inout Generator) -> String {
        let pattern =
            Int.random(in: 0..<4, using: &generator) == 0
            ? patterns.randomElement(using: &generator) ?? "" : mediaType(&generator, parameters: false)
        return Int.random(in: 0..<4, using: &generator) == 0
            ? "\(pattern);p=\(Int.random(in: 0..<2, using: &generator))" : pattern
    }

    static func mediaType(_ generator: inout Generator, parameters: Bool = true) -> String {
        let type = "\(types.randomElement(using: &generator) ?? "")/\(subtypes.randomElement(using: &generator) ?? "")"
        guard parameters, Bool.random(using: &generator) else { return type }
        return "\(type);p=\(Int.random(in: 0..<3, using: &generator))"
    }

    struct Entry {
        let patterns: [String]?
        let status: String
        let isEnabled: Bool
        var isForElements = false

        func json(_ id: Int) -> String {
            let types = patterns.map { "\"types\": [\($0.map { "\"\($0)\"" }.joined(separator: ","))]," } ?? ""
            return
                #"{ "id": "e\#(id)", "factory": "text", "onFailure": "next", "enabled": \#(isEnabled), "match": { \#(types)\#(isForElements ? #" "wanted": "elements","# : "") "status": ["\#(status)"] } }"#
        }
    }

    @Test("answers as asking every entry does", arguments: [1, 10, 1000])
    func oracle(_ count: Int) throws {
        var generator = Generator(state: UInt64(count))
        let entries = (0..<count).map { _ in
            Entry(
                patterns: Int.random(in: 0..<50, using: &generator) == 0
                    ? nil : (0..<Int.random(in: 1...3, using: &generator)).map { _ in Self.pattern(&generator) },
                status: ["200", "2XX", "4XX", "404"].randomElement(using: &generator) ?? "",
                isEnabled: Int.random(in: 0..<5, using: &generator) > 0,
                isForElements: Int.random(in: 0..<5, using: &generator) == 0)
        }
        let registry = try SerializerRegistry.entries(entries.enumerated().map { $1.json($0) }.joined(separator: ","))
        let ranges = try entries.map { try $0.patterns?.map { try MediaRange($0) } }
        let statuses = try entries.map { try StatusRange($0.status) }
        for _ in 0..<300 {
            let text: String? = Int.random(in: 0..<20, using: &generator) == 0 ? nil : Self.mediaType(&generator)
            let status = [200, 204, 404, 418].randomElement(using: &generator) ?? 0
            let type = text.flatMap { MediaType(parsing: $0) }
            let wantsElements = (200..<300).contains(status) && Bool.random(using: &generator)
            let expected = entries.indices.first { index in
                guard entries[index].isEnabled, wantsElements || !entries[index].isForElements,
                    statuses[index].contains(status)
                else { return false }
                guard let ranges = ranges[index] else { return true }
                return type.map { type in ranges.contains { $0.matches(type) } } ?? false
            }
            let decision = registry.explain(
                contentType: text, status: status, producing: wantsElements ? .elements(of: String.self) : .anything)
            #expect(decision.entryID == expected.map { "e\($0)" }, "\(text ?? "none") \(status)")
        }
    }

    @Test("the same answer however often the same manifest is loaded")
    func deterministic() throws {
        var generator = Generator(state: 7)
        let manifest = (0..<200).map { id in
            Entry(patterns: [Self.pattern(&generator)], status: "2XX", isEnabled: true).json(id)
        }.joined(separator: ",")
        let types = (0..<50).map { _ in Self.mediaType(&generator) }
        let answers = try (0..<20).map { _ in
            let registry = try SerializerRegistry.entries(manifest)
            return types.map { registry.explain(contentType: $0).entryID } + [registry.digest]
        }
        #expect(Set(answers).count == 1)
    }

    @Test("every candidate of a chain is found, in order")
    func chain() throws {
        let registry = try SerializerRegistry.entries(
            ["a/b", "*/*", "a/*", "+c", "a/b+c", "a/*+c", "x/y", "@json"].enumerated().map { id, pattern in
                #"{ "id": "e\#(id)", "factory": "broken", "onFailure": "next", "match": { "types": ["\#(pattern)"] } }"#
            }.joined(separator: ","))
        let result = try registry.explain(contentType: "a/b+c").serialize(ResponseBody(text: "x"))
        #expect(result.outcome == .raw)
        #expect(result.attempts.map(\.entry) == ["e1", "e2", "e3", "e4", "e5"])
    }
}
