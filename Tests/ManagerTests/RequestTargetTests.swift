import Foundation
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

    @Test(
        "1.7.6: a target that cannot be sent to is refused",
        arguments: [
            ("foo", "the URL has no scheme and no base URL"),
            ("http:///foo", "the URL has no host"),
            ("ftp://example.com/", "the URL scheme is ftp, not http or https"),
            ("secret:pass@example.com/", "the URL scheme is not http or https"),
            ("file:///etc/passwd", "the URL scheme is file, not http or https"),
            ("http://exa mple.com:x/", "the URL cannot be parsed"),
            ("http://[www.google.com]/", "the URL has no host or port that can be asked"),
            ("http://u:p@[127.0.0.1]:80/", "the URL has no host or port that can be asked"),
            ("http://h.test:65536/", "the URL has no host or port that can be asked"),
            (
                "http://o%EF%AC%83ce.test/",
                "the host of the URL has U+FB03, which is not mapped here: write it in its xn-- form"
            ),
            ("http://h.test:99999999999999999999/", "the URL has no host or port that can be asked"),
        ])
    func refused(_ target: String, _ reason: String) {
        #expect(throws: Refusal(reason)) { try RequestTarget(target, base: nil) }
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
