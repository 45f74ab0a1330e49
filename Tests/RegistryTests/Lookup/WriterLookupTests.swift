import PatchbayJSON
import PatchbayRegistry
import TestSupport
import Testing

/// Who writes the body of a request: the registry, a naive model, and for the table the answers written down.
@Suite("Who writes a request", .timeLimit(.minutes(30)))
struct WriterLookupTests {
    typealias Entry = WriterModel.Entry
    typealias Section = WriterModel.Section
    typealias Generator = RouteTableOracleTests.Generator

    static let model = WriterModel(
        global: [
            Entry(id: "g1", factory: "choosy", types: ["application/json"]),
            Entry(id: "g2", factory: "both", types: ["@json"]),
            Entry(id: "g3", factory: "write", types: ["application/*+acme", "text/csv;charset=utf-8"]),
            Entry(id: "g4", factory: "words", types: ["text/csv", "application/x-ndjson"]),
            Entry(id: "g5", factory: "read", types: ["text/*"]),
            Entry(id: "g6", factory: "both", types: ["application/pdf"], writes: false),
            Entry(id: "g7", factory: "both", types: ["application/vnd.out"], reads: false),
            Entry(id: "g8", factory: "write", types: ["image/png"], isEnabled: false),
            Entry(id: "g9", factory: "missing", types: ["image/*"]),
            Entry(
                id: "g10", factory: "write", types: ["image/svg+xml"], writes: true,
                rest: ["match": ["status": ["404"], "wanted": "elements"], "onFailure": "next"]),
            Entry(id: "g11", factory: "clerk", types: ["font/*"]),
        ],
        sections: [
            Section(
                pattern: "forms.example",
                entries: [Entry(id: "f1", factory: "write", types: ["application/x-www-form-urlencoded"])],
                type: "application/x-www-form-urlencoded"),
            Section(pattern: "use.example", use: ["g4", "g2"]),
            Section(
                pattern: "bare.example", entries: [Entry(id: "b1", factory: "words", types: ["text/csv"])],
                inherits: false),
            Section(
                pattern: "*.w.example",
                entries: [
                    Entry(id: "w1", factory: "choosy", types: ["text/html"]),
                    Entry(id: "w2", factory: "write", types: ["text/*"]),
                ]),
            Section(
                pattern: "a.w.example", entries: [Entry(id: "a1", factory: "clerk", types: ["application/cbor"])],
                extends: "*.w.example", without: ["w2"]),
            Section(pattern: "any.example", entries: [Entry(id: "n1", factory: "choosy")]),
            Section(pattern: "star.example", entries: [Entry(id: "s1", factory: "words", types: ["*/*"])]),
        ], aliases: ["text/x-json": "application/json"])

