import CTestResolver
import Patchbay
import PatchbayCurl
import PatchbayTesting
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Cookies as a manager with a jar keeps and sends them. `CookiesOnBothTransportsTests` has the rules of RFC 6265.
@Suite("CookieJar", .timeLimit(.minutes(5)))
struct CookieTests {
    private static let hasNames = patchbay_test_resolver_is_there() == 1
    private static let host = "loopback.example.com"

    private static func manager(_ jar: CookieJar?, _ transport: any Transport = CurlTransport()) -> SessionManager {
        var configuration = SessionConfiguration()
        configuration.cookies = jar
        return SessionManager(registry: .standard, transport: transport, configuration: configuration)
    }

    private static func url(_ server: RawServer, _ host: String = host, _ path: String = "/") -> String {
        "http://\(host):\(server.port)\(path)"
    }

    @Test("1.8.9: without a jar, and for a request that wants none, no cookie is sent or kept")
    func off() async throws {
        let server = try RawServer { _ in .response(status: 204, ["Set-Cookie": "a=b"]) }
        let without = Self.manager(nil)
        for _ in 0..<2 { _ = try await without.send(server.url().absoluteString) }
        let jar = CookieJar()
        let with = Self.manager(jar)
        var request = SessionRequest(url: server.url())
        request.usesCookies = false
        _ = try await with.send(request)
        #expect(jar.cookies.isEmpty)
        _ = try await with.send(server.url().absoluteString)
        #expect(jar.cookies.count == 1)
        _ = try await with.send(request)
        #expect(server.requests.count == 5)
        #expect(server.requests.allSatisfy { $0.fields["Cookie"] == nil })
    }

    @Test("1.8.9: the jars of two managers do not mix, and one jar can serve two")
    func separate() async throws {
        let server = try RawServer { _ in .response(status: 204, ["Set-Cookie": "a=b"]) }
        let (jar, transport) = (CookieJar(), CurlTransport())
        for manager in [Self.manager(jar, transport), Self.manager(CookieJar(), transport), Self.manager(jar)] {
            _ = try await manager.send(server.url().absoluteString)
        }
        #expect(server.requests.map { $0.fields["Cookie"] } == [nil, nil, "a=b"])
    }

    @Test(
        "1.8.9: a Host field by hand files cookies under its name, and a host that a redirect leads to sees none of them"
    )
    func hostField() async throws {
        let second = try RawServer(always: .response(status: 204, ["Set-Cookie": "session=second"]))
        let first = try RawServer { [url = second.url("/end")] request in
            request.target == "/start"
                ? .response(status: 302, ["Set-Cookie": "session=first", "Location": url.absoluteString])
                : .response(status: 204)
        }
        let jar = CookieJar()
        let manager = Self.manager(jar)
        let own: HeaderFields = ["Host": "virtual.example.com:81"]
        _ = try await manager.send(first.url("/start").absoluteString, headers: own)
        _ = try await manager.send(first.url("/again").absoluteString, headers: own)
        #expect(first.requests.map { $0.fields["Host"] } == ["virtual.example.com:81", "virtual.example.com:81"])
        #expect(first.requests.map { $0.fields["Cookie"] } == [nil, "session=first"])
        #expect(second.requests.map { $0.fields["Host"] } == ["127.0.0.1:\(second.port)"])
        #expect(second.requests.map { $0.fields["Cookie"] } == [nil])
        let kept = Set(jar.cookies.map { "\($0.domain): \($0.value)" })
        #expect(kept == ["virtual.example.com: first", "127.0.0.1: second"])
    }

    @Test("1.8.9: cookies of the request and of the jar are one field")
    func ownCookies() async throws {
        let server = try RawServer { _ in .response(status: 204, ["Set-Cookie": "a=b"]) }
        let manager = Self.manager(CookieJar())
        for _ in 0..<2 { _ = try await manager.send(server.url().absoluteString, headers: ["Cookie": "own=1"]) }
        #expect(server.requests.map { $0.fields.values(for: "Cookie") } == [["own=1"], ["a=b; own=1"]])
    }

