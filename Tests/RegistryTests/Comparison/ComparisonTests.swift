import PatchbayJSON
import PatchbayTools
import Testing

@testable import PatchbayRegistry

/// What two tables answer differently, and what they do not.
@Suite("Two registries compared")
struct ComparisonTests {
    /// A manifest in which every key counts.
    static let base = """
        { "manifestVersion": 1,
          "policy": { "noMatch": "raw", "missingContentType": "raw", "invalidContentType": "raw",
            "acceptableStatus": ["2XX"], "accept": "derived", "limits": { "maxBodyBytes": 1000 },
            "empty": { "methods": ["HEAD"], "status": ["204"], "otherwise": "empty" } },
          "aliases": { "text/old": "a/b" },
          "plugins": [
            { "id": "json", "factory": "json", "match": { "types": ["@json"], "status": ["2XX"] }, "options": { "depth": 1 } },
            { "id": "chain", "factory": "broken", "match": { "types": ["a/b"] }, "onFailure": "next" },
            { "id": "text", "factory": "text", "match": { "types": ["text/*", "a/b"] }, "limits": { "maxBodyBytes": 100 } },
            { "id": "both", "factory": "both", "match": { "types": ["v/v"] } }
          ],
          "hosts": {
            "one.example": { "plugins": [
              { "id": "own", "factory": "count", "match": { "types": ["x/y"] } },
              { "id": "own2", "factory": "text", "match": { "types": ["x/y", "x/w"] } }
            ] },
            "*.wild.example": { "plugins": [{ "id": "wild", "factory": "count", "match": { "types": ["w/w"] } }] },
            "ext.example": { "extends": "*.wild.example" },
            "use.example": { "use": ["json"] },
            "none.example": { "inherit": false },
            "policy.example": { "policy": { "noMatch": "error" } }
          } }
        """

    struct Edit: Sendable, CustomTestStringConvertible {
        /// The keys that it changes, as paths without places in lists and without names of hosts.
        let keys: String
        let old: String
        let new: String
        let aspects: Set<RegistryChange.Aspect>
        var testDescription: String { "\(keys): \(new)" }

        init(_ keys: String, _ old: String, _ new: String, _ aspects: Set<RegistryChange.Aspect>) {
            (self.keys, self.old, self.new, self.aspects) = (keys, old, new, aspects)
        }
    }

