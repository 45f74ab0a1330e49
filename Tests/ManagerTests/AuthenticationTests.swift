import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct AuthenticationTests {
    typealias Bearer = AuthenticationInterceptor<BearerScheme>
    struct Refused: Error {}

    /// A server that accepts one token.
    private func manager(
        accepting token: String, _ interceptor: Bearer, _ beforeAnswer: @escaping @Sendable () async -> Void = {}
    ) throws -> (SessionManager, StubTransport) {
        var configuration = SessionConfiguration()
        configuration.interceptors = [interceptor]
        return try stubManager(configuration: configuration) { request in
            await beforeAnswer()
            return request.head.fields["Authorization"] == "Bearer \(token)" ? .json("1") : .json("{}", status: 401)
        }
    }

    @Test("1.12.4: credentials in the URL or in the fields are sent with the first request, without a challenge")
    func preemptive() async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        _ = try await manager.send("http://user:pass@origin.test/")
        _ = try await manager.send("x", headers: ["Authorization": "Bearer t"])
        #expect(stub.requests.map { $0.head.fields["Authorization"] } == ["Basic dXNlcjpwYXNz", "Bearer t"])
    }

    @Test("1.12.3: a 401 is an answer like any other, and an interceptor answers to it")
    func challenge() async throws {
        let challenged = Guarded(false)
        let (manager, stub) = try stubManager { request in
            request.head.fields["Authorization"] == nil
                ? StubReply(status: 401, fields: ["WWW-Authenticate": "Basic realm=\"r\""]) : .json("1")
        }
        let error = await #expect(throws: SessionError.self) { try await manager.send("x") }
        #expect(error?.code == .status)
        #expect(error?.head?.fields["WWW-Authenticate"] == "Basic realm=\"r\"")

        var request = SessionRequest("x")
        request.interceptors = [
            MadeInterceptor(
                adapt: { request in
                    var request = request
                    if challenged.withLock({ $0 }) { request.headers["Authorization"] = "Basic dTpw" }
                    return request
                },
                retry: { _, error in
                    guard error.head?.status == 401, error.retries == 0 else { return .doNotRetry }
                    challenged.withLock { $0 = true }
                    return .retry
                })
        ]
        #expect(try await manager.send(request).timeline.retries == 1)
        #expect(stub.requests.count == 3)
    }

    @Test("1.12.5: a refused credential is renewed once for many calls, and all of them are tried again")
    func oneRefresh() async throws {
        let (refreshes, waiting, go) = (Shared(0), Shared(0), OneShot())
        let interceptor = Bearer(
            BearerScheme { old in
                #expect(old.token == "old")
                refreshes.withLock { $0 += 1 }
                return BearerScheme.Credential(token: "new")
            }, credential: BearerScheme.Credential(token: "old"))
        // No call is answered before all have been sent with the old token.
        let (manager, stub) = try manager(accepting: "new", interceptor) {
            let arrived = waiting.withLock { waiting in
                waiting += 1
                return waiting
            }
            if arrived == 20 { go.fire() }
            await go.fired()
        }
        let retries = try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<20 { group.addTask { try await manager.send("\(index)").timeline.retries } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(retries == Array(repeating: 1, count: 20))
        #expect(refreshes.withLock { $0 } == 1)
        #expect(stub.requests.count == 40)
        #expect(interceptor.credential?.token == "new")
    }

    @Test("1.12.5: a call that starts during a renewal waits for it")
    func waitsForRefresh() async throws {
        let (started, go) = (OneShot(), OneShot())
        let interceptor = Bearer(
            BearerScheme { _ in
                started.fire()
                await go.fired()
                return BearerScheme.Credential(token: "new")
            }, credential: BearerScheme.Credential(token: "old"))
        let (manager, stub) = try manager(accepting: "new", interceptor)
        async let first = manager.send("first").timeline.retries
        await started.fired()
        let second = Task { try await manager.send("second").timeline.retries }
        let third = Task { try await manager.send("third") }
        third.cancel()
        let error = await #expect(throws: SessionError.self) { try await third.value }
        #expect(error?.code == .cancelled)
        go.fire()
        #expect(try await first == 1)
        #expect(try await second.value == 0)
        #expect(stub.requests.count == 3)
    }

    @Test("1.12.5: a token that expires within the margin, ten seconds by default, needs a refresh")
    func margin() {
        let (standard, wide) = (BearerScheme { $0 }, BearerScheme(margin: .seconds(60)) { $0 })
        for (seconds, isStandard, isWide) in [(5.0, true, true), (30, false, true), (90, false, false)] {
            let token = BearerScheme.Credential(token: "t", expires: Date(timeIntervalSinceNow: seconds))
            #expect(standard.needsRefresh(token) == isStandard)
            #expect(wide.needsRefresh(token) == isWide)
        }
    }

    @Test("1.12.5: a credential that runs out is renewed before it is used")
    func expired() async throws {
        let now = Date()
        let interceptor = Bearer(
            BearerScheme(margin: .seconds(60)) { old in
                BearerScheme.Credential(token: "new", refreshToken: old.refreshToken, expires: now + 3600)
            },
            credential: BearerScheme.Credential(token: "old", refreshToken: "r", expires: now + 30))
        let (manager, stub) = try manager(accepting: "new", interceptor)
        #expect(try await manager.send("x").timeline.retries == 0)
        #expect(try await manager.send("x").timeline.retries == 0)
        #expect(stub.requests.count == 2)
        #expect(interceptor.credential?.refreshToken == "r")
    }

    @Test("1.12.5: without a credential nothing is sent")
    func missing() async throws {
        let interceptor = Bearer(BearerScheme { $0 })
        let (manager, stub) = try manager(accepting: "new", interceptor)
        let error = await #expect(throws: SessionError.self) { try await manager.send("x") }
        #expect(error?.code == .missingCredential)
        #expect(error?.cause == nil)
        #expect(error?.original == nil)
        #expect(error?.description == "the request was not sent: there is no credential")
        #expect(stub.requests.isEmpty)
    }

    @Test("1.12.5: a renewal that fails is the reason of the call's failure, and the next call tries again")
    func refused() async throws {
        let interceptor = Bearer(
            BearerScheme { _ in throw Refused() }, credential: BearerScheme.Credential(token: "old"))
        let (manager, stub) = try manager(accepting: "new", interceptor)
        for _ in 0..<2 {
            let error = await #expect(throws: SessionError.self) { try await manager.send("x") }
            #expect(error?.code == .retryRefused)
            #expect(error?.cause is Refused)
            #expect(error?.original?.code == .status)
            #expect(error?.head?.status == 401)
        }
        #expect(stub.requests.count == 2)
        #expect(interceptor.credential?.token == "old")
    }

    @Test("a renewal that takes longer than its limit fails the calls that wait, and the next call begins another")
    func hangingRefresh() async throws {
        let refreshes = Shared(0)
        let never = OneShot()
        let interceptor = Bearer(
            BearerScheme { _ in
                let number = refreshes.withLock { count in
                    count += 1
                    return count
                }
                if number < 3 { await never.fired() }
                return BearerScheme.Credential(token: "new")
            }, credential: BearerScheme.Credential(token: "old", expires: .distantPast),
            refreshTimeout: .milliseconds(20))
        let (manager, stub) = try manager(accepting: "new", interceptor)
        // Before the request is sent.
        let early = await #expect(throws: SessionError.self) { try await manager.send("x") }
        #expect(early?.code == .adaptation)
        #expect(
            early?.reason == "the request was not sent: the renewal of the credential took longer than 0.02 s; "
                + "a refresh that calls a manager with this interceptor waits for itself")
        #expect(stub.requests.isEmpty)
        // After a 401.
        interceptor.credential = BearerScheme.Credential(token: "old")
        let late = await #expect(throws: SessionError.self) { try await manager.send("x") }
        #expect(late?.code == .retryRefused)
        #expect(late?.original?.code == .status)
        #expect(
            late?.reason.contains("it was not tried again: the renewal of the credential took longer than 0.02 s; ")
                == true)
        #expect(try await manager.send("x").timeline.retries == 1)
        #expect(refreshes.withLock { $0 } == 3)
        never.fire()
    }

    @Test("a credential that comes after the limit is kept, unless there is another one", arguments: [false, true])
    func lateCredential(_ isReplaced: Bool) async throws {
        let (go, came) = (OneShot(), OneShot())
        let interceptor = Bearer(
            BearerScheme { _ in
                await go.fired()
                defer { came.fire() }
                return BearerScheme.Credential(token: "late")
            }, credential: BearerScheme.Credential(token: "old", expires: .distantPast),
            refreshTimeout: .milliseconds(20))
        let (manager, _) = try manager(accepting: "late", interceptor)
        await #expect(throws: SessionError.self) { try await manager.send("x") }
        if isReplaced { interceptor.credential = BearerScheme.Credential(token: "own") }
        go.fire()
        await came.fired()
        let token = isReplaced ? "own" : "late"
        try await until { interceptor.credential?.token == token }
        #expect(interceptor.credential?.token == token)
    }

    @Test("a cancellation handler of a scheme that blocks does not delay the end of the renewal")
    func blockingCancellation() async throws {
        let release = DispatchSemaphore(value: 0)
        let interceptor = Bearer(
            BearerScheme { old in
                await withTaskCancellationHandler {
                    await OneShot().fired()
                } onCancel: {
                    release.wait()
                }
                return old
            }, credential: BearerScheme.Credential(token: "old", expires: .distantPast),
            refreshTimeout: .milliseconds(20))
        let (manager, _) = try manager(accepting: "new", interceptor)
        let error = await #expect(throws: SessionError.self) { try await manager.send("x") }
        #expect(error?.code == .adaptation)
        release.signal()
    }

    @Test("calls behind the last renewal that is allowed have its error, until there is another credential")
    func failing() async throws {
        let refreshes = Guarded(0)
        let interceptor = Bearer(
            BearerScheme { _ in
                refreshes.withLock { $0 += 1 }
                throw TestRegistry.Shout()
            }, credential: BearerScheme.Credential(token: "t0"))
        let (manager, _) = try manager(accepting: "never", interceptor)
        for _ in 0..<8 {
            let error = await #expect(throws: SessionError.self) { try await manager.send("x") }
            #expect(error?.code == .retryRefused && error?.cause is TestRegistry.Shout)
            #expect(error?.original?.code == .status)
        }
        #expect(refreshes.withLock { $0 } == 5)
        interceptor.credential = BearerScheme.Credential(token: "t1")
        let error = await #expect(throws: SessionError.self) { try await manager.send("x") }
        #expect(error?.code == .excessiveRefresh)
    }

    @Test("1.12.5: five renewals in 30 s are allowed, a sixth is not; later ones are again")
    func excessive() async throws {
        let clock = Guarded(ContinuousClock.now)
        let refreshes = Guarded(0)
        let interceptor = Bearer(
            BearerScheme { _ in
                let count = refreshes.withLock { count in
                    count += 1
                    return count
                }
                return BearerScheme.Credential(token: "t\(count)")
            }, credential: BearerScheme.Credential(token: "t0"),
            now: { clock.withLock { $0 } })
        let (manager, stub) = try manager(accepting: "never", interceptor)
        let error = try #require(await #expect(throws: SessionError.self) { try await manager.send("x") })
        #expect(error.code == .excessiveRefresh)
        #expect(error.cause == nil)
        #expect(error.original?.code == .status)
        #expect(
            error.original?.description == "GET origin.test/x: the status is 401, which is not acceptable (2XX)")
        #expect(error.original?.retries == 5)
        #expect(
            error.description
                == "GET origin.test/x: the status is 401, which is not acceptable (2XX); it was not tried again: the credential was renewed too often"
        )
        #expect(error.retries == 5)
        #expect(refreshes.withLock { $0 } == 5)
        #expect(stub.requests.count == 6)

        clock.withLock { $0 += .seconds(31) }
        _ = await #expect(throws: SessionError.self) { try await manager.send("x") }
        #expect(refreshes.withLock { $0 } == 10)
    }

    /// A server that refuses everything, for as long as a test that goes wrong may last.
    private func refusingManager(_ interceptors: [any RequestInterceptor]) throws -> (SessionManager, StubTransport) {
        let asked = Guarded(0)
        var configuration = SessionConfiguration()
        configuration.interceptors = interceptors
        configuration.sleep = { _ in }
        return try stubManager(configuration: configuration) { _ in
            let count = asked.withLock { count in
                count += 1
                return count
            }
            return count > 50 ? .json("1") : .json("{}", status: 401)
        }
    }

    @Test("a call whose credential a later interceptor replaces is tried again five times, and then says why it failed")
    func replaced() async throws {
        let bearer = Bearer(
            BearerScheme { $0 }, credential: BearerScheme.Credential(token: "t"), maximumRefreshes: nil)
        let other = MadeInterceptor(adapt: { request in
            var request = request
            request.headers["Authorization"] = "Bearer mine"
            return request
        })
        let (manager, stub) = try refusingManager([bearer, other])
        let error = await #expect(throws: SessionError.self) { try await manager.send("x") }
        #expect(error?.code == .retryRefused)
        #expect(
            error?.reason.hasSuffix(
                "; it was not tried again: another interceptor replaced its credential each time") == true)
        #expect(error?.cause == nil)
        #expect(error?.original?.code == .status)
        #expect(error?.head?.status == 401)
        #expect(stub.requests.count == 6)
    }

    @Test(
        "one call renews its credential so often and no more, however many renewals the window allows",
        arguments: [0, 1, 5])
    func bounded(_ limit: Int) async throws {
        let tokens = Guarded(0)
        let bearer = Bearer(
            BearerScheme { _ in
                let token = tokens.withLock { tokens in
                    tokens += 1
                    return tokens
                }
                return BearerScheme.Credential(token: "t\(token)")
            }, credential: BearerScheme.Credential(token: "t"), maximumRefreshes: nil, maximumRetries: limit)
        let (manager, stub) = try refusingManager([bearer])
        let error = await #expect(throws: SessionError.self) { try await manager.send("x") }
        #expect(error?.code == .excessiveRefresh)
        #expect(error?.original?.code == .status)
        #expect(stub.requests.count == limit + 1)
        #expect(tokens.withLock { $0 } == limit)
    }

    @Test("tries that others asked for do not count against the credential")
    func ownRetries() async throws {
        let statuses = Guarded([503, 503, 401, 200])
        let bearer = Bearer(
            BearerScheme { _ in BearerScheme.Credential(token: "new") },
            credential: BearerScheme.Credential(token: "old"), maximumRetries: 1)
        var configuration = SessionConfiguration()
        configuration.interceptors = [bearer, RetryPolicy()]
        configuration.sleep = { _ in }
        let (manager, stub) = try stubManager(configuration: configuration) { _ in
            .json("1", status: statuses.withLock { $0.removeFirst() })
        }
        #expect(try await manager.send("x").timeline.retries == 3)
        #expect(stub.requests.map { $0.head.fields["Authorization"] }.last == "Bearer new")
    }

    @Test("1.12.5: a credential that is set during a renewal stays, and none stays none")
    func setMeanwhile() async throws {
        for (token, isSent) in [("mine", true), (nil, false)] {
            let (started, go) = (OneShot(), OneShot())
            let interceptor = Bearer(
                BearerScheme { _ in
                    started.fire()
                    await go.fired()
                    return BearerScheme.Credential(token: "renewed")
                }, credential: BearerScheme.Credential(token: "old"))
            let (manager, _) = try manager(accepting: "mine", interceptor)
            let call = Task { try await manager.send("x") }
            await started.fired()
            interceptor.credential = token.map { BearerScheme.Credential(token: $0) }
            go.fire()
            if isSent {
                #expect(try await call.value.timeline.retries == 1)
            } else {
                let error = await #expect(throws: SessionError.self) { try await call.value }
                #expect(error?.code == .missingCredential)
                #expect(error?.original?.code == .status)
            }
            #expect(interceptor.credential?.token == token)
        }
    }

    @Test("1.12.5: a 401 from another origin, where no credential was sent, renews nothing")
    func otherOrigin() async throws {
        let interceptor = Bearer(
            BearerScheme { credential in
                Issue.record("renewed")
                return credential
            }, credential: BearerScheme.Credential(token: "t"))
        var configuration = SessionConfiguration()
        configuration.interceptors = [interceptor]
        let (manager, stub) = try stubManager(configuration: configuration) { request in
            request.head.url.host() == "origin.test"
                ? .redirect(302, to: "http://other.test/") : .json("{}", status: 401)
        }
        let error = await #expect(throws: SessionError.self) { try await manager.send("x") }
        #expect(error?.code == .status)
        #expect(error?.droppedCredentials == true)
        #expect(stub.requests.map { $0.head.fields["Authorization"] } == ["Bearer t", nil])
    }

    @Test("1.12.5: a credential does not show in its description")
    func description() {
        let credential = BearerScheme.Credential(token: "secret", refreshToken: "secret")
        #expect("\(credential)\(String(reflecting: credential))" == "a bearer tokena bearer token")
    }
}
