import Foundation
import PatchbayJSON
import PatchbayRegistry
import PatchbayTesting
import Testing

@testable import PatchbayManager

/// `get` and `send` with a `URL`, beside those with text.
@Suite("A URL as the target", .timeLimit(.minutes(5))) struct URLTargetTests {
    private static let text = "http://other.test/a?x=1"

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let sent: String
        let call: @Sendable (SessionManager) async throws -> Int?

        init(_ name: String, _ sent: String = text, _ call: @escaping @Sendable (SessionManager) async throws -> Int?) {
            (testDescription, self.sent, self.call) = (name, sent, call)
        }
    }

    private static func url(_ text: String = text, _ base: String? = nil) throws -> URL {
        try #require(URL(string: text, relativeTo: base.flatMap { URL(string: $0) }))
    }

    /// The number that the registry made of the body.
    private static func number(_ value: any Sendable) -> Int? { value as? JSON == 1 ? 1 : nil }

    /// Calls from its own isolation.
    private actor Caller {
        func get(_ manager: SessionManager, _ url: URL) async throws -> Int {
            defer { preconditionIsolated() }
            return try await manager.get(url, as: Int.self)
        }

        func send(_ manager: SessionManager, _ url: URL) async throws -> Int? {
            defer { preconditionIsolated() }
            return try await URLTargetTests.number(manager.send(url).value)
        }
    }

    static let rows = [
        Row("get, a literal") { try await $0.get("http://other.test/a?x=1", as: Int.self) },
        Row("get, an interpolation") { try await $0.get("http://\("other").test/a?x=1", as: Int.self) },
        Row("get, a variable of text") { try await $0.get(text, as: Int.self) },
        Row("get, a URL") { try await $0.get(url(), as: Int.self) },
        Row("get, a URL and an optional type") { try await $0.get(url(), as: Int?.self) },
        Row("get, a URL made in place") { try await $0.get(#require(URL(string: text)), as: Int.self) },
        Row("get, a URL with a query and fields", "\(text)&page=2&q=a%20b") {
            try await $0.get(url(), query: ["page": 2, "q": "a b"], headers: ["X-A": "1"], as: Int.self)
        },
        Row("get, a URL below another", "http://base.test/v1/a") {
            try await $0.get(url("a", "http://base.test/v1/"), as: Int.self)
        },
        Row("get, a URL without a scheme", "http://origin.test/a/b") { try await $0.get(url("a/b"), as: Int.self) },
        Row("get, a URL with a fragment", "http://other.test/a") {
            try await $0.get(url("http://other.test/a#part"), as: Int.self)
        },
        Row("get, a URL with escapes", "http://xn--bcher-kva.test/a%20b/%C3%A9") {
            try await $0.get(url("http://b\u{FC}cher.test/a%20b/%C3%A9"), as: Int.self)
        },
        Row("send, a literal") { try await number($0.send("http://other.test/a?x=1").value) },
        Row("send, a literal and a type") { try await $0.send("http://other.test/a?x=1", as: Int.self).value },
        Row("send, a variable of text") { try await number($0.send(text).value) },
        Row("send, a URL") { try await number($0.send(url()).value) },
        Row("send, a URL and a type") { try await $0.send(url(), as: Int.self).value },
        Row("send, a URL with a query", "\(text)&n=1") {
            try await $0.send(url(), query: ["n": 1], as: Int.self).value
        },
        Row("send, a URL of nothing") {
            try await $0.send(url(), as: Void.self).value
            return 1
        },
        Row("send, a request") { try await $0.send(SessionRequest(url: url()), as: Int.self).value },
        Row("get, a URL from an actor") { try await Caller().get($0, url()) },
        Row("send, a URL from an actor") { try await Caller().send($0, url()) },
    ]

    @Test("A URL and its text are the same target, with and without a type", arguments: rows)
    func target(_ row: Row) async throws {
        let (manager, stub) = try stubManager { _ in StubReply(fields: ["Content-Type": "application/json"], body: "1")
        }
        #expect(try await row.call(manager) == 1)
        #expect(stub.requests.map { "\($0.head.method) \($0.head.url.absoluteString)" } == ["GET \(row.sent)"])
    }

    @Test("The user information of a URL becomes an Authorization field, and no part of an error")
    func user() async throws {
        let (manager, stub) = try stubManager { _ in .json("1", status: 404) }
        let url = try #require(URL(string: "http://ada:hush@origin.test/a?k=hush"))
        let error = await #expect(throws: SessionError.self) { try await manager.get(url, as: Int.self) }
        #expect(stub.requests.first?.head.fields["Authorization"] == "Basic YWRhOmh1c2g=")
        #expect(error?.description.contains("hush") == false)
    }

    @Test(
        "A URL that cannot be sent to is refused as its text is",
        arguments: ["ftp://h.test/a", "file:///etc/passwd", "http:///a", "mailto:a@h.test"])
    func refused(_ text: String) async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        let url = try #require(URL(string: text))
        let errors = [
            await #expect(throws: SessionError.self) { try await manager.get(url, as: Int.self) },
            await #expect(throws: SessionError.self) { try await manager.send(url) },
            await #expect(throws: SessionError.self) { try await manager.send(text) },
        ]
        #expect(Set(errors.map { $0?.description }).count == 1)
        #expect(errors.first??.code == .invalidRequest)
        #expect(stub.requests.isEmpty)
    }
}

