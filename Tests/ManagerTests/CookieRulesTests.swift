import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// What a jar takes of Set-Cookie fields, and what it puts into Cookie fields (RFC 6265), over a stub.
@Suite("Cookie rules", .timeLimit(.minutes(5))) struct CookieRulesTests {
    @Test("1.8.9: a jar obeys RFC 6265", arguments: CookieRow.all)
    func rules(_ row: CookieRow) async throws {
        let jar = CookieJar()
        for field in row.fields { try await CookieCall(row.from, jar, sets: [field]) }
        #expect(try await CookieCall(row.to, jar).sent == row.sent)
        // All of them in one response do the same.
        let other = CookieJar()
        try await CookieCall(row.from, other, sets: row.fields)
        #expect(try await CookieCall(row.to, other).sent == row.sent)
        // So does a jar that was written to a file.
        let file = TemporaryFolder()
        try jar.write(to: file.url.appending(path: "jar"), includingSessionCookies: true)
        let read = try CookieJar(contentsOf: file.url.appending(path: "jar"))
        #expect(try await CookieCall(row.to, read).sent == row.sent)
    }

    @Test(
        "1.8.9: a date of Expires is read in any form that servers send",
        arguments: [
            ("Mon, 10-Dec-2007 17:02:24 GMT", 1_197_306_144), ("Wed, 09 Dec 2009 16:27:23 GMT", 1_260_376_043),
            ("Thursday, 01-Jan-1970 00:00:00 GMT", 0), ("Mon Dec 10 16:32:30 2007 GMT", 1_197_304_350),
            ("Wednesday, 01-Jan-10 00:00:00 GMT", 1_262_304_000), ("Sun,  9 Dec 2012 13:42:05 GMT", 1_355_060_525),
            ("Thu, 31 Dec 23:55:55 2037 GMT", 2_145_916_555),
            ("Wed Dec 12 2007 08:44:07 GMT-0500 (EST)", 1_197_449_047),
            ("Thu, 10 Dec 2009 13:57:2 GMT", 1_260_453_422), ("1 jan 70 0:0:0", 0),
            ("1 JANUARY 69 0:0:0x", 3_124_224_000),
            ("29 Feb 2000 00:00:00", 951_782_400), ("1 Jan 1601 00:00:00", -11_644_473_600),
            ("31 Dec 9999 23:59:59", 253_402_300_799),
        ] as [(String, Double)])
    func dates(_ text: String, _ seconds: Double) { #expect(CookieDate.seconds(text) == seconds) }

    @Test(
        "1.8.9: another text is no date",
        arguments: [
            "", "GMT", "Mon, 01-Jan-2011 00: 00:00 GMT", "30 Feb 2000 00:00:00", "29 Feb 2100 00:00:00",
            "0 Jan 2000 00:00:00", "32 Jan 2000 00:00:00", "1 Jan 1600 00:00:00", "1 Jan 20000 00:00:00",
            "1 Jan 2000 24:00:00", "1 Jan 2000 00:60:00", "1 Jan 2000 00:00:60", "1 Jan 2000 00:00",
            "1 Xyz 2000 00:00:00",
            "1 Jan 00:00:00", "Jan 2000 00:00:00", "001 Jan 2000 00:00:00", "1 Jan 2000 000:00:00",
            "١ Jan 2000 00:00:00",
            "99999999999999999999 Jan 2000 00:00:00",
        ])
    func noDates(_ text: String) { #expect(CookieDate.seconds(text) == nil) }

    @Test("1.8.9: a cookie that is refused is named with the reason, and never its value", arguments: refusals)
    func refused(_ field: String, _ url: String, _ said: String) async throws {
        let jar = CookieJar()
        let call = try await CookieCall(url, jar, sets: ["first=1", field, "last=2"])
        #expect(call.said == [said])
        #expect(call.notices.map(\.outcome) == [.refused])
        #expect(Set(jar.cookies.map(\.name)) == ["first", "last"])
    }

    private static let page = CookieRow.page
    private static let plain = "http://home.example.org/"
    private static let secure = "https://home.example.org/"
    static let refusals: [(String, String, String)] = [
        ("s3cret", plain, "the cookie of home.example.org was refused: it has no name"),
        ("=s3cret; Path=/", plain, "the cookie of home.example.org was refused: it has no name"),
        (
            "a=s3cret; Domain=example.com", plain,
            "the cookie a of home.example.org was refused: its Domain is neither the host nor a domain above the host"
        ),
        (
            "a=s3cret; Domain=org", plain,
            "the cookie a of home.example.org was refused: its Domain is a public suffix"
        ),
        (
            "a=s3cret; Secure", plain,
            "the cookie a of home.example.org was refused: it is Secure, and the connection is not"
        ),
        (
            "a=s3cret\u{1}", plain,
            "the cookie a of home.example.org was refused: the value of the cookie has a character that it cannot have"
        ),
        (
            "__secure-a=s3cret", secure,
            "the cookie __secure-a of home.example.org was refused: the name of the cookie begins with __Secure-, and the "
                + "cookie is not secure"
        ),
        (
            "__Host-a=s3cret; Secure; Path=/x", secure,
            "the cookie __Host-a of home.example.org was refused: the name of the cookie begins with __Host-, and the "
                + "cookie is not a secure one of a single host with the path /"
        ),
        (
            "__HOST-a=s3cret; Secure; Path=/; Domain=home.example.org", secure,
            "the cookie __HOST-a of home.example.org was refused: its name begins with __Host-, and it has a Domain"
        ),
        (
            "a=s3cret" + String(repeating: "é", count: 2_045), plain,
            "the cookie a of home.example.org was refused: its name and value have 4,097 bytes, and a cookie has at most 4,096"
        ),
    ]

    @Test("1.8.9: a path of a URL that no Path attribute could have is not kept")
    func longPath() async throws {
        let jar = CookieJar()
        for count in [1_023, 1_024] {
            let url = Self.plain + String(repeating: "x", count: count) + "/"
            let call = try await CookieCall(url, jar, sets: ["a\(count)=1", "b=2; Path=/"])
            let said = "the cookie a1024 of home.example.org was refused: the path of the URL has more than 1,024 bytes"
            #expect(call.said == (count == 1_024 ? [said] : []))
        }
        #expect(Set(jar.cookies.map(\.name)) == ["a1023", "b"])
        let long = "c=3; Path=/" + String(repeating: "x", count: 1_024)
        try await CookieCall(Self.plain, jar, sets: [long])
        #expect(jar.cookies.last?.path == "/")
    }

    @Test(
        "1.8.9: each hop of a redirect sends and keeps its own cookies, and says once what it refuses",
        arguments: [false, true])
    func hops(_ asks: Bool) async throws {
        let (jar, log) = (CookieJar([try Cookie("own", "s3cret", domain: "origin.test")]), EventLog())
        var configuration = SessionConfiguration()
        configuration.cookies = jar
        configuration.observers = [log]
        if asks { configuration.redirects = RedirectHandler { _, _ in true } }
        let (manager, stub) = try stubManager(configuration: configuration) { request in
            switch request.head.url.path() {
            case "/start":
                StubReply(status: 302, fields: ["Location": "/next", "Set-Cookie": "a=1", "Set-Cookie": "b=1; Secure"])
            case "/next":
                StubReply(status: 307, fields: ["Location": "http://other.test/end", "Set-Cookie": "c=1; Path=/next"])
            default: StubReply(status: 401, fields: ["Set-Cookie": "d=1"])
            }
        }
        let call = manager.held(SessionRequest("start", headers: ["Cookie": "mine=1", "Host": "origin.test:80"]))
        let error = await #expect(throws: SessionError.self) { try await call.begin().reply }
        await log.hears()
        #expect(
            stub.requests.map { $0.head.fields["Cookie"] } == ["own=s3cret; mine=1", "own=s3cret; a=1; mine=1", nil])
        #expect(jar.cookies.map(\.name) == ["own", "a", "c", "d"])
        let lines = log.lines(of: call.task.id).filter { line in
            ["sending", "cookies", "redirected"].contains { line.hasPrefix($0) }
        }
        #expect(
            lines == [
                "sending GET /start", "cookies 1", "redirected 302 /next", "sending GET /next", "redirected 307 /end",
                "sending GET /end",
            ])
        // The field of the request was dropped, and a cookie of the jar is not a field of the request.
        #expect(error?.droppedCredentials == true)
        #expect(error?.request?.fields["Cookie"] == nil)
        #expect(!call.task.curlDescription().contains("Cookie"))
    }

    @Test("1.8.9: cookies of a jar are no credentials of a request, which a redirect would drop")
    func credentials() async throws {
        var configuration = SessionConfiguration()
        configuration.cookies = CookieJar([try Cookie("own", "s3cret", domain: "origin.test")])
        let (manager, stub) = try stubManager(configuration: configuration) { request in
            request.head.url.path() == "/start"
                ? StubReply(status: 302, fields: ["Location": "http://other.test/end"]) : StubReply(status: 401)
        }
        let error = await #expect(throws: SessionError.self) { try await manager.send("start") }
        #expect(stub.requests.map { $0.head.fields["Cookie"] } == ["own=s3cret", nil])
        #expect(error?.droppedCredentials == false)
    }

    @Test("1.8.9: a Host field that is no host has no cookies")
    func hostField() async throws {
        let jar = CookieJar([try Cookie("own", "1", domain: "home.example.org")])
        let call = try await CookieCall(Self.page, jar, sets: ["a=1"], headers: ["Host": "a b"])
        #expect(call.sent == nil)
        #expect(jar.cookies.map(\.name) == ["own"])
    }

    @Test(
        "1.8.9: the public suffix list decides, and without it a domain of one label is a suffix",
        .enabled(if: dlopen("libpsl.so.5", RTLD_LAZY) != nil, "libpsl is not installed"))
    func suffixes() {
        let rows = [
            ("org", "a.org", true, true), ("example.org", "a.example.org", false, false),
            ("example.org", "example.org", false, false), ("localhost", "localhost", true, true),
            ("co.uk", "a.co.uk", true, false), ("github.io", "a.github.io", true, false),
            ("github.io", "github.io", true, false), ("a.github.io", "b.a.github.io", false, false),
        ]
        for (domain, host, listed, unlisted) in rows {
            #expect(PublicSuffixes.shares(domain, of: host) == listed, "\(domain) of \(host)")
            #expect(PublicSuffixes.sharesWithoutList(domain, of: host) == unlisted, "\(domain) of \(host)")
        }
    }
}
