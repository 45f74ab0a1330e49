import Patchbay
import PatchbayCurl
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CredentialOriginTests {
    @Test("the credentials of a manager do not leave its origin, which is a port too, unless the other host is named")
    func twoPorts() async throws {
        let (home, other) = (try RawServer(always: .response(body: "1")), try RawServer(always: .response(body: "1")))
        for (isNamed, port) in [(false, nil), (true, nil), (true, other.port), (false, home.port)] {
            let bearer = AuthenticationInterceptor(
                BearerScheme { $0 }, credential: BearerScheme.Credential(token: "t"))
            var configuration = SessionConfiguration()
            configuration.interceptors = [bearer]
            configuration.headers["X-Api-Key"] = "k"
            if let port { configuration.credentialHosts = [try HostPattern(pattern: "127.0.0.1:\(port)")] }
            if isNamed, port == nil { configuration.credentialHosts = [try HostPattern(pattern: "127.0.0.1")] }
            let manager = SessionManager(
                baseURL: home.url(), registry: .standard, transport: CurlTransport(), configuration: configuration)
            _ = try await manager.get("x", as: String.self)
            _ = try await manager.get(other.target("/x"), as: String.self)
            #expect(home.requests.last?.fields["Authorization"] == "Bearer t")
            #expect(home.requests.last?.fields["X-Api-Key"] == "k")
            #expect(other.requests.last?.fields["Authorization"] == (isNamed ? "Bearer t" : nil))
            #expect(other.requests.last?.fields["X-Api-Key"] == (isNamed ? "k" : nil))
        }
    }
}
