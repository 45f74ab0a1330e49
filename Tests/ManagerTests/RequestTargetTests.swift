import Foundation
import PatchbayRegistry
import Testing

@testable import PatchbayManager

@Suite struct RequestTargetTests {
    @Test(
        "1.6.1, 1.6.2: a target is resolved against the base URL",
        arguments: [
            ("http://example.com/v1/", "foo", "http://example.com/v1/foo"),
            ("http://example.com/v1", "foo", "http://example.com/v1/foo"),
            ("http://example.com/v1", "", "http://example.com/v1/"),
            ("http://example.com/v1/", "foo?bar=baz", "http://example.com/v1/foo?bar=baz"),
            ("http://example.com/v1/", "/foo", "http://example.com/foo"),
            ("http://example.com/v1/", "foo/", "http://example.com/v1/foo/"),
            ("http://example.com/v1/", "/foo/", "http://example.com/foo/"),
            ("http://example.com/v1/", "http://example2.com/", "http://example2.com/"),
            ("http://example.com", "foo", "http://example.com/foo"),
            ("http://example.com/a/b", "../c", "http://example.com/a/c"),
            ("http://example.com/", "a//é%20b", "http://example.com/a//%C3%A9%20b"),
        ])
    func base(_ base: String, _ target: String, _ expected: String) throws {
        let base = try #require(URL(string: base))
        let resolved = try RequestTarget(target, base: base)
        #expect(resolved.url.absoluteString == expected)
    }

    @Test(
        "an absolute target is brought into the form that is sent",
        arguments: [
            ("http://example.com", "http://example.com/"),
            ("HTTP://example.com/a#part", "http://example.com/a"),
            ("http://example.com/a b", "http://example.com/a%20b"),
            // A valid escape stays, whatever else must be escaped.
            ("http://h.test/é%20x?q=%26é", "http://h.test/%C3%A9%20x?q=%26%C3%A9"),
            ("http://h.test/a b%20c", "http://h.test/a%20b%20c"),
            ("http://h.test/x?a=%2F|b", "http://h.test/x?a=%2F%7Cb"),
            ("http://h.test/?b[]=1&q=a%20b", "http://h.test/?b%5B%5D=1&q=a%20b"),
            ("http://h.test/a%20b%zz%", "http://h.test/a%20b%25zz%25"),
            ("http://h.test/a%zz|", "http://h.test/a%25zz%7C"),
            ("http://b\u{FC}cher.example/a%20é", "http://xn--bcher-kva.example/a%20%C3%A9"),
            ("http://h.test/a%20[#b[#c", "http://h.test/a%20%5B"),
            ("http://[::1]:8080/a%20[", "http://[::1]:8080/a%20%5B"),
            ("http://h.test?b[]=%20", "http://h.test/?b%5B%5D=%20"),
            ("http://user:secret@example.com/a", "http://example.com/a"),
            ("http://[::1]:8080/a", "http://[::1]:8080/a"),
            ("http://[fe80::1%25eth0]/a", "http://[fe80::1%25eth0]/a"),
            ("http://b\u{FC}cher.example/a", "http://xn--bcher-kva.example/a"),
            ("http://bu\u{308}cher.example/a", "http://xn--bcher-kva.example/a"),
            ("http://bu%CC%88cher.example/a", "http://xn--bcher-kva.example/a"),
            // Names that Foundation's IDNA does not read, and that there are all the same.
            ("http://r3---sn-x.xn--mller-kva.de/", "http://r3---sn-x.xn--mller-kva.de/"),
            ("HTTP://r3---sn-x.xn--mller-kva.de", "http://r3---sn-x.xn--mller-kva.de/"),
            ("http://xn--a/", "http://xn--a/"),
            ("http://user:secret@xn--a:8080/a#part", "http://xn--a:8080/a"),
            ("hTTp://XN--A/a", "http://XN--A/a"),
            ("http://h.test:65535/", "http://h.test:65535/"),
        ])
    func absolute(_ target: String, _ expected: String) throws {
        #expect(try RequestTarget(target, base: nil).url.absoluteString == expected)
    }

