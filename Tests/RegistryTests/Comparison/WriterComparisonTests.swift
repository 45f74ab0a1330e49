import PatchbayJSON
import PatchbayPlatform
import PatchbayTools
import TestSupport
import Testing

@testable import PatchbayRegistry

/// The entries that write the bodies of requests, in two tables.
@Suite("The writers of two registries compared", .timeLimit(.minutes(10)))
struct WriterComparisonTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let before: String
        let after: String
        /// Those about writers.
        let lines: [String]
        /// Whether nothing else changes.
        var isAlone = true
        var testDescription: String { name }
    }

    private static func entry(_ id: String, _ factory: String, _ more: String = "", types: String = "a/b") -> String {
        #"{ "id": "\#(id)", "factory": "\#(factory)", "match": { "types": ["\#(types)"] }\#(more.isEmpty ? "" : ", " + more) }"#
    }

    private static func manifest(_ entries: String..., hosts: String = "", policy: String = "") -> String {
        #"{ "manifestVersion": 1, "policy": { "accept": "none"\#(policy) }, "plugins": [\#(entries.joined(separator: ", "))], "hosts": { \#(hosts) } }"#
    }

    private static func named(_ name: String) -> String { #""options": { "name": "\#(name)" }"# }

    static let rows = [
        Row(
            name: "a reordering that changes the writer alone",
            before: manifest(entry("b", "both", #""hides": ["s"]"#), entry("s", "sure")),
            after: manifest(entry("s", "sure"), entry("b", "both", #""hides": ["s"]"#)),
            lines: ["writers: a/b; any host; whole values: b -> s"]),
        Row(
            name: "a reordering that changes the reader alone",
            before: manifest(entry("t", "text"), entry("b", "both")),
            after: manifest(entry("b", "both"), entry("t", "text")), lines: [], isAlone: false),
        Row(
            name: "a reordering behind a writer that declines nothing",
            before: manifest(entry("s", "sure", #""hides": ["p"]"#), entry("p", "picky-writer"), entry("r", "rows")),
            after: manifest(entry("s", "sure", #""hides": ["p"]"#), entry("r", "rows"), entry("p", "picky-writer")),
            lines: []),
        Row(
            name: "an entry that may decline",
            before: manifest(entry("p", "picky-writer"), entry("s", "sure")), after: manifest(entry("s", "sure")),
            lines: ["writers: a/b; any host; whole values: p (may decline), then s -> s"]),
        Row(
            name: "an entry that writes elements",
            before: manifest(), after: manifest(entry("r", "rows")),
            lines: [
                "writers: a/b; any host; whole values: error noWriter -> r (may decline), then error noWriter",
                "writers: a/b; any host; elements: error noWriter -> r",
            ]),
        Row(
            name: "elements behind one that writes whole values",
            before: manifest(entry("r", "rows"), entry("s", "sure")),
            after: manifest(entry("s", "sure"), entry("r", "rows")),
            lines: ["writers: a/b; any host; whole values: r (may decline), then s -> s"]),
        Row(
            name: "options of an entry that only writes",
            before: manifest(entry("p", "picky-writer", named("x")), entry("s", "sure")),
            after: manifest(entry("p", "picky-writer", named("y")), entry("s", "sure")),
            lines: [
                #"writers: a/b; any host; whole values: p (options {"name":"x"}; may decline), then s -> p (options {"name":"y"}; may decline), then s"#
            ]),
        Row(
            name: "another factory", before: manifest(entry("s", "sure")),
            after: manifest(entry("s", "both", #""reads": false"#)),
            lines: ["writers: a/b; any host; whole values: s (factory sure) -> s (factory both)"]),
        Row(
            name: "an entry that does not write any more",
            before: manifest(entry("b", "both")), after: manifest(entry("b", "both", #""writes": false"#)),
            lines: ["writers: a/b; any host; whole values: b -> error noWriter"]),
        Row(
            name: "an entry that does not read any more",
            before: manifest(entry("b", "both")), after: manifest(entry("b", "both", #""reads": false"#)), lines: [],
            isAlone: false),
        Row(
            name: "a host",
            before: manifest(entry("b", "both")),
            after: manifest(entry("b", "both"), hosts: #""h.example": { "plugins": [\#(entry("s", "sure"))] }"#),
            lines: ["writers: a/b; h.example; whole values: b -> s"]),
        Row(
            name: "an alias",
            before: manifest(entry("s", "sure")),
            after: manifest(entry("s", "sure")).replacing(
                #""policy""#, with: #""aliases": { "c/d": "a/b" }, "policy""#),
            lines: ["writers: c/d; any host; whole values: error noWriter -> s"]),
        Row(
            name: "statuses, limits and failures of an entry, which are about responses",
            before: manifest(entry("s", "sure")),
            after: manifest(
                entry("s", "sure", #""limits": { "maxBodyBytes": 1 }, "onFailure": "next""#)
                    .replacing(#"["a/b"]"#, with: #"["a/b"], "status": ["404"], "wanted": "elements""#)), lines: []),
        Row(
            name: "the media type of the policy, which changes no writer",
            before: manifest(entry("s", "sure")),
            after: manifest(entry("s", "sure"), policy: #", "requestContentType": "a/b""#), lines: [], isAlone: false),
    ]

    @Test("it tells where another entry writes", arguments: rows)
    func told(_ row: Row) throws {
        let lines = try RegistryComparison(row.before, row.after).lines
        #expect(lines.filter { $0.hasPrefix("writers: ") } == row.lines)
        #expect(lines.contains { !$0.hasPrefix("writers: ") } == !row.isAlone, "\(lines)")
    }

    @Test("the media type of the policy is a change of its own")
    func policy() throws {
        let before = Self.manifest(Self.entry("s", "sure"))
        let after = Self.manifest(
            Self.entry("s", "sure"),
            hosts: #""h.example": { "policy": { "requestContentType": "A/B; x=1" } }"#)
        #expect(
            try RegistryComparison(before, after).lines == [
                "requestContentType: h.example: application/json -> a/b;x=1"
            ])
    }

    @Test("a replacement in code is a change of the side that it has")
    func replaced() throws {
        let registry = try SerializerRegistry.compared(Self.manifest(Self.entry("b", "both")))
        func aspects(_ other: SerializerRegistry) throws -> Set<RegistryChange.Aspect> {
            Set(try RegistryComparison(registry, other).changes.map(\.aspect))
        }
        #expect(try aspects(registry.replacing("b", with: SureWriter())) == [.writers])
        #expect(try aspects(registry.replacing("b", with: TextFixture())) == [.entries])
        #expect(try aspects(registry.replacing("b", with: BothFixture())) == [])
    }

    // MARK: Against the look-up

    private typealias Maker = ComparisonOracleTests.Maker

    /// The entries with their factories and options, by id.
    private static func names(_ registry: SerializerRegistry) -> [String: String] {
        registry.compiled.entries.reduce(into: [:]) { names, entry in
            names[entry.key] = "\(entry.key) \(entry.value.factory) \(entry.value.options.serialized())"
        }
    }

    /// The entries in the order in which the look-up turns to them, found by having each decline in its turn, as far as it does.
    private static func chain(
        _ registry: SerializerRegistry, _ names: [String: String], _ type: MediaType, _ host: CanonicalHost?,
        _ form: BodyForm
    ) -> [String] {
        var named: Set<String> = []
        var chain: [String] = []
        while true {
            let subject: WriterLookup.Subject = form == .value ? .value(named) : .elements(JSON.self)
            guard let writer = registry.writer(of: subject, as: type, for: host).writer else { return chain + ["none"] }
            chain.append(names[writer.entry] ?? "")
            let declines = writer.serializer is PickyWriter || writer.serializer is RowsWriter
            guard form == .value, declines, named.insert(writer.entry).inserted else { return chain }
        }
    }

    static let types =
        (Maker.types.flatMap { type in Maker.subtypes.map { "\(type)/\($0)" } }
        + ["z/z", "a/old", "z/q+json", "a/q+xml"]).flatMap { [$0, "\($0);p=1"] }.compactMap { MediaType(parsing: $0) }
    static let hosts = [nil] + ["h.example", "h.example:8080", "s.h.example", "x.example"].map { CanonicalHost($0) }

    @Test("it tells of a class where the look-ups of both turn to other entries, and of no other, of random pairs")
    func random() throws {
        var maker = Maker(random: SplitMix(seed: 14))
        let pairs = TestLength.count(300, of: 3_000, "pairs of tables that write")
        var (seen, same, different) = (0, 0, 0)
        for _ in 0..<pairs * 8 where seen < pairs {
            guard let (before, after) = maker.writingPair() else { continue }
            seen += 1
            let comparison = try RegistryComparison(before, after)
            let changes = comparison.changes.filter { $0.aspect == .writers }
            let classes = comparison.classes
            let (namesBefore, namesAfter) = (Self.names(before), Self.names(after))
            func differs(_ type: MediaType, _ host: CanonicalHost?, _ form: BodyForm) -> Bool {
                Self.chain(before, namesBefore, type, host, form) != Self.chain(after, namesAfter, type, host, form)
            }
            func tables() -> String {
                "\n\(before.effectiveManifest)\n\(after.effectiveManifest)\n\(comparison.lines.joined(separator: "\n"))"
            }
            var differ = false
            for type in Self.types {
                let index = try #require(classes.types.index(of: .mediaType(type)))
                for host in Self.hosts {
                    let place = try #require(classes.host(of: host))
                    for form in BodyForm.allCases {
                        let isChanged = differs(type, host, form)
                        let isTold = changes.contains {
                            $0.form == form && $0.types.contains(index) && $0.hosts.contains(place)
                        }
                        differ = differ || isChanged
                        #expect(isChanged == isTold, "\(type) \(host.map { "\($0)" } ?? "-") \(form)\(tables())")
                    }
                }
            }
            // Each change has a witness, also where the types and hosts above have none of its class.
            for change in changes {
                let form = try #require(change.form)
                let type = try #require(change.types.first.flatMap { classes.types.all[$0].contentType.mediaType })
                let host = try #require(change.hosts.first.map { classes.hosts[$0].witness })
                #expect(differs(type, host?.host, form), "\(change)\(tables())")
            }
            if changes.isEmpty { same += 1 }
            if differ { different += 1 }
        }
        print("\(seen) pairs of tables that write, \(same) the same, \(different) with another writer")
        #expect(seen == pairs)
        #expect(different > pairs / 10)
        #expect(same > pairs / 10)
    }
}

extension ComparisonOracleTests.Maker {
    fileprivate static let places = ["h.example", "h.example:8080", "*.h.example", "*.example"]

    fileprivate mutating func writingEntry(_ id: String) -> JSON {
        var match: [(String, JSON)] = []
        if !chance(6) {
            let ranges = (0..<Int.random(in: 1...2, using: &random)).map { _ in writtenRange() }
            match.append(("types", .array(ranges.map { JSON($0) })))
        }
        if chance(4) { match.append(("status", [JSON(status())])) }
        let factory = pick(["json", "both", "both", "sure", "picky-writer", "rows"])
        var members: [(String, JSON)] = [("id", JSON(id)), ("factory", JSON(factory)), ("match", .object(match))]
        if factory == "both", chance(2) { members.append((pick(["reads", "writes"]), false)) }
        // It declines what names it.
        if factory == "picky-writer" || factory == "rows" { members.append(("options", ["name": JSON(id)])) }
        if factory == "json", chance(3) { members.append(("options", ["depth": 2])) }
        if chance(8) { members.append(("enabled", false)) }
        return .object(members)
    }

    private mutating func writtenRange() -> String {
        let kinds = ["\(pick(Self.types))/*", "*/*", "+json", "+xml", "\(pick(Self.types))/*+json", "@json"]
        let kind = chance(2) ? essence() : pick(kinds)
        return chance(5) ? "\(kind);p=1" : kind
    }

    fileprivate mutating func writingManifest() -> [String: JSON] {
        let count = Int.random(in: 2...4, using: &random)
        var parts: [String: JSON] = [
            "plugins": .array(Self.ids.prefix(count).map { writingEntry($0) }),
            "aliases": chance(3) ? .object([("a/old", JSON(essence()))]) : [:],
        ]
        var hosts: [(String, JSON)] = []
        for (index, place) in Self.places.enumerated() where chance(3) {
            var members: [(String, JSON)] = []
            if chance(2) { members.append(("plugins", [writingEntry("h\(index)")])) }
            if chance(3) {
                members.append(("use", ["e1", "e0"]))
            } else if chance(3) {
                members.append(("inherit", false))
            }
            hosts.append((place, .object(members)))
        }
        parts["hosts"] = .object(hosts)
        return parts
    }

    /// Two tables of which one was edited into the other; nil where a manifest is faulty.
    fileprivate mutating func writingPair() -> (before: SerializerRegistry, after: SerializerRegistry)? {
        let first = writingManifest()
        let new = writingManifest()
        var second = first
        switch Int.random(in: 0..<5, using: &random) {
        case 0: second["aliases"] = new["aliases"]
        case 1: second["hosts"] = new["hosts"]
        case 2: second["plugins"] = .array((first["plugins"]?.array ?? []).map { $0 }.shuffled(using: &random))
        case 3: break
        default:
            var entries = (first["plugins"]?.array).map(Array.init) ?? []
            let index = Int.random(in: 0..<entries.count, using: &random)
            entries[index] = writingEntry(Self.ids[index])
            second["plugins"] = .array(entries)
        }
        guard let before = try? SerializerRegistry.compared(Self.text(first)),
            let after = try? SerializerRegistry.compared(Self.text(second))
        else { return nil }
        return (before, after)
    }
}
