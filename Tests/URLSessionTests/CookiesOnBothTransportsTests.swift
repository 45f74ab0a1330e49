#if os(Linux)
    import CTestResolver
    import Foundation
    import Patchbay
    import TestSupport
    import Testing

    /// A jar keeps and sends the same cookies over both transports, under names that the tests' own resolver knows.
    @Suite(.timeLimit(.minutes(5)))
    struct CookiesOnBothTransportsTests {
        typealias Carrier = URLSessionTests.Carrier

        private static let hasNames = patchbay_test_resolver_is_there() == 1
        private static let noNames: Comment = "the tests' own resolver is not in this build"
        private static let host = "loopback.example.com"

        /// A `Set-Cookie` field that one URL answers with, and what the request to another then has in its `Cookie` field.
        struct Case: Sendable, CustomTestStringConvertible {
            let name: String
            let field: String
            var host = CookiesOnBothTransportsTests.host
            var from = "/"
            var toHost: String?
            var to = "/"
            let sent: String?
            var testDescription: String { name }
        }

        static let cases = [
            Case(name: "the same host", field: "a=b", sent: "a=b"),
            Case(name: "an empty value", field: "a=", sent: "a="),
            Case(name: "another host", field: "a=b", toHost: "loopback2.example.com", sent: nil),
            Case(name: "a host below", field: "a=b", toHost: "loopback2.loopback.example.com", sent: nil),
            Case(
                name: "a host below, with Domain", field: "a=b; Domain=loopback.example.com",
                toHost: "loopback2.loopback.example.com", sent: "a=b"),
            Case(
                name: "a host beside, with the Domain of both", field: "a=b; Domain=.example.com",
                toHost: "loopback2.example.com", sent: "a=b"),
            Case(name: "a Domain that is another host's", field: "a=b; Domain=loopback2.example.com", sent: nil),
            Case(
                name: "a Domain that ends alike", field: "a=b; Domain=example.com", toHost: "loopbackexample.com",
                sent: nil
            ),
            Case(name: "Domain=.com", field: "a=b; Domain=.com", sent: nil),
            Case(name: "Domain=COM.", field: "a=b; Domain=COM.", sent: nil),
            Case(name: "a public suffix of two labels", field: "a=b; Domain=co.uk", host: "loopback.co.uk", sent: nil),
            Case(name: "a private suffix", field: "a=b; Domain=github.io", host: "loopback.github.io", sent: nil),
            Case(name: "the end of an address", field: "a=b; Domain=.0.0.1", host: "127.0.0.1", sent: nil),
            Case(name: "an address", field: "a=b; Domain=127.0.0.1", host: "127.0.0.1", sent: "a=b"),
            Case(name: "Secure over http", field: "a=b; Secure", sent: nil),
            Case(name: "Secure over http on loopback", field: "a=b; Secure", host: "127.0.0.1", sent: "a=b"),
            Case(name: "__Secure- without Secure", field: "__Secure-a=b", host: "127.0.0.1", sent: nil),
            Case(name: "__Secure- over http", field: "__Secure-a=b; Secure", sent: nil),
            Case(name: "__Secure-", field: "__Secure-a=b; Secure", host: "127.0.0.1", sent: "__Secure-a=b"),
            Case(name: "__Host- without Secure", field: "__Host-a=b; Path=/", host: "127.0.0.1", sent: nil),
            Case(
                name: "__Host- with a path", field: "__Host-a=b; Secure; Path=/x", host: "127.0.0.1", to: "/x",
                sent: nil),
            Case(name: "__Host-", field: "__Host-a=b; Secure; Path=/", host: "127.0.0.1", sent: "__Host-a=b"),
            Case(name: "below the Path", field: "a=b; Path=/x", to: "/x/y", sent: "a=b"),
            Case(name: "beside the Path", field: "a=b; Path=/x", to: "/xy", sent: nil),
            Case(name: "above the Path", field: "a=b; Path=/x", to: "/", sent: nil),
            Case(name: "the path of the URL", field: "a=b", from: "/x/y", to: "/x/z", sent: "a=b"),
            Case(name: "beside the path of the URL", field: "a=b", from: "/x/y", to: "/z", sent: nil),
            Case(name: "Max-Age", field: "a=b; Max-Age=60", sent: "a=b"),
            Case(name: "Max-Age=0", field: "a=b; Max-Age=0", sent: nil),
            Case(name: "Expires in the past", field: "a=b; Expires=Wed, 09 Jun 2021 10:18:14 GMT", sent: nil),
            Case(name: "no name", field: "=b", sent: nil),
        ]

        private static func manager(_ jar: CookieJar, _ carrier: Carrier) -> SessionManager {
            var configuration = SessionConfiguration()
            configuration.cookies = jar
            return SessionManager(registry: .standard, transport: carrier.transport, configuration: configuration)
        }

        private static func url(_ server: RawServer, _ host: String = host, _ path: String = "/") -> String {
            "http://\(host):\(server.port)\(path)"
        }

        @Test(
            "1.8.9: a jar sends and keeps cookies by RFC 6265", .enabled(if: hasNames, noNames), arguments: cases,
            Carrier.allCases)
        func rules(_ item: Case, _ carrier: Carrier) async throws {
            let server = try RawServer { _ in .response(status: 204, ["Set-Cookie": item.field]) }
            let manager = Self.manager(CookieJar(), carrier)
            _ = try await manager.send(Self.url(server, item.host, item.from))
            _ = try await manager.send(Self.url(server, item.toHost ?? item.host, item.to))
            #expect(server.requests.map { $0.fields.values(for: "Cookie") } == [[], item.sent.map { [$0] } ?? []])
        }

        /// The fields of one response, which Foundation joins, and the cookies that a jar keeps of them.
        static let joined: [([String], Set<String>)] = [
            (["sid=1; Path=/; HttpOnly; Secure", "junk"], ["sid=1 / Secure HttpOnly"]),
            (["sid=1; HttpOnly; Secure", "=v"], ["sid=1 / Secure HttpOnly"]),
            (["sid=1; Secure; HttpOnly", "my cookie=2"], ["sid=1 / Secure HttpOnly", "my cookie=2 /"]),
            (["sid=1; Max-Age=10000", ""], ["sid=1 / expires"]),
            (["sid=1; Path=/x", "junk; Secure"], ["sid=1 /x"]),
            (["sid=1", "theme =dark"], ["sid=1 /", "theme=dark /"]),
            (["sid=1", "theme=dark"], ["sid=1 /", "theme=dark /"]),
            (
                ["sid=1; Expires=Wed, 09 Jun 2100 10:18:14 GMT; Secure", "b=2"],
                ["sid=1 / Secure expires", "b=2 /"]
            ),
            (["sid=1; Secure; Expires=Wed, 09-Jun-2100 10:18:14 GMT", "b=2"], ["sid=1 / Secure expires", "b=2 /"]),
            (["list=1, 2, 3"], ["list=1, 2, 3 /"]),
            (["list=1,b=2"], ["list=1,b=2 /"]),
        ]

        @Test(
            "fields that Foundation has joined give the cookies that they gave apart", arguments: joined,
            Carrier.allCases)
        func joinedFields(_ item: ([String], Set<String>), _ carrier: Carrier) async throws {
            let server = try RawServer { _ in
                .response(status: 204, HeaderFields(item.0.map { ("Set-Cookie", $0) }))
            }
            let jar = CookieJar()
            _ = try await Self.manager(jar, carrier).send(Self.url(server, "127.0.0.1"))
            let kept = jar.cookies.map { cookie in
                ["\(cookie.name)=\(cookie.value) \(cookie.path)"]
                    + [
                        (cookie.isSecure, "Secure"), (cookie.isHTTPOnly, "HttpOnly"),
                        (cookie.expires != nil, "expires"),
                    ]
                    .filter(\.0).map(\.1)
            }
            #expect(Set(kept.map { $0.joined(separator: " ") }) == item.1)
        }

        @Test(
            "1.8.9, 1.12.1: each hop of a redirect has the cookies of its own URL, and a field by hand is dropped for good",
            .enabled(if: hasNames, noNames), arguments: Carrier.allCases)
        func redirects(_ carrier: Carrier) async throws {
            let (origin, other) = (Shared<RawServer?>(nil), Shared<RawServer?>(nil))
            let (first, second) = (
                try RawServer { request in
                    guard request.target == "/start", let there = other.withLock({ $0 }) else {
                        return .response(status: 204)
                    }
                    let location = Self.url(there, "loopback2.example.com")
                    return .response(status: 302, ["Set-Cookie": "first=1; Path=/", "Location": location])
                },
                try RawServer { request in
                    guard let back = origin.withLock({ $0 }) else { return .response(status: 204) }
                    let location = Self.url(back, Self.host, "/end")
                    return .response(status: 302, ["Set-Cookie": "second=2", "Location": location])
                }
            )
            origin.withLock { $0 = first }
            other.withLock { $0 = second }
            defer {
                origin.withLock { $0 = nil }
                other.withLock { $0 = nil }
            }
            let jar = CookieJar()
            let request = SessionRequest(Self.url(first, Self.host, "/start"), headers: ["Cookie": "own=0"])
            _ = try await Self.manager(jar, carrier).send(request)
            #expect(first.requests.map { $0.fields["Cookie"] } == ["own=0", "first=1"])
            #expect(second.requests.map { $0.fields["Cookie"] } == [nil])
            #expect(Set(jar.cookies.map(\.name)) == ["first", "second"])
        }

        @Test(
            "1.8.9: a Secure cookie of a host is not sent over http", .enabled(if: hasNames, noNames),
            arguments: Carrier.allCases)
        func secureCookie(_ carrier: Carrier) async throws {
            let server = try RawServer(always: .response(status: 204))
            let jar = CookieJar()
            jar.set(try Cookie("secure", "1", domain: Self.host, isSecure: true))
            jar.set(try Cookie("plain", "1", domain: Self.host))
            _ = try await Self.manager(jar, carrier).send(Self.url(server))
            #expect(server.requests.map { $0.fields["Cookie"] } == ["plain=1"])
        }

        @Test("1.8.9: many transfers and threads use one jar at once", arguments: Carrier.allCases)
        func concurrency(_ carrier: Carrier) async throws {
            let server = try RawServer { request in
                .response(status: 204, ["Set-Cookie": "n\(request.target.dropFirst())=1; Path=/"])
            }
            let jar = CookieJar()
            let managers = [Self.manager(jar, carrier), Self.manager(jar, carrier)]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        _ = try await managers[number % 2].send(server.url("/\(number)").absoluteString)
                        jar.set(try Cookie("m\(number)", "1", domain: "127.0.0.1"))
                        #expect(!jar.cookies.isEmpty)
                    }
                }
                try await group.waitForAll()
            }
            #expect(jar.cookies.count == 80)
        }

        @Test("1.8.9: a cookie that a redirect sets is sent to its target, HttpOnly too", arguments: Carrier.allCases)
        func redirectOfOneHost(_ carrier: Carrier) async throws {
            let server = try RawServer { request in
                request.target == "/end"
                    ? .response(status: 204, ["Set-Cookie": "late=1; Max-Age=0", "Set-Cookie": "kept=2; HttpOnly"])
                    : .response(
                        status: 303,
                        [
                            "Set-Cookie": "late=1", "Set-Cookie": "early=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
                            "Location": "/end",
                        ])
            }
            let jar = CookieJar()
            let manager = Self.manager(jar, carrier)
            let request = SessionRequest(server.target("/start"), method: "POST", content: .data(Data("a".utf8)))
            for _ in 0..<2 { _ = try await manager.send(request) }
            #expect(server.requests.map { $0.fields["Cookie"] } == [nil, "late=1", "kept=2", "kept=2; late=1"])
            #expect(jar.cookies.map(\.name) == ["kept"])
        }

        @Test("1.8.9: of two calls at once, each takes the cookies of its own response", arguments: Carrier.allCases)
        func twoAtOnce(_ carrier: Carrier) async throws {
            let (arrived, both) = (Shared(0), Gate())
            let server = try RawServer { request in
                guard request.target != "/end" else { return .response(status: 204) }
                let count = arrived.withLock { arrived in
                    arrived += 1
                    return arrived
                }
                if count == 2 { both.open() }
                let name = request.target.dropFirst()
                return .response(status: 204, ["Set-Cookie": "\(name)=1; Path=/", "Set-Cookie": "last=\(name)"]).after(
                    both)
            }
            let jar = CookieJar()
            let manager = Self.manager(jar, carrier)
            async let first = manager.send(server.target("/a"))
            async let second = manager.send(server.target("/b"))
            _ = try await (first, second)
            _ = try await manager.send(server.target("/end"))
            #expect(server.requests.prefix(2).allSatisfy { $0.fields["Cookie"] == nil })
            let sent = Set(server.requests.last?.fields["Cookie"]?.components(separatedBy: "; ") ?? [])
            #expect(sent.isSuperset(of: ["a=1", "b=1"]) && sent.count == 3)
        }
    }
#endif
