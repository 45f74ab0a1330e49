import PatchbayJSON
import Testing

@testable import PatchbayRegistry

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The keys of `hosts`: hosts with and without a path.
@Suite struct SectionKeyTests {
    private static func matches(_ key: String, _ url: String) throws -> Bool {
        let key = try SectionKey(pattern: key)
        let url = try #require(URL(string: url), "\(url)")
        let sections = HostSections(
            general: HostSection(pattern: nil, policy: .init(), entries: []),
            [HostSection(pattern: key, policy: .init(), entries: [])])
        return sections.section(for: CanonicalHost(url: url), at: url).pattern == key
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let key: String
        let matching: [String]
        let others: [String]
        var testDescription: String { key }

        init(_ key: String, matches matching: [String], not others: [String]) {
            (self.key, self.matching, self.others) = (key, matching, others)
        }
    }

    static let cases = [
        Case(
            "a.test/export",
            matches: [
                "/export", "/export/", "/export/2026", "/export//", "/export?a=/b", "/export#/c", "/%65xport",
                "/export/%2F",
                "/export/...", "/export/.a", "/export/%252e",
            ],
            not: [
                "", "/", "/exports", "/expor", "/Export", "//export", "/a/export", "/export%2F", "/export%2F2026",
                "/%2Fexport", "/export%00", "/export;a=1", "/export%20", "/?/export", "/#/export", "/%2565xport",
                "/./export", "/export/.", "/export/..", "/export/../export", "/a/../export", "/export/%2e%2E/b",
                "/export/%2e", "/export/a/.%2e/b",
            ]),
        Case(
            "a.test/v1/export", matches: ["/v1/export", "/v1/export/a"],
            not: ["/v1", "/v1/", "/v1//export", "/v1%2Fexport", "/export/v1", "/v1/exports", "/export"]),
        Case(
            "a.test/a b/é", matches: ["/a%20b/%C3%A9", "/a%20b/%c3%a9/c"],
            not: ["/a+b/%C3%A9", "/a%20b/e%CC%81", "/a%20b/%E9"]),
        Case(
            "a.test/a+b&c=d;e:f@g", matches: ["/a+b&c=d;e:f@g", "/a%2Bb%26c%3Dd%3Be%3Af%40g"], not: ["/a%20b&c=d;e:f@g"]
        ),
        Case("a.test/…/.well-known", matches: ["/%E2%80%A6/.well-known/x"], not: ["/.../.well-known"]),
    ]

    @Test("a key matches whole segments, each decoded once", arguments: cases)
    func matching(_ test: Case) throws {
        for path in test.matching {
            #expect(try Self.matches(test.key, "https://a.test\(path)"), "\(path)")
            #expect(try Self.matches(test.key, "https://u:p@A.Test.:443\(path)"), "\(path)")
            #expect(try !Self.matches(test.key, "https://b.test\(path)"), "\(path)")
        }
        for path in test.others { #expect(try !Self.matches(test.key, "https://a.test\(path)"), "\(path)") }
    }

    @Test(arguments: [
        ("API.Example.COM./Export", "api.example.com/Export", "api.example.com/Export"),
        ("*.EXAMPLE.com:080/v1/export", "*.example.com:80/v1/export", "a.example.com:80/v1/export"),
        ("[2001:0DB8::1]/a", "[2001:db8::1]/a", "[2001:db8::1]/a"), ("0x7f.1/a", "127.0.0.1/a", "127.0.0.1/a"),
        ("2130706433", "127.0.0.1", "127.0.0.1"), ("a.test/...", "a.test/...", "a.test/..."),
    ])
    func canonicalSpelling(_ text: String, _ canonical: String, _ example: String) throws {
        let key = try SectionKey(pattern: text)
        #expect(key.canonical == canonical && "\(key)" == canonical && key.example == example)
        #expect(try SectionKey(pattern: canonical) == key)
        let endpoint = try #require(Endpoint(example))
        #expect(try Self.matches(text, endpoint.url.absoluteString))
    }

    static let faults: [(key: String, fault: String, suggestion: String?)] = [
        ("a.test/", "a / at its end, and a path covers all below it without one", "a.test"),
        ("A.test/export/", "a / at its end, and a path covers all below it without one", "a.test/export"),
        ("a.test//", "a / at its end, and a path covers all below it without one", "a.test"),
        ("a.test//export", "an empty segment in its path", "a.test/export"),
        ("a.test/v1//export", "an empty segment in its path", "a.test/v1/export"),
        ("a.test/./export", "the segment \".\" in its path, which matches nothing", nil),
        ("a.test/v1/..", "the segment \"..\" in its path, which matches nothing", nil),
        ("a.test/export?a=b", "a query or a fragment, and only the path of a URL counts", "a.test/export"),
        ("a.test/export#top", "a query or a fragment, and only the path of a URL counts", "a.test/export"),
        ("a.test/export/*", "a * in its path, where each segment is literal", "a.test/export"),
        ("a.test/*", "a * in its path, where each segment is literal", "a.test"),
        ("a.test/*/export", "a * in its path, where each segment is literal", nil),
        ("a.test/caf%C3%A9", "a % in its path, whose segments are written decoded", "a.test/café"),
        ("a.test/a%20b", "a % in its path, whose segments are written decoded", "a.test/a b"),
        ("a.test/a%2Fb", "a % in its path, whose segments are written decoded", "a.test/a/b"),
        ("a.test/100%", "a % in its path, whose segments are written decoded", nil),
        ("a.test/%2e%2e", "a % in its path, whose segments are written decoded", nil),
        ("a.test/a%00", "a % in its path, whose segments are written decoded", nil),
        ("a.test/%252525", "a % in its path, whose segments are written decoded", nil),
        ("a.test/a\\b", "a character in its path that no key has", "a.test/a/b"),
        ("a.test/a\u{0}", "a character in its path that no key has", nil),
        ("a.test/a\\\n", "a character in its path that no key has", nil),
    ]

    @Test("a faulty path has its reason, and the nearest key", arguments: faults)
    func isFaulty(_ test: (key: String, fault: String, suggestion: String?)) throws {
        let expected = PatternFailure("\"\(test.key)\" has \(test.fault)", suggestion: test.suggestion)
        #expect(throws: expected) { try SectionKey(pattern: test.key) }
    }

    @Test("a faulty host keeps the path in what is suggested")
    func faultyHosts() {
        let keys = [
            "b\u{FC}cher.test/a", "https://a.test/b", "https://a.test/", "https://a.test:81/b?c", "*a.test/b",
            "a..test/b",
            "/export",
        ]
        let failures = keys.map { text in
            #expect(throws: PatternFailure.self) { try SectionKey(pattern: text) }
        }
        let better = ["xn--bcher-kva.test/a", "a.test/b", "a.test", "a.test:81", "*.a.test/b", nil, nil]
        #expect(failures.map { $0?.suggestion } == better)
        let long = "a.test/" + String(repeating: "a/", count: 130)
        #expect(throws: PatternFailure("the pattern is 267 bytes long and 256 are allowed")) {
            try SectionKey(pattern: long)
        }
    }

