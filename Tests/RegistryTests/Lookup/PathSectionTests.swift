import Foundation
import PatchbayJSON
import TestSupport
import Testing

@testable import PatchbayRegistry

/// Sections for paths, which add to the section of their host.
@Suite("Sections for paths", .timeLimit(.minutes(5)))
struct PathSectionTests {
    private static func plugins(_ ids: String...) -> String {
        #""plugins": [\#(ids.map { PlaceTests.entry($0) }.joined(separator: ", "))]"#
    }

    /// The global list has g and h, a wildcard w and v.
    private static func manifest(_ host: String?, _ path: String) -> String {
        let host = host.map { #""api.example.com": { \#($0) },"# } ?? ""
        return PlaceTests.manifest(
            plugins("g", "h"), #""policy": { "limits": { "maxBodyBytes": 100 } }"#,
            #"""
            "hosts": {
              "*.example.com": { "policy": { "noMatch": "error", "requestContentType": "x/w" }, \#(plugins("w", "v")) },
              \#(host)
              "api.example.com/export": { \#(path) } }
            """#)
    }

    private static func ids(_ registry: SerializerRegistry, _ place: String) -> String {
        let place = Endpoint(place)
        return registry.routes(host: place?.host, at: place?.url).map(\.id).joined(separator: " ")
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let host: String?
        let path: String
        let ids: String

        init(_ name: String, _ host: String?, _ path: String, gives ids: String) {
            (testDescription, self.host, self.path, self.ids) = (name, host, path, ids)
        }
    }

    private static let extends = #""extends": "*.example.com""#

    static let cases = [
        Case("before the entries of the host", plugins("a"), plugins("p"), gives: "p a g h"),
        Case("nothing of its own", plugins("a"), "", gives: "a g h"),
        Case("a host without a section has that of the wildcard", nil, plugins("p"), gives: "p w v g h"),
        Case(
            "what the host extends is extended, too", "\(plugins("a")), \(extends)", plugins("p"), gives: "p a w v g h"),
        Case(
            "and left out, too", #"\#(plugins("a")), \#(extends), "without": ["w"]"#, plugins("p"), gives: "p a v g h"),
        Case(
            "in the order of the host", #"\#(plugins("a")), \#(extends), "order": ["v", "a", "w"]"#, plugins("p"),
            gives: "p v a w g h"),
        Case("the host picks global entries", #"\#(plugins("a")), "use": ["h"]"#, plugins("p"), gives: "p a h"),
        Case(
            "the host picks an entry of its own", #"\#(plugins("a", "b")), "use": ["h", "a"]"#, plugins("p"),
            gives: "p b h a"),
        Case("the host drops the global list", #"\#(plugins("a")), "inherit": false"#, plugins("p"), gives: "p a"),
        Case(
            "the path picks them", #"\#(plugins("a")), "use": ["h"]"#, #"\#(plugins("p")), "use": ["g"]"#,
            gives: "p a g"),
        Case(
            "the path picks and the host drops", #"\#(plugins("a")), "inherit": false"#,
            #"\#(plugins("p")), "use": ["g"]"#,
            gives: "p a g"),
        Case(
            "the path picks an entry of the host", plugins("a", "b"), #"\#(plugins("p")), "use": ["h", "a"]"#,
            gives: "p b h a"),
        Case(
            "the path drops the global list", #"\#(plugins("a")), "use": ["h"]"#,
            #"\#(plugins("p")), "inherit": false"#, gives: "p a"),
        Case(
            "the path takes the global list back", #"\#(plugins("a")), "inherit": false"#,
            #"\#(plugins("p")), "inherit": true"#, gives: "p a g h"),
        Case(
            "the path takes the global list back, but for what the host leaves out",
            #"\#(plugins("a")), "without": ["h"], "inherit": false"#, #"\#(plugins("p")), "inherit": true"#,
            gives: "p a g"),
        Case(
            "the path says that it inherits, and the host leaves one out", #""without": ["g"]"#,
            #"\#(plugins("p")), "inherit": true"#, gives: "p h"),
        Case("one of the host left out", plugins("a", "b"), #""without": ["a"]"#, gives: "b g h"),
        Case("one of the global list left out", plugins("a"), #""without": ["g"]"#, gives: "a h"),
        Case("one of the wildcard left out", nil, #"\#(plugins("p")), "without": ["v", "h"]"#, gives: "p w g"),
        Case("`order` mixes", plugins("a"), #"\#(plugins("p")), "order": ["a", "p"]"#, gives: "a p g h"),
        Case(
            "`order` mixes with what the host orders", #"\#(plugins("a")), \#(extends), "order": ["v", "a", "w"]"#,
            #"\#(plugins("p")), "inherit": false, "order": ["v", "p"]"#, gives: "v p a w"),
        Case(
            "what the host orders, without the global list",
            #"\#(plugins("a")), \#(extends), "order": ["v", "a", "w"]"#,
            #"\#(plugins("p")), "inherit": false"#, gives: "p v a w"),
        Case(
            "a place behind those of the host", plugins("a"),
            #""plugins": [\#(PlaceTests.entry("p", #""place": "last""#))]"#, gives: "a p g h"),
    ]

    @Test("the table of a path", arguments: cases)
    func table(_ test: Case) throws {
        let registry = try SerializerRegistry.fixture(Self.manifest(test.host, test.path))
        #expect(Self.ids(registry, "api.example.com/export/2026?x") == test.ids)
        let without = try SerializerRegistry.fixture(Self.manifest(test.host, "").replacing("/export", with: "/other"))
        #expect(Self.ids(registry, "api.example.com/exports") == Self.ids(without, "api.example.com"))
        #expect(Self.ids(registry, "other.example.com/export") == "w v g h")
        let again = try SerializerRegistry.fixture(registry.effectiveManifest.serialized())
        #expect(Self.ids(again, "api.example.com/export") == test.ids)
        #expect(Self.ids(again, "api.example.com") == Self.ids(registry, "api.example.com"))
        #expect(again.digest == registry.digest)
    }

    @Test("the policy of a path lies over that of its host, key by key")
    func policy() throws {
        func policy(_ host: String?, _ path: String, _ place: String = "api.example.com/export") throws
            -> SerializerRegistry.Policy
        {
            let registry = try SerializerRegistry.fixture(Self.manifest(host, path))
            let place = try #require(Endpoint(place))
            return registry.policy(for: place.host, at: place.url)
        }
        let limit = #""policy": { "limits": { "maxBodyBytes": 7 } }"#
        let own = try policy(#""policy": { "noMatch": "error", "acceptableStatus": "any" }"#, limit)
        #expect(own.maximumBodyBytes == 7 && own.noMatch == .error && own.acceptableStatus == .any)
        #expect(own.requestContentType == "application/json")
        #expect(try policy(limit, "").maximumBodyBytes == 7)
        #expect(try policy("", limit, "api.example.com").maximumBodyBytes == 100)
        let ofWildcard = try policy(nil, limit)
        #expect(ofWildcard.noMatch == .error && ofWildcard.requestContentType == "x/w")
        #expect(try policy(Self.extends, limit).requestContentType == "x/w")
        #expect(try policy(Self.extends, limit).noMatch == .raw)
    }

    @Test("two paths of one host do not add up, and the host's other paths have none of them")
    func nested() throws {
        let registry = try SerializerRegistry.fixture(
            PlaceTests.manifest(
                Self.plugins("g"),
                #"""
                "hosts": { "a.test/v1": { \#(Self.plugins("p")) }, "a.test/v1/export": { \#(Self.plugins("q")) },
                  "*.test/v1": { \#(Self.plugins("w")) } }
                """#))
        for (place, ids) in [
            ("a.test/v1", "p g"), ("a.test/v1/a", "p g"), ("a.test/v1/export/a", "q g"), ("a.test", "g"),
            ("a.test/v2", "g"), ("b.test/v1/export", "w g"), ("test/v1", "g"),
        ] {
            #expect(Self.ids(registry, place) == ids, "\(place)")
        }
    }

    @Test("the section of a later layer is added to, too, and null removes it")
    func layers() throws {
        let path = #"{ "manifestVersion": 1, "hosts": { "a.test/x": { \#(Self.plugins("p")) } } }"#
        let host = #"{ "manifestVersion": 1, "hosts": { "A.test": { \#(Self.plugins("a")) } } }"#
        let none = #"{ "manifestVersion": 1, "hosts": { "a.test./x": null } }"#
        #expect(Self.ids(try .fixture(path, overlays: [host]), "a.test/x") == "p a")
        #expect(Self.ids(try .fixture(path, overlays: [host, none]), "a.test/x") == "a")
    }

    @Test("a response, its limit, Accept and what writes a request are those of the path")
    func lookups() throws {
        let registry = try SerializerRegistry.fixture(
            #"""
            { "manifestVersion": 1, "policy": { "limits": { "maxBodyBytes": 100 } },
              "plugins": [{ "id": "json", "factory": "json", "match": { "types": ["application/json"] } },
                          { "id": "text", "factory": "text", "match": { "types": ["text/plain"] } }],
              "hosts": {
                "a.test": { "policy": { "limits": { "maxBodyBytes": 50 } } },
                "a.test/export": {
                  "plugins": [{ "id": "csv", "factory": "count", "match": { "types": ["text/csv", "text/plain"] } }],
                  "policy": { "limits": { "maxBodyBytes": 1000 } } } } }
            """#)
        for (host, entry, section, limit) in [
            ("a.test/export", "csv", "a.test/export", 1000), ("a.test/exports", "text", "a.test", 50),
            ("a.test", "text", "a.test", 50), ("b.test/export", "text", nil, 100),
        ] as [(String, String, String?, Int)] {
            let decision = registry.explain(contentType: "text/plain", host: host)
            #expect(
                decision.entryID == entry && decision.hostSection == section && decision.bodyLimit == limit, "\(host)")
            let place = try #require(Endpoint(host))
            let accept = registry.accept(for: place.host, at: place.url)
            #expect(accept?.hasPrefix(entry == "csv" ? "text/csv" : "application/json") == true, "\(host)")
        }
        let head = try #require(
            ResponseHead.fixture(fields: ["Content-Type": "text/plain"], url: "https://A.test.:443/%65xport/2026?x"))
        #expect(registry.decision(for: head).entryID == "csv")
    }

    @Test("replacing for a host replaces in its paths, and leaves the paths of a wildcard")
    func replacing() throws {
        let registry = try SerializerRegistry.fixture(
            PlaceTests.manifest(
                Self.plugins("g"),
                #""hosts": { "*.test/x": { \#(Self.plugins("w")) }, "b.test:81/y": { \#(Self.plugins("p")) } }"#))
        let other = try registry.replacing("g", with: TextFixture(), host: "a.test")
            .replacing("w", with: TextFixture(), host: "b.test").replacing("p", with: TextFixture(), host: "b.test")
        func output(_ place: String, _ type: String) -> String {
            let decision = other.explain(contentType: "x/\(type)", host: place)
            return
                "\(decision.entryID ?? "-") \(decision.section.table.entry(type)?.serializer.map { "\($0.output)" } ?? "-")"
        }
        #expect(Self.ids(other, "a.test/x") == "w g" && Self.ids(other, "b.test/x") == "w g")
        #expect(output("a.test/x", "g") == "g String" && output("a.test", "g") == "g String")
        #expect(output("a.test/x", "w") == "w Int" && output("b.test/x", "w") == "w String")
        #expect(output("c.test/x", "w") == "w Int" && output("c.test/x", "g") == "g Int")
        #expect(output("b.test:81/y", "p") == "p String" && output("b.test:81/y", "g") == "g Int")
        let failure = #expect(throws: ManifestFailure.self) {
            try registry.replacing("g", with: TextFixture(), host: "a.test/x")
        }
        #expect(failure?.issues.first?.kind == .invalidHost && failure?.issues.first?.suggestion == "a.test")
    }

    @Test("paths that look the same and have other bytes are two, and the order of `without` changes no digest")
    func spelling() throws {
        func hosts(_ members: String) throws -> SerializerRegistry {
            try SerializerRegistry.fixture(
                #"{ "manifestVersion": 1, "plugins": [\#(PlaceTests.entry("g")), \#(PlaceTests.entry("h"))], "hosts": { \#(members) } }"#
            )
        }
        let two = try hosts(
            #""a.test/\u00E9": { "without": ["g"] }, "a.test/e\u0301": { "without": ["h"] }"#)
        #expect(Self.ids(two, "a.test/%C3%A9") == "h" && Self.ids(two, "a.test/e%CC%81") == "g")
        let again = try SerializerRegistry.fixture(two.effectiveManifest.serialized())
        #expect(again.digest == two.digest)
        #expect(Self.ids(again, "a.test/%C3%A9") == "h" && Self.ids(again, "a.test/e%CC%81") == "g")
        let first = try hosts(#""a.test": { "without": ["g", "h"] }"#)
        #expect(try first.digest == hosts(#""a.test": { "without": ["h", "g"] }"#).digest)
    }

    @Test("an entry is added to a path in code")
    func adding() throws {
        let registry = try SerializerRegistry.fixture(Self.manifest("", Self.plugins("p")))
            .adding("q", TextFixture(), types: ["x/q"], host: "api.example.com/export")
        #expect(Self.ids(registry, "api.example.com/export") == "q p g h")
        #expect(Self.ids(registry, "api.example.com") == "g h")
    }

    static let faults: [(hosts: String, line: String)] = [
        (
            #""a.test/": {}"#,
            #"/hosts/a.test~1: "a.test/" has a / at its end, and a path covers all below it without one; did you mean "a.test"?"#
        ),
        (
            #""a.test/x": {}, "A.test./x": {}"#,
            #"/hosts/A.test.~1x: the host "A.test./x" is the same as the one at /hosts/a.test~1x"#
        ),
        (
            #""*.test": {}, "a.test/x": { "extends": "*.test" }"#,
            "/hosts/a.test~1x/extends: a section with a path extends the section of its host, and no other"
        ),
        (
            #""a.test": { "extends": "*.test/x" }"#,
            #"/hosts/a.test/extends: "*.test/x" has a path, which only a key of "hosts" in a manifest may have; did you mean "*.test"?"#
        ),
        (
            #""a.test": { "without": ["json"] }, "a.test/x": { "use": ["json"] }"#,
            #"/hosts/a.test~1x/use/0: "without" leaves out the entry "json", and "use" names it; write it in one of the two"#
        ),
        (
            #""a.test": { "without": ["json"] }, "a.test/x": { "policy": { "noMatch": "json" } }"#,
            #"/hosts/a.test~1x/policy/noMatch: "without" leaves out the entry "json", and "noMatch" of the policy names it"#
        ),
        (
            #""a.test/x": { "without": ["jsn"] }"#,
            #"/hosts/a.test~1x/without/0: there is no entry "jsn" in the table of its host; did you mean "json"?"#
        ),
        (
            #""a.test/x": { "use": ["jsn"] }"#,
            #"/hosts/a.test~1x/use/0: there is no entry "jsn" in the global list; did you mean "json"?"#
        ),
    ]

    @Test("a fault has its place, and what to write", arguments: faults)
    func isFaulty(_ test: (hosts: String, line: String)) throws {
        let text = """
            { "manifestVersion": 1, "plugins": [{ "id": "json", "factory": "json" }], "hosts": {
              \(test.hosts) } }
            """
        let failure = #expect(throws: ManifestFailure.self) { try SerializerRegistry.fixture(text) }
        #expect(failure?.issues.map { "\($0)" } == ["Plugins.json:2: \(test.line)"])
    }

    // MARK: Against a model

    /// The section of a URL, found in the plainest way.
    private static func model(_ keys: [String], _ host: String, _ path: String) -> String? {
        let decoded = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
            $0.removingPercentEncoding ?? String($0)
        }
        let isUnreadable = decoded.contains { $0 == "." || $0 == ".." }
        var best: (key: String, rank: [Int])?
        for key in keys {
            let parts = key.split(separator: "/").map(String.init)
            let isWildcard = parts[0].hasPrefix("*.")
            guard isWildcard ? host.hasSuffix(parts[0].dropFirst()) : host == parts[0] else { continue }
            let segments = Array(parts.dropFirst())
            guard segments.isEmpty || !isUnreadable && Array(decoded.prefix(segments.count)) == segments else {
                continue
            }
            let rank = [isWildcard ? 0 : 1, parts[0].split(separator: ".").count, segments.count]
            if best.map({ $0.rank.lexicographicallyPrecedes(rank) }) ?? true { best = (key, rank) }
        }
        return best?.key
    }

    @Test("decisions at random are those of the plainest model")
    func oracle() throws {
        var random = SplitMix(seed: 57)
        func pick<Element>(_ elements: [Element]) -> Element {
            elements[Int.random(in: 0..<elements.count, using: &random)]
        }
        func path(_ segments: [String], _ most: Int) -> String {
            (0..<Int.random(in: 0...most, using: &random)).map { _ in "/" + pick(segments) }.joined()
        }
        let hosts = ["a.test", "b.test", "c.a.test", "d.c.a.test", "test"]
        var found = 0
        let tables = TestLength.count(100, of: 500, "tables with paths")
        for _ in 0..<tables {
            let keys = Set(
                (0..<Int.random(in: 0...12, using: &random)).map { _ in
                    pick(["a.test", "b.test", "*.test", "*.a.test", "c.a.test"]) + path(["a", "b", "A", "a b"], 3)
                }
            ).sorted()
            let general = HostSection(pattern: nil, policy: .init(), entries: [])
            let sections = HostSections(
                general: general,
                try keys.map { HostSection(pattern: try SectionKey(pattern: $0), policy: .init(), entries: []) })
            for _ in 0..<200 {
                let host = pick(hosts)
                let usual = ["a", "b", "a%20b", "%61", "A"]
                let hostile = ["a", "%2F", "a%2Fb", "", ".", "..", "%2e%2E", "%00", "%2561"]
                let path = path(Bool.random(using: &random) ? usual : usual + hostile, 5)
                let url = try #require(URL(string: "https://\(host)\(path)"))
                let section = sections.section(for: CanonicalHost(url: url), at: url)
                let expected = Self.model(keys, host, path)
                if expected?.contains("/") == true { found += 1 }
                if section.name != expected {
                    Issue.record("\(url): \(section.name ?? "-"), not \(expected ?? "-") of \(keys)")
                }
            }
        }
        #expect(found > tables * 10)
    }

    @Test("1,000 sections with paths, and tables of 1,000 entries, load")
    func many() throws {
        let hosts = (0..<500).flatMap { number in
            [
                #""*.a\#(number).test": { \#(Self.plugins("w\(number)")) }"#,
                #""b.a\#(number).test/x/y": { "order": ["w\#(number)", "p\#(number)"], \#(Self.plugins("p\(number)")) }"#,
            ]
        }
        let registry = try SerializerRegistry.fixture(
            #"{ "manifestVersion": 1, "hosts": { \#(hosts.joined(separator: ",\n")) } }"#)
        #expect(Self.ids(registry, "b.a499.test/x/y/z") == "w499 p499")
    }
}
