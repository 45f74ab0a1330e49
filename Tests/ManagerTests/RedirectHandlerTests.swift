import Dispatch
import Foundation
import PatchbayJSON
import PatchbayMigration
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
        configuration.redirectHandler = standard
        let (manager, stub) = try stubManager(configuration: configuration) { request in
            request.head.url.path() == "/end"
                ? .json("1")
                : StubReply(
                    status: 302, fields: ["Location": "/end", "Content-Type": "application/json"], body: "[302]")
        }
        var request = SessionRequest("start")
        request.redirectHandler = own
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
        request.redirectHandler = .doNotFollow
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
        let handler = RedirectHandler(
            follows: { $0.fields["Location"] != "/stop" },
            modify: { request, head in request.fields["X-Hop"] = "\(head.status) \(request.method)" })
        let (manager, stub) = try stubManager { request in
            request.head.url.path() == "/start" ? .redirect(303, to: "/next") : .redirect(302, to: "/stop")
        }
        var request = SessionRequest("start", body: "x")
        request.redirectHandler = handler
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.code == .status)
        #expect(error?.head?.status == 302)
        #expect(stub.requests.map { $0.head.fields["X-Hop"] } == [nil, "303 GET"])
    }

    @Test(
        "1.12.1: a handler brings back dropped credentials only if it says so, and for its own hop only",
        arguments: [(false, [String?.some("a"), nil, nil, nil]), (true, ["a", "b", "b", nil])])
    func credentials(_ says: Bool, _ sent: [String?]) async throws {
        let (manager, stub) = try stubManager { request in
            switch request.head.url.path() {
            case "/start": .redirect(302, to: "http://other.test/second")
            case "/second": .redirect(302, to: "http://other.test/third")
            case "/third": .redirect(302, to: "http://origin.test/end")
            default: .json("1")
            }
        }
        var request = SessionRequest("start", headers: ["Authorization": "a"])
        request.redirectHandler = .modify { request, _ in
            guard request.url.host() == "other.test" else { return }
            request.fields["authorization"] = "b"
            request.sendsCredentials = says
        }
        _ = try await manager.send(request)
        #expect(stub.requests.map { $0.head.fields["Authorization"] } == sent)
    }

    @Test("1.12.1: a handler never sees the credentials that were dropped, and cannot let them through")
    func dropped() async throws {
        let (manager, stub) = try stubManager { request in
            request.head.url.host() == "other.test" ? .json("1") : .redirect(302, to: "http://other.test/end")
        }
        let seen = Guarded<[String?]>([])
        var request = SessionRequest("start", headers: ["Authorization": "a", "X-Api-Key": "k", "X-A": "1"])
        request.redirectHandler = .modify { request, _ in
            seen.withLock {
                $0 += [request.fields["Authorization"], request.fields["X-Api-Key"], request.fields["X-A"]]
            }
            request.sendsCredentials = true
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
        request.redirectHandler = .modify { request, _ in
            request.url = URL(string: "http://other.test/end") ?? request.url
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
        request.redirectHandler = .modify { request, _ in
            guard request.url.path() != "/end" else { return }
            if let url { request.url = URL(string: url) ?? request.url }
            if let set { request.fields["Host"] = set }
        }
        _ = try await manager.send(request)
        #expect(stub.requests.map { $0.head.fields["Host"] } == ["old", sent, nil])
    }

    @Test("1.12.1: a handler cannot start a new line")
    func injection() async throws {
        let (manager, stub) = try stubManager { _ in .redirect(302, to: "/next") }
        var request = SessionRequest("start")
        request.redirectHandler = .modify { request, _ in request.fields["X-A"] = "1\r\nX-B: 2" }
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.code == .redirectRefused)
        #expect(stub.requests.count == 1)
    }

    /// The two closures of a handler, each of which does nothing but wait.
    private static func handlers(
        _ wait: @escaping @Sendable () -> Void
    ) -> [(name: String, handler: RedirectHandler)] {
        [
            (
                "follows",
                RedirectHandler(follows: { _ in
                    wait()
                    return true
                })
            ),
            ("modify", .modify { _, _ in wait() }),
        ]
    }

    @Test("1.12.1: a handler may take longer than the idle timeout", arguments: ["follows", "modify"])
    func slow(_ name: String) async throws {
        let (manager, _) = try stubManager { $0.head.url.path() == "/end" ? .json("1") : .redirect(302, to: "/end") }
        let (asked, answer) = (OneShot(), DispatchSemaphore(value: 0))
        let handlers = Self.handlers {
            asked.fire()
            _ = answer.wait(timeout: .now() + 60)
        }
        var request = SessionRequest("start")
        request.idleTimeout = .seconds(600)
        request.totalTimeout = .seconds(100_000)
        request.redirectHandler = handlers.first { $0.name == name }?.handler
        let sent = request
        let call = Task { try await manager.send(sent) }
        await asked.fired()
        manager.timer.check(at: .now + .seconds(3600))
        answer.signal()
        #expect(try await call.value.value as? JSON == 1)
    }

    @Test("1.12.1: handlers that wait hold up neither other calls nor files", arguments: ["follows", "modify"])
    func aside(_ name: String) async throws {
        let (manager, _) = try stubManager { $0.head.url.path() == "/start" ? .redirect(302, to: "/end") : .json("1") }
        // Eight are asked at once; the others wait for these.
        let (begun, all) = (Shared(0), OneShot())
        let (answer, answers) = (DispatchGroup(), Shared<[DispatchTimeoutResult]>([]))
        answer.enter()
        let handlers = Self.handlers {
            let count = begun.withLock { count in
                count += 1
                return count
            }
            if count == 8 { all.fire() }
            let result = answer.wait(timeout: .now() + 10)
            answers.withLock { $0.append(result) }
        }
        var request = SessionRequest("start")
        request.idleTimeout = nil
        request.redirectHandler = handlers.first { $0.name == name }?.handler
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

    @Test("1.12.1: a call that is cancelled does not wait for its handler", arguments: ["follows", "modify"])
    func cancelled(_ name: String) async throws {
        let (manager, _) = try stubManager { $0.head.url.path() == "/end" ? .json("1") : .redirect(302, to: "/end") }
        let (asked, answer, result) = (OneShot(), DispatchSemaphore(value: 0), Shared<DispatchTimeoutResult?>(nil))
        let answered = OneShot()
        let handlers = Self.handlers {
            asked.fire()
            let outcome = answer.wait(timeout: .now() + 60)
            result.withLock { $0 = outcome }
            answered.fire()
        }
        var request = SessionRequest("start")
        request.redirectHandler = handlers.first { $0.name == name }?.handler
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
