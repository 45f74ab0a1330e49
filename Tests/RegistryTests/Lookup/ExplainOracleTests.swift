import PatchbayJSON
import TestSupport
import Testing

@testable import PatchbayRegistry

/// What `explain` says against what serializes, and both against the plainest way to say the same.
@Suite("What is explained", .timeLimit(.minutes(10)))
struct ExplainOracleTests {
    typealias Generator = RouteTableOracleTests.Generator

    /// An entry as a manifest has it, and as the model asks it.
    struct Entry {
        let id: String
        /// Of `text` (makes text), `count` (a number), `json` (JSON, and arrays of it), `json-lines` (yields JSON), `raw`
        /// (the bytes, for untyped calls only), and `broken` (would make JSON, and fails).
        let factory: String
        let isForElements: Bool
        let types: [String]?
        let status: String
        let onFailure: String
        let isEnabled: Bool
        private let mediaRanges: [MediaRange]?
        private let statusRange: StatusRange

        init(_ id: String, _ generator: inout Generator) throws {
            self.id = id
            factory =
                ["text", "count", "json", "json-lines", "raw", "broken", "broken"].randomElement(using: &generator)
                ?? ""
            isForElements = Int.random(in: 0..<5, using: &generator) == 0
            types =
                Int.random(in: 0..<6, using: &generator) == 0
                ? nil
                : (0..<Int.random(in: 1...2, using: &generator)).map { _ in RouteTableOracleTests.pattern(&generator) }
            status = ["200", "2XX", "4XX", "404", "200-599"].randomElement(using: &generator) ?? ""
            onFailure = ["next", "next", "error", "raw"].randomElement(using: &generator) ?? ""
            isEnabled = Int.random(in: 0..<6, using: &generator) > 0
            mediaRanges = try types?.map { try MediaRange($0) }
            statusRange = try StatusRange(status)
        }

