#if os(Linux)
    import CTestResolver
    import Foundation
    import Patchbay
    import PatchbayManager
    import TestSupport
    import Testing

    /// Hosts with several addresses, the first of which does not answer.
    @Suite(
        "CurlTransport goes on with the next address", .timeLimit(.minutes(5)),
        .enabled(if: patchbay_test_resolver_is_there() == 1, "the tests' own resolver is not in this build"))
    struct AddressTests {
        /// Without a connect timeout, half of which libcurl would leave to the first address.
        private static func ask(_ host: String, _ server: RawServer) async throws -> String {
            var request = SessionRequest(url: try #require(URL(string: "http://\(host):\(server.port)/")))
            request.totalTimeout = .seconds(120)
            var configuration = SessionConfiguration()
            configuration.connection.connectTimeout = nil
            let manager = SessionManager(registry: .standard, configuration: configuration)
            return try await manager.send(request, as: String.self).value
        }

        @Test(
            "An IPv6 address that takes no connection",
            .enabled(if: (try? FullListener(at: "::1"))?.close() != nil, "this machine has no IPv6"))
        func families() async throws {
            let server = try RawServer(always: .response(body: "a"))
            let full = try FullListener(at: "::1", port: server.port)
            defer { full.close() }
            for _ in 0..<3 { #expect(try await Self.ask("two-families.test", server) == "a") }
            #expect(server.connections == 3)
        }

        @Test("An address that refuses a connection after a while")
        func refusal() async throws {
            let server = try RawServer(always: .response(body: "a"))
            let full = try FullListener(at: "127.0.0.2", port: server.port)
            async let value = Self.ask("two-addresses.test", server)
            await until { full.begun > 0 }
            full.close()
            #expect(try await value == "a")
        }
    }
#endif