    @Test(
        "1.8.9: bytes of a cookie that are not UTF-8 come back over the wire, also beside UTF-8 and from a folded line")
    func octets() async throws {
        let parts: [[UInt8]] = [
            Array("HTTP/1.1 204 No Content\r\nSet-Cookie: l=".utf8), [0xFF, 0xE9],
            Array("\r\nSet-Cookie: u=é😀\r\nSet-Cookie: f=é\r\n ".utf8), [0xE9], Array("\r\nX-Odd: ".utf8), [0xE9],
            Array("\r\n\r\n".utf8),
        ]
        let server = try RawServer { request in
            request.target == "/set" ? .raw(parts.joined()) : .response(status: 204)
        }
        let jar = CookieJar()
        for target in ["/set", "/set", "/x"] { _ = try await Self.manager(jar).send(server.target(target)) }
        _ = try await Self.manager(jar).send(server.target("/own"), headers: ["Cookie": "own=ü"])
        let line: [UInt8] = [Array("\r\nCookie: l=".utf8), [0xFF, 0xE9], Array("; u=é😀; f=é ".utf8), [0xE9]].flatMap(
            \.self)
        let own = line + Array("; own=ü".utf8)
        #expect(jar.cookies.map(\.value) == ["\u{FF}\u{E9}", "é😀", "\u{C3}\u{A9} \u{E9}"])
        for (request, line) in zip(server.requests.dropFirst(), [line, line, own]) {
            #expect(request.rawHead.firstRange(of: line + Array("\r\n".utf8)) != nil)
        }
        #expect(server.requests.count == 4)
    }

    @Test("a jar says how many cookies it has, and one is no plural")
    func counted() throws {
        let jar = CookieJar()
        var shown = ["\(jar)"]
        for name in ["a", "b"] {
            jar.set(try Cookie(name, "1", domain: "example.com"))
            shown.append("\(jar)")
        }
        #expect(shown == ["a jar of 0 cookies", "a jar of 1 cookie", "a jar of 2 cookies"])
    }

    @Test("1.8.9: the cookies of a jar can be listed, set, removed and cleared")
    func contents() async throws {
        let server = try RawServer(always: .response(status: 204, ["Set-Cookie": "served=1; HttpOnly; Max-Age=7200"]))
        let jar = CookieJar()
        let manager = Self.manager(jar)
        let (soon, past) = (Date(timeIntervalSinceNow: 3600), Date(timeIntervalSince1970: -1))
        let kept = try Cookie("kept", "a b=c", domain: "127.0.0.1", path: "/x", expires: soon)
        jar.set(kept)
        jar.set(try Cookie("elsewhere", "1", domain: "EXAMPLE.com", includesSubdomains: true, isSecure: true))
        #expect(jar.cookies.count == 2)
        _ = try await manager.send(server.url("/x").absoluteString)
        #expect(server.requests.map { $0.fields["Cookie"] } == ["kept=a b=c"])

        let served = try #require(jar.cookies.first { $0.name == "served" })
        #expect((served.value, served.domain, served.path) == ("1", "127.0.0.1", "/"))
        #expect(served.isHTTPOnly && !served.isSecure && !served.includesSubdomains)
        #expect(served.expires.map { (3600.0...7260.0).contains($0.timeIntervalSinceNow) } == true)
        let elsewhere = try #require(jar.cookies.first { $0.name == "elsewhere" })
        #expect((elsewhere.domain, elsewhere.expires) == ("example.com", nil))
        #expect(elsewhere.isSecure && elsewhere.includesSubdomains)

        jar.set(try Cookie("kept", "", domain: "127.0.0.1", path: "/x", expires: past))
        #expect(Set(jar.cookies.map(\.name)) == ["served", "elsewhere"])
        jar.removeAll()
        #expect(jar.cookies.isEmpty)
    }

    @Test(
        "1.8.9: what no server could set is no cookie",
        arguments: [
            ("a b", "1", "example.com", "/", "the name of the cookie is not a token"),
            ("", "1", "example.com", "/", "the name of the cookie is not a token"),
            ("a", "1;2", "example.com", "/", "the value of the cookie has a character that it cannot have"),
            ("a", "1\u{1}2", "example.com", "/", "the value of the cookie has a character that it cannot have"),
            ("a", "1\r\nX: y", "example.com", "/", "the value of the cookie has a character that it cannot have"),
            ("a", "1", "example.com", "x", "the path of the cookie is not a path"),
            ("a", "1", "example.com", "/\t", "the path of the cookie is not a path"),
            ("a", "1", "example.com", "/\n", "the path of the cookie is not a path"),
            ("a", "1", "exa mple", "/", "the domain of the cookie is not a host"),
            ("a", "1", "example.com:1", "/", "the domain of the cookie is not a host"),
        ])
    func refusedCookies(_ name: String, _ value: String, _ domain: String, _ path: String, _ reason: String) {
        let failure = #expect(throws: FormatFailure.self) { try Cookie(name, value, domain: domain, path: path) }
        #expect(failure?.format == "cookie")
        #expect(failure?.code == .malformed)
        #expect(failure?.reason == reason)
    }