    private static let relative =
        #"has no scheme, and there is no base URL: write a scheme in either, as in "http://127.0.0.1:8090" (URL(string: "127.0.0.1:8090") is nil)"#

    @Test(
        "1.7.6: a target that cannot be sent to is refused, with the URL and what to write",
        arguments: [
            ("foo", #"the URL "foo" \#(relative)"#),
            ("users/1?token=hush", #"the URL "users/1" \#(relative)"#),
            ("", #"the URL "" \#(relative)"#),
            ("//h.test/a", #"the URL "//h.test/a" has no scheme: write "https://h.test/a""#),
            ("127.0.0.1:8090", #"the URL "127.0.0.1:8090" has no scheme: write "http://127.0.0.1:8090""#),
            ("127.0.0.1:8090/x?a=hush", #"the URL "127.0.0.1:8090/x" has no scheme: write "http://127.0.0.1:8090/x""#),
            ("localhost:8090/x", #"the URL "localhost:8090/x" has no scheme: write "http://localhost:8090/x""#),
            ("localhost", #"the URL "localhost" has no scheme: write "http://localhost""#),
            ("LocalHost:8090", #"the URL "LocalHost:8090" has no scheme: write "http://LocalHost:8090""#),
            ("[::1]:8090/x", #"the URL "[::1]:8090/x" has no scheme: write "http://[::1]:8090/x""#),
            (
                "example.com",
                #"the URL "example.com" has no scheme, and there is no base URL: write "https://example.com""#
            ),
            (
                "api.example.com/v1",
                #"the URL "api.example.com/v1" has no scheme, and there is no base URL: write "https://api.example.com/v1""#
            ),
            ("ada:hush@h.test:80/x", #"the URL "h.test:80/x" has no scheme: write "http://h.test:80/x""#),
            (
                "ada:123@h.test/x",
                #"the URL "h.test/x" has no scheme, and there is no base URL: write "https://h.test/x""#
            ),
            ("http:///foo", #"the URL "http:///foo" has no host"#),
            ("http:///", #"the URL "http:///" has no host"#),
            ("ftp://example.com/", #"the scheme of the URL "ftp://example.com/" is ftp, not http or https"#),
            ("ftp://ada:hush@h.test/?k=hush#hush", #"the scheme of the URL "ftp://h.test/" is ftp, not http or https"#),
            ("htp://example.com/", #"the scheme of the URL "htp://example.com/" is not http or https"#),
            ("mailto:ada@h.test", #"the scheme of the URL "mailto:…" is mailto, not http or https"#),
            (
                "secret:pass@example.com/",
                #"the URL "example.com/" has no scheme, and there is no base URL: write "https://example.com/""#
            ),
            ("file:///etc/passwd", #"the scheme of the URL "file:///etc/passwd" is file, not http or https"#),
            ("http://exa mple.com:x/", #"the URL "http://exa mple.com:x/" cannot be parsed"#),
            ("http://[www.google.com]/", #"the URL "http://[www.google.com]/" has no host or port that can be asked"#),
            ("http://u:p@[127.0.0.1]:80/", #"the URL "http://[127.0.0.1]:80/" has no host or port that can be asked"#),
            ("http://h.test:65536/", #"the URL "http://h.test:65536/" has no host or port that can be asked"#),
            (
                "http://a%E2%80%8Db.test/",
                #"the host of the URL "http://a%E2%80%8Db.test/" has U+200D, which may not stand there (UTS 46)"#
            ),
            (
                ":19302/echo",
                #"the URL ":19302/echo" has no host before its port: write "http://localhost:19302/echo""#
            ),
            (":80?k=hush", #"the URL ":80" has no host before its port: write "http://localhost:80""#),
            (":/x", #"the URL ":/x" \#(relative)"#), (":a/b", #"the URL ":a/b" \#(relative)"#),
            (":99999/x", #"the URL ":99999/x" \#(relative)"#),
            (
                "http://h.test:99999999999999999999/",
                #"the URL "http://h.test:99999999999999999999/" has no host or port that can be asked"#
            ),
            (
                "http:///vault/" + String(repeating: "a1", count: 12) + "/x",
                #"the URL "http:///vault/***/x" has no host"#
            ),
            (
                "http:///" + String(repeating: "a", count: 100),
                #"the URL "http:///\#(String(repeating: "a", count: 72))…" has no host"#
            ),
        ])
    func refused(_ target: String, _ reason: String) {
        #expect(throws: Refusal(reason)) { try RequestTarget(target, base: nil) }
    }

    @Test(
        "a base URL without a scheme is named in its place, and a target without one where the base is whole",
        arguments: [
            ("localhost:8090", "x", #"the base URL "localhost:8090" has no scheme: write "http://localhost:8090""#),
            ("localhost:8090", "", #"the base URL "localhost:8090" has no scheme: write "http://localhost:8090""#),
            (
                "localhost:8090/v1?k=hush", "/x",
                #"the base URL "localhost:8090/v1" has no scheme: write "http://localhost:8090/v1""#
            ),
            ("example.com", "x?a=hush", #"the base URL "example.com" has no scheme: write "https://example.com""#),
            ("ada:hush@h.test", "x", #"the base URL "h.test" has no scheme: write "https://h.test""#),
            ("ftp://h.test/", "x", #"the scheme of the base URL "ftp://h.test/" is ftp, not http or https"#),
            ("http:///a", "x", #"the base URL "http:///a" has no host"#),
            ("localhost", "x", #"the base URL "localhost" has no scheme: write "http://localhost""#),
            ("foo", "x", #"the base URL "foo" has no scheme: write one before it, as in "http://127.0.0.1:8090""#),
            (
                "http://h.test/v1", ":19302/echo",
                #"the URL ":19302/echo" has no host before its port: write "http://localhost:19302/echo""#
            ),
            ("http://h.test/v1", ":/x", #"the URL ":/x" cannot be parsed"#),
            ("http://h.test/v1", ":a/b", #"the URL ":a/b" cannot be parsed"#),
            ("ftp://h.test/", "ws://b.test/", #"the scheme of the URL "ws://b.test/" is ws, not http or https"#),
            (
                "http://h.test/", "localhost:8090/x",
                #"the URL "localhost:8090/x" has no scheme: write "http://localhost:8090/x""#
            ),
            (
                "http://h.test/", "127.0.0.1:8090/x",
                #"the URL "127.0.0.1:8090/x" has no scheme: write "http://127.0.0.1:8090/x""#
            ),
        ])
    func refusedBase(_ base: String, _ target: String, _ reason: String) throws {
        let base = try #require(URL(string: base))
        #expect(throws: Refusal(reason)) { try RequestTarget(target, base: base) }
    }

    @Test(
        "a host that IDNA refuses is refused, with the character's number",
        arguments: [
            ("xn--a.\u{DF}", "U+0080", "no host has"), ("xn--a.%C3%9F", "U+0080", "no host has"),
            ("XN--A.\u{DF}", "U+0080", "no host has"),
            ("\u{64A}a", "U+0061", "bidi"), ("%D9%8Aa", "U+0061", "bidi"),
            ("a.\u{5D0}.1", "U+0031", "bidi"), ("\u{5D0}1\u{660}", "U+0660", "bidi"),
            ("\u{5D0}-.test", "U+002D", "bidi"),
            ("\u{FFFD}", "U+FFFD", "no host has"), ("%EF%BF%BD", "U+FFFD", "no host has"),
            ("look\u{2FF0}out.net", "U+2FF0", "no host has"), ("look%E2%BF%B0out.net", "U+2FF0", "no host has"),
            ("a\u{2FFF}b", "U+2FFF", "no host has"), ("a\u{31EF}b", "U+31EF", "no host has"),
            ("a\u{FFFC}b", "U+FFFC", "no host has"),
            ("\u{FF05}\u{FF14}\u{FF11}.com", "U+FF05", "no host has"), ("\u{FF05}41.com", "U+FF05", "no host has"),
            ("%EF%BC%85%EF%BC%94%EF%BC%91.com", "U+FF05", "no host has"),
            ("a\u{FF0F}b", "U+FF0F", "no host has"), ("a\u{FF20}b", "U+FF20", "no host has"),
            ("\u{FF05}\u{FF14}\u{FF11}.com:80", "U+FF05", "no host has"),
            ("ada:hush@\u{FF05}\u{FF14}\u{FF11}.com", "U+FF05", "no host has"),
            ("a\u{200D}b", "U+200D", "misplaced"), ("a%E2%80%8Db", "U+200D", "misplaced"),
            ("xn--1ug.\u{DF}", "U+200D", "misplaced"), ("xn--zn7c.\u{DF}", "U+FFFD", "no host has"),
            ("\u{1F468}\u{200D}\u{1F469}.test", "U+200D", "misplaced"), ("\u{300}a.test", "U+0300", "misplaced"),
            ("a\u{2100}b", "U+2100", "misplaced"), ("\u{1E9E}\u{FE6A}41.com", "U+FE6A", "misplaced"),
            ("\u{1E9E}\u{FF05}41.com", "U+FF05", "no host has"), ("\u{1E9E}\u{2FF0}.net", "U+2FF0", "no host has"),
            ("a\u{378}b", "U+0378", "misplaced"), ("a\u{2028}b\u{1E9E}", "U+2028", "misplaced"),
        ])
    func refusedHost(_ host: String, _ number: String, _ why: String) throws {
        let reasons = [
            "no host has": "which no host has", "misplaced": "which may not stand there (UTS 46)",
            "bidi": "which may not stand there in a name from right to left (RFC 5893)",
        ]
        let why = try #require(reasons[why])
        for (start, noun) in [("http://", "the URL"), ("//", "the URL")] {
            let base = URL(string: "https://base.test/")
            let error = #expect(throws: Refusal.self) {
                try RequestTarget(start + host + "/a", base: start == "//" ? base : nil)
            }
            let reason = try #require(error?.reason)
            #expect(reason.hasPrefix("the host of \(noun) \""), "\(reason)")
            #expect(reason.hasSuffix("\" has \(number), \(why)"), "\(reason)")
            #expect(!reason.contains("hush"))
        }
        let redirect = #expect(throws: Refusal.self) {
            try RequestTarget(
                location: "http://\(host)/", from: #require(URL(string: "http://a.test/")))
        }
        #expect(redirect?.reason.hasPrefix("the host of its location \"") == true)
        #expect(redirect?.reason.hasSuffix("\" has \(number), \(why)") == true)
    }

    @Test(
        "names that IDNA takes go where they did",
        arguments: [
            ("http://xn--zca.\u{DF}/", "http://xn--zca.xn--zca/"), ("http://xn--a/", "http://xn--a/"),
            ("http://\u{5D0}\u{5D1}.test/", "http://xn--4dbc.test/"),
            // Characters that need tables.
            ("http://\u{1E9E}.com", "http://xn--zca.com/"), ("http://stra\u{1E9E}e.de/x", "http://xn--strae-oqa.de/x"),
            ("http://%E1%BA%9E.com/", "http://xn--zca.com/"), ("http://a%C2%ADb/", "http://ab/"),
            ("http://a\u{AD}b/", "http://ab/"), ("http://a%C2%AD\u{DF}.com/", "http://xn--a-qfa.com/"),
            ("http://a%C3%9F\u{AD}.com/", "http://xn--a-qfa.com/"), ("http://o\u{FB03}ce.test/", "http://office.test/"),
            ("http://o%EF%AC%83ce.test/", "http://office.test/"), ("http://\u{2167}.de/", "http://viii.de/"),
            ("http://\u{915}\u{94D}\u{200D}\u{937}/", "http://xn--11b2ezcw70k/"),
            ("http://\u{915}\u{94D}\u{200C}\u{937}.test/", "http://xn--11b2ezcs70k.test/"),
            ("http://\u{628}\u{200C}\u{628}.com/", "http://xn--ngba799q.com/"),
            ("http://xn--11b2ezcw70k.\u{DF}/", "http://xn--11b2ezcw70k.xn--zca/"),
            ("http://\u{2460}\u{2461}\u{2466}.0.0.1/", "http://127.0.0.1/"),
            ("HTTP://ada:x@\u{1E9E}.COM:8080/%20\u{E9}?q#f", "http://xn--zca.com:8080/%20%C3%A9?q"),
            ("http://\u{1E9E}./", "http://xn--zca./"),
            ("http://a.\u{5D0}1.test/", "http://a.xn--1-zhc.test/"),
            ("http://\u{64A}\u{663}.test/", "http://xn--mhb4c.test/"),
            ("http://\u{2603}.test/\u{FF05}\u{2FF0}", "http://xn--n3h.test/%EF%BC%85%E2%BF%B0"),
            ("http://h.test/\u{FF05}41?\u{FFFD}=//\u{FF05}", "http://h.test/%EF%BC%8541?%EF%BF%BD=//%EF%BC%85"),
            ("http://ada\u{FF05}:x@h.test/", "http://h.test/"),
        ])
    func namesStay(_ target: String, _ expected: String) throws {
        #expect(try RequestTarget(target, base: nil).url.absoluteString == expected)
    }

    @Test(
        "a redirect and a base URL reach the same host as a target",
        arguments: [
            ("a%C2%ADb", "ab"), ("\u{1E9E}", "xn--zca"), ("o\u{FB03}ce", "office"),
            ("\u{915}\u{94D}\u{200D}\u{937}", "xn--11b2ezcw70k"), ("a%C2%AD\u{DF}", "xn--a-qfa"),
        ])
    func everywhere(_ host: String, _ reached: String) throws {
        let from = try #require(URL(string: "http://a.test/"))
        #expect(try RequestTarget(location: "http://\(host).test/x", from: from).host.name == "\(reached).test")
        #expect(try RequestTarget("//\(host).test/x", base: from).url.absoluteString == "http://\(reached).test/x")
        #expect(CanonicalHost("\(host.removingPercentEncoding ?? "").test")?.name == "\(reached).test")
        // Foundation takes the escapes of a URL with other letters for letters.
        guard !host.contains("%") || host.allSatisfy(\.isASCII) else { return }
        let base = try #require(URL(string: "http://\(host).test/v1"))
        #expect(try RequestTarget("x", base: base).url.absoluteString == "http://\(reached).test/v1/x")
    }

    @Test("the user information of a URL becomes an Authorization field")
    func userInformation() throws {
        #expect(
            try RequestTarget("http://Aladdin:open%20sesame@h.test/", base: nil).authorization
                == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        #expect(try RequestTarget("http://h.test/", base: nil).authorization == nil)
        #expect(try RequestTarget("http://@h.test/", base: nil).authorization == nil)
    }

    @Test("query items are appended, percent-encoded")
    func query() throws {
        let items: QueryItems = [(name: "q", value: "a b&c"), (name: "n", value: "\u{E9}")]
        #expect(
            try RequestTarget("http://h.test/s", query: items, base: nil).url.query(percentEncoded: true)
                == "q=a%20b%26c&n=%C3%A9")
        #expect(
            try RequestTarget("http://h.test/s?x=1", query: items, base: nil).url.query(percentEncoded: true)
                == "x=1&q=a%20b%26c&n=%C3%A9")
    }
}
