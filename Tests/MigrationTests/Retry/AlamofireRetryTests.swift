import Patchbay
import PatchbayMigration
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// The rules of Alamofire's two retry policies.
@Suite(.timeLimit(.minutes(5))) struct AlamofireRetryTests {
    /// A manager whose delays take no time, what it sent, and the delays.
    private func run(
        _ policy: RetryPolicy, _ method: String = "GET", _ reply: @escaping @Sendable () throws -> StubReply
    ) async throws -> (code: SessionError.Code?, sent: Int, delays: [Duration]) {
        let delays = Shared<[Duration]>([])
        var configuration = SessionConfiguration()
        configuration.sleep = { delay in delays.withLock { $0.append(delay) } }
        configuration.interceptors = [policy]
        let (manager, stub) = stubManager(configuration: configuration) { _ in try reply() }
        var code: SessionError.Code?
        do { _ = try await manager.send(SessionRequest("x", method: method)) } catch { code = error.code }
        return (code, stub.requests.count, delays.withLock { $0 })
    }

    @Test("1.12.7: Alamofire's rules are two retries, after 0.5 s and 1 s, whatever the response says")
    func pauses() async throws {
        let result = try await run(.alamofire) {
            StubReply(status: 503, fields: ["Retry-After": "7"])
        }
        #expect(result.code == .status)
        #expect(result.sent == 3)
        #expect(result.delays == [.seconds(0.5), .seconds(1)])
        var policy = RetryPolicy.alamofire
        policy.exponentialBase = .infinity
        #expect(try await run(policy) { .json("1", status: 503) }.delays == [.seconds(0.5), .seconds(86_400)])
    }

    @Test("1.12.7: the idempotent methods are tried again, others are not")
    func methods() async throws {
        for method in ["DELETE", "GET", "HEAD", "OPTIONS", "PUT", "TRACE"] {
            #expect(try await run(.alamofire, method) { .json("1", status: 503) }.sent == 3, "\(method)")
        }
        for method in ["POST", "PATCH", "CONNECT", "get"] {
            #expect(try await run(.alamofire, method) { .json("1", status: 503) }.sent == 1, "\(method)")
            #expect(try await run(.alamofire, method) { .json("1", status: 429) }.sent == 1, "\(method)")
        }
    }

    @Test(
        "1.12.7: the statuses that are tried again, and none where the connection must have been lost",
        arguments: [
            (408, 3), (500, 3), (502, 3), (503, 3), (504, 3), (400, 1), (401, 1), (404, 1), (429, 1), (501, 1),
        ])
    func statuses(_ status: Int, _ sent: Int) async throws {
        #expect(try await run(.alamofire) { .json("1", status: status) }.sent == sent)
        #expect(try await run(.connectionLost) { .json("1", status: status) }.sent == 1)
    }

    @Test(
        "1.12.7: the transport failures that are tried again, and those where the connection was lost",
        arguments: [
            (TransportFailure.Code.unresolvedHost, 3, 1), (.refusedConnection, 3, 1), (.lostConnection, 3, 3),
            (.insecureConnection, 3, 1), (.malformedResponse, 3, 1), (.truncatedBody, 3, 3),
            (.undecodableContent, 3, 1), (.unsupportedRequest, 1, 1), (.unreadableBody, 1, 1), (.outOfMemory, 1, 1),
            (.other, 1, 1),
        ])
    func failures(_ code: TransportFailure.Code, _ sent: Int, _ sentWhereLost: Int) async throws {
        // The stub notes a request before it fails.
        #expect(try await run(.alamofire) { throw TransportFailure(code, "broken") }.sent == sent)
        #expect(try await run(.connectionLost) { throw TransportFailure(code, "broken") }.sent == sentWhereLost)
    }
}