        var json: String {
            let types = types.map { "\"types\": [\($0.map { "\"\($0)\"" }.joined(separator: ","))]," } ?? ""
            return
                #"{ "id": "\#(id)", "factory": "\#(factory)", "onFailure": "\#(onFailure)", "enabled": \#(isEnabled), "match": { \#(types)\#(isForElements ? #" "wanted": "elements","# : "") "status": ["\#(status)"] } }"#
        }

        func covers(_ type: MediaType?, _ status: Int) -> Bool {
            guard isEnabled, statusRange.contains(status) else { return false }
            guard let mediaRanges else { return true }
            return type.map { type in mediaRanges.contains { $0.matches(type) } } ?? false
        }
    }

    struct Section {
        let pattern: String
        let entries: [Entry]
        let inherits: Bool
        /// The ids of the global entries that it leaves out.
        var without: [String] = []

        var json: String {
            let without = without.map { "\"\($0)\"" }.joined(separator: ",")
            return
                #""\#(pattern)": { "plugins": [\#(entries.map(\.json).joined(separator: ","))], "without": [\#(without)], "inherit": \#(inherits) }"#
        }

        /// How narrow it is for a host; nil where it is not for it. Of two, the one with the greater first number that differs.
        func rank(_ host: String) -> [Int]? {
            let (name, port) = Self.split(pattern)
            let (asked, at) = Self.split(host)
            guard port == nil || port == at else { return nil }
            let isWildcard = name.hasPrefix("*.")
            guard isWildcard ? asked.hasSuffix(name.dropFirst()) : asked == name else { return nil }
            return [isWildcard ? 0 : 1, name.split(separator: ".").count, port == nil ? 0 : 1]
        }

        private static func split(_ host: String) -> (name: String, port: Substring?) {
            let parts = host.split(separator: ":")
            return (String(parts[0]), parts.count > 1 ? parts[1] : nil)
        }
    }

    struct Model {
        let global: [Entry]
        let sections: [Section]

        static let patterns = [
            "h.example", "h.example:8080", "s.h.example", "*.h.example", "*.h.example:8080", "*.s.h.example",
        ]
        static let hosts = [
            nil, "other.example", "h.example", "h.example:8080", "h.example:81", "s.h.example", "s.h.example:8080",
            "t.s.h.example", "t.s.h.example:8080", "u.h.example", "u.h.example:8080",
        ]

        init(_ generator: inout Generator) throws {
            global = try (0..<Int.random(in: 1...8, using: &generator)).map { try Entry("e\($0)", &generator) }
            sections = try Self.patterns.shuffled(using: &generator).prefix(Int.random(in: 0...4, using: &generator))
                .enumerated().map { [global] number, pattern in
                    Section(
                        pattern: pattern,
                        entries: try (0..<Int.random(in: 0...2, using: &generator)).map {
                            try Entry("h\(number)-\($0)", &generator)
                        }, inherits: Int.random(in: 0..<3, using: &generator) > 0,
                        without: Array(
                            global.map(\.id).shuffled(using: &generator).prefix(
                                Int.random(in: 0...2, using: &generator))))
                }
        }

        var manifest: String {
            """
            { "manifestVersion": 1, "plugins": [\(global.map(\.json).joined(separator: ","))],
              "hosts": { \(sections.map(\.json).joined(separator: ",")) } }
            """
        }

        /// The entries that would be asked, in order.
        func candidates(_ type: MediaType?, _ status: Int, _ host: String?, _ wish: Wish) -> [Entry] {
            let ranked = sections.compactMap { section in
                host.flatMap { section.rank($0) }.map { (section: section, rank: $0) }
            }
            let section = ranked.max { $0.rank.lexicographicallyPrecedes($1.rank) }?.section
            let list =
                (section?.entries ?? [])
                + (section?.inherits == false ? [] : global).filter {
                    section?.without.contains($0.id) != true
                }
            let asked = list.filter { $0.covers(type, status) && (!$0.isForElements || wish.isOfElements) }
            return wish.factories.flatMap { factories in
                asked.filter { factories?.contains($0.factory) ?? true }
            }
        }
    }

    /// What a call wants, and which entries can make it, in one pass or in two.
    enum Wish: CaseIterable {
        case anything, json, array, elements

        var isOfElements: Bool { self == .array || self == .elements }

        /// Of each pass the factories; nil for all.
        var factories: [[String]?] {
            switch self {
            case .anything: [nil]
            case .json: [["json", "broken"]]
            case .array: [["json", "json-lines"]]
            case .elements: [["json-lines"], ["json", "broken"]]
            }
        }

        var wanted: WantedValue {
            switch self {
            case .anything: .anything
            case .json: .output(JSON.self)
            case .array: .type([JSON].self)
            case .elements: .elements(of: JSON.self)
            }
        }
    }

    /// Who made the value, if anybody did, and who failed before.
    struct Made: Equatable, CustomStringConvertible {
        var entry: String?
        var failed: [String] = []
        var description: String { "\(entry ?? "nobody") after \(failed)" }

        init(_ candidates: [Entry]) {
            for candidate in candidates {
                guard candidate.factory == "broken" else {
                    entry = candidate.id
                    return
                }
                failed.append(candidate.id)
                guard candidate.onFailure == "next" else { return }
            }
        }

        init(_ make: () throws(LookupFailure) -> (entry: String?, attempts: [Attempt])) {
            do {
                let made = try make()
                (entry, failed) = (made.entry, made.attempts.map(\.entry))
            } catch {
                failed = error.attempts.map(\.entry)
            }
        }
    }

    @Test("is what serializes, and what asking every entry gives, on random questions to random manifests")
    func oracle() throws {
        var generator = Generator(state: 100)
        let body = ResponseBody(text: "[1]")
        var (asked, chosen, hosted, failed, yielded) = (0, 0, 0, 0, 0)
        let questions = TestLength.count(10_000, of: 100_000, "questions to random manifests")
        for _ in 0..<4000 where asked < questions {
            let model = try Model(&generator)
            // A manifest with an entry that never comes to its turn is refused.
            guard
                let registry = try? SerializerRegistry(
                    sources: [.text(model.manifest, name: "m.json")], factories: .yielding())
            else { continue }
            for _ in 0..<250 {
                asked += 1
                let text: String? =
                    switch Int.random(in: 0..<20, using: &generator) {
                    case 0: nil
                    case 1: "json"
                    default: RouteTableOracleTests.mediaType(&generator)
                    }
                let status = [200, 201, 299, 404, 418, 503].randomElement(using: &generator) ?? 0
                let host = Model.hosts.randomElement(using: &generator) ?? nil
                let wish =
                    (200..<300).contains(status)
                    ? Wish.allCases.randomElement(using: &generator) ?? .anything : .anything
                let candidates = model.candidates(text.flatMap { MediaType(parsing: $0) }, status, host, wish)
                let decision = registry.explain(
                    contentType: text, status: status, host: host, producing: wish.wanted)
                let made = Made { () throws(LookupFailure) in
                    let made = try decision.serializeWanted(body)
                    return (made.entry, made.attempts)
                }
                let expected = Made(candidates)
                let isRight =
                    decision.entryID == candidates.first?.id && made == expected
                    // The one that is explained is the first that ran.
                    && decision.entryID == made.failed.first ?? made.entry
                // The question is put into words only for a failure: it costs more than the answer.
                if !isRight {
                    Issue.record(
                        "\(text ?? "-") \(status) \(host ?? "-"), \(wish) wanted: \(made), expected \(expected)\n\(model.manifest)\n\(decision)"
                    )
                }
                if decision.entryID != nil { chosen += 1 }
                if decision.entryID?.hasPrefix("h") == true { hosted += 1 }
                if !made.failed.isEmpty { failed += 1 }
                if wish == .elements, decision.planned.first?.yields == true { yielded += 1 }
            }
        }
        print(
            "\(asked) questions, \(chosen) chosen, \(hosted) of them by a host's section, \(failed) with a failure, \(yielded) yielded"
        )
        #expect(asked >= questions)
        #expect(chosen > questions / 10)
        #expect(hosted > questions / 100)
        #expect(failed > questions / 100)
        #expect(yielded > questions / 400)
    }
}