    /// Media type, host, value and excluded entries, and the entry that writes, by this order and by the reverse of it.
    static let rows = """
        application/json                  | -                | number   | -     | g2  | g2
        application/json                  | -                | object   | -     | g1  | g2
        application/json                  | -                | words    | -     | g1  | g2
        application/json                  | -                | elements | -     | -   | -
        application/json                  | -                | number   | g2    | -   | -
        application/json                  | -                | object   | g1    | g2  | g2
        application/json                  | -                | object   | g1 g2 | -   | -
        -                                 | -                | object   | -     | g1  | g2
        -                                 | -                | number   | -     | g2  | g2
        text/x-json                       | -                | number   | -     | g2  | g2
        text/x-json                       | -                | object   | -     | g1  | g2
        application/vnd.a+json            | -                | number   | -     | g2  | g2
        application/vnd.a+json            | -                | object   | -     | g2  | g2
        text/json                         | -                | object   | -     | g2  | g2
        application/json;charset=utf-8    | -                | object   | -     | g1  | g2
        application/x+acme                | -                | number   | -     | g3  | g3
        text/x+acme                       | -                | number   | -     | -   | -
        text/csv                          | -                | words    | -     | g4  | g4
        text/csv                          | -                | elements | -     | g4  | g4
        text/csv                          | -                | number   | -     | -   | -
        text/csv;charset=UTF-8            | -                | number   | -     | g3  | g3
        text/csv;charset=utf-8            | -                | words    | -     | g3  | g4
        text/csv;charset=utf-8            | -                | elements | -     | g4  | g4
        text/csv;charset=utf-8            | -                | words    | g4    | g3  | g3
        text/csv;charset=latin1           | -                | object   | -     | -   | -
        application/x-ndjson              | -                | words    | -     | g4  | g4
        text/plain                        | -                | object   | -     | -   | -
        application/pdf                   | -                | object   | -     | -   | -
        application/vnd.out               | -                | object   | -     | g7  | g7
        image/png                         | -                | object   | -     | -   | -
        image/svg+xml                     | -                | object   | -     | g10 | g10
        image/svg+xml                     | -                | elements | -     | -   | -
        font/woff                         | -                | number   | -     | g11 | g11
        application/cbor                  | -                | object   | -     | -   | -
        -                                 | forms.example    | object   | -     | f1  | f1
        application/json                  | forms.example    | object   | -     | g1  | g2
        -                                 | forms.example    | object   | f1    | -   | -
        application/x-www-form-urlencoded | -                | object   | -     | -   | -
        -                                 | forms.example:81 | number   | -     | f1  | f1
        -                                 | FORMS.example.   | number   | -     | f1  | f1
        application/json                  | use.example      | object   | -     | g2  | g2
        text/csv                          | use.example      | words    | -     | g4  | g4
        application/vnd.out               | use.example      | object   | -     | -   | -
        application/json                  | use.example      | object   | g2    | -   | -
        -                                 | use.example      | number   | -     | g2  | g2
        -                                 | bare.example     | object   | -     | -   | -
        text/csv                          | bare.example     | elements | -     | b1  | b1
        text/csv                          | bare.example     | number   | -     | -   | -
        application/json                  | bare.example     | object   | -     | -   | -
        text/html                         | x.w.example      | object   | -     | w1  | w2
        text/html                         | x.w.example      | number   | -     | w2  | w2
        text/plain                        | x.w.example      | object   | -     | w2  | w2
        application/json                  | x.w.example      | object   | -     | g1  | g2
        text/csv                          | x.w.example      | elements | -     | g4  | g4
        text/html                         | a.w.example      | object   | -     | w1  | w1
        text/html                         | a.w.example      | number   | -     | -   | -
        text/plain                        | a.w.example      | object   | -     | -   | -
        application/cbor                  | a.w.example      | number   | -     | a1  | a1
        application/cbor                  | x.w.example      | number   | -     | -   | -
        application/json                  | w.example        | number   | -     | g2  | g2
        application/cbor                  | any.example      | object   | -     | n1  | n1
        application/cbor                  | any.example      | number   | -     | -   | -
        application/json                  | any.example      | number   | -     | g2  | g2
        application/cbor                  | star.example     | words    | -     | s1  | s1
        application/cbor                  | star.example     | number   | -     | -   | -
        """.split(separator: "\n").map(String.init)

    @Test("is the first entry that covers the type, writes, and does not decline", arguments: rows)
    func row(_ row: String) throws {
        let cells = row.split(separator: "|").map { cell in
            let words = cell.split(separator: " ").joined(separator: " ")
            return words == "-" ? nil : words
        }
        try #require(cells.count == 6)
        let value = try #require(cells[2].flatMap { WriterModel.Value(rawValue: $0) })
        let excluding = Set((cells[3] ?? "").split(separator: " ").map(String.init))
        for (model, expected) in [(Self.model, cells[4]), (Self.model.reversed, cells[5])] {
            let registry = try Self.registry(model)
            let answer = try Self.agreed(registry, model, value, cells[0], cells[1], excluding)
            #expect(answer.writer == expected)
        }
    }

    @Test("on random tables is the entry that a naive model gives, and the explanation names the entries before it")
    func random() throws {
        let questions = TestLength.count(3_000, of: 200_000, "questions of who writes")
        let tables = questions / 40
        var generator = Generator(state: 25)
        var (written, hosted, declined) = (0, 0, 0)
        for _ in 0..<tables {
            let model = Self.randomModel(&generator)
            let registry = try Self.registry(model)
            for _ in 0..<40 {
                let value = WriterModel.Value.allCases.randomElement(using: &generator) ?? .number
                let type: String? =
                    switch Int.random(in: 0..<6, using: &generator) {
                    case 0: nil
                    case 1: "text/alias;p=\(Int.random(in: 0..<3, using: &generator))"
                    default: RouteTableOracleTests.mediaType(&generator)
                    }
                let host = ExplainOracleTests.Model.hosts.randomElement(using: &generator) ?? nil
                let excluding: Set<String> = Int.random(in: 0..<4, using: &generator) == 0 ? ["e0", "h0-0"] : []
                let answer = try Self.agreed(registry, model, value, type, host, excluding)
                if let writer = answer.writer {
                    written += 1
                    if writer.hasPrefix("h") { hosted += 1 }
                    if answer.asked.count > 1 { declined += 1 }
                }
            }
        }
        // The tables are about something.
        #expect(written > questions / 10)
        #expect(hosted > questions / 100)
        #expect(declined > questions / 100)
    }

