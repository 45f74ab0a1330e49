import Foundation
import Patchbay
import PatchbayMigration
import Testing

/// What a status decides: values, errors, redirects, challenges.
extension HTTPBinTests {
    @Test(arguments: [("status/200", 200), ("status/204", 204)])
    func aSuccessWithoutABodyIsEmpty(_ path: String, _ status: Int) async throws {
        let reply = try await manager.send(path)
        #expect(reply.head.status == status)
        #expect(reply.outcome == .empty)
        #expect(reply.value is Void)
    }

    @Test(arguments: [("status/404", 404, 0), ("status/500", 500, 0), ("status/418", 418, 135)])
    func anErrorStatusIsAnErrorThatHasTheBody(_ path: String, _ status: Int, _ bytes: Int) async throws {
        let error = try await #require(throws: SessionError.self) { try await manager.send(path) }
        #expect(error.code == .status)
        #expect(error.head?.status == status)
        #expect(error.body?.count == bytes)
        let place = "127.0.0.1:\(try #require(error.request?.url.port))/\(path)"
        #expect(error.description == "GET \(place): the status is \(status), which is not acceptable (2XX)")
    }

    @Test func aTeapotIsReadableLater() async throws {
        let error = try await #require(throws: SessionError.self) { try await manager.send("status/418") }
        #expect(error.value is ResponseBody)
        #expect(try error.decode(as: String.self).contains("teapot"))
    }

    @Test func anErrorStatusCanBeAcceptable() async throws {
        var request = SessionRequest("status/418")
        request.acceptableStatus = .any
        #expect(try await manager.send(request).head.status == 418)
    }

    @Test func headHasNoBody() async throws {
        let reply = try await manager.send(SessionRequest("json", method: "HEAD"))
        #expect(reply.outcome == .empty)
        #expect(reply.head.mediaType?.essence == "application/json")
    }

    @Test(arguments: ["redirect/3", "redirect-to?url=/get", "absolute-redirect/2"])
    func redirectsEndAtTheTarget(_ path: String) async throws {
        let reply = try await manager.send(path)
        #expect(reply.head.url.path() == "/get")
        #expect(reply.entry == "json")
    }

    @Test func redirectsHaveALimit() async throws {
        let error = try await #require(throws: SessionError.self) { try await manager.send("redirect/11") }
        #expect(error.code == .tooManyRedirects)
    }

    @Test func aRedirectThatIsNotFollowedIsItsStatus() async throws {
        var request = SessionRequest("redirect/1")
        request.redirects = .doNotFollow
        let error = try await #require(throws: SessionError.self) { try await manager.send(request) }
        #expect(error.head?.status == 302)
        #expect(error.head?.fields["Location"] == "/get")
    }

    @Test func basicCredentialsAreAccepted() async throws {
        let authorization = "Basic " + Data("u:p".utf8).base64EncodedString()
        let json = try await manager.get("basic-auth/u/p", headers: ["Authorization": authorization], as: JSON.self)
        #expect(json == ["authenticated": true, "user": "u"])
    }

    @Test func aBearerTokenIsAccepted() async throws {
        let json = try await manager.get("bearer", headers: ["Authorization": "Bearer t0ken"], as: JSON.self)
        #expect(json == ["authenticated": true, "token": "t0ken"])
    }

    @Test(arguments: ["basic-auth/u/p", "bearer"])
    func aChallengeIsAnOrdinary401(_ path: String) async throws {
        let error = try await #require(throws: SessionError.self) { try await manager.send(path) }
        #expect(error.code == .status)
        #expect(error.head?.status == 401)
    }

    @Test("1.8.9: without a jar no cookie is kept") func noCookieIsKept() async throws {
        let json = try await manager.get("cookies/set?fruit=pear", as: JSON.self)
        #expect(json == ["cookies": [:]])
        let own = try await manager.get("cookies", headers: ["Cookie": "fruit=apple"], as: JSON.self)
        #expect(own == ["cookies": ["fruit": "apple"]])
    }
}