    /// The program `curl`; nil if it is not on the path.
    private static let curl = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").map { "\($0)/curl" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    private static func curl(_ arguments: [String]) async throws {
        let run = try await ChildProcess.run(
            try #require(curl), ["--disable", "--silent", "--show-error", "--noproxy", "*"] + arguments)
        try #require(run.end == .exited(0), "\(run.errorText)")
    }

    @Test(
        "1.8.9: a jar reads the cookie file of curl, and curl that of a jar",
        .enabled(if: curl != nil, "the program curl is not on the path"))
    func cookieFile() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "patchbay-\(UUID().uuidString).txt")
        defer { try? FileManager.default.removeItem(at: file) }
        let path = file.path(percentEncoded: false)
        let fields = [
            "a=1", "a[b c]=d e; Max-Age=7200", "empty=; Max-Age=7200", "quoted=\"é\"; HttpOnly; Max-Age=7200",
            "secure=1; Secure; Expires=Fri, 31 Dec 9999 23:59:59 GMT", "far=1; Max-Age=99999999999999999999",
            "odd=1; Path=x; Max-Age=7200", "odder=1; Path=\"/x\"; Max-Age=7200", "none=1; Path=; Max-Age=7200",
            "gone=1; Max-Age=0",
        ]
        let server = try RawServer { request in
            .response(status: 204, ["Set-Cookie": fields[Int(request.target.dropFirst()) ?? 0]])
        }
        try await Self.curl(["-c", path] + fields.indices.map { server.target("/\($0)") })
        let jar = try CookieJar(contentsOf: file)
        let expected = [
            "a": "1", "a[b c]": "d e", "empty": "", "quoted": "\"é\"", "secure": "1", "far": "1", "odd": "1",
            "odder": "1", "none": "1",
        ]
        #expect(Dictionary(uniqueKeysWithValues: jar.cookies.map { ($0.name, $0.value) }) == expected)
        #expect(jar.cookies.allSatisfy { $0.domain == "127.0.0.1" && !$0.includesSubdomains })
        #expect(jar.cookies.filter { $0.path != "/" }.map(\.path) == ["/x"])
        #expect(jar.cookies.filter { $0.expires == nil }.map(\.name) == ["a"])
        #expect(jar.cookies.filter(\.isHTTPOnly).map(\.name) == ["quoted"])
        #expect(jar.cookies.filter(\.isSecure).map(\.name) == ["secure"])

        func sent(_ count: Int) -> Set<String> {
            Set(server.requests[count].fields["Cookie"]?.components(separatedBy: "; ") ?? [])
        }
        let all = Set(expected.map { "\($0.key)=\($0.value)" })
        _ = try await Self.manager(jar).send(server.target("/x"))
        #expect(sent(fields.count) == all)
        for (number, includesAll) in [true, false].enumerated() {
            try jar.write(to: file, includingSessionCookies: includesAll)
            try await Self.curl(["-b", path, server.target("/x")])
            #expect(sent(fields.count + 1 + number) == (includesAll ? all : all.subtracting(["a=1"])))
        }

        // curl lists the same cookies as it was given.
        try jar.write(to: file, includingSessionCookies: true)
        try await Self.curl(["-b", path, "-c", path, server.target("/9")])
        #expect(Set(try CookieJar(contentsOf: file).cookies) == Set(jar.cookies))
    }

    @Test("1.8.9: curl sends a cookie with Domain to hosts below", .enabled(if: curl != nil && hasNames))
    func domainInFile() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "patchbay-\(UUID().uuidString).txt")
        defer { try? FileManager.default.removeItem(at: file) }
        let server = try RawServer(always: .response(status: 204))
        let later = Date(timeIntervalSinceNow: 3600)
        let cookies = [
            try Cookie("below", "1", domain: "example.com", includesSubdomains: true, expires: later),
            try Cookie("beside", "1", domain: "example.com", expires: later),
        ]
        let jar = CookieJar(cookies)
        for _ in 0..<2 {
            try jar.write(to: file)
            try await Self.curl([
                "--resolve", "\(Self.host):\(server.port):127.0.0.1", "-b", file.path(percentEncoded: false),
                Self.url(server),
            ])
            // Then once more, with the cookies of the jar that was written.
            _ = try await Self.manager(jar).send(Self.url(server))
        }
        #expect(server.requests.map { $0.fields["Cookie"] } == Array(repeating: "below=1", count: 4))
    }

    @Test("1.8.9: no value of a cookie is in a description or an error")
    func secrecy() async throws {
        let server = try RawServer(always: .response(status: 500, ["Set-Cookie": "name=s3cret"]))
        let jar = CookieJar()
        let error = await #expect(throws: SessionError.self) {
            try await Self.manager(jar).send(server.url().absoluteString)
        }
        let cookie = try #require(jar.cookies.first)
        #expect(cookie.value == "s3cret")
        #expect("\(cookie)" == "cookie name of 127.0.0.1/")
        let shown = [
            "\(error as Any)", "\(jar)", String(reflecting: jar), "\(jar.cookies)", String(reflecting: cookie),
        ]
        for text in shown { #expect(!text.contains("s3cret")) }
    }

    @Test("1.8.9: one jar serves several transports")
    func otherTransport() async throws {
        let jar = CookieJar()
        let server = try RawServer(always: .response(status: 204, ["Set-Cookie": "a=b", "Set-Cookie": "c=d"]))
        let stub = StubTransport { _ in StubReply(status: 204, fields: ["Set-Cookie": "e=f"]) }
        for transport in [CurlTransport(), stub, CurlTransport(), stub] as [any Transport] {
            _ = try await Self.manager(jar, transport).send(server.target())
        }
        #expect(server.requests.map { $0.fields["Cookie"] } == [nil, "a=b; c=d; e=f"])
        #expect(stub.requests.map { $0.head.fields["Cookie"] } == ["a=b; c=d", "a=b; c=d; e=f"])
    }

    @Test("1.8.9: behind 21 long cookies, and beyond 150 of them, the login of a session is sent")
    func manyCookies() async throws {
        for (count, bytes, sent) in [(21, 400, 20), (170, 30, 170)] {
            let server = try RawServer { request in
                guard let number = Int(request.target.dropFirst()) else { return .response(status: 204) }
                let value = number == count ? "s3cret" : String(repeating: "x", count: bytes - 8)
                let name = number == count ? "login" : "long\(1000 + number)"
                return .response(status: 204, ["Set-Cookie": "\(name)=\(value)"])
            }
            let jar = CookieJar()
            let manager = Self.manager(jar)
            for number in 0...count { _ = try await manager.send(server.target("/\(number)")) }
            _ = try await manager.send(server.target())
            let fields = try #require(server.requests.last).fields.values(for: "Cookie")
            #expect(fields.count == 1)
            let pairs = fields.first?.components(separatedBy: "; ") ?? []
            #expect(pairs.last == "login=s3cret")
            #expect(pairs.count == sent + 1)
            #expect(jar.cookies.count == count + 1)
        }
    }

    @Test("1.8.9: a jar is made of cookies, and sends them")
    func earlier() async throws {
        let server = try RawServer(always: .response(status: 204, ["Set-Cookie": "b=2; Path=/"]))
        let past = Date(timeIntervalSince1970: -1)
        let jar = CookieJar([
            try Cookie("a", "0", domain: "127.0.0.1"), try Cookie("a", "1", domain: "127.0.0.1"),
            try Cookie("gone", "1", domain: "127.0.0.1"), try Cookie("gone", "", domain: "127.0.0.1", expires: past),
        ])
        #expect(jar.cookies.map(\.value) == ["1"])
        for _ in 0..<2 { _ = try await Self.manager(jar).send(server.url().absoluteString) }
        #expect(
            server.requests.map { $0.fields["Cookie"].map { Set($0.split(separator: "; ")) } } == [
                ["a=1"], ["a=1", "b=2"],
            ])
        #expect(Set(jar.cookies.map(\.name)) == ["a", "b"])
    }
}
