import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// Where the credential of an `AuthenticationInterceptor` goes.
@Suite(.timeLimit(.minutes(5))) struct InterceptorCredentialTests {
    typealias Bearer = AuthenticationInterceptor<BearerScheme>
    typealias Credential = BearerScheme.Credential

    static let unknown =
        "the request was not sent: an AuthenticationInterceptor does not know which hosts may see its credential: "
        + "give it hosts:, or the manager a base URL or configuration.credentialHosts"

    /// One that renews nothing.
    private func bearer(_ token: String = "t", hosts: [String]? = nil) throws -> Bearer {
        Bearer(
            BearerScheme { credential in
                Issue.record("renewed")
                return credential
            }, credential: Credential(token: token), hosts: try hosts?.map { try HostPattern(pattern: $0) })
    }

    private func sent(_ stub: StubTransport) -> [String?] { stub.requests.map { $0.head.fields["Authorization"] } }

    private func refusing(
        _ interceptors: [any RequestInterceptor], base: String? = "http://origin.test/",
        _ location: String? = nil, _ handler: RedirectHandler = .follow
    ) throws -> (SessionManager, StubTransport) {
        var configuration = SessionConfiguration()
        configuration.interceptors = interceptors
        configuration.redirects = handler
        return try stubManager(base: base, configuration: configuration) { request in
            guard let location, request.head.url.path() == "/start" else { return .json("{}", status: 401) }
            return .redirect(302, to: location)
        }
    }

    @Test(
        "a credential goes to the origin of the base URL and to the hosts that the manager names",
        arguments: CredentialRow.bounded, [true, false])
    func bounded(_ row: CredentialRow, _ isOfRequest: Bool) async throws {
        let bearer = try bearer()
        let (manager, stub) = try row.manager { configuration in
            if !isOfRequest { configuration.interceptors = [bearer] }
        }
        var request = SessionRequest(row.target)
        if isOfRequest { request.interceptors = [bearer] }
        _ = try await manager.send(request)
        #expect(sent(stub) == [row.isSent ? "Bearer t" : nil])
    }

    @Test("without a base URL and hosts the call fails before it is sent", arguments: CredentialRow.unbounded)
    func unbounded(_ row: CredentialRow) async throws {
        let bearer = try bearer()
        let (manager, stub) = try row.manager { $0.interceptors = [bearer] }
        let error = await #expect(throws: SessionError.self) { try await manager.send(row.target) }
        #expect(error?.code == .adaptation)
        #expect(error?.description == Self.unknown)
        #expect(stub.requests.isEmpty)
    }

    @Test(
        "the hosts of an interceptor take the place of the manager's",
        arguments: [
            CredentialRow("its host", nil, ["cdn.test"], "https://cdn.test/x", true),
            CredentialRow("its host beside a base", "https://origin.test/", ["cdn.test"], "https://cdn.test/x", true),
            CredentialRow("the base, which is not named", "https://origin.test/", ["cdn.test"], "x", false),
            CredentialRow("http", "https://origin.test/", ["cdn.test"], "http://cdn.test/x", false),
            CredentialRow("http where the base is http", "http://origin.test/", ["*.test"], "http://cdn.test/x", true),
            CredentialRow("loopback", nil, ["127.0.0.1"], "http://127.0.0.1:81/x", true),
            CredentialRow("none", "https://origin.test/", [], "x", false),
        ])
    func hosts(_ row: CredentialRow) async throws {
        let bearer = try bearer(hosts: row.hosts)
        let (manager, stub) = try CredentialRow("", row.base, ["manager.test"], "", true).manager {
            $0.interceptors = [bearer]
        }
        _ = try await manager.send(row.target)
        #expect(sent(stub) == [row.isSent ? "Bearer t" : nil])
    }

    @Test("a URL that an interceptor changes before or after decides, and none sees the credential of another host")
    func changed() async throws {
        for (from, to) in [("http://other.test/x", "x"), ("x", "http://other.test/x")] {
            for isFirst in [true, false] {
                let seen = Shared<[String?]>([])
                let watch = MadeInterceptor.changing { request in
                    seen.withLock { [request] in $0.append(request.headers["Authorization"]) }
                }
                let change = MadeInterceptor.changing { $0.target = to }
                let bearer = try bearer()
                var configuration = SessionConfiguration()
                configuration.interceptors = isFirst ? [bearer, watch, change] : [change, bearer, watch]
                let (manager, stub) = try stubManager(configuration: configuration) { _ in .json("1") }
                _ = try await manager.send(from)
                #expect(sent(stub) == [to == "x" ? "Bearer t" : nil], "\(from) \(isFirst)")
                let isSeen = isFirst ? from == "x" : to == "x"
                #expect(seen.withLock { $0 } == [isSeen ? "Bearer t" : nil], "\(from) \(isFirst)")
            }
        }
    }

    @Test("a credential is taken off a request that is made anew, and the request's own field comes back")
    func takenOff() async throws {
        let remake = MadeInterceptor(adapt: { request in
            var headers = request.headers
            headers.append("Bearer more", for: "authorization")
            return SessionRequest("http://other.test/x", headers: headers)
        })
        for own in [nil, "Bearer mine"] {
            var configuration = SessionConfiguration()
            configuration.interceptors = [try bearer(), remake]
            let (manager, stub) = try stubManager(configuration: configuration) { _ in .json("1") }
            _ = try await manager.send("x", headers: own.map { ["Authorization": $0] } ?? [:])
            let values = stub.requests.first?.head.fields.values(for: "Authorization")
            #expect(values.map(Set.init) == Set(["Bearer more"] + [own].compactMap { $0 }))
        }
    }

    @Test("a credential to which a later interceptor adds something goes to no other host either")
    func altered() async throws {
        for alter in [{ $0 + " " }, { "x " + $0 }, { $0 }] as [@Sendable (String) -> String] {
            let move = MadeInterceptor.changing { request in
                request.headers["authorization"] = request.headers["Authorization"].map(alter)
                request.target = "http://other.test/x"
            }
            var configuration = SessionConfiguration()
            configuration.interceptors = [try bearer(), move]
            let (manager, stub) = try stubManager(configuration: configuration) { _ in .json("1") }
            _ = try await manager.send("x")
            #expect(sent(stub) == [nil])
        }
    }

    /// Puts a token where the test says.
    struct KeyAuthenticator: AuthenticationScheme {
        var name: String?
        func apply(_ credential: String, to request: inout SessionRequest) {
            if let name {
                request.headers[name] = credential
            } else {
                request.hook = MadeHook(encodedQuery: "key=\(credential)")
            }
        }
        func refresh(_ credential: String) async throws -> String {
            Issue.record("renewed")
            return credential
        }
        func isRequest(_ request: SessionRequest, authenticatedWith credential: String) -> Bool { true }
    }

    @Test("a credential in the query of a URL that an interceptor changes afterwards fails the call")
    func query() async throws {
        let key = AuthenticationInterceptor(KeyAuthenticator(), credential: "k")
        var configuration = SessionConfiguration()
        configuration.interceptors = [
            key, .changing { $0.target = $0.target.replacing("move", with: "//other.test/") },
        ]
        let (manager, stub) = try stubManager(configuration: configuration) { _ in .json("1") }
        _ = try await manager.send("x")
        _ = try await manager.send("http://other.test/x")
        #expect(stub.requests.map(\.head.url.absoluteString) == ["http://origin.test/x?key=k", "http://other.test/x"])
        let error = await #expect(throws: SessionError.self) { try await manager.send("move") }
        #expect(
            error?.description
                == "the request was not sent: its URL was changed to a host that may not see the credential that an "
                + "AuthenticationInterceptor had put into it: let the interceptor that changes it stand in front")
        #expect(stub.requests.count == 2)
    }

    @Test("a redirect to another origin drops what an interceptor put on, under whatever name, and renews nothing")
    func otherName() async throws {
        let key = AuthenticationInterceptor(KeyAuthenticator(name: "X-Key"), credential: "k")
        let (manager, stub) = try refusing([key], "http://other.test/end")
        let error = await #expect(throws: SessionError.self) { try await manager.send("start") }
        #expect(stub.requests.map { $0.head.fields["X-Key"] } == ["k", nil])
        #expect(error?.code == .status)
        #expect(error?.droppedCredentials == true)
    }

    @Test("a 401 of a host that the credential was not sent to renews nothing and is not tried again")
    func refused() async throws {
        let expired = Bearer(
            BearerScheme { credential in
                Issue.record("renewed")
                return credential
            }, credential: Credential(token: "t", expires: .distantPast))
        for interceptors in [[try bearer()], [expired], [Bearer(BearerScheme { $0 })]] {
            let (manager, stub) = try refusing(interceptors)
            let error = await #expect(throws: SessionError.self) { try await manager.send("http://other.test/x") }
            #expect(error?.code == .status)
            #expect(sent(stub) == [nil])
        }
    }

    @Test("nor does one behind a redirect back to the origin, to which the credential was never put on")
    func redirectedBack() async throws {
        let (manager, stub) = try refusing([try bearer()], "http://origin.test/end")
        let error = await #expect(throws: SessionError.self) { try await manager.send("http://other.test/start") }
        #expect(error?.code == .status)
        #expect(sent(stub) == [nil, nil])
    }

    @Test("nor does one of a foreign origin that a redirect handler sent a credential to")
    func handled() async throws {
        let handler = RedirectHandler { next, _ in
            next.fields["Authorization"] = "Bearer theirs"
            return true
        }
        let (manager, stub) = try refusing([try bearer()], "http://other.test/end", handler)
        let error = await #expect(throws: SessionError.self) { try await manager.send("start") }
        #expect(error?.code == .status)
        #expect(sent(stub) == ["Bearer t", "Bearer theirs"])
    }

    @Test("a credential is renewed by a call of the same manager to another host")
    func renewedByManager() async throws {
        let managers = Shared<SessionManager?>(nil)
        let bearer = Bearer(
            BearerScheme { _ in
                let manager = try #require(managers.withLock { $0 })
                return Credential(token: try await manager.get("http://login.test/token", as: String.self))
            }, credential: Credential(token: "old"))
        var configuration = SessionConfiguration()
        configuration.interceptors = [bearer]
        let (manager, stub) = try stubManager(configuration: configuration) { request in
            guard request.head.url.host() == "origin.test" else { return .words("new") }
            return request.head.fields["Authorization"] == "Bearer new" ? .json("1") : .json("{}", status: 401)
        }
        managers.withLock { $0 = manager }
        #expect(try await manager.send("x").timeline.retries == 1)
        #expect(sent(stub) == ["Bearer old", nil, "Bearer new"])
        managers.withLock { $0 = nil }
    }

    /// Authenticates some requests only, with an interceptor of its own inside.
    struct Wrapper: RequestInterceptor {
        let inner: Bearer
        func adapt(_ request: SessionRequest) async throws -> SessionRequest { try await inner.adapt(request) }
        func retry(_ request: SessionRequest, after error: SessionError) async -> RetryDecision {
            await inner.retry(request, after: error)
        }
    }

    @Test("one inside another interceptor is under the same rule, behind one that makes the request anew too")
    func wrapped() async throws {
        let renewing = Bearer(
            BearerScheme { _ in Credential(token: "new") }, credential: Credential(token: "old"))
        let remake = MadeInterceptor(adapt: { SessionRequest($0.target) })
        let (manager, stub) = try refusing([remake, Wrapper(inner: renewing)])
        for target in ["http://other.test/x", "x"] {
            _ = await #expect(throws: SessionError.self) { try await manager.send(target) }
        }
        #expect(sent(stub).prefix(3) == [nil, "Bearer old", "Bearer new"])
    }

    @Test("two interceptors with a host each put on what is for the host of the call")
    func two() async throws {
        let interceptors = [try bearer("a", hosts: ["a.test"]), try bearer("b", hosts: ["b.test"])]
        let (manager, stub) = try CredentialRow("", nil, "", true).manager { $0.interceptors = interceptors }
        for target in ["https://a.test/", "https://b.test/", "https://c.test/"] { _ = try await manager.send(target) }
        #expect(sent(stub) == ["Bearer a", "Bearer b", nil])
    }
}
