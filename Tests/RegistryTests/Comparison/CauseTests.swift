import TestSupport
import Testing

@testable import PatchbayRegistry
@testable import PatchbayTools

/// The edits that a comparison names as the causes of what it found.
@Suite("The edit behind each change", .timeLimit(.minutes(5)))
struct CauseTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let before: String
        let after: String
        /// The changes, each as the aspect and its causes; equal ones once.
        let causes: [String]
        var testDescription: String { name }
    }

    private static func manifest(_ entries: [String], _ more: String = "") -> String {
        let lines = entries.joined(separator: ",\n")
        return "{ \"manifestVersion\": 1,\n\"plugins\": [\n\(lines)]\(more.isEmpty ? "" : ",\n\(more)") }"
    }

    private static func entry(_ id: String, _ factory: String, _ types: String, _ more: String = "") -> String {
        #"{ "id": "\#(id)", "factory": "\#(factory)", "match": { "types": ["\#(types)"] }\#(more.isEmpty ? "" : ", " + more) }"#
    }

    private static let j = entry("j", "json", "a/b")
    private static let t = entry("t", "text", "c/d")
    private static let w = entry("w", "count", "*/*", #""hides": ["j", "t"]"#)
    private static let quiet = #""policy": { "accept": "none" }"#
    private static let host = #""hosts": { "h.example": { "plugins": [\#(entry("own", "count", "a/b"))] } }"#

    static let rows = [
        Row(
            name: "two new entries, each with what it takes", before: manifest([j], quiet),
            after: manifest([entry("x", "count", "x/x"), entry("y", "text", "y/y"), j], quiet),
            causes: ["entries: m.json:3 added x", "entries: m.json:4 added y"]),
        Row(
            name: "an entry that is gone, and another that covers less",
            before: manifest([j, entry("y", "text", #"y/y", "y/z"#)], quiet),
            after: manifest([entry("y", "text", "y/y")], quiet),
            causes: ["entries: m.json:3 changed y match", "entries: m.json:3 removed j"]),
        Row(
            name: "options of one entry, and the limit of another", before: manifest([j, t], quiet),
            after: manifest(
                [
                    j.replacing("] }", with: #"] }, "options": { "depth": 2 }"#),
                    t.replacing("] }", with: #"] }, "limits": { "maxBodyBytes": 9 }"#),
                ],
                quiet),
            causes: [
                "entries: m.json:3 added j options", "entries: m.json:4 added t limits",
            ]),
        Row(
            name: "an entry that moved to the front, and an entry of a host", before: manifest([j, t, w], quiet),
            after: manifest([w, j, t], quiet + ",\n" + host),
            causes: ["entries: m.json:3 moved w", "entries: m.json:7 added h.example own"]),
        Row(
            name: "policies of the top level and of a host",
            before: manifest([j], #""policy": { "accept": "none", "limits": { "maxBodyBytes": 9 } }"#),
            after: manifest(
                [j],
                #""policy": { "accept": "none", "limits": { "maxBodyBytes": 8 }, "noMatch": "error" }, "hosts": { "h.example": { "policy": { "limits": { "maxBodyBytes": 7 } } } }"#
            ),
            causes: [
                "entries: m.json:4 added policy noMatch", "limits: m.json:4 added h.example policy limits",
                "limits: m.json:4 changed policy limits",
            ]),
        Row(
            name: "the cache of the top level, of a host and of its path",
            before: manifest(
                [j], quiet + ",\n" + #""hosts": { "h.example/a": { "policy": { "cache": "explicit" } } }"#),
            after: manifest(
                [j],
                #""policy": { "accept": "none", "cache": "off" },"# + "\n"
                    + #""hosts": { "h.example": { "policy": { "cache": "standard" } },"#
                    + "\n" + #""h.example/a": { "policy": { "cache": "off" } } }"#),
            causes: [
                "cache: m.json:4 added policy cache", "cache: m.json:6 changed h.example/a policy cache",
            ]),
        Row(
            name: "a host that leaves out the global list", before: manifest([j], quiet),
            after: manifest([j], quiet + ",\n" + #""hosts": { "H.example.": { "inherit": false } }"#),
            causes: ["entries: m.json:5 added h.example inherit"]),
        Row(
            name: "a path of a host, and the host's own policy below it", before: manifest([j], quiet),
            after: manifest(
                [j],
                quiet + ",\n"
                    + #""hosts": { "h.example": { "policy": { "noMatch": "error" } },"#
                    + "\n" + #""h.example/a": { "policy": { "limits": { "maxBodyBytes": 9 } } } }"#),
            causes: [
                "entries: m.json:5 added h.example policy noMatch", "limits: m.json:6 added h.example/a policy limits",
            ]
        ),
        Row(
            name: "an alias", before: manifest([j], quiet),
            after: manifest([j], quiet + ",\n" + #""aliases": { "x/old": "a/b" }"#),
            causes: ["entries: m.json:5 added aliases x/old"]),
        Row(
            name: "one Accept of two new entries is of both", before: manifest([j]),
            after: manifest([entry("x", "json", "x/x"), entry("y", "json", "y/y"), j]),
            causes: [
                "accept: m.json:3 added x, m.json:4 added y", "entries: m.json:3 added x", "entries: m.json:4 added y",
            ]),
        Row(
            name: "an Accept of a policy and of a parameter is of both",
            before: manifest(
                [j, entry("acme", "json", "application/vnd.acme;version=1")], #""policy": { "noMatch": "raw" }"#),
            after: manifest(
                [j, entry("acme", "json", "application/vnd.acme;version=2")], #""policy": { "noMatch": "error" }"#),
            causes: [
                "accept: m.json:4 changed acme match, m.json:5 changed policy noMatch",
                "entries: m.json:4 changed acme match", "entries: m.json:5 changed policy noMatch",
            ]),
        Row(
            name: "an entry that is off, and a section that leaves out another no longer",
            before: manifest(
                [entry("csv", "text", "text/csv"), entry("xml", "count", "x/x")],
                quiet + ",\n" + #""hosts": { "*.old.example": { "without": ["xml"] } }"#),
            after: manifest(
                [entry("csv", "text", "text/csv", #""enabled": false"#), entry("xml", "count", "x/x")],
                quiet + ",\n" + #""hosts": { "*.old.example": { "without": [] } }"#),
            causes: ["entries: m.json:3 added csv enabled", "entries: m.json:6 changed *.old.example without"]),
    ]

    @Test("each change is of its edit", arguments: rows)
    func told(_ row: Row) throws {
        let comparison = try RegistryComparison(row.before, row.after)
        let causes = comparison.changes.map { change in
            "\(change.aspect): " + change.causes.map { comparison.edits[$0].words }.joined(separator: ", ")
        }
        #expect(Set(causes).sorted() == row.causes, "\(comparison.lines.joined(separator: "\n"))")
    }

    @Test("a change of one edit is of that edit, whatever key it is", arguments: ComparisonTests.edits)
    func alone(_ edit: ComparisonTests.Edit) throws {
        let edited = ComparisonTests.base.replacing(edit.old, with: edit.new)
        let comparison = try RegistryComparison(ComparisonTests.base, edited)
        #expect(comparison.changes.allSatisfy { !$0.causes.isEmpty })
        #expect(edit.aspects.isEmpty || comparison.edits.allSatisfy { $0.file == "m.json" && $0.line != nil })
    }

    @Test("of two edits, the one that is named makes the change also alone")
    func pairs() throws {
        var random = SplitMix(seed: 57)
        let edits = ComparisonTests.edits.filter { !$0.aspects.isEmpty }
        var (seen, single) = (0, 0)
        var wrong: [String] = []
        let base = try SerializerRegistry.compared(ComparisonTests.base)
        let count = TestLength.count(100, of: 700, "pairs of edits")
        for _ in 0..<count * 4 where seen < count {
            let pair = [0, 1].map { _ in edits[Int.random(in: edits.indices, using: &random)] }
            guard pair[0].old != pair[1].old else { continue }
            let texts = pair.map { ComparisonTests.base.replacing($0.old, with: $0.new) }
            let both = texts[0].replacing(pair[1].old, with: pair[1].new)
            guard both != texts[0], let after = try? SerializerRegistry.compared(both) else { continue }
            seen += 1
            let comparison = try RegistryComparison(base, after)
            let alone = try texts.map { try SerializerRegistry.compared($0) }
            for change in comparison.changes
            where change.causes.count == 1 && ![.writers, .requestContentType, .cache].contains(change.aspect) {
                let cause = comparison.edits[change.causes[0]].identity
                let makers = alone.filter { Edits(base, $0).all.contains { $0.identity == cause } }
                guard makers.count == 1 else { continue }
                single += 1
                let (old, new) = (
                    change.told(by: base, comparison.classes), change.told(by: makers[0], comparison.classes)
                )
                if old == new { wrong.append("\(pair) \(cause) \(change.aspect) \(change.before.words)") }
            }
        }
        print("\(seen) pairs of edits, \(single) changes of one of them")
        #expect(seen == count)
        #expect(single > count)
        #expect(wrong.count * 100 < single, "\(wrong.joined(separator: "\n"))")
    }
}

extension Edit {
    /// `added h.example own options`
    fileprivate var identity: String {
        ([kind.rawValue, host, entry].compactMap(\.self) + path).joined(separator: " ")
    }

    fileprivate var words: String { "\(file):\(line ?? 0) \(identity)" }
}