    private static func registry(_ model: WriterModel) throws -> SerializerRegistry {
        try SerializerRegistry.sided(model.manifest.serialized())
    }

    /// The answer of the model, after the look-up of a call and the explanation were compared with it.
    private static func agreed(
        _ registry: SerializerRegistry, _ model: WriterModel, _ value: WriterModel.Value, _ type: String?,
        _ host: String?, _ excluding: Set<String>
    ) throws -> (asked: [String], writer: String?) {
        let expected = model.answer(value, as: type, for: host, excluding: excluding)
        let canonical = host.flatMap { CanonicalHost($0) }
        let mediaType = try type.map { try #require(MediaType(parsing: $0)) }
        let lookup = registry.writer(
            of: value.subject, as: mediaType ?? registry.policy(for: canonical).requestContentType, for: canonical,
            excluding: excluding)
        var decisions = [Decision(lookup)]
        switch value.subject {
        case .value(let value) where excluding.isEmpty:
            decisions.append(registry.explain(writing: value, in: mediaType, host: host))
        default: break
        }
        for decision in decisions {
            let candidates = decision.candidates
            let isRight =
                lookup.writer?.entry == expected.writer && decision.entry == expected.writer
                && decision.outcome == (expected.writer == nil ? .error : .entry)
                && candidates.map(\.entry) == expected.asked
                && candidates.allSatisfy { ($0.verdict == .chosen) == ($0.entry == expected.writer) }
            // Put into words only for a failure: it costs more than the answer.
            if !isRight {
                Issue.record(
                    "\(value) \(type ?? "-") \(host ?? "-") without \(excluding): expected \(expected)\n\(decision)\n\(model.manifest)"
                )
            }
        }
        return expected
    }

    // MARK: Random tables

    private static func randomEntry(_ id: String, _ generator: inout Generator) -> Entry {
        func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }
        let factory =
            ["read", "write", "clerk", "choosy", "choosy", "words", "both", "missing"].randomElement(using: &generator)
            ?? "read"
        var entry = Entry(id: id, factory: factory)
        if !chance(6) {
            entry.types = (0..<Int.random(in: 1...2, using: &generator)).map { _ in
                RouteTableOracleTests.pattern(&generator)
            }
        }
        // A side that the serializer has, and another one: nothing may be asked of it that it cannot.
        switch (factory, Int.random(in: 0..<4, using: &generator)) {
        case ("both", 0): entry.writes = false
        case ("both", 1): (entry.reads, entry.writes) = (false, true)
        case ("read", 0): entry.writes = false
        case ("write", 0), ("words", 0): (entry.reads, entry.writes) = (false, true)
        default: break
        }
        entry.isEnabled = !chance(6)
        if chance(4) { entry.rest = ["match": ["status": ["404"], "wanted": "elements"], "onFailure": "raw"] }
        return entry
    }

    private static func randomModel(_ generator: inout Generator) -> WriterModel {
        func entries(_ prefix: String, _ count: ClosedRange<Int>) -> [Entry] {
            (0..<Int.random(in: count, using: &generator)).map { randomEntry("\(prefix)\($0)", &generator) }
        }
        let types = [nil, nil, "text/a", "application/json;p=1", "image/c+json", "text/alias"]
        var model = WriterModel(global: entries("e", 1...5))
        model.aliases = [
            "text/alias": ["application/json", "text/a", "image/d+xml"].randomElement(using: &generator) ?? ""
        ]
        model.type = types.randomElement(using: &generator) ?? nil
        let patterns = ExplainOracleTests.Model.patterns.shuffled(using: &generator)
            .prefix(Int.random(in: 0...3, using: &generator))
        for (number, pattern) in patterns.enumerated() {
            var section = Section(pattern: pattern, entries: entries("h\(number)-", 0...2))
            section.type = types.randomElement(using: &generator) ?? nil
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: section.inherits = false
            case 1:
                section.use = Array(
                    model.global.map(\.id).shuffled(using: &generator).prefix(Int.random(in: 0...3, using: &generator)))
            default: section.without = Array(model.global.map(\.id).shuffled(using: &generator).prefix(1))
            }
            model.sections.append(section)
        }
        for index in model.sections.indices where Bool.random(using: &generator) {
            let other = model.sections.first {
                $0.pattern.hasPrefix("*") && $0.pattern != model.sections[index].pattern
            }
            guard let other else { continue }
            model.sections[index].extends = other.pattern
            model.sections[index].without += Array(other.entries.map(\.id).shuffled(using: &generator).prefix(1))
        }
        return model
    }
}
