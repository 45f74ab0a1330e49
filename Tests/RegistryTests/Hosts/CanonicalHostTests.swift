import PatchbayRegistry
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct CanonicalHostTests {
    @Test(arguments: [
        ("http://example.com/", "example.com"),
        ("https://EXAMPLE.Com", "example.com"),
        ("http://example.com./a", "example.com"),
        ("http://EXAMPLE.com.:80/", "example.com"),
        ("https://example.com:443/", "example.com"),
        ("http://example.com:443/", "example.com:443"),
        ("https://example.com:80/", "example.com:80"),
        ("http://example.com:8080/", "example.com:8080"),
        ("HTTP://example.com:80/", "example.com"),
        ("ftp://example.com:80/", "example.com:80"),
        ("http://user:secret@example.com/", "example.com"),
        ("http://good.com@evil.com/", "evil.com"),
        ("http://good.com:80@evil.com:81/", "evil.com:81"),
        ("http://evil.com/@good.com", "evil.com"),
        ("http://evil.com?good.com", "evil.com"),
        ("http://evil.com#good.com", "evil.com"),
        ("http://localhost/", "localhost"),
        ("http://a_b-c.example/", "a_b-c.example"),
        ("http://b%C3%BCcher.de/", "xn--bcher-kva.de"),
        ("http://B%C3%9CCHER.de/", "xn--bcher-kva.de"),
        ("http://bücher.de/", "xn--bcher-kva.de"),
        ("http://bu%CC%88cher.de/", "xn--bcher-kva.de"),
        ("http://XN--Bcher-KVA.de/", "xn--bcher-kva.de"),
        ("http://%65xample.com/", "example.com"),
        ("http://%EF%BD%85xample%E3%80%82com/", "example.com"),
        ("http://127.0.0.1/", "127.0.0.1"),
        ("http://2130706433/", "2130706433"),
        ("http://0x7F000001/", "0x7f000001"),
        ("http://[::1]/", "[::1]"),
        ("http://[::1]:8080/", "[::1]:8080"),
        ("http://[2001:DB8:0:0:0:0:0:1]/", "[2001:db8::1]"),
        ("http://[2001:0db8::0001]:80/", "[2001:db8::1]"),
        ("http://[::ffff:127.0.0.1]/", "[::ffff:127.0.0.1]"),
        ("http://[fe80::1%25eth0]/", "[fe80::1%eth0]"),
        ("http://r3---sn-x.xn--mller-kva.de/", "r3---sn-x.xn--mller-kva.de"),
        ("http://xn--a/", "xn--a"),
        ("http://a:65535/", "a:65535"),
        ("http://a:/", "a"),
        ("http://a:000080/", "a"),
        ("http://u:[p@a:81/", "a:81"),
        ("http://a/?q=[b]:99999/", "a"),
    ])
    func fromURL(_ url: String, _ expected: String) throws {
        let url = try #require(URL(string: url))
        #expect(CanonicalHost(url: url)?.description == expected)
    }

    @Test(arguments: [
        "file:///etc/passwd", "data:text/plain,x", "mailto:a@example.com", "/path", "http://./", "http://a..b/",
        "http://.a/",
        "http://a../", "http://good.com%2Fevil.com/", "http://good.com%00.evil.com/", "http://a%20b/", "http://a%40b/",
        "http://a%3Fb/", "http://a%5Cb/", "http://a%0Ab/", "http://[www.google.com]/", "http://[1.2.3.4]/",
        "http://[v1.x]/", "http://[]/", "http://u:p@[www.google.com]:80/", "http://a:65536/", "http://a:99999/",
        "http://a:99999999999999999999/", "http://u:1@a:65536/", "https://[::1]:65536/?a",
    ])
    func noHost(_ url: String) {
        // Where Foundation makes no URL of it there is no host either.
        #expect(URL(string: url).flatMap { CanonicalHost(url: $0) } == nil)
    }

    @Test(
        arguments: [
            ("EXAMPLE.com.:8080", "example.com", 8080), ("example.com", "example.com", nil),
            ("example.com:443", "example.com", nil),
            ("example.com:80", "example.com", 80), ("example.com:", "example.com", nil), ("[::1]:99", "[::1]", 99),
            ("[0:0::1]", "[::1]", nil), ("10.0.0.1:65535", "10.0.0.1", 65535), ("bücher.de", "xn--bcher-kva.de", nil),
        ] as [(String, String, Int?)])
    func fromAuthority(_ authority: String, _ name: String, _ port: Int?) throws {
        let host = try #require(CanonicalHost(authority))
        #expect(host.name == name)
        #expect(host.port == port)
    }

    @Test(arguments: [
        "", ":80", ".", "a..b", "a b", "a/b", "a@b", "a:b", "a:-1", "a:+1", "a:65536", "a:999999", "a:1:2", "::1",
        "[::1", "[::1]x",
        "[::g]", "[]", "[1.2.3.4]", "a%b", "a\u{0}b", "a\nb", "http://a", "a]", "[::1\u{0}]", "[::1%]", "[::1%a]b]",
    ])
    func noAuthority(_ authority: String) {
        #expect(CanonicalHost(authority) == nil)
    }

    @Test(arguments: [
        ("a.b.example.com", ["a", "b", "example", "com"]), ("localhost", ["localhost"]), ("192.0.2.1", ["192.0.2.1"]),
        ("[::1]", ["[::1]"]), ("10.0x1F", ["10.0x1f"]), ("1.example", ["1", "example"]), ("0xg.0xg", ["0xg", "0xg"]),
    ])
    func labels(_ authority: String, _ expected: [String]) throws {
        #expect(try #require(CanonicalHost(authority)).labels == expected)
    }

    @Test(
        "an address has one spelling, whatever it is written as, and stays another origin",
        arguments: [
            ("http://127.0.0.1/", "127.0.0.1"), ("http://2130706433/", "127.0.0.1"), ("http://0x7f.1/", "127.0.0.1"),
            ("http://127.1/", "127.0.0.1"), ("http://0177.1./", "127.0.0.1"), ("http://127.0.0.1./", "127.0.0.1"),
            ("http://[::ffff:127.0.0.1]/", "127.0.0.1"), ("http://[::FFFF:7f00:1]/", "127.0.0.1"),
            ("http://[::1]/", "[::1]"), ("http://[fe80::1%25eth0]/", "[fe80::1]"), ("http://1.2.3.256/", "1.2.3.256"),
            ("http://4294967296/", "4294967296"), ("http://1.2.3.4.5/", "1.2.3.4.5"), ("http://08/", "08"),
            ("http://example.com/", "example.com"), ("http://127.0.0.x1/", "127.0.0.x1"),
        ])
    func plainNames(_ url: String, _ expected: String) throws {
        let host = try #require(URL(string: url).flatMap { CanonicalHost(url: $0) })
        #expect(host.plainName == expected)
        #expect(CanonicalHost(host.name)?.plainName == expected)
        let plain = try #require(URL(string: "http://\(expected)/").flatMap { CanonicalHost(url: $0) })
        #expect((host == plain) == (host.name == expected))
    }

    @Test func equality() throws {
        let spellings = ["https://example.com", "https://EXAMPLE.com.:443/a?b", "HTTPS://u:p@Example.COM:443"]
        let hosts = Set(spellings.map { URL(string: $0).flatMap { CanonicalHost(url: $0) } })
        #expect(hosts == [CanonicalHost("example.com")])
        #expect(CanonicalHost("example.com") != CanonicalHost("example.com:8443"))
        #expect(CanonicalHost("example.com") != CanonicalHost("www.example.com"))
    }

    /// RFC 3492, section 7.1, and names in use.
    @Test(arguments: [
        ("bücher", "xn--bcher-kva"), ("münchen", "xn--mnchen-3ya"), ("ü", "xn--tda"), ("例え", "xn--r8jz45g"),
        ("испытание", "xn--80akhbyknj4f"), ("δοκιμή", "xn--jxalpdlp"), ("测试", "xn--0zwm56d"), ("테스트", "xn--9t4b11yi5a"),
        ("طارق", "xn--mgbuq0c"), ("☃", "xn--n3h"), ("💩", "xn--ls8h"),
        ("ليهمابتكلموشعربي؟", "xn--egbpdaj6bu4bxfgehfvwxn"),
        ("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"),
        ("3年b組金八先生", "xn--3b-ww4c5e180e575a65lsy2b"),
        ("ひとつ屋根の下2", "xn--2-u9tlzr9756bt3uc0v"),
        ("パフィーdeルンバ", "xn--de-jg4avhby1noc0d"),
    ])
    func beyondASCII(_ label: String, _ expected: String) throws {
        #expect(CanonicalHost("\(label).example")?.name == "\(expected).example")
    }

    @Test(
        "names that IDNA refuses (UTS 46: validity criteria, CheckBidi, Punycode)",
        arguments: [
            "xn--a.\u{DF}", "\u{DF}.xn--a", "XN--A.\u{DF}", "xn--.\u{DF}", "xn--a-.\u{DF}", "xn--999999999.\u{DF}",
            "xn--zz!.\u{DF}", "xn--zn7c.\u{DF}", "xn--1ug.\u{DF}", "xn--xn--zca-kva.\u{DF}", "xn--\u{DF}",
            "\u{64A}a", "a\u{64A}", "a\u{64A}a", "1.\u{5D0}", "\u{5D0}.1", "\u{5D0}.a-", "\u{5D0}.-a", "-\u{5D0}",
            "\u{5D0}-", "\u{660}", "\u{5D0}1\u{660}", "\u{660}\u{5D0}", "\u{301}\u{5D0}", "a\u{2603}.\u{5D0}",
            "xn--4dbc.\u{DF}.1", "\u{FFFD}", "a\u{FFFD}b", "\u{FFFC}", "look\u{2FF0}out.net", "a\u{2FFB}b",
            "a\u{2FFF}b", "a\u{31EF}b", "\u{FF05}\u{FF14}\u{FF11}.com", "\u{FF05}41.com", "a\u{FF0F}b",
            "a\u{FF20}b", "a\u{FF1A}80",
        ])
    func refusedByIDNA(_ name: String) { #expect(CanonicalHost(name) == nil) }

    @Test(
        "names from right to left that IDNA takes, and Punycode beside other labels",
        arguments: [
            ("\u{5D0}\u{5D1}", "xn--4dbc"), ("\u{5D0}1", "xn--1-zhc"), ("\u{64A}\u{663}", "xn--mhb4c"),
            ("a.\u{5D0}", "a.xn--4db"), ("a1.\u{5D0}", "a1.xn--4db"), ("a\u{2603}b.\u{5D0}", "xn--ab-fsx.xn--4db"),
            ("\u{5D0}-\u{5D1}", "xn----zhce"),
            ("xn--zca.\u{DF}", "xn--zca.xn--zca"), ("XN--ZCA.\u{DF}", "xn--zca.xn--zca"),
            ("xn--4db.\u{DF}", "xn--4db.xn--zca"), ("xn--a", "xn--a"), ("xn--a.1", "xn--a.1"),
            ("1.\u{DF}", "1.xn--zca"), ("-\u{DF}-", "xn-----gia"), ("\u{5D0}\u{5B0}", "xn--7cb7d"),
        ])
    func takenByIDNA(_ name: String, _ expected: String) { #expect(CanonicalHost(name)?.name == expected) }

    @Test(
        "a host that readers of a URL could read in two ways is known, and equal to the same host without a URL",
        arguments: [
            ("https://a.example/", true), ("https://1.2.3.4/", true), ("https://1.2.3.4:81/a", true),
            ("https://[::1]/", true), ("https://1.2.3.4./", false), ("https://1.2.3/", false),
            ("https://0x1.2.3.4/", false), ("https://01.2.3.4/", false), ("https://%31.2.3.4/", false),
            ("https://1.2.3.256/", false), ("https://b.1.2.3.4/", false), ("https://u:p@1.2.3.4/", false),
        ])
    func plainSpelling(_ text: String, _ isPlain: Bool) throws {
        let host = try #require(URL(string: text).flatMap { CanonicalHost(url: $0) })
        #expect(host.isPlainlyWritten == isPlain)
        let same = try #require(CanonicalHost(host.description))
        #expect(host == same && host.hashValue == same.hashValue && !same.isPlainlyWritten)
    }

    @Test(.timeLimit(.minutes(5))) func longNames() {
        #expect(CanonicalHost(String(repeating: "ü", count: 64) + ".de") == nil)
        #expect(CanonicalHost(String(repeating: "\u{20000}", count: 63) + ".de") != nil)
        #expect(CanonicalHost(String(repeating: "a.", count: 100_000) + "de")?.labels.count == 100_001)
        #expect(CanonicalHost(String(repeating: ":", count: 100_000)) == nil)
    }

    /// Each of these characters is one scalar of three in the end.
    @Test func longBeforeItIsComposed() {
        let apart = String(repeating: "u\u{308}\u{304}", count: 63)
        #expect(CanonicalHost(apart + ".de") != nil)
        #expect(CanonicalHost(apart + ".de") == CanonicalHost(String(repeating: "\u{1D6}", count: 63) + ".de"))
        #expect(CanonicalHost(apart + "u\u{308}\u{304}.de") == nil)
    }

    /// Normalizing takes time with the square of the marks on one letter: a minute for each of these.
    @Test(
        "a name with more marks than a name can have is refused, and not normalized", .timeLimit(.minutes(5)),
        arguments: ["a*.de", "de.a*", "a:*", "a.*", "[::1*]", "[a*]:80", "*:80"])
    func manyMarks(_ shape: String) {
        let marks = String(repeating: "\u{301}\u{323}", count: 120_000)
        #expect(CanonicalHost(shape.replacing("*", with: marks)) == nil)
    }
}

extension CanonicalHost {
    /// The labels from left to right; an address is one label.
    fileprivate var labels: [String] { isAddress ? [name] : name.split(separator: ".").map(String.init) }
}
