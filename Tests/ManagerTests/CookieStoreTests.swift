import Foundation
import PatchbayPlatform
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayManager

/// Which cookie goes when a jar is full, and how many cookies that takes a look at.
@Suite("Cookie store", .timeLimit(.minutes(5))) struct CookieStoreTests {
    private static let secure = "https://home.example.org/"
    private static let plain = "http://home.example.org/"

    @Test(
        "1.8.9: a login that is not Secure stays behind 180 Secure cookies, and another one is dropped",
        arguments: [secure, plain])
    func login(_ url: String) async throws {
        let jar = CookieJar()
        try await CookieCall(Self.secure, jar, sets: (0..<180).map { "c\($0)=1; Secure" })
        let reason = "the domain has more than 180 cookies"
        #expect(
            try await CookieCall(url, jar, sets: ["login=s3cret"]).said
                == ["the cookie c0 of home.example.org was dropped: \(reason)"])
        #expect(try await CookieCall(url, jar).sent?.hasSuffix("login=s3cret") == true)
        // Now there is one that is not Secure, and each new one is kept at its cost.
        let call = try await CookieCall(url, jar, sets: ["a=1", "b=1"])
        #expect(call.said == ["login", "a"].map { "the cookie \($0) of home.example.org was dropped: \(reason)" })
        #expect(jar.cookies.count == 180)
        #expect(jar.cookies.last?.name == "b")
    }

    @Test("1.8.9: where 3,000 Secure cookies of other hosts are, each host still keeps one that is not Secure")
    func otherHosts() async throws {
        let jar = CookieJar()
        for host in 0..<17 {
            try await CookieCall(
                "https://h\(host).example.com/", jar, sets: (0..<(host == 16 ? 120 : 180)).map { "c\($0)=1; Secure" })
        }
        #expect(jar.cookies.count == 3_000)
        // The cookies of the first host are used.
        try await CookieCall("https://h0.example.com/", jar)
        for (number, url) in [Self.plain, "http://other.example.net/", "https://third.example.net/"].enumerated() {
            let call = try await CookieCall(url, jar, sets: ["login=s3cret"])
            let reason = "the jar has more than 3,000 cookies"
            #expect(call.said == ["the cookie c\(number) of h1.example.com was dropped: \(reason)"])
            #expect(try await CookieCall(url, jar).sent == "login=s3cret")
        }
        #expect(jar.cookies.count == 3_000)
    }

    @Test("1.8.9: cookies of a file are kept beyond the limits, and a response adds none to them")
    func file() async throws {
        let folder = TemporaryFolder()
        let cookies = try (0..<3_100).map { try Cookie("c", "1", domain: "h\($0).example.org") }
        try CookieJar(cookies).write(to: folder.url.appending(path: "jar"), includingSessionCookies: true)
        let jar = try CookieJar(contentsOf: folder.url.appending(path: "jar"))
        #expect(jar.cookies.count == 3_100)
        #expect(
            try await CookieCall(Self.plain, jar, sets: ["a=1", "b=1"]).said
                == (0..<2).map { "the cookie c of h\($0).example.org was dropped: the jar has more than 3,000 cookies" }
        )
        #expect(jar.cookies.count == 3_100)
        #expect(jar.cookies.suffix(2).map(\.name) == ["a", "b"])
    }

    private static func target(_ url: String) throws -> CookieTarget {
        let url = try #require(URL(string: url))
        let host = try #require(CanonicalHost(url: url))
        return try #require(CookieTarget(RequestHead(url: url), to: host))
    }

    /// The cookies of so many other hosts. Every third name is one of the response.
    private static func store(_ hosts: Int) -> CookieStore {
        var random = SplitMix(seed: 53)
        let others = (0..<hosts).compactMap { host in
            try? Cookie(
                "c\(host % 300)", "1", domain: host.isMultiple(of: 2) ? "h\(host).example.org" : "www.h\(host).test",
                path: "/app", isSecure: true,
                expires: now.addingTimeInterval(Double(Int.random(in: 60...90_000, using: &random))))
        }
        return CookieStore(distinct: others, now: now)
    }

    private static let now = Date(timeIntervalSince1970: 1_000)
    private static let stores = [store(3_000), store(9_000)]

    /// How many cookies a response with 100 fields and the next request look at.
    private static func looks(in store: CookieStore, at url: String, _ attributes: String) throws -> Int {
        var store = store
        let target = try target(url)
        for number in 0..<100 {
            let cookie = try SetCookie(Array("c\(number)=1\(attributes)".utf8), now: now).cookie(from: target)
            _ = try store.take(cookie, from: target, now: now)
        }
        let line = (0..<100).map { "c\($0)=1" }.joined(separator: "; ")
        #expect(store.field(for: target, own: [], now: now).octets == Array(line.utf8))
        return store.looks
    }

    @Test(
        "1.8.9: what a response and a request look at does not grow with the hosts of a jar",
        arguments: [
            ("over https", "https://home.example.net/", ""), ("over http", "http://home.example.net/", ""),
            ("with Domain", "http://home.example.net/", "; Domain=example.net"),
            ("with an end", "http://home.example.net/", "; Max-Age=30"),
            ("with other attributes", "http://home.example.net:8080/", "; Path=/; HttpOnly"),
        ])
    func looks(_ name: String, _ url: String, _ attributes: String) throws {
        let counts = try Self.stores.map { try Self.looks(in: $0, at: url, attributes) }
        #expect(counts.first == counts.last)
        // Each of 100 fields at its own domain's cookies and at one that goes, and the request at 100.
        #expect(counts.allSatisfy { $0 <= 100 * 100 / 2 + 2 * 100 + 100 })
    }

    @Test("1.8.9: an end that a cookie no longer has removes nothing, and one that is reached removes first")
    func ends() throws {
        let start = Date(timeIntervalSince1970: 1_000)
        func cookie(_ name: String, _ seconds: Double?) throws -> Cookie {
            try Cookie(name, "1", domain: "h", expires: seconds.map(start.addingTimeInterval))
        }
        var store = CookieStore(
            distinct: [try cookie("a", 1), try cookie("b", 3), try cookie("c", 2), try cookie("d", nil)], now: start)
        store.set(try cookie("a", nil), now: start)
        store.set(try cookie("b", 2), now: start)
        store.set(try cookie("d", 9), now: start)
        store.set(try cookie("e", -1), now: start)
        func names(_ seconds: Double) -> [String] { store.cookies(now: start.addingTimeInterval(seconds)).map(\.name) }
        #expect(names(1.5) == ["a", "b", "c", "d"])
        #expect(names(2) == ["a", "d"])
        #expect(names(100) == ["a"])
        store.removeAll()
        #expect(names(0) == [])
    }

    @Test("ids come out of a heap by their keys, whatever was changed and removed before")
    func heap() {
        var random = SplitMix(seed: 53)
        var heap = IDHeap<Int>()
        var keys: [Int: Int] = [:]
        for _ in 0..<1_000 {
            let (id, key) = (Int.random(in: 0..<60, using: &random), Int.random(in: 0..<20, using: &random))
            let isGone = Bool.random(using: &random)
            heap.set(isGone ? nil : key, for: id)
            keys[id] = isGone ? nil : key
            #expect(heap.least == keys.min { ($0.value, $0.key) < ($1.value, $1.key) }?.key)
        }
    }

    @Test("1.8.9: jar.set makes a cookie the newest of a line")
    func newest() async throws {
        let jar = CookieJar()
        let long = String(repeating: "x", count: 4_000)
        jar.set(try Cookie("login", "s3cret" + long, domain: "home.example.org"))
        for name in ["a", "b"] { try await CookieCall(Self.plain, jar, sets: ["\(name)=\(long)"]) }
        let reason = "the cookies for home.example.org are longer than the 8,192 bytes of a line"
        #expect(
            try await CookieCall(Self.plain, jar).said
                == ["the cookie login of home.example.org was not sent: \(reason)"])
        for cookie in jar.cookies where cookie.name == "login" { jar.set(cookie) }
        let call = try await CookieCall(Self.plain, jar)
        #expect(call.sent?.hasPrefix("login=s3cret") == true)
        #expect(call.said == ["the cookie a of home.example.org was not sent: \(reason)"])
        // A jar with this cookie alone.
        let kept = jar.cookies.filter { $0.name == "login" }
        jar.removeAll()
        for cookie in kept { jar.set(cookie) }
        #expect(try await CookieCall(Self.plain, jar).said == [])
        #expect(jar.cookies.map(\.name) == ["login"])
    }

    @Test("1.8.9: the text of an event names all cookies that have the same reason in one sentence")
    func sentences() {
        func notice(_ outcome: CookieNotice.Outcome, _ name: String, _ domain: String = "a.test") -> CookieNotice {
            CookieNotice(outcome, name: name, domain: domain, reason: outcome == .unsent ? "full" : "many")
        }
        let notices = [
            notice(.unsent, "a"), notice(.dropped, "b"), notice(.unsent, "c"), notice(.refused, "e"),
            notice(.unsent, "f", "b.test"), notice(.unsent, "g"), notice(.refused, "e"), notice(.dropped, "h\u{1}"),
        ]
        #expect(
            notices.sentences == [
                "the cookies a, c and g of a.test were not sent: full",
                "the cookies b and *** of a.test were dropped: many",
                "the cookie e of a.test was refused: many", "the cookie f of b.test was not sent: full",
                "the cookie e of a.test was refused: many",
            ])
        #expect([CookieNotice]().sentences == [])
    }
}
