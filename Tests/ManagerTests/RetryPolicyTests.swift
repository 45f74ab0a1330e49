import Foundation
import PatchbayRegistry
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct RetryPolicyTests {
    /// A manager whose delays take no time, what it sent, and the delays.
    private func run(
        _ policy: RetryPolicy, _ method: String = "GET", _ reply: @escaping @Sendable () throws -> StubReply
    ) async throws -> (code: SessionError.Code?, sent: Int, delays: [Duration]) {
        let delays = Guarded<[Duration]>([])
        var configuration = SessionConfiguration()
        configuration.sleep = { delay in delays.withLock { $0.append(delay) } }
        configuration.interceptors = [policy]
        let (manager, stub) = try stubManager(configuration: configuration) { _ in try reply() }
        var code: SessionError.Code?
        do { _ = try await manager.request(method, "x") } catch { code = error.code }
        return (code, stub.requests.count, delays.withLock { $0 })
    }

    @Test("1.12.7: two retries, after 0.5 s and 1 s")
    func defaults() async throws {
        let result = try await run(RetryPolicy()) { .json("1", status: 503) }
        #expect(result.code == .status)
        #expect(result.sent == 3)
        #expect(result.delays == [.seconds(0.5), .seconds(1)])
    }

    @Test("1.12.7: limit, base and scale make the delays")
    func settings() async throws {
        var policy = RetryPolicy()
        policy.limit = 3
        policy.exponentialBase = 10
        policy.scale = 2
        #expect(try await run(policy) { .json("1", status: 503) }.delays == [.seconds(2), .seconds(20), .seconds(200)])
        policy.exponentialBase = .infinity
        #expect(
            try await run(policy) { .json("1", status: 503) }.delays
                == [.seconds(2), .seconds(86_400), .seconds(86_400)])
        policy.scale = .nan
        #expect(try await run(policy) { .json("1", status: 503) }.delays == [.zero, .zero, .zero])
    }

    @Test("1.12.7: the idempotent methods are tried again, others are not")
    func methods() async throws {
        for method in ["DELETE", "GET", "HEAD", "OPTIONS", "PUT", "TRACE"] {
            #expect(try await run(RetryPolicy(), method) { .json("1", status: 503) }.sent == 3, "\(method)")
        }
        for method in ["POST", "PATCH", "CONNECT", "get"] {
            #expect(try await run(RetryPolicy(), method) { .json("1", status: 503) }.sent == 1, "\(method)")
        }
    }

    @Test(
        "1.12.7: the statuses that are tried again",
        arguments: [
            (408, 3), (500, 3), (502, 3), (503, 3), (504, 3), (400, 1), (401, 1), (404, 1), (429, 1), (501, 1),
        ])
    func statuses(_ status: Int, _ sent: Int) async throws {
        #expect(try await run(RetryPolicy()) { .json("1", status: status) }.sent == sent)
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
        #expect(try await run(RetryPolicy()) { throw TransportFailure(code, "broken") }.sent == sent)
        #expect(try await run(.connectionLost) { throw TransportFailure(code, "broken") }.sent == sentWhereLost)
    }

    @Test("1.12.7: a call that succeeds is not tried again, and one that recovers says how often it was")
    func recovery() async throws {
        #expect(try await run(RetryPolicy()) { .json("1") }.sent == 1)
        let statuses = Guarded([500, 200])
        let result = try await run(RetryPolicy()) { .json("1", status: statuses.withLock { $0.removeFirst() }) }
        #expect(result.code == nil)
        #expect(result.sent == 2)
    }
}
