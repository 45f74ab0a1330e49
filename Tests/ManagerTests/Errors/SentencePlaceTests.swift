import Foundation
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// Which service a sentence is about.
@Suite(.timeLimit(.minutes(5))) struct SentencePlaceTests {
    private static func sentence(_ base: String, _ target: String, masking names: Set<String> = []) async throws
        -> String
    {
        var configuration = SessionConfiguration()
        configuration.maskedPathSegments = names
        let (manager, _) = try stubManager(base: base, configuration: configuration) { _ in StubReply(status: 500) }
        let error = await #expect(throws: SessionError.self) { try await manager.send(target) }
        return try #require(error).description.replacing(": the status is 500, which is not acceptable (2XX)", with: "")
    }

    @Test(
        "an error names host, port and path, and no query",
        arguments: [
            ("http://origin.test/users/", "1?token=a", "GET origin.test/users/1"),
            ("http://origin.test/orders/", "1", "GET origin.test/orders/1"),
            ("https://origin.test:8443/", "1#b", "GET origin.test:8443/1"),
            ("http://origin.test:80/", "a/", "GET origin.test/a/"),
            ("http://ada:pw@origin.test/", "a", "GET origin.test/a"),
            ("http://origin.test/", "invites/a01234567890123456789/x", "GET origin.test/invites/***/x"),
        ])
    func place(_ base: String, _ target: String, _ sentence: String) async throws {
        #expect(try await Self.sentence(base, target) == sentence)
    }

    @Test("segments that the configuration names are masked, wherever the request shows")
    func named() async throws {
        let sentence = try await Self.sentence(
            "http://origin.test/", "acme/reset/abc", masking: ["acme", "reset/"])
        #expect(sentence == "GET origin.test/***/reset/***")
        var configuration = SessionConfiguration()
        configuration.maskedPathSegments = ["acme", "reset/"]
        let (manager, transport) = try stubManager(configuration: configuration) { request in
            request.head.url.path() == "/a"
                ? StubReply(status: 302, fields: ["Location": "/acme/reset/abc"]) : StubReply(status: 500)
        }
        let call = manager.held(SessionRequest("a"))
        let error = await #expect(throws: SessionError.self) { try await call.begin().reply }
        let shown = "http://origin.test/***/reset/***"
        #expect(call.task.description == "GET \(shown) (500)")
        #expect(error?.head?.description == "500 \(shown) []")
        #expect(error?.request?.description.hasPrefix("GET \(shown) [") == true)
        #expect(transport.requests.last?.description.hasPrefix("GET \(shown) [") == true)
        #expect(call.task.curlDescription().contains(shown))
        var dumped = ""
        dump(error, to: &dumped)
        #expect(!dumped.contains("acme") && !dumped.contains("abc"))
    }

    @Test("named segments are not shown of a task that is not sent yet, nor of one that is refused")
    func unsent() async throws {
        var configuration = SessionConfiguration()
        configuration.maskedPathSegments = ["acme", "reset/"]
        let (manager, _) = try stubManager(configuration: configuration) { _ in .json("1") }
        for (target, shown) in [("acme/reset/x", "***/reset/***"), ("ftp://h/acme", "ftp://h/***")] {
            let call = manager.held(SessionRequest(target))
            #expect("\(call.task)" == "GET \(shown)")
            #expect(call.task.curlDescription().contains(shown))
            call.cancel()
        }
        let refused = manager.held(SessionRequest("ftp://h/acme"))
        _ = await #expect(throws: SessionError.self) { try await refused.begin().reply }
        #expect("\(refused.task)" == "GET ftp://h/***")
    }
}
