import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// The limits of a jar, and what it says where it reaches them.
@Suite("Cookie limits", .timeLimit(.minutes(5))) struct CookieLimitTests {
    private static let url = "http://home.example.org/"
    private static let tooLong =
        "was not sent: the cookies for home.example.org are longer than the 8,192 bytes of a line"

    /// The field of a cookie whose pair has so many bytes.
    private static func field(_ name: String, bytes: Int) -> String {
        name + "=" + String(repeating: "x", count: bytes - name.utf8.count - 1)
    }

    @Test("1.8.9: behind 21 long cookies the login of a session is sent, and the jar has all")
    func login() async throws {
        let jar = CookieJar()
        for number in 1...21 { try await CookieCall(Self.url, jar, sets: [Self.field("long\(number)", bytes: 400)]) }
        #expect(
            try await CookieCall(Self.url, jar, sets: ["login=s3cret"]).said == [
                "the cookie long1 of home.example.org \(Self.tooLong)"
            ])
        let call = try await CookieCall(Self.url, jar)
        let names = call.sent?.components(separatedBy: "; ").map { String($0.prefix { $0 != "=" }) }
        #expect(names == (2...21).map { "long\($0)" } + ["login"])
        #expect(call.said == ["the cookie long1 of home.example.org \(Self.tooLong)"])
        #expect(call.notices.map(\.outcome) == [.unsent])
        #expect(jar.cookies.count == 22)
    }

    /// The sizes of the pairs of some cookies, the oldest first, and the names of those that are sent.
    struct Line: Sendable, CustomTestStringConvertible {
        let name: String
        let sizes: [Int]
        var own: HeaderFields = [:]
        let sent: [String]
        var testDescription: String { name }
    }

    // `Cookie: ` and the end of the line have 10 bytes.
    static let lines = [
        Line(name: "a full line", sizes: [4_000, 4_000, 178], sent: ["c0", "c1", "c2"]),
        Line(name: "a byte more", sizes: [4_000, 4_000, 179], sent: ["c1", "c2"]),
        Line(name: "an older one that does not fit", sizes: [100, 4_000, 4_000, 100], sent: ["c1", "c2", "c3"]),
        Line(
            name: "an older and shorter one that fits", sizes: [70, 4_000, 4_000, 100], sent: ["c0", "c1", "c2", "c3"]),
        Line(name: "a longer one between", sizes: [70, 200, 4_000, 4_000], sent: ["c0", "c2", "c3"]),
        Line(
            name: "cookies of the request that leave room", sizes: [4_000, 100],
            own: ["Cookie": field("own", bytes: 4_071), "Cookie": "two=2"], sent: ["c0", "c1", "own", "two"]),
        Line(
            name: "a byte more of the request", sizes: [4_000, 100],
            own: ["Cookie": field("own", bytes: 4_072), "Cookie": "two=2"], sent: ["c1", "own", "two"]),
        Line(
            name: "a long field of the request", sizes: [10, 20], own: ["Cookie": field("own", bytes: 9_000)],
            sent: ["own"]),
    ]

    @Test("1.8.9: a Cookie line has at most 8 KiB, and the newest cookies are in it", arguments: lines)
    func line(_ line: Line) async throws {
        let jar = CookieJar()
        for (number, size) in line.sizes.enumerated() {
            try await CookieCall(Self.url, jar, sets: [Self.field("c\(number)", bytes: size)])
        }
        let call = try await CookieCall(Self.url, jar, headers: line.own)
        let pairs = call.sent?.components(separatedBy: "; ") ?? []
        #expect(pairs.map { String($0.prefix { $0 != "=" }) } == line.sent)
        if line.own["Cookie"]?.utf8.count ?? 0 < 8_000 { #expect((call.sent?.utf8.count ?? 0) + 10 <= 8_192) }
        let unsent = line.sizes.indices.map { "c\($0)" }.filter { !line.sent.contains($0) }
        #expect(Set(call.said) == Set(unsent.map { "the cookie \($0) of home.example.org \(Self.tooLong)" }))
        #expect(jar.cookies.count == line.sizes.count)
    }

    @Test("1.8.9: a cookie that is set again is the newest of a line, and keeps its place in it")
    func setAgain() async throws {
        let jar = CookieJar()
        for number in 0..<3 { try await CookieCall(Self.url, jar, sets: [Self.field("c\(number)", bytes: 4_000)]) }
        try await CookieCall(Self.url, jar, sets: [Self.field("c0", bytes: 3_000)])
        let call = try await CookieCall(Self.url, jar)
        #expect(call.sent?.components(separatedBy: "; ").map { $0.prefix(2) } == ["c0", "c2"])
        #expect(call.said == ["the cookie c1 of home.example.org \(Self.tooLong)"])
    }

    @Test("1.8.9: a name and a value have at most 4,096 bytes together")
    func size() async throws {
        let jar = CookieJar()
        let fields = [Self.field("a", bytes: 4_097), Self.field("b", bytes: 4_098), Self.field("a", bytes: 4_098)]
        let call = try await CookieCall(Self.url, jar, sets: fields + [String(repeating: "n", count: 4_096) + "="])
        #expect(
            call.said
                == ["b", "a"].map {
                    "the cookie \($0) of home.example.org was refused: its name and value have 4,097 bytes, and a cookie "
                        + "has at most 4,096"
                })
        #expect(jar.cookies.map { $0.name.utf8.count + $0.value.utf8.count } == [4_096, 4_096])
    }

    @Test("1.8.9: responses leave at most 180 cookies of a domain, and the one that waited longest is dropped")
    func perDomain() async throws {
        let jar = CookieJar()
        try await CookieCall(Self.url, jar, sets: (0..<180).map { "c\($0)=1; Path=/\($0)" })
        try await CookieCall("http://other.example.org/", jar, sets: ["other=1; Domain=example.org", "own=1"])
        // Two are used: one is sent, the other is set again.
        #expect(try await CookieCall(Self.url + "0", jar).sent == "c0=1; other=1")
        let call = try await CookieCall(
            Self.url, jar, sets: ["c1=2; Path=/1", "new=1", "newer=1", "c5=; Path=/5; Max-Age=0"])
        let reason = "the domain has more than 180 cookies"
        #expect(call.said == [2, 3].map { "the cookie c\($0) of home.example.org was dropped: \(reason)" })
        #expect(call.notices.map(\.outcome) == [.dropped, .dropped])
        // One of them was removed, so that there is room for one.
        #expect(try await CookieCall(Self.url, jar, sets: ["newest=1"]).said == [])
        let kept = jar.cookies.filter { $0.domain == "home.example.org" }.map(\.name)
        #expect(kept.count == 180)
        #expect(kept.contains("c0") && kept.contains("c1") && !kept.contains("c2") && kept.contains("c4"))
        #expect(jar.cookies.count == 182)
    }

    @Test("1.8.9: what is not Secure is dropped first, and what is over before that")
    func order() async throws {
        let jar = CookieJar()
        let secure = "https://home.example.org/"
        try await CookieCall(secure, jar, sets: ["login=1; Secure"] + (0..<178).map { "c\($0)=1" })
        jar.set(try Cookie("soon", "1", domain: "home.example.org", expires: Date(timeIntervalSinceNow: 0.05)))
        while jar.cookies.contains(where: { $0.name == "soon" }) { await Task.yield() }
        #expect(try await CookieCall(secure, jar, sets: ["a=1"]).said == [])
        #expect(
            try await CookieCall(secure, jar, sets: ["b=1"]).said
                == ["the cookie c0 of home.example.org was dropped: the domain has more than 180 cookies"])
        #expect(jar.cookies.first?.name == "login")
    }

    @Test("1.8.9: responses leave at most 3,000 cookies in all")
    func inAll() async throws {
        let jar = CookieJar()
        for host in 0..<20 {
            try await CookieCall("http://h\(host).example.org/", jar, sets: (0..<150).map { "c\($0)=1" })
        }
        #expect(jar.cookies.count == 3_000)
        #expect(
            try await CookieCall("http://new.example.org/", jar, sets: ["a=1", "b=2", "a=3"]).said
                == (0..<2).map {
                    "the cookie c\($0) of h0.example.org was dropped: the jar has more than 3,000 cookies"
                })
        #expect(jar.cookies.count == 3_000)
        #expect(jar.cookies.suffix(2).map(\.value) == ["3", "2"])
    }

    @Test("1.8.9: cookies of the caller don't count, and a response adds none to those above the limit")
    func ownCookies() async throws {
        let jar = CookieJar(try (0..<4_000).map { try Cookie("c\($0)", "1", domain: "home.example.org", path: "/x") })
        jar.set(try Cookie("set", "1", domain: "home.example.org", path: "/x"))
        #expect(jar.cookies.count == 4_001)
        #expect(
            try await CookieCall(Self.url, jar, sets: ["a=1"]).said
                == ["the cookie c0 of home.example.org was dropped: the domain has more than 180 cookies"])
        #expect(jar.cookies.count == 4_001)
    }

    @Test("1.8.9: a response over http changes no Secure cookie, and adds none of the same name")
    func secureFirst() async throws {
        let jar = CookieJar()
        try await CookieCall(
            "https://home.example.org/", jar, sets: ["a=1; Secure; Path=/x", "b=1; Secure; Domain=example.org"])
        let fields = [
            "a=2; Path=/x/y", "a=3; Path=/x; Domain=example.org", "b=2", "b=; Max-Age=0; Domain=example.org", "a=4",
            "c=5",
        ]
        let call = try await CookieCall(Self.url, jar, sets: fields)
        let reason = "it would take the place of a Secure cookie, and the connection is not secure"
        #expect(
            call.said == ["a", "a", "b", "b"].map { "the cookie \($0) of home.example.org was refused: \(reason)" })
        #expect(jar.cookies.map { "\($0.name)=\($0.value)" } == ["a=1", "b=1", "a=4", "c=5"])
        #expect(try await CookieCall("https://home.example.org/", jar, sets: ["b=6; Domain=example.org"]).said == [])
        #expect(jar.cookies.map { "\($0.name)=\($0.value)" } == ["a=1", "b=6", "a=4", "c=5"])
    }

    @Test("1.8.9: many tasks read and write one jar at once")
    func manyTasks() async throws {
        let jar = CookieJar()
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<50 {
                        guard let own = try? Cookie("own\(task)-\(number)", "1", domain: "home.example.org") else {
                            continue
                        }
                        jar.set(own)
                        _ = try? await CookieCall("http://h\(task).example.org/", jar, sets: ["c\(number)=\(task)"])
                        #expect(jar.cookies.contains(own))
                        if number % 10 == 9 { #expect("\(jar)".hasPrefix("a jar of ")) }
                    }
                }
            }
        }
        #expect(jar.cookies.count == 800)
        for task in 0..<8 {
            let kept = jar.cookies.filter { $0.domain == "h\(task).example.org" }
            #expect(kept.map(\.name) == (0..<50).map { "c\($0)" })
        }
        jar.removeAll()
        #expect(jar.cookies.isEmpty)
    }
}
