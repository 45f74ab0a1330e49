import PatchbayJSON
import PatchbayRegistry
import Testing

@Suite("Overlays")
struct OverlayTests {
    static let base = #"""
        { "manifestVersion": 1,
          "policy": { "noMatch": "error", "limits": { "maxBodyBytes": 100 } },
          "aliases": { "a/b": "c/d" },
          "plugins": [
            { "id": "json", "factory": "json", "match": { "types": ["@json"], "status": ["2XX"] }, "options": { "depth": 1, "keys": "asIs" } },
            { "id": "text", "factory": "text", "match": { "types": ["text/*"] } } ],
          "hosts": { "One.example.": { "plugins": [{ "id": "one", "factory": "count" }], "policy": { "noMatch": "raw" } } } }
        """#

    /// An overlay, and how the effective manifest differs from the base: the value at each pointer.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let overlay: String
        let expected: [String: JSON]
        var testDescription: String { name }
    }

    /// Stands for no value at all, which is not null.
    static let absent: JSON = "(absent)"

    static let cases = [
        Case(
            name: "an entry merges by id: what it does not say stays, objects merge, arrays are replaced",
            overlay: #""plugins": [{ "id": "json", "match": { "types": ["text/x"] }, "options": { "depth": 2 } }]"#,
            expected: [
                "/plugins/0/id": "json", "/plugins/0/factory": "json", "/plugins/0/match/types": ["text/x"],
                "/plugins/0/match/status": ["2XX"], "/plugins/0/options": ["depth": 2, "keys": "asIs"],
            ]),
        Case(
            name: "null removes",
            overlay: #""plugins": [{ "id": "json", "match": { "status": null }, "options": null }]"#,
            expected: ["/plugins/0/match": ["types": ["@json"]], "/plugins/0/options": absent]),
        Case(
            name: "new ids go before, in their own order, and known ones stay where they are",
            overlay:
                #""plugins": [{ "id": "n1", "factory": "text", "onFailure": "next" }, { "id": "text" }, { "id": "n2", "factory": "count" }]"#,
            expected: [
                "/plugins/0/id": "n1", "/plugins/1/id": "n2", "/plugins/2/id": "json", "/plugins/3/id": "text",
                "/plugins/4": absent,
            ]),
        Case(
            name: "the policy merges", overlay: #""policy": { "noMatch": "raw", "empty": { "otherwise": "error" } }"#,
            expected: ["/policy": ["noMatch": "raw", "limits": ["maxBodyBytes": 100], "empty": ["otherwise": "error"]]]),
        Case(name: "null resets a whole policy", overlay: #""policy": null"#, expected: ["/policy": absent]),
        Case(
            name: "aliases merge", overlay: #""aliases": { "a/b": null, "e/f": "g/h" }"#,
            expected: ["/aliases": ["e/f": "g/h"]]),
        Case(
            name: "hosts merge by canonical pattern",
            overlay:
                #""hosts": { "one.EXAMPLE": { "plugins": [{ "id": "new", "factory": "text" }], "inherit": false } }"#,
            expected: [
                "/hosts": [
                    "one.example": [
                        "policy": ["noMatch": "raw"], "inherit": false,
                        "plugins": [["id": "new", "factory": "text"], ["id": "one", "factory": "count"]],
                    ]
                ]
            ]),
        Case(
            name: "null removes a host", overlay: #""hosts": { "one.example": null }"#, expected: ["/hosts": absent]
        ),
        Case(name: "null removes a list", overlay: #""plugins": null"#, expected: ["/plugins": []]),
        Case(
            name: "keys that start with x- are left out", overlay: #""x-a": 1, "policy": { "x-b": 2 }"#,
            expected: ["/x-a": absent, "/policy/x-b": absent]),
    ]

    @Test("1.1.26, 1.2.7: merging, and the manifest that comes of it", arguments: cases)
    func merging(_ test: Case) throws {
        let registry = try SerializerRegistry.fixture(
            Self.base, overlays: ["{ \"manifestVersion\": 1, \(test.overlay) }"])
        for (pointer, value) in test.expected {
            #expect((registry.effectiveManifest.pointer(pointer) ?? Self.absent) == value, "\(pointer)")
        }
        // What is printed is a manifest, and means the same.
        let again = try SerializerRegistry.fixture(registry.effectiveManifest.serialized(pretty: true))
        #expect(again.effectiveManifest == registry.effectiveManifest)
        #expect(again.digest == registry.digest)
    }

    @Test("an entry that is switched off is in the table and never asked")
    func switchedOff() throws {
        let registry = try SerializerRegistry.fixture(
            Self.base, overlays: [#"{ "manifestVersion": 1, "plugins": [{ "id": "json", "enabled": false }] }"#])
        #expect(registry.routes(host: nil).map(\.availability) == [.switchedOff, .available])
        let decision = registry.explain(contentType: "application/json")
        #expect(decision.entryID == nil)
        #expect(decision.candidates.map(\.entry) == ["text"])
        let back = try registry.overlaid(
            by: .text(#"{ "manifestVersion": 1, "plugins": [{ "id": "json", "enabled": true }] }"#, name: "on")
        )
        #expect(back.explain(contentType: "application/json").entryID == "json")
    }

    @Test("an error names the file and the place that brought the value")
    func provenance() throws {
        let failure = try #require(throws: ManifestFailure.self) {
            try SerializerRegistry.fixture(
                Self.base,
                overlays: [
                    #"{ "manifestVersion": 1, "plugins": [{ "id": "new", "factory": "text" }, { "id": "json", "options": { "dpth": 1 } }] }"#,
                    #"{ "manifestVersion": 1, "plugins": [{ "id": "json", "factory": null }, { "id": "text", "factory": "txt" }] }"#,
                ])
        }
        #expect(
            failure.issues.map { "\($0.file) \($0.pointer) \($0.code)" } == [
                "overlay2.json /plugins/0/factory missingKey", "overlay2.json /plugins/1/factory unknownFactory",
            ])
        let option = try #require(throws: ManifestFailure.self) {
            try SerializerRegistry.fixture(
                Self.base,
                overlays: [
                    #"{ "manifestVersion": 1, "plugins": [{ "id": "new", "factory": "text" }, { "id": "json", "options": { "dpth": 1 } }] }"#
                ])
        }
        #expect(
            option.issues.map { "\($0.file) \($0.pointer) \($0.code)" } == [
                "overlay1.json /plugins/1/options/dpth unknownOption"
            ])
    }

    /// What is right in each layer and wrong in their sum, and where that is said.
    static let sums: [(base: String, overlay: String, fault: String)] = [
        (
            #""aliases": { "a/b": "c/d" }"#, #""aliases": { "c/d": "e/f" }"#,
            "Plugins.json /aliases/a~1b aliasChain"
        ),
        (
            #""plugins": [{ "id": "a", "factory": "json", "match": { "types": ["a/b"] } }]"#,
            #""aliases": { "a/b": "c/d" }"#, "overlay1.json /aliases/a~1b aliasedType"
        ),
        (
            #""plugins": [{ "id": "a", "factory": "json" }], "hosts": { "a.b": { "use": ["a"] } }"#,
            #""hosts": { "A.b": { "inherit": false } }"#, "overlay1.json /hosts/A.b/inherit conflictingKeys"
        ),
        (
            #""plugins": [{ "id": "a", "factory": "json" }]"#, #""policy": { "noMatch": "b" }"#,
            "overlay1.json /policy/noMatch unknownEntry"
        ),
        (
            #""hosts": { "a.b": { "plugins": [{ "id": "a", "factory": "json" }] } }"#,
            #""plugins": [{ "id": "a", "factory": "text" }]"#, "overlay1.json /plugins/0/id duplicateID"
        ),
        (
            "\"plugins\": [\((0..<999).map { "{\"id\":\"a\($0)\",\"factory\":\"json\",\"enabled\":false}" }.joined(separator: ","))]",
            #""plugins": [{ "id": "b", "factory": "text" }, { "id": "c", "factory": "text", "onFailure": "next" }]"#,
            "overlay1.json  tooManyEntries"
        ),
    ]

    @Test("layers that are right and whose sum is wrong", arguments: sums)
    func sum(_ base: String, _ overlay: String, _ fault: String) throws {
        let manifests = [base, overlay].map { "{ \"manifestVersion\": 1, \($0) }" }
        _ = try SerializerRegistry.fixture(manifests[0])
        let failure = try #require(throws: ManifestFailure.self) {
            try SerializerRegistry.fixture(manifests[0], overlays: [manifests[1]])
        }
        #expect(failure.issues.map { "\($0.file) \($0.pointer) \($0.code)" }.first == fault)
    }

    @Test("an entry added in code comes first, as from an overlay")
    func adding() throws {
        let base = try SerializerRegistry.fixture(Self.base)
        let added = try base.adding(
            "csv", factory: "text", types: ["text/csv"], status: ["2XX"], options: ["prefix": "csv:"], onFailure: .next)
        let overlaid = try SerializerRegistry.fixture(
            Self.base,
            overlays: [
                #"{ "manifestVersion": 1, "plugins": [{ "id": "csv", "factory": "text", "match": { "types": ["text/csv"], "status": ["2XX"] }, "options": { "prefix": "csv:" }, "onFailure": "next" }] }"#
            ])
        #expect(added.digest == overlaid.digest)
        #expect(added.routes(host: nil).map(\.id) == ["csv", "json", "text"])
        #expect(base.routes(host: nil).map(\.id) == ["json", "text"])
        let host = try base.adding("csv", factory: "text", host: "two.example")
        #expect(host.routes(host: CanonicalHost("two.example")).map(\.id) == ["csv", "json", "text"])
        #expect(host.routes(host: nil).map(\.id) == ["json", "text"])
    }

    @Test("an entry with a serializer of code: first, before another, for one host, of any type")
    func addingSerializer() throws {
        let base = try SerializerRegistry.fixture(Self.base)
        let first = try base.adding("count", CountFixture(), types: ["text/plain"], status: ["200"])
        #expect(first.routes(host: nil).map(\.id) == ["count", "json", "text"])
        #expect(first.explain(contentType: "text/plain").entry == "count")
        #expect(first.explain(contentType: "text/plain", status: 201).entry == "text")
        #expect(try first.explain(contentType: "text/plain").serialize(ResponseBody(text: "abc")).value as? Int == 3)
        let before = try first.adding("words", TextFixture(prefix: "w:"), before: "text")
        #expect(before.routes(host: nil).map(\.id) == ["count", "json", "words", "text"])
        #expect(before.explain(contentType: nil).entry == "words")
        let second = try before.adding("second", factory: "text", before: "words")
        #expect(second.routes(host: nil).map(\.id) == ["count", "json", "second", "words", "text"])
        let host = try second.adding("there", CountFixture(), host: "two.example")
            .adding("here", CountFixture(), before: "there", host: "two.example")
        let ids = host.routes(host: CanonicalHost("two.example")).map(\.id)
        #expect(ids == ["here", "there", "count", "json", "second", "words", "text"])
        #expect(host.routes(host: nil).map(\.id) == second.routes(host: nil).map(\.id))
        let other = try base.adding("count", TextFixture(prefix: "c:"), types: ["text/plain"], status: ["200"])
        #expect(Set([base, first, other].map(\.digest)).count == 3)
        // A replacement goes with the entry that it was for.
        let again = try base.replacing("text", with: CountFixture())
            .overlaid(by: .text(#"{ "manifestVersion": 1, "plugins": [{ "id": "text", "enabled": false }] }"#))
        #expect(again.explain(contentType: "text/plain").entry == nil)
        let gone = try base.replacing("json", with: CountFixture())
            .overlaid(by: .text(#"{ "manifestVersion": 1, "inherit": false, "plugins": [] }"#))
            .adding("json", factory: "text", types: ["text/plain"])
        let value = try gone.explain(contentType: "text/plain").serialize(ResponseBody(text: "abc")).value
        #expect(value is String)
        #expect(!first.notes.contains { $0.kind == .unavailableEntry }, "\(first.notes)")
    }

    @Test("manifests that come later change an entry of code, and what replaces its serializer holds")
    func afterAdding() throws {
        let added = try SerializerRegistry.fixture(Self.base).adding("count", CountFixture(), types: ["text/plain"])
        func overlaid(_ change: String) throws -> SerializerRegistry {
            let entry = #"{ "id": "count", \#(change) }"#
            return try added.overlaid(by: .text(#"{ "manifestVersion": 1, "plugins": [\#(entry)] }"#))
        }
        #expect(try overlaid(#""enabled": false"#).explain(contentType: "text/plain").entry == "text")
        #expect(try overlaid(#""place": "last""#).routes(host: nil).map(\.id) == ["json", "text", "count"])
        let replaced = try added.replacing("count", with: TextFixture(prefix: "r:"))
            .replacing("count", with: TextFixture(prefix: "two:"), host: "two.example")
        let body = ResponseBody(text: "x")
        for (host, text) in [("one.example", "r:x"), ("two.example", "two:x")] {
            let decision = replaced.explain(contentType: "text/plain", host: host)
            #expect(try decision.serialize(body, as: String.self).value == text)
        }
        // Where the serializer is not, the entry declines.
        let printed = try SerializerRegistry.fixture(added.effectiveManifest.serialized())
        #expect(printed.explain(contentType: "text/plain").entry == "text")
        #expect(printed.notes.contains { $0.kind == .unavailableEntry && $0.message.contains("(code)") })
    }

    @Test("an entry that a manifest switches off stays off when code replaces its serializer")
    func replacingSwitchedOff() throws {
        let registry = try SerializerRegistry.entries(
            #"{ "id": "text", "factory": "text" }, { "id": "off", "factory": "count", "enabled": false }"#)
        #expect(try registry.replacing("off", with: CountFixture()).explain(contentType: "a/b").entry == "text")
    }

    @Test("what is wrong with an entry added in code")
    func addingFaults() throws {
        let base = try SerializerRegistry.fixture(Self.base)
        let taken = try #require(throws: ManifestFailure.self) { try base.adding("json", factory: "json") }
        #expect(taken.description == #"adding(json): /plugins/0/id: the id "json" is taken"#)
        let faults = try #require(throws: ManifestFailure.self) {
            try base.adding("x", factory: "jsn", types: ["@jsn"], options: 7, host: "a b")
        }
        #expect(
            faults.issues.compactMap(\.kind).sorted { $0.rawValue < $1.rawValue } == [
                .invalidHost, .invalidMediaRange, .wrongType,
            ])
        #expect(faults.issues.allSatisfy { $0.line == nil && $0.file == "adding(x)" })
        let unknown = try #require(throws: ManifestFailure.self) {
            try base.adding("x", CountFixture(), before: "jsn")
        }
        #expect(unknown.issues.map(\.kind) == [.unknownEntry])
        #expect(unknown.issues.map(\.suggestion) == ["json"])
        let other = try #require(throws: ManifestFailure.self) {
            try base.adding("x", factory: "text", before: "json", host: "other.example")
        }
        #expect(other.issues.map(\.kind) == [.unknownEntry])
    }

    @Test("a replaced serializer, everywhere and for one host")
    func replacing() throws {
        let base = try SerializerRegistry.fixture(Self.base)
        let everywhere = try base.replacing("text", with: CountFixture())
        #expect(everywhere.routes(host: nil).map(\.output) == ["JSON", "Int"])
        #expect(everywhere.routes(host: nil).map(\.isReplaced) == [false, true])
        let one = try base.replacing("text", with: TextFixture(prefix: "two:"), host: "two.example")
        let body = ResponseBody(text: "x")
        func text(_ registry: SerializerRegistry, _ host: String) throws -> String {
            try registry.explain(contentType: "text/plain", host: host).serialize(body, as: String.self).value
        }
        #expect(try text(one, "two.example") == "two:x")
        #expect(try text(one, "three.example") == "x")
        let both = try one.replacing("text", with: TextFixture(prefix: "all:"))
        #expect(try text(both, "two.example") == "two:x")
        #expect(try text(both, "three.example") == "all:x")
        #expect(Set([base, everywhere, one, both].map(\.digest)).count == 4)
        let again = try one.replacing("text", with: TextFixture(prefix: "again:"), host: "two.example")
        #expect(try text(again, "two.example") == "again:x")
        #expect(again.digest != one.digest)
    }

    @Test("a replacement keeps what a wildcard section said about the host")
    func replacingUnderWildcard() throws {
        let registry = try SerializerRegistry.entries(
            #"{ "id": "text", "factory": "text" }"#,
            #""hosts": { "*.example": { "policy": { "limits": { "maxBodyBytes": 7 } }, "plugins": [{ "id": "own", "factory": "count", "match": { "types": ["a/b"] } }] } }"#
        )
        let replaced = try registry.replacing("text", with: TextFixture(prefix: "x"), host: "one.example")
        let host = CanonicalHost("one.example")
        #expect(replaced.policy(for: host).maximumBodyBytes == 7)
        #expect(replaced.routes(host: host).map(\.id) == ["own", "text"])
        #expect(replaced.explain(contentType: nil, host: "one.example").hostSection == "one.example")
    }

    @Test("what is wrong with a replacement")
    func replacingFaults() throws {
        let base = try SerializerRegistry.fixture(Self.base)
        let unknown = try #require(throws: ManifestFailure.self) { try base.replacing("jso", with: CountFixture()) }
        #expect(unknown.description == #"replacing(jso): there is no entry "jso"; did you mean "json"?"#)
        let host = try #require(throws: ManifestFailure.self) {
            try base.replacing("json", with: CountFixture(), host: "*")
        }
        #expect(host.issues.map(\.kind) == [.invalidHost])
    }

    @Test("factories of an overlay join those of the registry, and count where a name is taken")
    func factories() throws {
        var more = SerializerFactories()
        try more.register("csv") { CountFixture() }
        try more.register("text") { CountFixture() }
        let registry = try SerializerRegistry.fixture(Self.base).with(more).overlaid(
            by: .text(
                #"{ "manifestVersion": 1, "plugins": [{ "id": "csv", "factory": "csv", "match": { "types": ["text/csv"] } }] }"#,
                name: "o"))
        #expect(registry.routes(host: nil).map(\.output) == ["Int", "JSON", "Int"])
    }

    @Test("more factories make optional entries available, and leave the table")
    func optional() throws {
        let base = try SerializerRegistry.entries(
            #"{ "id": "csv", "factory": "csv", "optional": true, "match": { "types": ["text/csv"] } }"#)
        #expect(base.explain(contentType: "text/csv").entry == nil)
        #expect(base.notes.map(\.code).contains("unavailableEntry"))
        var more = SerializerFactories()
        try more.register("csv") { CountFixture() }
        let registry = try base.with(more)
        #expect(registry.explain(contentType: "text/csv").entry == "csv")
        #expect(!registry.notes.map(\.code).contains("unavailableEntry"))
        #expect(registry.effectiveManifest == base.effectiveManifest)
        #expect(registry.digest == base.digest)
        var refusing = SerializerFactories()
        try refusing.register("csv") { throw Broken() }
        let failure = try #require(throws: ManifestFailure.self) { try base.with(refusing) }
        #expect(failure.issues.map(\.kind) == [.factoryFailed])
    }
}
