import PatchbayPlatform

#if os(Linux)
    import Foundation
    import Patchbay
    import PatchbayMigration
    import TestSupport
    import Testing

    /// Who gets to see credentials, on both transports, by the word of a server that others wrote.
    @Suite(
        .enabled(
            if: SharedBehaviour.httpbinURL != nil,
            "PATCHBAY_HTTPBIN is not set: run scripts/test, which starts httpbin"),
        .timeLimit(.minutes(5)))
    struct HTTPBinCredentialTests {
        private func manager(_ carrier: Carrier) -> SessionManager {
            SessionManager(
                baseURL: SharedBehaviour.httpbinURL, registry: .standard, transport: carrier.transport)
        }

        @Test("1.12.4: basic and bearer credentials go with the first request", arguments: Carrier.allCases)
        func credentialsOnBothTransports(_ carrier: Carrier) async throws {
            let manager = manager(carrier)
            manager.setHeader(try HeaderFields.basic(user: "u", password: "p"), for: "Authorization")
            #expect(try await manager.get("basic-auth/u/p", as: JSON.self) == ["authenticated": true, "user": "u"])
            manager.setHeader("Bearer t0ken", for: "Authorization")
            #expect(try await manager.get("bearer", as: JSON.self) == ["authenticated": true, "token": "t0ken"])
            let url = try #require(SharedBehaviour.httpbinURL?.absoluteString).replacing(
                "http://", with: "http://u:p@", maxReplacements: 1)
            manager.setHeader(nil, for: "Authorization")
            #expect(try await manager.get(url + "/basic-auth/u/p", as: JSON.self)["authenticated"] == true)
        }

        @Test(
            "1.12.3: a challenge is a 401 with its fields, and an interceptor answers to it",
            arguments: Carrier.allCases)
        func challenges(_ carrier: Carrier) async throws {
            let manager = manager(carrier)
            let error = await #expect(throws: SessionError.self) { try await manager.send("basic-auth/u/p") }
            #expect(error?.code == .status)
            #expect(error?.head?.fields["WWW-Authenticate"] == "Basic realm=\"Fake Realm\"")

            let isChallenged = Guarded(false)
            var request = SessionRequest("basic-auth/u/p")
            request.interceptors = [
                ClosureInterceptor(
                    adapt: { request in
                        var request = request
                        if isChallenged.withLock({ $0 }) {
                            request.headers["Authorization"] = try HeaderFields.basic(user: "u", password: "p")
                        }
                        return request
                    },
                    retry: { _, error in
                        guard error.head?.status == 401, error.retries == 0 else { return .doNotRetry }
                        isChallenged.withLock { $0 = true }
                        return .retry
                    })
            ]
            let reply = try await manager.send(request, as: JSON.self)
            #expect(reply.value["authenticated"] == true)
            #expect(reply.timeline.retries == 1)
        }

        @Test(
            "1.12.1: credentials stay on their origin, are dropped on the way to another port, and stay dropped on the way back",
            arguments: Carrier.allCases)
        func credentialsAreDroppedForGood(_ carrier: Carrier) async throws {
            let home = try #require(SharedBehaviour.httpbinURL).appending(path: "headers").absoluteString
            let other = try RawServer(always: .response(status: 302, ["Location": home]))
            let headers: HeaderFields = ["Authorization": "Bearer secret", "Cookie": "session=secret", "X-Kept": "yes"]
            func echoed(by target: String) async throws -> JSON? {
                try await manager(carrier).get(
                    "redirect-to", query: [("url", target)], headers: headers, as: JSON.self)[
                        "headers"]
            }
            let stayed = try #require(try await echoed(by: "/headers"))
            #expect(stayed["Authorization"] == "Bearer secret")
            #expect(stayed["Cookie"] == "session=secret")

            let returned = try #require(try await echoed(by: other.url("/there").absoluteString))
            #expect(returned["Authorization"] == nil)
            #expect(returned["Cookie"] == nil)
            #expect(returned["X-Kept"] == "yes")
            let between = try #require(other.requests.first)
            #expect(other.requests.count == 1)
            #expect(between.fields["Authorization"] == nil)
            #expect(between.fields["Cookie"] == nil)
            #expect(between.fields["X-Kept"] == "yes")
        }
    }
#endif