    static let edits = [
        Edit("policy noMatch", #""noMatch": "raw""#, #""noMatch": "error""#, [.entries, .accept]),
        Edit("policy noMatch", #""noMatch": "raw""#, #""noMatch": "text""#, [.entries]),
        Edit(
            "policy missingContentType", #""missingContentType": "raw""#, #""missingContentType": "error""#, [.entries]),
        Edit(
            "policy invalidContentType", #""invalidContentType": "raw""#, #""invalidContentType": "json""#, [.entries]),
        Edit(
            "policy acceptableStatus", #""acceptableStatus": ["2XX"]"#, #""acceptableStatus": ["2XX", "404"]"#,
            [.acceptableStatus]),
        Edit("policy accept", #""accept": "derived""#, #""accept": "none""#, [.accept]),
        Edit("policy accept", #""accept": "derived""#, #""accept": "all""#, [.accept]),
        Edit(
            "policy requestContentType", #""accept": "derived""#,
            #""accept": "derived", "requestContentType": "application/x-www-form-urlencoded""#, [.requestContentType]),
        Edit("policy cache", #""accept": "derived""#, #""accept": "derived", "cache": "explicit""#, [.cache]),
        Edit("policy limits maxBodyBytes", "1000", "1001", [.limits]),
        Edit("policy empty methods", #"["HEAD"]"#, #"["HEAD", "PUT"]"#, [.empty]),
        Edit("policy empty status", #"["204"]"#, #"["204", "205"]"#, [.empty]),
        Edit("policy empty otherwise", #""otherwise": "empty""#, #""otherwise": "error""#, [.empty]),
        Edit("aliases", #""text/old": "a/b""#, #""text/old": "application/json""#, [.entries]),
        Edit("aliases", #"{ "text/old": "a/b" }"#, "{}", [.entries]),
        Edit("plugins id", #""id": "chain""#, #""id": "other""#, [.entries]),
        Edit("plugins factory", #""factory": "broken""#, #""factory": "brittle""#, [.entries]),
        Edit("plugins match types", #"["text/*", "a/b"]"#, #"["text/*"]"#, [.entries]),
        Edit("plugins match types", #"["a/b"] }, "on"#, #"["a/b;p=1"] }, "on"#, [.entries, .accept]),
        Edit("plugins match status", #""status": ["2XX"] }, "opt"#, #""status": ["200"] }, "opt"#, [.entries]),
        Edit(
            "plugins match wanted", #"["x/y", "x/w"]"#, #"["x/y", "x/w"], "wanted": "elements""#, [.entries, .accept]),
        Edit("plugins options", #""depth": 1"#, #""depth": 2"#, [.entries]),
        Edit("plugins limits maxBodyBytes", #""maxBodyBytes": 100 }"#, #""maxBodyBytes": 101 }"#, [.entries]),
        Edit("plugins onFailure", #""onFailure": "next""#, #""onFailure": "raw""#, [.entries]),
        Edit("plugins reads", #""id": "both""#, #""id": "both", "reads": false"#, [.entries, .accept]),
        Edit("plugins writes", #""id": "both""#, #""id": "both", "writes": false"#, [.writers]),
        Edit("plugins enabled", #""id": "chain""#, #""id": "chain", "enabled": false"#, [.entries, .accept]),
        // An entry whose factory is there is no other for being optional, and a version is not a matter of answers.
        Edit("plugins optional", #""id": "chain""#, #""id": "chain", "optional": true"#, []),
        Edit("hosts plugins", #"["x/y"]"#, #"["x/z"]"#, [.entries, .accept]),
        Edit("hosts use", #""use": ["json"]"#, #""use": ["text"]"#, [.entries, .accept]),
        Edit("hosts inherit", #""inherit": false"#, #""inherit": true"#, [.entries, .writers, .accept]),
        Edit("hosts policy", #""noMatch": "error" } }"#, #""noMatch": "raw" } }"#, [.entries, .accept]),
        Edit("plugins place", #""id": "text""#, #""id": "text", "place": "first""#, [.entries, .accept]),
        Edit("plugins hides", #""id": "text""#, #""id": "text", "hides": ["json"]"#, []),
        Edit("order", #""hosts": {"#, #""order": ["text", "json"], "hosts": {"#, [.entries, .accept]),
        Edit("hosts order", #""one.example": {"#, #""one.example": { "order": ["own2", "own"],"#, [.entries, .accept]),
        Edit(
            "hosts extends", #""one.example": {"#, #""one.example": { "extends": "*.wild.example","#,
            [.entries, .accept]),
        Edit("hosts without", #""ext.example": {"#, #""ext.example": { "without": ["wild"],"#, [.entries, .accept]),
        Edit("hosts hides", #""one.example": {"#, #""one.example": { "hides": ["json"],"#, []),
        Edit("hosts", #""one.example""#, #""one.example:8080""#, [.entries, .accept]),
        Edit("hosts", #""one.example""#, #""*.one.example""#, [.entries, .accept]),
        Edit("hosts", #""one.example""#, #""one.example:443""#, [.entries, .accept]),
    ]

    @Test("a field that alone is changed is found", arguments: edits)
    func found(_ edit: Edit) throws {
        #expect(Self.base.ranges(of: edit.old).count == 1)
        let edited = Self.base.replacing(edit.old, with: edit.new)
        let comparison = try RegistryComparison(Self.base, edited)
        #expect(Set(comparison.changes.map(\.aspect)) == edit.aspects, "\(comparison.lines.joined(separator: "\n"))")
        #expect(try RegistryComparison(edited, Self.base).changes.count == comparison.changes.count)
    }

    @Test("there is an edit for every key of a manifest")
    func everyKey() {
        let policy = ManifestObject.policy.names.flatMap { key in
            switch key {
            case "empty": ["methods", "status", "otherwise"].map { "policy empty \($0)" }
            case "limits": ["policy limits maxBodyBytes"]
            default: ["policy \(key)"]
            }
        }
        let entry = ManifestObject.entry.names.flatMap { key in
            switch key {
            case "match": ["types", "status", "wanted"].map { "plugins match \($0)" }
            case "limits": ["plugins limits maxBodyBytes"]
            default: ["plugins \(key)"]
            }
        }
        let sections = ManifestObject.section.names.map { "hosts \($0)" }
        // What these say is about how manifests are laid over each other, and is gone when a registry is made.
        let layering: Set = ["$schema", "manifestVersion", "inherit"]
        let top = ManifestObject.manifest.names.filter {
            !["policy", "plugins"].contains($0) && !layering.contains($0)
        }
        #expect(Set(Self.edits.map(\.keys)) == Set(policy + entry + sections + top))
    }

    /// Two manifests that look different, and answer alike.
    static let alike: [(name: String, before: String, after: String)] = [
        ("entries that do not overlap, no Accept", entries([j, t], none), entries([t, j], none)),
        ("a status written otherwise", entries([typed("a/b", "2XX")]), entries([typed("a/b", "200-299")])),
        ("types in another order", entries([typed(#"+a", "+b"#)]), entries([typed(#"+b", "+a"#)])),
        (
            "an entry that is switched off", entries([j, #"{ "id": "off", "factory": "text", "enabled": false }"#]),
            entries([j])
        ),
        (
            "a limit above the cap", entries([t.replacing("}}", with: #"}, "limits": { "maxBodyBytes": 99 } }"#)], cap),
            entries([t], cap)
        ),
        (
            "a host that says what holds anyway", entries([j]),
            entries([j], #""hosts": { "a.example": { "policy": { "noMatch": "raw" } } }"#)
        ),
        (
            "an alias that nothing tells from its target", entries([typed("*/*")]),
            entries([typed("*/*")], #""aliases": { "a/b": "c/d" }"#)
        ),
        ("notes", entries([j]), entries([j.replacing(#""id""#, with: #""x-note": 1, "id""#)])),
    ]

    static let j = #"{ "id": "json", "factory": "json", "match": { "types": ["@json"] }}"#
    static let t = #"{ "id": "text", "factory": "text", "match": { "types": ["text/plain"] }}"#
    static let none = #""policy": { "accept": "none" }"#
    static let cap = #""policy": { "limits": { "maxBodyBytes": 10 } }"#

    static func typed(_ types: String, _ status: String = "2XX", _ factory: String = "text") -> String {
        #"{ "id": "e", "factory": "\#(factory)", "match": { "types": ["\#(types)"], "status": ["\#(status)"] } }"#
    }

    static func entries(_ entries: [String], _ more: String = "") -> String {
        let more = more.isEmpty ? "" : ", " + more
        return #"{ "manifestVersion": 1, "plugins": [\#(entries.joined(separator: ", "))]\#(more) }"#
    }

    @Test("manifests that answer alike are the same", arguments: alike.indices)
    func same(_ index: Int) throws {
        let row = Self.alike[index]
        #expect(try RegistryComparison(row.before, row.after).lines == [], "\(row.name)")
    }

    @Test("parameters count where ranges that overlap name them")
    func parameters() throws {
        let comparison = try RegistryComparison(
            Self.entries([Self.typed("a/*;p=1"), Self.t], Self.none),
            Self.entries([Self.typed("a/*;p=2"), Self.t], Self.none))
        #expect(
            comparison.lines == [
                "entries: a/*;p=1; 2XX; any host; any value: e -> the bytes",
                "entries: a/*;p=1; 2XX; any host; text: e -> the bytes as text",
                "entries: a/*;p=2; 2XX; any host; any value: the bytes -> e",
                "entries: a/*;p=2; 2XX; any host; text: the bytes as text -> e",
            ])
        #expect(comparison.classes.types.all.filter { $0.name.hasPrefix("a/*") }.count == 3)
        #expect(comparison.classes.types.all.filter { $0.name.hasPrefix("text/plain") }.count == 1)
    }

    @Test("more combinations of parameters than are looked at are an error")
    func tooManyParameters() throws {
        let types = (0..<13).map { #""a/b;p\#($0)=1""# }.joined(separator: ", ")
        let entry = #"{ "id": "e", "factory": "text", "match": { "types": [\#(types)] } }"#
        let registry = try SerializerRegistry.compared(Self.entries([entry]))
        let failure = ComparisonFailure("entries name more than 4096 combinations of parameters of a/b")
        #expect(throws: failure) { try RegistryComparison(registry, registry) }
        let few = try SerializerRegistry.compared(Self.entries([entry.replacing(#", "a/b;p12=1""#, with: "")]))
        #expect(try RegistryComparison(few, few).isSame)
    }

    @Test("more classes of types than are looked at are an error")
    func tooManyTypes() throws {
        let types = (0..<400).map { #""t\#($0)/*+s\#($0)""# }.joined(separator: ", ")
        let entry = #"{ "id": "e", "factory": "text", "match": { "types": [\#(types)] } }"#
        let registry = try SerializerRegistry.compared(Self.entries([entry]))
        #expect(throws: ComparisonFailure("there are more than 100000 classes of media types")) {
            try RegistryComparison(registry, registry)
        }
    }

    @Test("an entry that declines by its own code is told, and what comes behind it")
    func declining() throws {
        let picky = #"{ "id": "p", "factory": "picky" }"#
        let comparison = try RegistryComparison(
            Self.entries([picky, Self.typed("a/b", "2XX", "count")], Self.none),
            Self.entries([picky, Self.typed("a/b", "2XX", "json")], Self.none))
        #expect(
            comparison.lines.first
                == "entries: a/b; 2XX; any host; any value: p (may decline), then e (factory count; makes Int)"
                + " -> p (may decline), then e (factory json; makes JSON)")
    }

    @Test("the policy for a missing type counts where all that may decline do")
    func decliningTypeless() throws {
        let manifest = Self.entries(
            [#"{ "id": "p", "factory": "picky", "onFailure": "next" }"#], #""policy": { "missingContentType": "raw" }"#)
        let comparison = try RegistryComparison(
            manifest, manifest.replacing(#": "raw""#, with: #": "error""#))
        #expect(
            comparison.lines.first
                == "entries: no Content-Type; any; any host; any value: p (may decline), then the bytes, and if all decline"
                + " the bytes -> p (may decline), then the bytes, and if all decline error missingContentType")
    }

    @Test("what is inside an unwrapped body is compared, too")
    func unwrapping() throws {
        let envelope =
            #"{ "id": "env", "factory": "envelope", "match": { "types": ["app/envelope", "@json"], "status": ["2XX"] } }"#
        func manifest(_ depth: Int) -> String {
            Self.entries([
                envelope,
                #"{ "id": "json", "factory": "json", "match": { "types": ["@json"] }, "options": { "depth": \#(depth) } }"#,
            ])
        }
        let lines = try RegistryComparison(manifest(1), manifest(2)).lines
        #expect(
            lines.contains {
                $0.hasPrefix("entries: application/json text/json +json; inside env; 2XX; any host; any value ")
                    && $0.hasSuffix(#": json (options {"depth":1}) -> json (options {"depth":2})"#)
            }, "\(lines)")
        #expect(!lines.contains { $0.contains("app/envelope") })
    }

    @Test("equal neighbours are one line: types, statuses, hosts and calls")
    func folding() throws {
        let comparison = try RegistryComparison(
            Self.entries(
                [Self.j],
                #""policy": { "accept": "none" }, "hosts": { "h.example": { "policy": { "limits": { "maxBodyBytes": 5 } } } }"#
            ),
            Self.entries(
                [Self.j.replacing("}}", with: #"}, "onFailure": "raw" }"#)],
                #""policy": { "accept": "none" }, "hosts": { "h.example": { "policy": { "limits": { "maxBodyBytes": 5 } } } }"#
            ))
        let lines = comparison.lines
        #expect(lines.count == 2, "\(lines)")
        #expect(lines.first?.hasPrefix("entries: application/json text/json +json; ") == true)
        #expect(lines.first?.contains("any other host h.example") == true)
    }

    /// What a team may have: a hundred host sections, and two hundred types in the global list.
    @Test("a hundred hosts and two hundred types take seconds", .timeLimit(.minutes(5)))
    func large() throws {
        let entries = (0..<200).map {
            #"{ "id": "e\#($0)", "factory": "\#(["text", "json", "count"][$0 % 3])", "match": { "types": ["app/t\#($0)"], "status": ["\#(["2XX", "4XX"][$0 % 2])"] } }"#
        }
        let hosts = (0..<100).map {
            #""h\#($0).example": { "policy": { "limits": { "maxBodyBytes": \#($0 + 1) } }, "plugins": [{ "id": "own\#($0)", "factory": "text", "match": { "types": ["app/t\#($0)"] } }] }"#
        }
        let before = Self.entries(entries, #""hosts": { \#(hosts.joined(separator: ", ")) }"#)
        let after = before.replacing(#""id": "e150", "factory": "text""#, with: #""id": "e150", "factory": "broken""#)
        var lines: [String] = []
        let time = try ContinuousClock().measure { lines = try RegistryComparison(before, after).lines }
        print("100 host sections, 200 types: \(time)")
        #expect(lines.contains { $0.hasPrefix("entries: app/t150; 2XX; any other host h0.example") }, "\(lines.count)")
    }
}
