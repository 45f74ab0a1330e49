import Dispatch
import Foundation
import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct RedirectHandlerTests {
    @Test(
        "1.12.1: the request's handler comes before the manager's",
        arguments: [
            (RedirectHandler.follow, RedirectHandler?.none, true), (.doNotFollow, nil, false),
            (.doNotFollow, .follow, true), (.follow, .doNotFollow, false),
        ])
    func precedence(_ standard: RedirectHandler, _ own: RedirectHandler?, _ follows: Bool) async throws {
        var configuration = SessionConfiguration()
        configuration.redirects = standard
        let (manager, stub) = try stubManager(configuration: configuration) { request in
            request.head.url.path() == "/end"
                ? .json("1")
                : StubReply(
                    status: 302, fields: ["Location": "/end", "Content-Type": "application/json"], body: "[302]")
        }
        var request = SessionRequest("start")
        request.redirects = own
        request.acceptableStatus = try StatusSet(notations: ["200", "302"])
        let reply = try await manager.send(request)
        #expect(reply.head.status == (follows ? 200 : 302))
        // The body of a redirect that is not followed is delivered.
        #expect(reply.value as? JSON == (follows ? 1 : [302]))
        #expect(stub.requests.count == (follows ? 2 : 1))
    }

    @Test("1.12.1: a redirect that is not followed is a status error, unless the request accepts its status")
    func notFollowed() async throws {
        let (manager, stub) = try stubManager { _ in .redirect(302, to: "/end") }
        var request = SessionRequest("start")
        request.redirects = .doNotFollow
        let error = try #require(await #expect(throws: SessionError.self) { try await manager.send(request) })
        #expect(error.code == .status)
        #expect(error.head?.status == 302)
        #expect(error.head?.fields["Location"] == "/end")
        request.acceptableStatus = ["2XX", 302]
        let reply = try await manager.send(request)
        #expect((reply.head.status, reply.outcome) == (302, .empty))
        #expect(reply.head.fields["Location"] == "/end")
        #expect(stub.requests.map { $0.head.url.path() } == ["/start", "/start"])
    }

    @Test("1.12.1: a handler decides by the response and changes the request that follows")
    func modify() async throws {
        let handler = RedirectHandler { next, head in
            next.fields["X-Hop"] = "\(head.status) \(next.method)"
            return head.fields["Location"] != "/stop"
        }
        let (manager, stub) = try stubManager { request in
            request.head.url.path() == "/start" ? .redirect(303, to: "/next") : .redirect(302, to: "/stop")
        }
        var request = SessionRequest("start", body: "x")
        request.redirects = handler
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.code == .status)
        #expect(error?.head?.status == 302)
        #expect(stub.requests.map { $0.head.fields["X-Hop"] } == [nil, "303 GET"])
    }

    @Test("1.12.1: a credential that a handler sets is sent, also to another origin, until the next one")
    func credentials() async throws {
        let (manager, stub) = try stubManager { request in
            switch request.head.url.path() {
            case "/start": .redirect(302, to: "http://other.test/second")
            case "/second": .redirect(302, to: "http://other.test/third")
            case "/third": .redirect(302, to: "http://origin.test/end")
            default: .json("1")
            }
        }
        var request = SessionRequest("start", headers: ["Authorization": "a"])
        request.redirects = RedirectHandler { next, _ in
            if next.url.host() == "other.test" { next.fields["authorization"] = "b" }
            return true
        }
        _ = try await manager.send(request)
        #expect(stub.requests.map { $0.head.fields["Authorization"] } == ["a", "b", "b", nil])
    }

    @Test("1.12.1: a handler never sees the credentials that were dropped, and cannot let them through")
    func dropped() async throws {
        let (manager, stub) = try stubManager { request in
            request.head.url.host() == "other.test" ? .json("1") : .redirect(302, to: "http://other.test/end")
        }
        let seen = Guarded<[String?]>([])
        var request = SessionRequest("start", headers: ["Authorization": "a", "X-Api-Key": "k", "X-A": "1"])
        request.redirects = RedirectHandler { next, _ in
            seen.withLock { [next] in $0 += ["Authorization", "X-Api-Key", "X-A"].map { next.fields[$0] } }
            return true
        }
        _ = try await manager.send(request)
        #expect(seen.withLock { $0 } == [nil, nil, "1"])
        let last = try #require(stub.requests.last).head.fields
        #expect(last["Authorization"] == nil && last["X-Api-Key"] == nil && last["X-A"] == "1")
    }

    @Test("1.12.1: a handler's own location is under the policy too")
    func location() async throws {
        let (manager, stub) = try stubManager { request in
            request.head.url.path() == "/end" ? .json("1") : .redirect(302, to: "/next")
        }
        var request = SessionRequest("start", headers: ["Authorization": "a"])
        request.redirects = RedirectHandler { next, _ in
            next.url = URL(string: "http://other.test/end") ?? next.url
            return true
        }
        _ = try await manager.send(request)
        #expect(stub.requests.last?.head.url.absoluteString == "http://other.test/end")
        #expect(stub.requests.last?.head.fields["Authorization"] == nil)

        request.target = "https://origin.test/start"
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.code == .redirectRefused)
        #expect(
            error?.description
                == #"GET origin.test/start: the redirect of status 302 was refused: it leads from https to http: "http://other.test/end""#
        )
    }

    @Test(
        "1.12.1: a Host field of the caller's own goes with the origin, and a handler sets one for its own location only",
        arguments: [
            ("/next", nil, nil, "old"), ("/next", "http://other.test/x", nil, nil),
            ("/next", "http://other.test/x", "new", "new"), ("http://other.test/x", nil, nil, nil),
            ("http://other.test/x", nil, "new", "new"), ("http://other.test/x", "http://third.test/x", nil, nil),
            ("/next", nil, "new", "new"),
        ] as [(String, String?, String?, String?)])
    func host(_ location: String, _ url: String?, _ set: String?, _ sent: String?) async throws {
        let (manager, stub) = try stubManager { request in
            switch request.head.url.path() {
            case "/start": .redirect(302, to: location)
            case "/x", "/next": .redirect(302, to: "https://last.test/end")
            default: .json("1")
            }
        }
        var request = SessionRequest("start", headers: ["Host": "old"])
        request.redirects = RedirectHandler { next, _ in
            guard next.url.path() != "/end" else { return true }
            if let url { next.url = URL(string: url) ?? next.url }
            if let set { next.fields["Host"] = set }
            return true
        }
        _ = try await manager.send(request)
        #expect(stub.requests.map { $0.head.fields["Host"] } == ["old", sent, nil])
    }

    @Test("1.12.1: a handler cannot start a new line")
    func injection() async throws {
        let (manager, stub) = try stubManager { _ in .redirect(302, to: "/next") }
        var request = SessionRequest("start")
        request.redirects = RedirectHandler { next, _ in
            next.fields["X-A"] = "1\r\nX-B: 2"
            return true
        }
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.code == .redirectRefused)
        #expect(stub.requests.count == 1)
    }

    @Test(
        "1.12.1: a handler may change the method, and the request's own brings its content back",
        arguments: [
            ("POST", 302, nil, "GET", nil), ("POST", 302, "POST", "POST", "x"), ("POST", 303, "PUT", "PUT", nil),
            ("POST", 307, nil, "POST", "x"), ("POST", 307, "GET", "GET", nil), ("PUT", 303, "PUT", "PUT", "x"),
        ] as [(String, Int, String?, String, String?)])
    func method(_ method: String, _ status: Int, _ set: String?, _ sent: String, _ body: String?) async throws {
        let (manager, stub) = try stubManager { request in
            request.head.url.path() == "/end" ? .json("1") : .redirect(status, to: "/end")
        }
        var request = SessionRequest("start", method: method, body: "x")
        request.redirects = RedirectHandler { next, _ in
            next.method = set ?? next.method
            return true
        }
        _ = try await manager.send(request)
        let last = try #require(stub.requests.last)
        #expect(last.head.method == sent)
        #expect(last.body?.data == body.map { Data($0.utf8) })
        #expect(last.head.fields["Content-Type"] == (body == nil ? nil : "text/plain; charset=utf-8"))
    }

    @Test("1.12.1: a handler cannot set a method that is none")
    func noMethod() async throws {
        let (manager, stub) = try stubManager { _ in .redirect(302, to: "/next") }
        var request = SessionRequest("start")
        request.redirects = RedirectHandler { next, _ in
            next.method = "GET / HTTP/1.1\r\nX: "
            return true
        }
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.code == .redirectRefused)
        #expect(stub.requests.count == 1)
    }

    @Test("1.12.1: what a handler sets for a location of its own goes there, and what it left alone does not")
    func ownLocation() async throws {
        let (manager, stub) = try stubManager { request in
            request.head.url.path() == "/end" ? .json("1") : .redirect(302, to: "/next")
        }
        var request = SessionRequest("start", headers: ["Authorization": "a", "X-Api-Key": "k"])
        request.redirects = RedirectHandler { next, _ in
            next.url = URL(string: "http://other.test/end") ?? next.url
            next.fields["Authorization"] = "b"
            return true
        }
        _ = try await manager.send(request)
        let last = try #require(stub.requests.last).head.fields
        #expect((last["Authorization"], last["X-Api-Key"]) == ("b", nil))
    }

    @Test("1.12.1: a handler may take longer than the idle timeout")
    func slow() async throws {
        let (manager, _) = try stubManager { $0.head.url.path() == "/end" ? .json("1") : .redirect(302, to: "/end") }
        let (asked, answer) = (OneShot(), DispatchSemaphore(value: 0))
        let handler = RedirectHandler { _, _ in
            asked.fire()
            _ = answer.wait(timeout: .now() + 60)
            return true
        }
        var request = SessionRequest("start")
        request.idleTimeout = .seconds(600)
        request.totalTimeout = .seconds(100_000)
        request.redirects = handler
        let sent = request
        let call = Task { try await manager.send(sent) }
        await asked.fired()
        manager.taskList.check(at: .now + .seconds(3600))
        answer.signal()
        #expect(try await call.value.value as? JSON == 1)
    }

    @Test("1.12.1: handlers that wait hold up neither other calls nor files")
    func aside() async throws {
        let (manager, _) = try stubManager { $0.head.url.path() == "/start" ? .redirect(302, to: "/end") : .json("1") }
        // Eight are asked at once; the others wait for these.
        let (begun, all) = (Shared(0), OneShot())
        let (answer, answers) = (DispatchGroup(), Shared<[DispatchTimeoutResult]>([]))
        answer.enter()
        let handler = RedirectHandler { _, _ in
            let count = begun.withLock { count in
                count += 1
                return count
            }
            if count == 8 { all.fire() }
            let result = answer.wait(timeout: .now() + 10)
            answers.withLock { $0.append(result) }
            return true
        }
        var request = SessionRequest("start")
        request.idleTimeout = nil
        request.redirects = handler
        let asking = request
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<9 { group.addTask { _ = try await manager.send(asking) } }
            await all.fired()
            _ = try await manager.send("other")
            let file = try await manager.download(SessionRequest("file")).value
            try FileManager.default.removeItem(at: file)
            answer.leave()
            try await group.waitForAll()
        }
        #expect(answers.withLock { $0 } == [DispatchTimeoutResult](repeating: .success, count: 9))
    }

    @Test("1.12.1: a call that is cancelled does not wait for its handler")
    func cancelled() async throws {
        let (manager, _) = try stubManager { $0.head.url.path() == "/end" ? .json("1") : .redirect(302, to: "/end") }
        let (asked, answer, result) = (OneShot(), DispatchSemaphore(value: 0), Shared<DispatchTimeoutResult?>(nil))
        let answered = OneShot()
        let handler = RedirectHandler { _, _ in
            asked.fire()
            let outcome = answer.wait(timeout: .now() + 60)
            result.withLock { $0 = outcome }
            answered.fire()
            return true
        }
        var request = SessionRequest("start")
        request.redirects = handler
        let sent = request
        let call = Task { try await manager.send(sent) }
        await asked.fired()
        call.cancel()
        let error = await #expect(throws: SessionError.self) { try await call.value }
        #expect(error?.code == .cancelled)
        answer.signal()
        await answered.fired()
        #expect(result.withLock { $0 } == .success)
    }
}
