import PatchbayJSON
import PatchbayRegistry
import Testing

/// `extends` and `without`: the entries of a wildcard's section in that of a host, and those that a host leaves out.
@Suite("Extended sections")
struct ExtendsTests {
    private static func plugins(_ ids: String...) -> String {
        #""plugins": [\#(ids.map { PlaceTests.entry($0) }.joined(separator: ", "))]"#
    }

    /// A wildcard with everything that is not extended, and the section of a host under it.
    private static func manifest(_ host: String, _ more: String = "") -> String {
        PlaceTests.manifest(
            plugins("g", "h"),
            #"""
            "hosts": {
              "*.example.com": { "policy": { "noMatch": "error" }, "use": ["h"], \#(plugins("w", "v")) },
              "*.cdn.example.com": { "extends": "*.example.com", \#(plugins("c")) },
              "api.example.com": { \#(host) } \#(more) }
            """#)
    }

    private static func ids(_ registry: SerializerRegistry) -> String {
        registry.routes(host: CanonicalHost("api.example.com")).map(\.id).joined(separator: " ")
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let host: String
        /// What a second layer says of the host.
        var overlay: String?
        let ids: String
        var testDescription: String { name }

        init(_ name: String, _ host: String, _ overlay: String? = nil, gives ids: String) {
            self.name = name
            self.host = host
            self.overlay = overlay
            self.ids = ids
        }
    }

    private static let extends = #""extends": "*.example.com""#

    static let cases = [
        Case("after its own and before the global list", "\(extends), \(plugins("a"))", gives: "a w v g h"),
        Case("without entries of its own", extends, gives: "w v g h"),
        Case("another spelling of the pattern", #""extends": "*.EXAMPLE.com.""#, gives: "w v g h"),
        Case("without the global list", #"\#(extends), "inherit": false"#, gives: "w v"),
        Case("some left out", #"\#(extends), "without": ["w"]"#, gives: "v g h"),
        Case("`use` picks global entries behind them", #"\#(extends), "use": ["h"]"#, gives: "w v h"),
        Case("`use` names one of them", #"\#(extends), "use": ["h", "w", "g"], \#(plugins("a"))"#, gives: "a v h w g"),
        Case("`order` names them", #"\#(extends), "order": ["v", "w"], \#(plugins("a"))"#, gives: "a v w g h"),
        Case(
            "`order` mixes them with its own", #"\#(extends), "order": ["v", "a"], \#(plugins("a", "b"))"#,
            gives: "v b w a g h"),
        Case(
            "a place relative to one of them", #"\#(extends), \#(plugins("a", "b")), "order": []"#,
            #""plugins": [{ "id": "b", "place": { "after": "w" } }]"#, gives: "a w b v g h"),
        Case(
            "a place behind them", extends, #""plugins": [{ "id": "b", "factory": "json", "place": "last" }]"#,
            gives: "w v b g h"),
        Case(
            "a later layer orders them", "\(extends), \(plugins("a"))", #""order": ["w", "a"]"#, gives: "w a v g h"),
        Case(
            "what comes to a mixed list goes before it", #"\#(extends), "order": ["v", "a"], \#(plugins("a"))"#,
            plugins("n"), gives: "n v w a g h"),
        Case("a later layer extends", plugins("a"), extends, gives: "a w v g h"),
        Case("null ends it", "\(extends), \(plugins("a"))", #""extends": null"#, gives: "a g h"),
        Case(
            "null ends it, and what it left out", #"\#(extends), "without": ["w"], \#(plugins("a"))"#,
            #""extends": null"#,
            gives: "a g h"),
        Case("null for what is left out", #"\#(extends), "without": ["w"]"#, #""without": null"#, gives: "w v g h"),
        Case("a global entry left out", #""without": ["g"], \#(plugins("a"))"#, gives: "a h"),
        Case("all global entries left out", #""without": ["h", "g"]"#, gives: ""),
        Case("an extended and a global entry left out", #"\#(extends), "without": ["g", "w"]"#, gives: "v h"),
        Case("a global entry left out beside `use`", #"\#(extends), "without": ["g"], "use": ["h"]"#, gives: "w v h"),
        Case(
            "one left out of a list that is dropped", #"\#(extends), "without": ["g"], "inherit": false"#, gives: "w v"),
        Case(
            "one left out behind a mixed list",
            #"\#(extends), "without": ["g"], "order": ["v", "a"], \#(plugins("a"))"#,
            gives: "v w a h"),
        Case(
            "one left out by a later layer, behind a mixed list",
            #"\#(extends), "order": ["v", "a"], \#(plugins("a"))"#, #""without": ["g"]"#, gives: "v w a h"),
        Case("a later layer leaves out another", #""without": ["g"]"#, #""without": ["h"]"#, gives: "g"),
        Case("null for a global entry that is left out", #""without": ["g"]"#, #""without": null"#, gives: "g h"),
        Case("a later layer uses another", #""without": ["g"]"#, #""use": ["h"]"#, gives: "h"),
        Case(
            "null ends it, and a global entry is still left out",
            #"\#(extends), "without": ["w", "g"], \#(plugins("a"))"#,
            #""extends": null"#, gives: "a h"),
        Case(
            "null ends it, and another list is left out", #"\#(extends), "without": ["w", "g"]"#,
            #""extends": null, "without": ["h"]"#, gives: "g"),
        Case(
            "another section is extended, and a global entry is still left out", #"\#(extends), "without": ["g"]"#,
            #""extends": "*.cdn.example.com""#, gives: "c h"),
        Case("what the other section extends is not its own", #""extends": "*.cdn.example.com""#, gives: "c g h"),
        Case("a policy names an extended entry", #"\#(extends), "policy": { "noMatch": "v" }"#, gives: "w v g h"),
    ]

    @Test("the table of the host", arguments: cases)
    func table(_ test: Case) throws {
        let overlays = test.overlay.map { [PlaceTests.manifest(#""hosts": { "api.example.com": { \#($0) } }"#)] } ?? []
        let registry = try SerializerRegistry.fixture(Self.manifest(test.host), overlays: overlays)
        #expect(Self.ids(registry) == test.ids)
        // Not its policy.
        #expect(registry.policy(for: CanonicalHost("api.example.com")).noMatch != .error)
        #expect(registry.routes(host: CanonicalHost("www.example.com")).map(\.id) == ["w", "v", "h"])
        let printed = registry.effectiveManifest.serialized()
        #expect(!printed.contains(#""order""#))
        let again = try SerializerRegistry.fixture(printed)
        #expect(Self.ids(again) == test.ids)
        #expect(again.digest == registry.digest)
    }

    @Test("an entry that the wildcard's section gets later is extended, too")
    func later() throws {
        let overlay = PlaceTests.manifest(#""hosts": { "*.example.com": { \#(Self.plugins("n")) } }"#)
        let registry = try SerializerRegistry.fixture(Self.manifest(Self.extends), overlays: [overlay])
        #expect(Self.ids(registry) == "n w v g h")
        #expect(registry.routes(host: CanonicalHost("api.example.com")).first?.hostSection == "*.example.com")
    }

    @Test("two orders of extended entries have two digests")
    func digests() throws {
        let orders = ["[]", #"["v", "w"]"#, #"["v", "a"]"#].map {
            Self.manifest(#"\#(Self.extends), "order": \#($0), \#(Self.plugins("a"))"#)
        }
        #expect(Set(try orders.map { try SerializerRegistry.fixture($0).digest }).count == 3)
    }

    static let faults: [(host: String, more: String, line: String)] = [
        (
            #""extends": "*.exmple.com""#, "",
            #"extends: there is no section of the hosts "*.exmple.com"; did you mean "*.example.com"?"#
        ),
        (
            #""extends": "other.example.com""#, "",
            #"extends: "other.example.com" is one host, and what a section extends is that of a wildcard; did you mean "*.example.com"?"#
        ),
        (
            #""extends": "*""#, "",
            #"extends: "*" would match every host, which is what "plugins" and "policy" at the top level of a manifest are for"#
        ),
        (#""extends": 7"#, "", "extends: expected a string, found a number"),
        (
            #""extends": "*.example.com", "without": ["ww"]"#, "",
            #"without/0: there is no entry "ww" in the global list or in the section of "*.example.com""#
        ),
        (
            #""extends": "*.example.com", "without": ["g", "c"]"#, "",
            #"without/1: there is no entry "c" in the global list or in the section of "*.example.com""#
        ),
        (
            #""without": ["g", "h", "g"]"#, "",
            #"without/2: the id "g" is in the list twice"#
        ),
        (
            #""without": ["g"], "use": ["h", "g"]"#, "",
            #"use/1: "without" leaves out the entry "g", and "use" names it; write it in one of the two"#
        ),
        (
            #""extends": "*.example.com", "without": ["w"], "use": ["w"]"#, "",
            #"use/0: "without" leaves out the entry "w", and "use" names it; write it in one of the two"#
        ),
        (
            #""without": ["g"], "policy": { "noMatch": "g" }"#, "",
            #"policy/noMatch: "without" leaves out the entry "g", and "noMatch" of the policy names it"#
        ),
        (
            #""extends": "*.example.com", "without": ["w"], "policy": { "missingContentType": "w" }"#, "",
            #"policy/missingContentType: "without" leaves out the entry "w", and "missingContentType" of the policy names it"#
        ),
        (
            #""extends": "*.example.com", "without": ["w", "w"]"#, "",
            #"without/1: the id "w" is in the list twice"#
        ),
        (
            #""without": ["w"]"#, "",
            #"without/0: there is no entry "w" in the global list, and this section extends no other"#
        ),
        (
            #""extends": "*.example.com", "use": ["c"]"#, "",
            #"use/0: there is no entry "c" in the global list"#
        ),
        (
            #""extends": "*.example.com", "without": ["w"], "order": ["v", "w"]"#, "",
            #"order/1: there is no entry "w" in this list; it is an entry of another list, at /hosts/*.example.com/plugins/0 of Plugins.json"#
        ),
    ]

    @Test("what is wrong with one", arguments: faults)
    func fault(_ host: String, _ more: String, _ line: String) throws {
        let failure = try #require(throws: ManifestFailure.self) {
            try SerializerRegistry.fixture(Self.manifest(host, more))
        }
        #expect(failure.description == "Plugins.json:4: /hosts/api.example.com/\(line)")
    }

    @Test("a section cannot extend itself, nor one that a later layer has taken away")
    func gone() throws {
        let itself = try #require(throws: ManifestFailure.self) {
            try SerializerRegistry.fixture(
                PlaceTests.manifest(#""hosts": { "*.example.com": { "extends": "*.example.com" } }"#))
        }
        #expect(
            itself.description
                == "Plugins.json:1: /hosts/*.example.com/extends: a section cannot extend itself")
        let gone = try #require(throws: ManifestFailure.self) {
            try SerializerRegistry.fixture(
                Self.manifest(Self.extends), overlays: [PlaceTests.manifest(#""hosts": { "*.example.com": null }"#)])
        }
        #expect(
            gone.issues.map { "\($0.file) \($0.pointer) \($0.code)" } == [
                "Plugins.json /hosts/*.cdn.example.com/extends unknownHost",
                "Plugins.json /hosts/api.example.com/extends unknownHost",
            ])
    }
}
