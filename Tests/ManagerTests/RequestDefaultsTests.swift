import Foundation
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct RequestDefaultsTests {
    @Test(
        "1.8.1, 1.7.4: Accept-Language has six languages, a tenth apart",
        arguments: [
            ([], nil), (["de-DE"], "de-DE"), (["de", "en"], "de, en;q=0.9"),
            (["a", "b", "c", "d", "e", "f", "g"], "a, b;q=0.9, c;q=0.8, d;q=0.7, e;q=0.6, f;q=0.5"),
        ] as [([String], String?)])
    func languages(_ languages: [String], _ value: String?) {
        #expect(AcceptLanguage.value(languages) == value)
    }

    @Test(
        "1.8.1: the languages of the environment",
        arguments: [
            ([:], []), (["LANG": "C.UTF-8"], []), (["LANG": "POSIX", "LANGUAGE": "de"], []),
            (["LANG": "de_DE.UTF-8@euro"], ["de-DE"]), (["LANG": "", "LC_ALL": "en_GB"], ["en-GB"]),
            (["LANG": "de_DE", "LC_MESSAGES": "fr_FR"], ["fr-FR"]),
            (["LANG": "de_DE", "LANGUAGE": "de_AT:de:en:de:"], ["de-AT", "de", "en"]),
            (["LANG": "de_DE", "LANGUAGE": "de\r\nX:y:\u{E9}"], ["y"]), (["LANG": "d e"], []),
        ] as [([String: String], [String])])
    func environment(_ environment: [String: String], _ languages: [String]) {
        #expect(AcceptLanguage.languages(in: environment) == languages)
    }

    @Test("1.8.1, 1.7.4: every request names the package, its version and the platform, in ASCII")
    func userAgent() async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        _ = try await manager.send("a")
        let value = try #require(stub.requests.first?.head.fields["User-Agent"])
        #expect(value == HeaderFields.standard["User-Agent"])
        #expect(value.hasPrefix("Patchbay/"))
        #expect(value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
        #if os(Linux)
            #expect(value.hasSuffix(" (Linux)"))
        #endif
    }

    @Test("1.8.8: the manager's fields can change between calls, from any task; a request's own win")
    func store() async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        await withTaskGroup { group in
            for number in 0..<64 {
                group.addTask { manager.setHeader("\(number)", for: "X-\(number)") }
            }
        }
        #expect((0..<64).allSatisfy { manager.headers["x-\($0)"] == "\($0)" })
        _ = try await manager.send("a", headers: ["x-1": "own"])
        manager.setHeader(nil, for: "X-2")
        _ = try await manager.send("a")
        #expect(stub.requests.map { $0.head.fields.values(for: "X-1") } == [["own"], ["1"]])
        #expect(stub.requests.map { $0.head.fields["X-2"] } == ["2", nil])
    }

    @Test("1.8.9: a setting that a request leaves alone is the configuration's")
    func settings() async throws {
        var configuration = SessionConfiguration()
        configuration.totalTimeout = .milliseconds(50)
        let (manager, _) = try stubManager(configuration: configuration) { request in
            StubReply(fields: ["Content-Type": "application/json"], body: "1", delay: .milliseconds(500))
        }
        var request = SessionRequest("a")
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.code == .totalTimeout)
        request.totalTimeout = .seconds(60)
        #expect(try await manager.send(request).outcome == .entry)
    }

    @Test("1.8.10, 1.12.4: basic authorization, on the manager and on a request, and its end")
    func authorization() async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        manager.setHeader(try HeaderFields.basic(user: "Aladdin", password: "open sesame:"), for: "Authorization")
        _ = try await manager.send("a")
        var headers = HeaderFields()
        headers["Authorization"] = "Bearer t0ken"
        _ = try await manager.send("a", headers: headers)
        manager.setHeader(nil, for: "Authorization")
        _ = try await manager.send("a")
        manager.setHeader("Bearer other", for: "Authorization")
        _ = try await manager.send("a")
        headers["Authorization"] = nil
        #expect(headers.isEmpty)
        #expect(
            stub.requests.map { $0.head.fields["Authorization"] } == [
                "Basic QWxhZGRpbjpvcGVuIHNlc2FtZTo=", "Bearer t0ken", nil, "Bearer other",
            ])
        let error = #expect(throws: SessionError.self) {
            manager.setHeader(try HeaderFields.basic(user: "a:b", password: ""), for: "Authorization")
        }
        #expect(error?.description == "a user name with a colon cannot be sent in a basic authorization")
    }

    @Test("1.7.7: GET and HEAD with content are refused, also after a modifier", arguments: ["GET", "get", "HEAD"])
    func contentInGet(_ method: String) async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        let reason = "the request was not sent: a \(method.uppercased()) request cannot have content"
        let error = await #expect(throws: SessionError.self) {
            try await manager.send(SessionRequest("a", method: method, body: "x"))
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.description == reason)
        var request = SessionRequest("a", body: "x")
        request.hook = MadeHook { $0.method = method }
        let after = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(after?.description == reason)
        #expect(stub.requests.isEmpty)
    }

    @Test("1.7.6: a URL or a text is a target; one that cannot be sent to is the call's error")
    func targets() async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        let url = try #require(URL(string: "http://other.test/a?b=%20"))
        _ = try await manager.send(SessionRequest(url: url))
        _ = try await manager.send(SessionRequest(url: try #require(URL(string: "c/d")), method: "DELETE"))
        #expect(
            stub.requests.map(\.head.url.absoluteString) == [
                "http://other.test/a?b=%20", "http://origin.test/c/d",
            ])
        let error = await #expect(throws: SessionError.self) { try await manager.send("http://exa mple.com:x/") }
        #expect(error?.description == #"the request was not sent: the URL "http://exa mple.com:x/" cannot be parsed"#)
        #expect(error?.code == .invalidRequest)
    }

    @Test("a sentence about a URL masks the segments that the configuration names, of a redirect's location too")
    func maskedSegments() async throws {
        var configuration = SessionConfiguration()
        configuration.maskedPathSegments = ["vault/", "hush"]
        let stub = StubTransport { _ in .redirect(302, to: "ftp://h.test/vault/key/hush") }
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: try TestRegistry.make(), transport: stub,
            configuration: configuration)
        for (target, shown) in [
            ("ftp://h.test/vault/key/hush", #"the URL "ftp://h.test/vault/***/***""#),
            ("start", #"its location "ftp://h.test/vault/***/***""#),
        ] {
            let error = await #expect(throws: SessionError.self) { try await manager.send(target) }
            #expect(error?.description.hasSuffix("the scheme of \(shown) is ftp, not http or https") == true)
        }
    }
}