    @Test("a pattern in code has no path")
    func inCode() {
        for text in ["a.test/export", "*.a.test:80/", "[::1]/a"] {
            let failure = #expect(throws: PatternFailure.self) { try HostPattern(pattern: text) }
            #expect(failure?.reason == "\"\(text)\" has a path, which only a key of \"hosts\" in a manifest may have")
            #expect(failure?.suggestion == String(text.prefix { $0 != "/" }))
            #expect(throws: FormatFailure.self) { try HostPattern(parsing: text) }
        }
    }

    @Test("of several keys the narrowest host counts, and then the longest path; a path is read for no other host")
    func order() throws {
        let keys = ["*.test", "*.test/a/b/c", "a.test/a", "a.test/a/b", "*.a.test/x", "b.test", "b.test:81/a"]
        let sections = HostSections(
            general: HostSection(pattern: nil, policy: .init(), entries: []),
            try keys.map { HostSection(pattern: try SectionKey(pattern: $0), policy: .init(), entries: []) })
        for (url, key, isRead) in [
            ("https://a.test/a/b/c", "a.test/a/b", true), ("https://a.test/a/c", "a.test/a", true),
            ("https://a.test/b", "*.test", true), ("https://c.test/a/b/c/d", "*.test/a/b/c", true),
            ("https://b.test/a/b/c", "b.test", false), ("https://b.test:81/a", "b.test:81/a", true),
            ("https://b.test:81/b", "b.test", true), ("https://x.a.test/x", "*.a.test/x", true),
            ("https://x.a.test/a/b/c", "*.test/a/b/c", true), ("https://a.example/a", nil, false),
        ] as [(String, String?, Bool)] {
            let url = try #require(URL(string: url))
            var reads = 0
            func read() -> URL {
                reads += 1
                return url
            }
            #expect(sections.section(for: CanonicalHost(url: url), at: read()).name == key, "\(url)")
            #expect(reads == (isRead ? 1 : 0), "\(url)")
            #expect(sections.section(for: CanonicalHost(url: url)).pattern?.path.isEmpty != false)
        }
    }

    @Test("a path of any length is read in time that grows with it", .timeLimit(.minutes(1)))
    func longPaths() throws {
        for (segment, count) in [("a", 10_000), ("%2e%2e%2e", 10_000), ("", 100_000), ("%61", 100_000)] {
            let path = String(repeating: "/" + segment, count: count)
            #expect(try Self.matches("a.test/export", "https://a.test/export\(path)"))
            #expect(try !Self.matches("a.test/export", "https://a.test\(path)/export"))
            #expect(try !Self.matches("a.test/export", "https://a.test/export\(path)/.."))
        }
        let long = String(repeating: "%61", count: 100_000)
        #expect(try !Self.matches("a.test/a", "https://a.test/\(long)"))
        #expect(try Self.matches("a.test/a", "https://a.test/a/\(long)"))
    }
}
