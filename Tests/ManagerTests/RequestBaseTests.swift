import Foundation
import Testing

@testable import PatchbayManager

@Suite("Targets below a base that was taken apart once")
struct RequestBaseTests {
    static let bases = [
        "http://h.test", "http://h.test/", "http://h.test/v1", "http://h.test/v1/", "HTTPS://H.Test:8443/a/b/",
        "http://h.test:80/a//b", "http://h.test/a/./b/../c", "http://h.test/a?q=1", "http://h.test/a/?q=1#part",
        "http://h.test?q", "http://h.test#part", "http://[::1]:8080/a", "http://b\u{FC}cher.example/a",
        "http://user:secret@h.test/a/", "http://h.test/a%20b/", "http://h.test./a/", "http://h.test//",
        "ftp://h.test/a/", "http://", "http:///a", "file:///a/", "a/b", "/a", "http://h.test/%2e%2e/a/",
        "http://h%2Etest/a/", "http://[fe80::1%25eth0]/a/",
    ]

    static let targets = [
        "", "a", "users/1", "/users/1", "users/1/", "a-b_c~d.e", "1", "a.b/c.d", ".", "..", "./a", "../a", "a/..",
        "a/./b", "a/../b", "a/.b", ".a", "..a", "a/...", "...", "/.", "/..", "/../a", "//", "//other.test/a", "///a",
        "a//b", "/a//", "a?", "a?b", "a?b=c&d=e", "a?b=c+d,e", "a?.", "a?..", "a?/../b", "a?b?c", "?b", "/?b",
        "a?b#c", "a#", "#c", "a:b", "a/b:c", "http:a", "http://other.test", "https://other.test/x", "mailto:a@b",
        "a b", "a%20b", "a%2", "a%2e/b", "%2e%2e/a", "\u{E9}", "a/\u{E9}", "a\u{0}b", "a\nb", "a\tb", "a\\b", "a|b",
        "a\"b", "a<b>", "a{b}", "a[b]", "[a]", "a^b", "a`b", "a;b", "a=b", "a&b", "a+b", "a,b", "a@b", "a!b", "a$b",
        "a'b", "a(b)", "a*b", "~", "~user/a", "-", "_", "a?b=\u{E9}", "a?b=%", "a?b=[c]", "a?b=c d", "a?b='c'", "a?=",
        "a?&&", "a?~", "A/B?C=D", "a/b/c/d/e/f/g", "/a?b=/c", "a;b?c;d",
    ]

    /// What came of it: the URL, the host and the credentials, or the reason.
    private static func outcome(_ make: () throws(Refusal) -> RequestTarget) -> String {
        do throws(Refusal) {
            let target = try make()
            return "\(target.url.absoluteString) \(target.url.path(percentEncoded: true)) "
                + "\(target.url.query(percentEncoded: true) ?? "-") \(target.host) \(target.authorization ?? "-")"
        } catch {
            return error.reason
        }
    }

    @Test("are those that are resolved one by one", arguments: bases)
    func same(_ text: String) {
        let base = URL(string: text)
        let once = RequestBase(base)
        for target in Self.targets + Self.mixtures {
            let query: QueryItems = target.utf8.count % 5 == 0 ? [(name: "q", value: "a b")] : []
            let expected = Self.outcome { () throws(Refusal) in try RequestTarget(target, query: query, base: base) }
            let made = Self.outcome { () throws(Refusal) in
                try once.target(of: SessionRequest(target, query: query))
            }
            #expect(made == expected, "\(text) and \(target.debugDescription)")
        }
    }

    @Test("are no others where there is no base", arguments: targets)
    func withoutBase(_ target: String) {
        let expected = Self.outcome { () throws(Refusal) in try RequestTarget(target, base: nil) }
        let made = Self.outcome { () throws(Refusal) in
            try RequestBase(nil).target(of: SessionRequest(target))
        }
        #expect(made == expected)
    }

    /// Every text of up to four of the characters that resolution looks at.
    private static let mixtures: [String] = {
        let characters = ["a", ".", "/", "?", ":", "="]
        var texts = [""]
        var made: [String] = []
        for _ in 0..<4 {
            texts = texts.flatMap { text in characters.map { text + $0 } }
            made += texts
        }
        return made
    }()
}
