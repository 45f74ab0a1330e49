import Foundation
import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct RedirectTests {
    @Test(
        "the method after a redirect",
        arguments: [
            (301, "POST", "GET", false), (302, "POST", "GET", false), (303, "POST", "GET", false),
            (303, "PUT", "GET", false), (303, "HEAD", "HEAD", false), (301, "PUT", "PUT", true),
            (307, "POST", "POST", true), (308, "POST", "POST", true), (302, "GET", "GET", false),
        ])
    func method(_ status: Int, _ method: String, _ next: String, _ keepsBody: Bool) async throws {
        let (manager, stub) = try stubManager { request in
            request.head.url.path() == "/end" ? .json("1") : .redirect(status, to: "/end")
        }
        let content = ["GET", "HEAD"].contains(method) ? nil : RequestContent.value("body")
        let reply = try await manager.send(SessionRequest("start", method: method, content: content))
        let last = try #require(stub.requests.last)
        #expect(stub.requests.count == 2)
        #expect(last.head.method == next)
        #expect(last.body?.data.map { String(decoding: $0, as: UTF8.self) } == (keepsBody ? "body" : nil))
        #expect(last.head.fields["Content-Type"] == (keepsBody ? "text/plain; charset=utf-8" : nil))
        #expect(reply.head.url.absoluteString == "http://origin.test/end")
        #expect(reply.timeline.redirects == 1)
    }

    @Test(
        "credentials are dropped on any change of scheme, host or port",
        arguments: [
            ("http://origin.test/end", true), ("http://origin.test:80/end", true), ("http://ORIGIN.test/end", true),
            ("http://origin.test:81/end", false), ("https://origin.test/end", false), ("http://other.test/end", false),
            ("http://sub.origin.test/end", false), ("//other.test/end", false),
        ])
    func credentials(_ location: String, _ kept: Bool) async throws {
        let (manager, stub) = try stubManager { request in
            request.head.url.path() == "/end" ? .json("1") : .redirect(302, to: location)
        }
        let secrets: HeaderFields = ["Authorization": "Bearer x", "Cookie": "a=b", "X-Api-Key": "k", "X-Other": "o"]
        _ = try await manager.send("start", headers: secrets)
        let last = try #require(stub.requests.last).head.fields
        #expect(last["Authorization"] == (kept ? "Bearer x" : nil))
        #expect(last["Cookie"] == (kept ? "a=b" : nil))
        #expect(last["X-Api-Key"] == (kept ? "k" : nil))
        #expect(last["X-Other"] == "o")
    }

    @Test(
        "a redirect to an address with a zone is followed",
        arguments: ["http://[fe80::1%25eth0]/end", "//[::1%25x]/end"])
    func zone(_ location: String) async throws {
        let (manager, _) = try stubManager { request in
            request.head.url.path() == "/end" ? .json("1") : .redirect(302, to: location)
        }
        let reply = try await manager.send("start")
        #expect(reply.head.url.absoluteString.hasSuffix(location))
    }

    @Test(
        "a Host field of the caller's own is dropped on any change of scheme, host or port, and stays so",
        arguments: [
            (["http://origin.test/end"], "virtual.test"), (["http://other.test/end"], nil),
            (["https://origin.test/end"], nil), (["http://origin.test:81/end"], nil),
            (["http://virtual.test/end"], nil), (["http://other.test/hop", "http://origin.test/end"], nil),
        ] as [([String], String?)])
    func host(_ locations: [String], _ kept: String?) async throws {
        let hops = Guarded(locations[...])
        let (manager, stub) = try stubManager { _ in
            hops.withLock { $0.popFirst() }.map { .redirect(302, to: $0) } ?? .json("1")
        }
        _ = try await manager.send("start", headers: ["host": "virtual.test"])
        #expect(stub.requests.first?.head.fields["Host"] == "virtual.test")
        #expect(stub.requests.last?.head.url.absoluteString == locations.last)
        #expect(stub.requests.last?.head.fields["Host"] == kept)
    }

    @Test("credentials stay dropped when a later hop leads back to the first host")
    func staysDropped() async throws {
        let (manager, stub) = try stubManager { request in
            switch request.head.url.path() {
            case "/start": .redirect(302, to: "http://other.test/second")
            case "/second": .redirect(302, to: "http://origin.test/end")
            default: .json("1")
            }
        }
        _ = try await manager.send("start", headers: ["Authorization": "Bearer x"])
        #expect(stub.requests.map { $0.head.fields["Authorization"] } == ["Bearer x", nil, nil])
    }

    @Test("user information in a location is not sent")
    func userInformationInLocation() async throws {
        let (manager, stub) = try stubManager { request in
            request.head.url.path() == "/end" ? .json("1") : .redirect(302, to: "http://a:b@origin.test/end")
        }
        _ = try await manager.send("start")
        #expect(stub.requests.last?.head.url.absoluteString == "http://origin.test/end")
        #expect(stub.requests.last?.head.fields["Authorization"] == nil)
    }

    @Test(
        "a location is resolved by RFC 3986",
        arguments: [
            ("end", "http://origin.test/a/end"), ("../end", "http://origin.test/end"),
            ("?q=1", "http://origin.test/a/b?q=1"), ("./x/../end", "http://origin.test/a/end"),
        ])
    func resolution(_ location: String, _ expected: String) async throws {
        let (manager, stub) = try stubManager { request in
            request.head.url.absoluteString == "http://origin.test/a/b" ? .redirect(302, to: location) : .json("1")
        }
        _ = try await manager.send("/a/b")
        #expect(stub.requests.last?.head.url.absoluteString == expected)
    }

    @Test("an empty location is the document that was asked for (RFC 3986, section 4.4)")
    func emptyLocation() async throws {
        let isFirst = Guarded(true)
        let (manager, stub) = try stubManager { _ in
            isFirst.withLock { first in
                defer { first = false }
                return first ? .redirect(303, to: "") : .json("1")
            }
        }
        _ = try await manager.send(SessionRequest("/a/b?q=1#part", body: "x"))
        #expect(
            stub.requests.map { "\($0.head.method) \($0.head.url.absoluteString)" }
                == ["POST http://origin.test/a/b?q=1", "GET http://origin.test/a/b?q=1"])
    }

    /// In a child process, because Foundation ends it where it is handed such a host.
    @Test("a location with a host that no URL can be written with is refused")
    func unwritableHost() async {
        await #expect(processExitsWith: .success) {
            for location in ["http://a%7Bb/", "http://a%22b/", "http://a%60b/", "HTTP://a%7Db.example/"] {
                let (manager, _) = try stubManager { _ in .redirect(302, to: location) }
                let error = await #expect(throws: SessionError.self) { try await manager.send("start") }
                try #require(error?.code == .redirectRefused, "\(location)")
            }
        }
    }

    @Test(
        "a redirect that may not be followed is refused",
        arguments: [
            (
                "https://origin.test/", "http://origin.test/end",
                #"it leads from https to http: "http://origin.test/end""#
            ),
            (
                "http://origin.test/", "file:///etc/passwd",
                #"the scheme of its location "file:///etc/passwd" is file, not http or https"#
            ),
            (
                "http://origin.test/", "data:text/plain,x",
                #"the scheme of its location "data:…" is data, not http or https"#
            ),
            ("http://origin.test/", "http:///x", #"its location "http:///x" has no host"#),
            (
                "http://origin.test/", "http://[www.google.com]/",
                #"its location "http://[www.google.com]/" has no host or port that can be asked"#
            ),
            (
                "http://origin.test/", "//other.test:65536/",
                #"its location "//other.test:65536/" has no host or port that can be asked"#
            ),
        ])
    func refused(_ base: String, _ location: String, _ reason: String) async throws {
        let (manager, stub) = try stubManager(base: base) { _ in .redirect(302, to: location) }
        let error = await #expect(throws: SessionError.self) { try await manager.send("start") }
        #expect(error?.code == .redirectRefused)
        #expect(error?.description == "GET origin.test/start: the redirect of status 302 was refused: \(reason)")
        #expect(stub.requests.count == 1)
    }

    @Test("ten redirects are followed, the eleventh is not")
    func limit() async throws {
        let (manager, stub) = try stubManager { request in
            let hop = Int(request.head.url.lastPathComponent) ?? 0
            return hop == 10 ? .json("1") : .redirect(302, to: "/\(hop + 1)")
        }
        #expect(try await manager.send("0").timeline.redirects == 10)
        #expect(stub.requests.count == 11)

        let (looping, stubbed) = try stubManager { _ in .redirect(302, to: "/again") }
        let error = await #expect(throws: SessionError.self) { try await looping.send("again") }
        #expect(error?.code == .tooManyRedirects)
        #expect(error?.description == "GET origin.test/again: the call was redirected more than 10 times")
        #expect(stubbed.requests.count == 11)
    }

    @Test(
        "too many redirects that set cookies name the setting without which no cookie is sent back",
        arguments: [true, false])
    func cookiesWithoutJar(_ setsCookies: Bool) async throws {
        let isSetAt = setsCookies ? "/first" : "/none"
        var configuration = SessionConfiguration()
        let answer: @Sendable (TransportRequest) -> StubReply = { request in
            let fields: HeaderFields = request.head.url.path() == isSetAt ? ["Set-Cookie": "seen=1"] : [:]
            if request.head.fields["Cookie"] != nil { return .json("1") }
            return StubReply(status: 302, fields: HeaderFields(fields + [("Location", "/again")]))
        }
        func reason(_ manager: SessionManager, _ usesCookies: Bool = true) async throws -> String? {
            var request = SessionRequest("first")
            request.usesCookies = usesCookies
            let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
            #expect(error?.code == .tooManyRedirects)
            return error?.reason
        }
        func sentence(_ setting: String) -> String {
            "the call was redirected more than 10 times"
                + (setsCookies
                    ? "; the redirects set cookies, and a cookie jar that sends them back may end this (\(setting))"
                    : "")
        }
        let (without, _) = try stubManager(configuration: configuration, answer)
        #expect(try await reason(without) == sentence("SessionConfiguration.cookies"))
        configuration.cookies = CookieJar()
        let (with, _) = try stubManager(configuration: configuration, answer)
        #expect(try await reason(with, false) == sentence("SessionRequest.usesCookies"))
        if setsCookies {
            #expect(try await with.send("first").timeline.redirects == 1)
        } else {
            #expect(try await reason(with) == sentence(""))
        }
    }

    @Test("a request may refuse redirects and gets the status")
    func notFollowed() async throws {
        let (manager, stub) = try stubManager { _ in .redirect(302, to: "/end") }
        var request = SessionRequest("start")
        request.redirects = .doNotFollow
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.code == .status)
        #expect(error?.head?.status == 302)
        #expect(stub.requests.count == 1)
    }

    @Test("a redirect without a location, and other 3XX, are statuses like any other", arguments: [301, 300, 304, 305])
    func noLocation(_ status: Int) async throws {
        let fields: HeaderFields = status == 301 ? [:] : ["Location": "/end"]
        let (manager, stub) = try stubManager { _ in StubReply(status: status, fields: fields) }
        let error = await #expect(throws: SessionError.self) { try await manager.send("start") }
        #expect(error?.code == .status)
        #expect(stub.requests.count == 1)
    }

    @Test("Accept is derived anew for the host that a redirect leads to, unless the caller set it")
    func accept() async throws {
        let registry = try TestRegistry.make(hosts: #"{ "other.test": { "use": ["words"] } }"#)
        let (manager, stub) = try stubManager(registry) { request in
            request.head.url.host() == "other.test" ? .words("hi") : .redirect(302, to: "http://other.test/end")
        }
        _ = try await manager.send("start")
        #expect(
            stub.requests.map { $0.head.fields["Accept"] } == [
                "application/json, text/words;q=0.9, application/problem+json;q=0.8, */*;q=0.1",
                "text/words, */*;q=0.1",
            ])
        _ = try await manager.send("start", headers: ["Accept": "text/x"])
        #expect(stub.requests.suffix(2).map { $0.head.fields["Accept"] } == ["text/x", "text/x"])
    }
}
