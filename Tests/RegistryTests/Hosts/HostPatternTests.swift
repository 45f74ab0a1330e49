import PatchbayRegistry
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct HostPatternTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let pattern: String
        let matching: [String]
        let others: [String]

        init(_ pattern: String, matches matching: [String], not others: [String]) {
            self.pattern = pattern
            self.matching = matching
            self.others = others
        }

        var testDescription: String { pattern }
    }

    private static let loopbackSpellings = [
        "http://127.0.0.1", "http://2130706433", "http://127.1", "http://0x7f000001", "http://0177.0.0.1.",
        "http://%31%32%37.0.1", "http://[::ffff:127.0.0.1]", "http://[0:0:0:0:0:FFFF:7f00:1]",
    ]

    @Test("credentials go to no other spelling of an address")
    func asWritten() throws {
        let hosts = try Self.loopbackSpellings.map {
            try #require(URL(string: $0).flatMap { CanonicalHost(url: $0) }, "\($0)")
        }
        for pattern in ["127.0.0.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"] {
            let pattern = try HostPattern(pattern: pattern)
            #expect(hosts.allSatisfy(pattern.matches))
            #expect(Set(hosts.filter(pattern.matchesAsWritten).map(\.name)).subtracting([pattern.name]).isEmpty)
        }
    }

    @Test(arguments: [
        Case(
            "api.example.com",
            matches: [
                "https://api.example.com", "http://API.EXAMPLE.COM./", "https://api.example.com:8443",
                "http://u:p@api.example.com",
            ],
            not: [
                "https://example.com", "https://a.api.example.com", "https://apixexample.com",
                "https://api.example.com.evil.com", "https://api.example.com@evil.com", "https://api.example.co",
            ]),
        Case(
            "*.example.com", matches: ["https://a.example.com", "http://A.B.Example.com.:81"],
            not: [
                "https://example.com", "https://badexample.com", "https://example.com.evil.com",
                "https://a.example.org",
                "https://.example.com", "https://a.example.comx",
            ]),
        Case(
            "api.example.com:8443", matches: ["https://api.example.com:8443", "http://api.example.com:8443"],
            not: ["https://api.example.com", "https://api.example.com:443", "https://a.api.example.com:8443"]),
        Case(
            "api.example.com:443",
            matches: ["https://api.example.com", "https://api.example.com:443", "http://api.example.com:443"],
            not: ["http://api.example.com", "http://api.example.com:80"]),
        Case(
            "api.example.com:80", matches: ["http://api.example.com", "https://api.example.com:80"],
            not: ["https://api.example.com"]),
        Case(
            "*.example.com:81", matches: ["http://a.example.com:81"],
            not: ["http://a.example.com", "http://example.com:81"]),
        Case("*.com", matches: ["https://example.com", "https://a.b.com"], not: ["https://com", "https://a.org"]),
        Case("localhost", matches: ["http://localhost:1"], not: ["http://localhost.localdomain"]),
        Case(
            "127.0.0.1", matches: ["http://127.0.0.1:8080"] + loopbackSpellings,
            not: ["http://127.2", "http://[::1]", "http://127.0.0.1.example", "http://[::127.0.0.1]"]),
        Case("2130706433", matches: loopbackSpellings, not: ["http://2130706434"]),
        Case("0X7F.1", matches: loopbackSpellings, not: ["http://127.2"]),
        Case("127.1:81", matches: ["http://2130706433:81"], not: loopbackSpellings),
        Case("[::FFFF:7f00:1]", matches: loopbackSpellings, not: ["http://[::1]"]),
        Case(
            "[::1]", matches: ["http://[::1]:8080", "http://[0:0:0:0:0:0:0:1]", "http://[::1%25lo]"],
            not: ["http://[::2]", "http://[fe80::1%25eth0]"]),
        Case("[2001:DB8::1]:8080", matches: ["http://[2001:db8:0::1]:8080"], not: ["http://[2001:db8::1]"]),
        Case(
            "*.xn--bcher-kva.de", matches: ["http://www.b%C3%BCcher.de", "http://a.XN--BCHER-KVA.de"],
            not: ["http://b%C3%BCcher.de"]),
    ])
    func matching(_ table: Case) throws {
        let pattern = try HostPattern(pattern: table.pattern)
        for url in table.matching {
            let host = try #require(URL(string: url).flatMap { CanonicalHost(url: $0) }, "\(url)")
            #expect(pattern.matches(host), "\(url)")
        }
        for url in table.others {
            let host = URL(string: url).flatMap { CanonicalHost(url: $0) }
            #expect(host.map(pattern.matches) != true, "\(url)")
        }
    }

    @Test(arguments: [
        ("API.Example.COM", "api.example.com"), ("api.example.com.", "api.example.com"),
        ("*.EXAMPLE.com.:080", "*.example.com:80"),
        ("[2001:0DB8:0:0::1]:1", "[2001:db8::1]:1"), ("a_b", "a_b"), ("localhost:65535", "localhost:65535"),
    ])
    func canonicalSpelling(_ pattern: String, _ expected: String) throws {
        #expect(try HostPattern(pattern: pattern).canonical == expected)
        #expect(try HostPattern(pattern: pattern) == HostPattern(pattern: expected))
        #expect(try HostPattern(pattern: pattern).description == expected)
    }

    @Test func specificity() throws {
        let rising = [
            "*.com", "*.com:80", "*.example.com", "*.example.com:80", "*.a.example.com", "com", "com:80", "a.b.c",
            "a.b.c:1",
        ]
        let specificities = try rising.map { try HostPattern(pattern: $0).specificity }
        for (index, specificity) in specificities.enumerated() {
            for other in specificities[(index + 1)...] { #expect(specificity < other) }
            for other in specificities[..<index] { #expect(!(specificity < other)) }
        }
        #expect(try HostPattern(pattern: "*.a.b").specificity == HostPattern(pattern: "*.c.d").specificity)
    }

    private static let everyHost =
        #"would match every host, which is what "plugins" and "policy" at the top level of a manifest are for"#

    @Test(
        arguments: [
            ("", "an empty string is no host", nil),
            ("*", "\"*\" \(everyHost)", nil),
            ("*:80", "\"*:80\" \(everyHost)", nil),
            ("**.example.com", "\"**.example.com\" is no wildcard; one begins with \"*.\"", "*.example.com"),
            ("*example.com", "\"*example.com\" is no wildcard; one begins with \"*.\"", "*.example.com"),
            ("**.**.**", "\"**.**.**\" is no wildcard; one begins with \"*.\"", nil),
            ("**", "\"**\" is no wildcard; one begins with \"*.\"", nil),
            (
                "*.*.com",
                "\"*.*.com\" has a * that is not its whole first label; write \"*.\" and a name, or each host", nil
            ),
            (
                "a.*.com",
                "\"a.*.com\" has a * that is not its whole first label; write \"*.\" and a name, or each host", nil
            ),
            (
                "a*.com", "\"a*.com\" has a * that is not its whole first label; write \"*.\" and a name, or each host",
                nil
            ),
            (
                "example.*",
                "\"example.*\" has a * that is not its whole first label; write \"*.\" and a name, or each host", nil
            ),
            ("*.", "\"*.\" has an empty label", nil),
            ("*..com", "\"*..com\" has an empty label", nil),
            (".", "\".\" has an empty label", nil),
            ("..", "\"..\" has an empty label", nil),
            ("a..com", "\"a..com\" has an empty label", nil),
            (".example.com", "\".example.com\" has an empty label", "*.example.com"),
            ("(a+)+$", "\"(a+)+$\" has (, which no host name has", nil),
            ("exam ple.com", "\"exam ple.com\" has a space (U+0020), which no host name has", nil),
            (
                "example.com/", "\"example.com/\" has a path, which only a key of \"hosts\" in a manifest may have",
                "example.com"
            ),
            ("good.com@evil.com", "\"good.com@evil.com\" has @, which no host name has", nil),
            ("ex%61mple.com", "\"ex%61mple.com\" has %, which no host name has", nil),
            ("a.example\u{7F}", "\"a.example\u{7F}\" has U+007F, which no host name has", nil),
            ("300.1.1.1", "\"300.1.1.1\" ends in a number, and is no IPv4 address", nil),
            ("08.1", "\"08.1\" ends in a number, and is no IPv4 address", nil),
            ("1.2.3.4.5", "\"1.2.3.4.5\" ends in a number, and is no IPv4 address", nil),
            ("a.0x1G.1:80", "\"a.0x1G.1:80\" ends in a number, and is no IPv4 address", nil),
            ("example.com\u{0}", "\"example.com\u{0}\" has U+0000, which no host name has", nil),
            ("https://API.example.com/v1", "\"https://API.example.com/v1\" is a URL, not a host", "api.example.com"),
            ("http://localhost:8080", "\"http://localhost:8080\" is a URL, not a host", "localhost:8080"),
            ("https://", "\"https://\" is a URL, not a host", nil),
            ("https://a b", "\"https://a b\" is a URL, not a host", nil),
            ("bücher.de", "\"bücher.de\" is not ASCII", "xn--bcher-kva.de"),
            ("*.BÜCHER.de:8080", "\"*.BÜCHER.de:8080\" is not ASCII", "*.xn--bcher-kva.de:8080"),
            ("ｅxample。com", "\"ｅxample。com\" is not ASCII", "example.com"),
            ("bu\u{308}cher.de", "\"bu\u{308}cher.de\" is not ASCII", "xn--bcher-kva.de"),
            ("BU\u{308}CHER.de", "\"BU\u{308}CHER.de\" is not ASCII", "xn--bcher-kva.de"),
            ("faß.ΣΣ.de", "\"faß.ΣΣ.de\" is not ASCII", "xn--fa-hia.xn--4xaa.de"),
            ("\u{1112}\u{1161}\u{11AB}.kr", "\"\u{1112}\u{1161}\u{11AB}.kr\" is not ASCII", "xn--6q8b.kr"),
            ("ü b.de", "\"ü b.de\" is not ASCII", nil),
            ("o\u{FB03}ce.de", "\"o\u{FB03}ce.de\" is not ASCII", "office.de"),
            ("*.\u{1E9E}.de:81", "\"*.\u{1E9E}.de:81\" is not ASCII", "*.xn--zca.de:81"),
            ("a\u{200D}b.de", "\"a\u{200D}b.de\" is not ASCII; its U+200D may not stand there (UTS 46)", nil),
            ("\u{301}a.de", "\"\u{301}a.de\" is not ASCII; its U+0301 may not stand there (UTS 46)", nil),
            ("look\u{2FF0}out.net", "\"look\u{2FF0}out.net\" is not ASCII; its U+2FF0 is in no host name", nil),
            (
                "\u{64A}a",
                "\"\u{64A}a\" is not ASCII; its U+0061 may not stand there in a name from right to left (RFC 5893)", nil
            ),
            ("\u{FF05}41.com", "\"\u{FF05}41.com\" is not ASCII; its U+FF05 is in no host name", nil),
            ("example.com:", "\"example.com:\" has a port that is no number from 1 to 65535", nil),
            ("example.com:0", "\"example.com:0\" has a port that is no number from 1 to 65535", nil),
            ("example.com:65536", "\"example.com:65536\" has a port that is no number from 1 to 65535", nil),
            ("example.com:http", "\"example.com:http\" has a port that is no number from 1 to 65535", nil),
            ("example.com:*", "\"example.com:*\" has a port that is no number from 1 to 65535", nil),
            ("example.com:８０", "\"example.com:８０\" has a port that is no number from 1 to 65535", nil),
            ("::1", "\"::1\" is neither a host nor a host and a port", "[::1]"),
            ("a:1:2", "\"a:1:2\" is neither a host nor a host and a port", nil),
            (":80", "\":80\" has an empty label", nil),
            ("[::1", "\"[::1\" is neither a host nor a host and a port", nil),
            ("[::1]x", "\"[::1]x\" is neither a host nor a host and a port", nil),
            ("[::g]", "\"[::g]\" is no IPv6 address in brackets", nil),
            ("[fe80::1%eth0]", "\"[fe80::1%eth0]\" is no IPv6 address in brackets", nil),
            ("*.[::1]", "\"*.[::1]\" is neither a host nor a host and a port", nil),
            ("*.0.0.1", "\"*.0.0.1\" can match nothing: an address has no subdomains", nil),
            ("*.1", "\"*.1\" can match nothing: an address has no subdomains", nil),
            ("*.0x7f", "\"*.0x7f\" can match nothing: an address has no subdomains", nil),
        ] as [(String, String, String?)])
    func refused(_ pattern: String, _ reason: String, _ suggestion: String?) {
        #expect(throws: PatternFailure(reason, suggestion: suggestion)) { try HostPattern(pattern: pattern) }
    }

    @Test func lengthCaps() throws {
        let label = String(repeating: "a", count: 63)
        #expect(try HostPattern(pattern: "\(label).com").name == "\(label).com")
        #expect(throws: PatternFailure("\"\(label)a.com\" is too long: a label has at most 63 bytes and a name 253")) {
            try HostPattern(pattern: "\(label)a.com")
        }
        #expect(throws: PatternFailure("the pattern is 257 bytes long and 256 are allowed")) {
            try HostPattern(pattern: String(repeating: "a", count: 257))
        }
    }
}