/// Settings as arguments of an initialiser are the settings as properties.
@Suite("Initialisers with settings") struct SettingInitialiserTests {
    @Test("A retry policy has what it is given, and else its defaults")
    func retryPolicy() {
        let (standard, one) = (RetryPolicy(), RetryPolicy(limit: 1))
        #expect(one.limit == 1 && standard.limit == 2)
        for policy in [standard, one] {
            #expect((policy.exponentialBase, policy.scale) == (2, .milliseconds(500)))
            #expect(policy.methods == ["DELETE", "GET", "HEAD", "OPTIONS", "PUT", "TRACE"])
            #expect(policy.statuses == [408, 429, 500, 502, 503, 504])
            #expect(policy.transportFailures.count == 10 && policy.transportFailures.contains(.lostConnection))
            #expect(policy.retriesIdleTimeouts && policy.spreadsPauses && policy.obeysRetryAfter)
            #expect(policy.maximumExtraLoad == 0.2 && policy.attemptTimeout == nil)
            #expect(policy.maximumPause == .seconds(30))
        }
        let own = RetryPolicy(
            limit: 3, exponentialBase: 3, scale: .seconds(1), methods: ["POST"], statuses: [500],
            transportFailures: [.lostConnection], retriesIdleTimeouts: false, maximumExtraLoad: nil,
            attemptTimeout: .seconds(1), spreadsPauses: false, obeysRetryAfter: false, maximumPause: .seconds(2))
        #expect(own.limit == 3 && own.exponentialBase == 3 && own.scale == .seconds(1))
        #expect(own.methods == ["POST"] && own.statuses == [500] && own.transportFailures == [.lostConnection])
        #expect(!own.retriesIdleTimeouts && !own.spreadsPauses && !own.obeysRetryAfter)
        #expect(own.maximumExtraLoad == nil && own.attemptTimeout == .seconds(1) && own.maximumPause == .seconds(2))
    }

    @Test("Reconnection rules have what they are given, and else those of the standard")
    func reconnection() {
        #expect(EventReconnection() == .standard)
        let own = EventReconnection(delay: .seconds(1), maximumAttempts: 2)
        #expect(own.delay == .seconds(1) && own.maximumAttempts == 2)
        #expect(own.allowedDelays == EventReconnection.standard.allowedDelays)
        #expect(EventReconnection(allowedDelays: .zero ... .seconds(1)).allowedDelays.upperBound == .seconds(1))
    }

    @Test("A configuration has what it is given, and else its defaults")
    func configuration() {
        let own = SessionConfiguration(
            headers: ["X-A": "1"], totalTimeout: .seconds(5), interceptors: [RetryPolicy(limit: 1)],
            maximumRedirects: 1, maskedPathSegments: ["a"])
        #expect(own.headers == ["X-A": "1"] && own.totalTimeout == .seconds(5))
        #expect((own.interceptors.first as? RetryPolicy)?.limit == 1 && own.maximumRedirects == 1)
        #expect(own.maskedPathSegments == ["a"])
        let standard = SessionConfiguration()
        #expect(standard.headers == .standard && standard.totalTimeout == .seconds(60))
        for configuration in [standard, own] {
            #expect(configuration.idleTimeout == .seconds(60))
            #expect(configuration.maximumWaitingStreamBytes == 1 << 20 && configuration.maximumWaitingEvents == 4_096)
            #expect(configuration.taskLabel == nil && configuration.observers.isEmpty && configuration.cookies == nil)
            #expect(configuration.connection == ConnectionSettings() && configuration.connectionByHost.isEmpty)
            #expect(configuration.credentialFields.count == 5 && configuration.credentialHosts.isEmpty)
        }
        let quiet = SessionConfiguration(idleTimeout: nil, totalTimeout: nil)
        #expect(quiet.idleTimeout == nil && quiet.totalTimeout == nil)
    }

    @Test("A policy with one retry sends a request twice")
    func once() async throws {
        var configuration = SessionConfiguration(interceptors: [RetryPolicy(limit: 1)])
        configuration.sleep = { _ in }
        let (manager, stub) = try stubManager(configuration: configuration) { _ in .json("1", status: 503) }
        let url = try #require(URL(string: "http://origin.test/a"))
        await #expect(throws: SessionError.self) { try await manager.get(url, as: Int.self) }
        #expect(stub.requests.count == 2)
    }
}
