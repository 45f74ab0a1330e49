import Foundation
import Patchbay
import PatchbayTesting
import TestSupport
import Testing

/// Holds what the pages say about calls that are sent again to the code: after a refresh, by a policy, and for the rest of a file.
@Suite(.timeLimit(.minutes(5))) struct RepeatedCallTests {
    typealias Bearer = AuthenticationInterceptor<BearerScheme>

    private func manager(
        _ interceptors: [any RequestInterceptor], _ reply: @escaping @Sendable (TransportRequest) -> StubReply
    ) -> (SessionManager, StubTransport) {
        let stub = StubTransport(reply)
        var configuration = SessionConfiguration()
        configuration.interceptors = interceptors
        let base = URL(string: "https://api.example.com")
        return (
            SessionManager(baseURL: base, registry: .standard, transport: stub, configuration: configuration), stub
        )
    }

    @Test(
        "a refresh gives the new token, or the reason that there is none",
        arguments: [(200, #"{"access":"new"}"#, nil), (200, "{}", .serialization), (400, "{}", .status)]
            as [(Int, String, SessionError.Code?)])
    func refresh(_ status: Int, _ answer: String, _ cause: SessionError.Code?) async throws {
        let server = try RawServer { request in
            let json: HeaderFields = ["Content-Type": "application/json"]
            if request.target == "/token" { return .response(status: status, json, body: answer) }
            return .response(status: request.fields["Authorization"] == "Bearer new" ? 200 : 401, json, body: "1")
        }
        for isExpired in [false, true] {
            let api = RequestExamples.refreshing(
                server.url(),
                BearerScheme.Credential(token: "old", refreshToken: "r", expires: isExpired ? .distantPast : nil))
            guard let cause else {
                #expect(try await api.get("x", as: Int.self) == 1)
                continue
            }
            let error = await #expect(throws: SessionError.self) { try await api.get("x", as: Int.self) }
            #expect(error?.code == (isExpired ? .adaptation : .retryRefused))
            #expect((error?.cause as? SessionError)?.code == cause)
            #expect(error?.original?.head?.status == (isExpired ? nil : 401))
        }
        #expect(
            server.requests.filter { $0.target == "/token" }.map(\.text)
                == Array(repeating: #"{"refresh":"r"}"#, count: 2))
    }

    @Test("the limits of an AuthenticationInterceptor are those of the page")
    func limits() async throws {
        let old = BearerScheme.Credential(token: "old", expires: .distantPast)
        let (expiring, _) = manager([Bearer(BearerScheme { $0 }, credential: old)]) { _ in StubReply() }
        for number in 1...6 {
            let error: SessionError?
            do throws(SessionError) {
                _ = try await expiring.send("x")
                error = nil
            } catch let failure {
                error = failure
            }
            #expect(error?.code == (number == 6 ? .excessiveRefresh : nil))
        }
        let counter = Shared(0)
        let renewing = Bearer(
            BearerScheme { _ in
                counter.withLock { $0 += 1 }
                return BearerScheme.Credential(token: "new \(counter.withLock { $0 })")
            }, credential: BearerScheme.Credential(token: "old"), maximumRefreshes: nil)
        let (refused, stub) = manager([renewing]) { _ in StubReply(status: 401) }
        let error = await #expect(throws: SessionError.self) { try await refused.send("x") }
        #expect(error?.code == .excessiveRefresh)
        #expect(stub.requests.count == 6)
        let defaults = try Markdown.sources()
        for words in ["within window: Duration = .seconds(30)", "refreshTimeout: Duration? = .seconds(60)"] {
            #expect(defaults.contains(words), "\(words)")
        }
        let page = try Markdown("Documentation/Requests.md").text
        for row in [
            "| `maximumRefreshes:`, `within:` | 5, 30 s |", "| `maximumRetries:` | 5 |", "| `refreshTimeout:` | 60 s |",
        ] {
            #expect(page.contains(row), "\(row)")
        }
    }

    @Test("the pauses of a policy are those of the page")
    func pauses() throws {
        let policy = RetryPolicy()
        #expect(policy.limit == 2 && policy.scale == .milliseconds(500) && policy.exponentialBase == 2)
        #expect(policy.maximumPause == .seconds(30) && policy.spreadsPauses)
        let page = try Markdown("Documentation/Requests.md").text
        for words in ["0.5 s (`scale`)", "doubles with each retry (`exponentialBase`)", "30 s (`maximumPause`)"] {
            #expect(page.contains(words), "\(words)")
        }
    }

    @Test(
        "an interceptor with pauses of its own", arguments: [("GET", 503, 3), ("GET", 500, 1), ("POST", 503, 1)])
    func stepped(_ method: String, _ status: Int, _ count: Int) async throws {
        let own = RequestExamples.SteppedRetries(pauses: [.milliseconds(1), .milliseconds(2)])
        // The manager waits for no retry of its own, whatever Retry-After says.
        let (api, stub) = manager([own]) { _ in StubReply(status: status, fields: ["Retry-After": "3600"]) }
        let error = await #expect(throws: SessionError.self) {
            try await api.send(SessionRequest("x", method: method))
        }
        #expect(error?.code == .status)
        #expect(stub.requests.count == count)
        var configuration = SessionConfiguration()
        RequestExamples.stepped(&configuration)
        #expect(configuration.interceptors.count == 2)
        let url = try #require(URL(string: "https://api.example.com/x"))
        let refusal = SessionError(
            .status, reason: "the status is 503",
            head: ResponseHead(status: 503, fields: [:], url: url, request: RequestHead(url: url)))
        let decision = await configuration.interceptors[0].retry(SessionRequest("x"), after: refusal)
        guard case .retryAfter(let pause) = decision, pause == .milliseconds(100) else {
            Issue.record("\(decision)")
            return
        }
    }

    @Test("a resumable download with a policy resumes by itself")
    func resumed() async throws {
        let server = try RawServer { request in
            guard request.fields["Range"] != nil else {
                return .raw("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: 10\r\n\r\n01234")
            }
            return .response(status: 206, ["ETag": "\"v1\"", "Content-Range": "bytes 5-9/10"], body: "56789")
        }
        let folder = TemporaryFolder()
        var configuration = SessionConfiguration()
        RequestExamples.resuming(&configuration)
        let api = SessionManager(baseURL: server.url(), configuration: configuration)
        let file = try await RequestExamples.resumed(api, folder.url.appending(path: "film.mp4"))
        #expect(try Data(contentsOf: file) == Data("0123456789".utf8))
        #expect(server.requests.map { $0.fields["Range"] } == [nil, "bytes=5-"])
        #expect(server.requests.last?.fields["If-Range"] == "\"v1\"")
    }
}
