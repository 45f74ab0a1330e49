import PatchbayRegistry
import Testing

@Suite("Host sections")
struct HostSectionTests {
    static let manifest = #"""
        { "manifestVersion": 1,
          "policy": { "noMatch": "error", "limits": { "maxBodyBytes": 100 } },
          "plugins": [
            { "id": "json", "factory": "json", "match": { "types": ["@json"] } },
            { "id": "text", "factory": "text", "match": { "types": ["text/*"] } },
            { "id": "all", "factory": "count" } ],
          "hosts": {
            "api.example.com": { "plugins": [{ "id": "api", "factory": "text", "match": { "types": ["@json"] } }] },
            "api.example.com:8080": { "plugins": [{ "id": "api-port", "factory": "text", "match": { "types": ["@json"] } }] },
            "*.example.com": { "use": ["all", "json"], "policy": { "noMatch": "raw" } },
            "*.cdn.example.com": { "inherit": false, "policy": { "acceptableStatus": "any" } },
            "*.example.com:8080": { "plugins": [{ "id": "wild-port", "factory": "text" }], "inherit": false } } }
        """#

    struct Case: Sendable, CustomTestStringConvertible {
        let host: String?
        let section: String?
        let ids: [String]
        let noMatch: SerializerRegistry.Policy.Fallback
        var testDescription: String { host ?? "no host" }
    }

    static let cases = [
        Case(host: nil, section: nil, ids: ["json", "text", "all"], noMatch: .error),
        Case(host: "example.com", section: nil, ids: ["json", "text", "all"], noMatch: .error),
        Case(host: "api.example.org", section: nil, ids: ["json", "text", "all"], noMatch: .error),
        Case(
            host: "api.example.com", section: "api.example.com", ids: ["api", "json", "text", "all"], noMatch: .error),
        Case(
            host: "API.example.COM.:443", section: "api.example.com", ids: ["api", "json", "text", "all"],
            noMatch: .error),
        Case(
            host: "api.example.com:8080", section: "api.example.com:8080", ids: ["api-port", "json", "text", "all"],
            noMatch: .error),
        Case(
            host: "api.example.com:81", section: "api.example.com", ids: ["api", "json", "text", "all"], noMatch: .error
        ),
        Case(host: "www.example.com", section: "*.example.com", ids: ["all", "json"], noMatch: .raw),
        Case(host: "www.example.com:8080", section: "*.example.com:8080", ids: ["wild-port"], noMatch: .error),
        Case(host: "a.cdn.example.com", section: "*.cdn.example.com", ids: [], noMatch: .error),
        Case(host: "a.cdn.example.com:8080", section: "*.cdn.example.com", ids: [], noMatch: .error),
        Case(host: "good.com@api.example.com", section: nil, ids: ["json", "text", "all"], noMatch: .error),
    ]

    @Test("exactly one section applies, and sections never cascade", arguments: cases)
    func section(_ test: Case) throws {
        let registry = try SerializerRegistry.fixture(Self.manifest)
        #expect(registry.explain(contentType: nil, host: test.host).hostSection == test.section)
        let host = test.host.flatMap { CanonicalHost($0) }
        #expect(registry.routes(host: host).map(\.id) == test.ids)
        #expect(registry.policy(for: host).noMatch == test.noMatch)
        // Merged over the global policy, by RFC 7396.
        #expect(registry.policy(for: host).maximumBodyBytes == 100)
    }

    @Test(
        "the section of an address applies to every spelling of it, in the manifest and in the URL",
        arguments: ["127.0.0.1", "2130706433", "0x7f.1", "127.1.", "[::ffff:127.0.0.1]"])
    func addresses(_ key: String) throws {
        let manifest =
            #"{ "manifestVersion": 1, "hosts": { "\#(key)": { "policy": { "limits": { "maxBodyBytes": 7 } } }, "[fe80::1]:81": {} } }"#
        let registry = try SerializerRegistry.fixture(manifest)
        for host in ["127.0.0.1", "2130706433:81", "0x7f.0.0.1", "127.1", "127.0.0.1.", "[::ffff:7f00:1]"] {
            let decision = registry.explain(contentType: nil, host: host)
            #expect(decision.hostSection == "127.0.0.1" && decision.bodyLimit == 7, "\(host)")
        }
        #expect(registry.explain(contentType: nil, host: "[fe80::1%lo]:81").hostSection == "[fe80::1]:81")
        #expect(registry.explain(contentType: nil, host: "127.2").hostSection == nil)
    }

    @Test("two spellings of an address are one host")
    func twice() throws {
        let manifest = #"{ "manifestVersion": 1, "hosts": { "127.0.0.1:80": {}, "2130706433:80": {} } }"#
        let failure = try #require(throws: ManifestFailure.self) { try SerializerRegistry.fixture(manifest) }
        #expect(failure.issues.map(\.kind) == [.duplicateHost])
    }

    @Test("a host's entries come before the global ones, and `use` orders these")
    func order() throws {
        let registry = try SerializerRegistry.fixture(Self.manifest)
        func entry(_ host: String) -> String? {
            registry.explain(contentType: "application/json", host: host).entryID
        }
        #expect(entry("api.example.com") == "api")
        #expect(entry("www.example.com") == "all")
        #expect(entry("example.org") == "json")
        #expect(entry("a.cdn.example.com") == nil)
    }

    @Test("the host is that of the final URL")
    func finalURL() throws {
        let registry = try SerializerRegistry.fixture(Self.manifest)
        let head = try #require(
            ResponseHead.fixture(
                fields: ["Content-Type": "application/json"], url: "http://user:pass@API.EXAMPLE.COM.:8080/path"))
        #expect(registry.decision(for: head).hostSection == "api.example.com:8080")
    }

    @Test("a policy may name an entry of the section, and of the global list")
    func references() throws {
        let registry = try SerializerRegistry.entries(
            #"{ "id": "json", "factory": "json", "match": { "types": ["@json"] } }"#,
            #""hosts": { "a.b": { "inherit": false, "policy": { "noMatch": "json", "missingContentType": "own" }, "plugins": [{ "id": "own", "factory": "text", "match": { "types": ["a/b"] } }] } }"#
        )
        #expect(registry.explain(contentType: "x/y", host: "a.b").entryID == "json")
        #expect(registry.explain(contentType: nil, host: "a.b").entryID == "own")
        #expect(throws: ManifestFailure.self) {
            try SerializerRegistry.entries(
                "",
                #""policy": { "noMatch": "own" }, "hosts": { "a.b": { "plugins": [{ "id": "own", "factory": "text" }] } }"#
            )
        }
    }
}
