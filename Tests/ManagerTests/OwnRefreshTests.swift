import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// Calls that the refresh of a credential makes, with the interceptor that waits for this refresh.
@Suite(.timeLimit(.minutes(5))) struct OwnRefreshTests {
    typealias Bearer = AuthenticationInterceptor<BearerScheme>
    typealias Refresh = @Sendable (SessionManager) async throws -> Void

    private static let reason =
        "the request was not sent: the refresh of a credential sent it through the same AuthenticationInterceptor, and would "
        + "wait for itself; let refresh use a manager without this interceptor"

    /// A manager whose credential is old until `refresh` has returned.
    private func manager(
        isExpired: Bool = false, _ refresh: @escaping Refresh
    ) throws -> (manager: SessionManager, stub: StubTransport) {
        let place = Shared<SessionManager?>(nil)
        let scheme = BearerScheme { _ in
            try await refresh(try #require(place.withLock { $0 }))
            return BearerScheme.Credential(token: "new")
        }
        var configuration = SessionConfiguration()
        configuration.interceptors = [
            Bearer(
                scheme,
                credential: BearerScheme.Credential(token: "old", expires: isExpired ? .distantPast : nil),
                refreshTimeout: .seconds(60))
        ]
        let made = try stubManager(configuration: configuration) { request in
            let token = request.head.fields["Authorization"]
            return token == "Bearer new" || token == nil ? .json("1") : .json("{}", status: 401)
        }
        place.withLock { $0 = made.0 }
        return made
    }

    static let ways: [(String, Refresh)] = [
        ("refresh itself", { _ = try await $0.send("token") }),
        (
            "a child task",
            { manager in
                async let token = manager.send("token")
                _ = try await token
            }
        ),
        ("a task that refresh waits for", { manager in _ = try await Task { try await manager.send("token") }.value }),
    ]

    @Test("a call of refresh that would wait for this refresh fails at once, and says so", arguments: ways.indices)
    func failsAtOnce(_ way: Int) async throws {
        for isExpired in [false, true] {
            let (manager, stub) = try manager(isExpired: isExpired, Self.ways[way].1)
            let error = await #expect(throws: SessionError.self) { try await manager.send("x") }
            #expect(error?.code == (isExpired ? .adaptation : .retryRefused))
            let before =
                isExpired
                ? ""
                : "the status is 401, which is not acceptable (2XX); it was not tried again: "
            #expect(error?.reason == before + Self.reason)
            let own = error?.cause as? SessionError
            #expect(own?.code == .adaptation)
            #expect(own?.reason == Self.reason)
            #expect(own?.cause == nil)
            #expect(stub.requests.count == (isExpired ? 0 : 1))
        }
    }

    @Test("a call of refresh to a host that does not get the credential is sent")
    func otherHost() async throws {
        let (manager, stub) = try manager { _ = try await $0.send("http://other.test/token") }
        #expect(try await manager.send("x").timeline.retries == 1)
        #expect(stub.requests.map(\.head.url.absoluteString).contains("http://other.test/token"))
    }

    @Test("a call of refresh with another manager, which refreshes a credential of its own, is sent")
    func otherManager() async throws {
        let (other, _) = try manager(isExpired: true) { _ in }
        let (manager, _) = try manager { _ in _ = try await other.send("token") }
        #expect(try await manager.send("x").timeline.retries == 1)
    }

    @Test("two refreshes that ask the manager of each other fail at once")
    func circle() async throws {
        let first = Shared<SessionManager?>(nil)
        let (second, _) = try manager { _ in _ = try await #require(first.withLock { $0 }).send("token") }
        let (manager, _) = try manager { _ in _ = try await second.send("token") }
        first.withLock { $0 = manager }
        let error = await #expect(throws: SessionError.self) { try await manager.send("x") }
        #expect(error?.code == .retryRefused)
        #expect(error?.reason.contains("let refresh use a manager without") == true)
        first.withLock { $0 = nil }
    }

    @Test("a call that waits for the refresh of another call waits, as does a detached task of refresh")
    func others() async throws {
        let (begun, go) = (OneShot(), OneShot())
        let waiting = Shared<Task<Int, any Error>?>(nil)
        let (manager, stub) = try manager { manager in
            waiting.withLock { $0 = Task.detached { try await manager.send("detached").timeline.retries } }
            begun.fire()
            await go.fired()
        }
        async let first = manager.send("x").timeline.retries
        await begun.fired()
        let other = Task { try await manager.send("other").timeline.retries }
        // Both are held up before they are sent.
        await settle()
        go.fire()
        #expect(try await first == 1)
        #expect(try await other.value == 0)
        #expect(try await waiting.withLock { $0 }?.value == 0)
        #expect(stub.requests.count == 4)
    }

    @Test("a task that refresh leaves behind makes its calls with the new credential, also during a later refresh")
    func leftBehind() async throws {
        let (go, later, end) = (OneShot(), OneShot(), OneShot())
        let left = Shared<Task<Int, any Error>?>(nil)
        let (manager, _) = try manager { manager in
            guard left.withLock({ $0 }) == nil else {
                later.fire()
                await end.fired()
                return
            }
            left.withLock {
                $0 = Task {
                    await go.fired()
                    return try await manager.send("left").timeline.retries
                }
            }
        }
        #expect(try await manager.send("x").timeline.retries == 1)
        let interceptor = try #require(manager.configuration.interceptors.first as? Bearer)
        interceptor.credential = BearerScheme.Credential(token: "old")
        async let second = manager.send("y").timeline.retries
        await later.fired()
        go.fire()
        await settle()
        end.fire()
        #expect(try await second == 1)
        #expect(try await left.withLock { $0 }?.value == 0)
    }
}
