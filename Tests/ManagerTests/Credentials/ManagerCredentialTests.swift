import Foundation
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// Where the credentials among the fields of a manager go.
@Suite(.timeLimit(.minutes(5))) struct ManagerCredentialTests {
    private static let names = [
        "Authorization", "Proxy-Authorization", "cookie", "x-api-key", "X-Auth-Token", "X-Session",
    ]

    private func manager(_ row: CredentialRow) throws -> (SessionManager, StubTransport) {
        try row.manager { configuration in
            configuration.credentialFields.append("x-session")
            for name in Self.names { configuration.headers[name] = "s" }
            configuration.headers["X-Other"] = "o"
        }
    }

    @Test(
        "the credentials of a manager go to its origin and to the hosts that it names, else everywhere",
        arguments: CredentialRow.bounded + CredentialRow.unbounded)
    func fields(_ row: CredentialRow) async throws {
        let (manager, stub) = try manager(row)
        _ = try await manager.send(row.target)
        let sent = try #require(stub.requests.first).head.fields
        #expect(Self.names.map { sent[$0] } == Self.names.map { _ in row.isSent ? "s" : nil })
        #expect(sent["X-Other"] == "o")
    }

    @Test(
        "a header that is set later is under the same rule, and none of them is a credential of the next call elsewhere"
    )
    func setLater() async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        manager.setHeader("Bearer t", for: "Authorization")
        manager.setHeader("k", for: "X-API-KEY")
        for target in ["x", "http://other.test/x", "http://origin.test/y"] { _ = try await manager.send(target) }
        manager.setHeader(try HeaderFields.basic(user: "ada", password: "pw"), for: "Authorization")
        for target in ["https://origin.test/x", "x"] { _ = try await manager.send(target) }
        #expect(
            stub.requests.map { $0.head.fields["Authorization"] }
                == ["Bearer t", nil, "Bearer t", nil, "Basic YWRhOnB3"])
        #expect(stub.requests.map { $0.head.fields["X-Api-Key"] } == ["k", nil, "k", nil, "k"])
    }

    @Test(
        "what a request sets itself goes to its URL, also in place of the manager's, and so do a user and a password in it"
    )
    func own() async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        manager.setHeader("Bearer t", for: "Authorization")
        manager.setHeader("k", for: "X-Api-Key")
        _ = try await manager.send("http://other.test/x", headers: ["authorization": "Bearer mine"])
        _ = try await manager.send("http://ada:pw@other.test/x")
        #expect(stub.requests.map { $0.head.fields["Authorization"] } == ["Bearer mine", "Basic YWRhOnB3"])
        #expect(stub.requests.map { $0.head.fields["X-Api-Key"] } == [nil, nil])
    }

    @Test("the URL that counts is the one that interceptors and the modifier leave", arguments: [true, false])
    func changed(_ byModifier: Bool) async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        manager.setHeader("Bearer t", for: "Authorization")
        for (from, to) in [("x", "http://other.test/x"), ("http://other.test/x", "x")] {
            var request = SessionRequest(from)
            if byModifier {
                request.hook = MadeHook { $0.target = to }
            } else {
                request.interceptors = [.changing { $0.target = to }]
            }
            _ = try await manager.send(request)
        }
        #expect(stub.requests.map { $0.head.fields["Authorization"] } == [nil, "Bearer t"])
    }

    @Test("a redirect brings no credentials back, to the origin neither nor to a host that is named")
    func redirects() async throws {
        let row = CredentialRow("", "https://origin.test/", ["cdn.test"], "", true)
        let (manager, stub) = try row.manager { request in
            switch request.head.url.absoluteString {
            case "https://other.test/a": .redirect(302, to: "https://origin.test/end")
            case "https://origin.test/b": .redirect(302, to: "https://cdn.test/c")
            case "https://cdn.test/c": .redirect(302, to: "https://origin.test/end")
            default: .json("1")
            }
        } _: {
            $0.headers["Authorization"] = "Bearer t"
        }
        _ = try await manager.send("https://other.test/a")
        _ = try await manager.send("b")
        #expect(stub.requests.map { $0.head.fields["Authorization"] } == [nil, nil, "Bearer t", nil, nil])
    }

    @Test("downloads, streams, uploads and tasks are under the same rule, and a command line shows what was sent")
    func calls() async throws {
        let (manager, stub) = try stubManager { _ in .json("[1]") }
        manager.setHeader("Bearer t", for: "Authorization")
        let target = "http://other.test/x"
        let file = try await manager.download(SessionRequest(target)).value
        try FileManager.default.removeItem(at: file)
        let stream = try await manager.stream(target, of: Data.self)
        for try await _ in stream {}
        _ = try await manager.send(SessionRequest(target, method: "POST", content: .value("x")))
        let task = manager.held(SessionRequest(target))
        _ = try await task.begin().reply
        #expect(stub.requests.map { $0.head.fields["Authorization"] } == [nil, nil, nil, nil])
        #expect(!task.task.curlDescription().contains("Authorization"))
    }
}

extension RequestInterceptor where Self == MadeInterceptor {
    /// Changes each request.
    static func changing(_ change: @escaping @Sendable (inout SessionRequest) -> Void) -> Self {
        MadeInterceptor(adapt: { request in
            var request = request
            change(&request)
            return request
        })
    }
}
