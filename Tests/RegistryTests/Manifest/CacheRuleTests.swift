import PatchbayJSON
import PatchbayRegistry
import PatchbayTools
import Testing

/// `"cache"` of a policy: the rule of each host and path, and its faults.
@Suite("The cache of a policy")
struct CacheRuleTests {
    typealias Rule = SerializerRegistry.Policy.CacheRule

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let more: String
        /// The rule of each place; nil is a place without a host.
        let rules: [(place: String?, rule: Rule)]

        init(_ name: String, _ more: String, _ rules: (String?, Rule)...) {
            (testDescription, self.more) = (name, more)
            self.rules = rules.map { ($0, $1) }
        }
    }

    private static func policy(_ rule: String) -> String { #""policy": { "cache": "\#(rule)" }"# }

    static let rows = [
        Row("no key", #""policy": { "accept": "none" }"#, (nil, .standard), ("a.test", .standard)),
        Row("the top level, standard", policy("standard"), (nil, .standard)),
        Row("the top level, explicit", policy("explicit"), (nil, .explicit), ("a.test/x", .explicit)),
        Row(
            "a host over the top level", policy("off") + #", "hosts": { "a.test": { \#(policy("standard")) } }"#,
            (nil, .off), ("a.test", .standard), ("a.test:8080", .standard), ("A.TEST./x?y", .standard),
            ("b.a.test", .off)
        ),
        Row(
            "a host with a port", #""hosts": { "a.test:8080": { \#(policy("off")) } }"#, ("a.test", .standard),
            ("a.test:8080", .off)),
        Row(
            "a wildcard, and a host under it",
            #""hosts": { "*.a.test": { \#(policy("off")) }, "b.a.test": {}, "c.a.test": { "extends": "*.a.test" } }"#,
            ("x.a.test", .off), ("b.a.test", .standard), ("c.a.test", .standard)),
        Row(
            "a path over its host",
            #""hosts": { "a.test": { \#(policy("off")) }, "a.test/maps": { \#(policy("explicit")) }, "a.test/z": {} }"#,
            ("a.test", .off), ("a.test/maps", .explicit), ("a.test/%6Daps/1?q", .explicit), ("a.test/mapsx", .off),
            ("a.test/z", .off)),
        Row(
            "a path without a section of its host",
            policy("explicit") + #", "hosts": { "a.test/maps": { "inherit": false, \#(policy("off")) } }"#,
            ("a.test", .explicit), ("a.test/maps", .off)),
    ]

    private static func registry(_ more: String, _ overlays: String...) throws -> SerializerRegistry {
        func manifest(_ more: String) -> String { #"{ "manifestVersion": 1, \#(more) }"# }
        return try SerializerRegistry.fixture(
            manifest(#""plugins": [{ "id": "j", "factory": "json" }], "# + more), overlays: overlays.map(manifest))
    }

    private static func rule(_ registry: SerializerRegistry, _ place: String?) -> Rule {
        let place = place.flatMap { Endpoint($0) }
        return registry.policy(for: place?.host, at: place?.url).cache
    }

    @Test("each host and path has the rule of the narrowest section that says one", arguments: rows)
    func rules(_ row: Row) throws {
        let registry = try Self.registry(row.more)
        let again = try SerializerRegistry.fixture(registry.effectiveManifest.serialized())
        for (place, rule) in row.rules {
            #expect(Self.rule(registry, place) == rule, "\(place ?? "any host")")
            #expect(Self.rule(again, place) == rule, "\(place ?? "any host"), printed")
        }
        #expect(again.digest == registry.digest)
    }

    static let faults = [
        (
            #""policy": { "cache": "none" }"#,
            #"/policy/cache: "none" is not one of standard, explicit, off"#
        ),
        (
            #""policy": { "cache": "Explicit" }"#,
            #"/policy/cache: "Explicit" is not one of standard, explicit, off; did you mean "explicit"?"#
        ),
        (#""policy": { "cache": "" }"#, #"/policy/cache: "" is not one of standard, explicit, off"#),
        (#""policy": { "cache": false }"#, "/policy/cache: expected a string, found true or false"),
        (#""policy": { "cache": ["off"] }"#, "/policy/cache: expected a string, found an array"),
        (
            #""hosts": { "a.test/maps": { "policy": { "cache": "of" } } }"#,
            #"/hosts/a.test~1maps/policy/cache: "of" is not one of standard, explicit, off; did you mean "off"?"#
        ),
        (
            #""policy": { "caches": "off" }"#,
            #"/policy/caches: the key "caches" is not known here; known are noMatch, missingContentType, invalidContentType, acceptableStatus, empty, limits, accept, requestContentType, cache; did you mean "cache"?"#
        ),
    ]

    @Test("another word is a fault that has the three words", arguments: faults)
    func fault(_ manifest: String, _ sentence: String) throws {
        let failure = try #require(throws: ManifestFailure.self) { try Self.registry(manifest) }
        #expect(failure.description == "Plugins.json:1: " + sentence)
    }

    @Test("a later manifest changes or removes the rule, whose place is known, and a table without it keeps its digest")
    func layers() throws {
        let plain = try Self.registry(#""policy": {}"#)
        let off = try Self.registry(Self.policy("off"), #""x-note": 1"#)
        #expect(Self.rule(off, nil) == .off && off.digest != plain.digest)
        let places = off.provenance(ofPolicyFor: nil).map { "\($0.key) = \($0.value) \($0.place)" }
        #expect(places == [#"policy.cache = "off" Plugins.json:1"#])
        let explicit = try Self.registry(Self.policy("off"), Self.policy("explicit"))
        #expect(Self.rule(explicit, nil) == .explicit && explicit.digest != off.digest)
        let removed = try Self.registry(Self.policy("off"), #""policy": { "cache": null }"#)
        #expect(Self.rule(removed, nil) == .standard && removed.digest == plain.digest)
    }

    @Test("check warns of a host that does without the rule of its wildcard")
    func lint() throws {
        let registry = try Self.registry(#""hosts": { "*.a.test": { \#(Self.policy("off")) }, "b.a.test": {} }"#)
        #expect(
            registry.lint().map(\.text) == [
                #"Plugins.json: /hosts/b.a.test: the section does without the policy ("cache") of "*.a.test", whose section does not apply here; write the policy ("cache") here, too, or other values, such as "without": [], if that is meant"#
            ])
    }
}
