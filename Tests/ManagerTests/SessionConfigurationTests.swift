import Foundation
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// What is set on the manager holds for its calls, until a request says otherwise.
@Suite(.timeLimit(.minutes(5))) struct SessionConfigurationTests {
    @Test(
        "1.7.1: interceptors, redirects and observers of the session hold for every call; the request's own beats them")
    func session() async throws {
        let log = EventLog()
        var configuration = SessionConfiguration()
        configuration.interceptors = [
            MadeInterceptor(adapt: { request in
                var request = request
                request.headers["X-By"] = "session"
                return request
            })
        ]
        configuration.redirects = .doNotFollow
        configuration.observers = [log]
        let (manager, stub) = try stubManager(configuration: configuration) { request in
            request.head.url.path() == "/a" ? .redirect(302, to: "/b") : .json("1")
        }
        let kept = await #expect(throws: SessionError.self) { try await manager.send("a") }
        #expect(kept?.head?.status == 302)
        var request = SessionRequest("a")
        request.redirects = .follow
        request.interceptors = [
            MadeInterceptor(adapt: { request in
                var request = request
                request.headers["X-By"] = (request.headers["X-By"] ?? "") + ", request"
                return request
            })
        ]
        #expect(try await manager.send(request, as: Int.self).value == 1)
        #expect(stub.requests.map { $0.head.fields["X-By"] } == ["session", "session, request", "session, request"])
        await log.hears(ends: 2)
        #expect(log.lines(of: 1).last == "finished status")
        #expect(log.lines(of: 2).last == "finished 1")
    }

    struct Setting: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let session: @Sendable (inout SessionConfiguration) -> Void
        let own: @Sendable (inout SessionRequest) -> Void
        /// What a call comes to by the session's setting, and by its own.
        let bySession: String
        let byOwn: String
    }

    static let settings = [
        Setting(
            testDescription: "redirects", session: { $0.redirects = .doNotFollow },
            own: { $0.redirects = .follow }, bySession: "status", byOwn: "1"),
        Setting(
            testDescription: "no redirects", session: { $0.maximumRedirects = 0 },
            own: { $0.redirects = .doNotFollow }, bySession: "tooManyRedirects", byOwn: "status"),
        Setting(
            testDescription: "total timeout", session: { $0.totalTimeout = .zero },
            own: { $0.totalTimeout = .seconds(3600) }, bySession: "totalTimeout", byOwn: "1"),
        Setting(
            testDescription: "idle timeout", session: { $0.idleTimeout = .zero },
            own: { $0.idleTimeout = .seconds(3600) }, bySession: "idleTimeout", byOwn: "1"),
        Setting(
            testDescription: "acceptable statuses", session: { _ in }, own: { $0.acceptableStatus = StatusSet.none },
            bySession: "1", byOwn: "status"),
        Setting(
            testDescription: "limit", session: { _ in }, own: { $0.maximumBodyBytes = 0 }, bySession: "1",
            byOwn: "bodyTooLarge"),
    ]

    @Test(
        "1.8.9: what a request leaves alone is as the session has it, and what it sets is its own", arguments: settings)
    func setting(_ setting: Setting) async throws {
        var configuration = SessionConfiguration()
        setting.session(&configuration)
        let (manager, _) = try stubManager(configuration: configuration) { request in
            request.head.url.path() == "/a" ? .redirect(302, to: "/b") : .json("1")
        }
        var request = SessionRequest("a")
        for expected in [setting.bySession, setting.byOwn] {
            do throws(SessionError) {
                #expect("\(try await manager.send(request, as: Int.self).value)" == expected)
            } catch {
                #expect(error.code.rawValue == expected)
            }
            setting.own(&request)
        }
    }

    @Test("1.7.1: a call starts at once, or when its task is told to")
    func starting() async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        let held = manager.held(SessionRequest("held"), as: Int.self)
        #expect(try await manager.get("now", as: Int.self) == 1)
        #expect(stub.requests.map { $0.head.url.path() } == ["/now"])
        #expect(try await held.begin().reply.value == 1)
        #expect(stub.requests.map { $0.head.url.path() } == ["/now", "/held"])
    }

    @Test("1.5.23: the configuration is a value: a manager made of a copy shares nothing with the first")
    func copies() async throws {
        var configuration = SessionConfiguration()
        configuration.headers["X-By"] = "first"
        configuration.taskLabel = "first"
        let (first, stub) = try stubManager(configuration: configuration) { _ in .json("1") }
        var copy = first.configuration
        copy.taskLabel = "second"
        let second = SessionManager(
            baseURL: first.baseURL, registry: first.registry, transport: first.transport, configuration: copy)
        second.setHeader("second", for: "X-By")
        second.registry = try TestRegistry.make("[]")
        let calls = [first, second].map { $0.held(SessionRequest("a")) }
        #expect(calls.map(\.task.label) == ["first", "second"])
        for call in calls { _ = try await call.begin().reply }
        #expect(Set(stub.requests.map { $0.head.fields["X-By"] }) == ["first", "second"])
        #expect(first.configuration.headers["X-By"] == "first")
        #expect(first.registry.digest != second.registry.digest)
    }
}
