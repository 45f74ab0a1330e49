import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
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
        do { _ = try await manager.send(SessionRequest("x", method: method)) } catch { code = error.code }
        return (code, stub.requests.count, delays.withLock { $0 })
    }

    @Test("1.12.7: limit, base and scale make the delays")
    func settings() async throws {
        var policy = RetryPolicy()
        policy.spreadsPauses = false
        policy.maximumPause = .seconds(86_400)
        policy.limit = 3
        policy.maximumExtraLoad = nil
        policy.exponentialBase = 10
        policy.scale = .seconds(2)
        #expect(try await run(policy) { .json("1", status: 503) }.delays == [.seconds(2), .seconds(20), .seconds(200)])
        policy.exponentialBase = .infinity
        #expect(
            try await run(policy) { .json("1", status: 503) }.delays
                == [.seconds(2), .seconds(86_400), .seconds(86_400)])
        policy.exponentialBase = .nan
        #expect(try await run(policy) { .json("1", status: 503) }.delays == [.seconds(2), .zero, .zero])
    }

    @Test(
        "a scale of any size is limited, and one that is not above zero makes no pause",
        arguments: [
            (Duration.zero, Duration.zero), (.seconds(-1), .zero), (.seconds(Int64.min) * 16, .zero),
            (.milliseconds(50), .milliseconds(50)), (.seconds(Int64.max), .seconds(30)),
            (.seconds(Int64.max) * 16, .seconds(30)),
        ])
    func outlandishScale(_ scale: Duration, _ pause: Duration) async throws {
        let policy = RetryPolicy(limit: 1, scale: scale, maximumExtraLoad: nil, spreadsPauses: false)
        #expect(try await run(policy) { .json("1", status: 503) }.delays == [pause])
    }

    @Test("1.12.7: the idempotent methods are tried again, others are not")
    func methods() async throws {
        for method in ["DELETE", "GET", "HEAD", "OPTIONS", "PUT", "TRACE"] {
            #expect(try await run(RetryPolicy(), method) { .json("1", status: 503) }.sent == 3, "\(method)")
        }
        for method in ["POST", "PATCH", "CONNECT", "get"] {
            #expect(try await run(RetryPolicy(), method) { .json("1", status: 503) }.sent == 1, "\(method)")
            #expect(try await run(RetryPolicy(), method) { .json("1", status: 429) }.sent == 1, "\(method)")
        }
    }

    @Test(
        "1.12.7: the statuses that are tried again",
        arguments: [
            (408, 3), (500, 3), (502, 3), (503, 3), (504, 3), (400, 1), (401, 1), (404, 1), (429, 3), (501, 1),
        ])
    func statuses(_ status: Int, _ sent: Int) async throws {
        #expect(try await run(RetryPolicy()) { .json("1", status: status) }.sent == sent)
    }

    @Test(
        "1.12.7: the transport failures that are tried again",
        arguments: [
            (TransportFailure.Code.unresolvedHost, 3), (.refusedConnection, 3), (.lostConnection, 3),
            (.unprocessed, 3), (.insecureConnection, 3), (.malformedResponse, 3), (.truncatedBody, 3),
            (.undecodableContent, 3),
            (.unsupportedRequest, 1), (.unreadableBody, 1), (.outOfMemory, 1), (.other, 1),
        ])
    func failures(_ code: TransportFailure.Code, _ sent: Int) async throws {
        // The stub notes a request before it fails.
        #expect(try await run(RetryPolicy()) { throw TransportFailure(code, "broken") }.sent == sent)
    }

    @Test(
        "a POST is tried again if the host processed nothing",
        arguments: [
            (TransportFailure.Code.unresolvedHost, 3), (.refusedConnection, 3), (.connectTimeout, 3), (.tlsTimeout, 3),
            (.unprocessed, 3), (.lostConnection, 1), (.malformedResponse, 1), (.insecureConnection, 1),
        ])
    func unsent(_ code: TransportFailure.Code, _ sent: Int) async throws {
        #expect(try await run(RetryPolicy(), "POST") { throw TransportFailure(code, "broken") }.sent == sent)
    }

    @Test("a POST whose redirect cannot be followed for want of a connection was sent, and is not tried again")
    func unsentAfterRedirect() async throws {
        let count = Guarded(0)
        let result = try await run(RetryPolicy(), "POST") {
            guard
                count.withLock({
                    $0 += 1
                    return $0
                }) % 2 == 1
            else {
                throw TransportFailure(.refusedConnection, "broken")
            }
            return StubReply(status: 307, fields: ["Location": "/y"])
        }
        #expect(result.sent == 2)
    }

    @Test(
        "an Idempotency-Key makes a POST repeatable",
        arguments: [("\"8e03978e\"", 3), ("8e03978e", 3), ("", 1), (" \t", 1)])
    func idempotencyKey(_ key: String, _ sent: Int) async throws {
        var configuration = SessionConfiguration()
        configuration.sleep = { _ in }
        configuration.interceptors = [RetryPolicy()]
        let (manager, stub) = try stubManager(configuration: configuration) { _ in .json("1", status: 503) }
        _ = try? await manager.send(SessionRequest("x", method: "POST", headers: ["Idempotency-Key": key]))
        #expect(stub.requests.count == sent)
    }

    @Test("retries add a fifth to the load of a host in 10 seconds, and one call may always have all of its own")
    func load() async throws {
        let now = Guarded(1_000.0)
        var policy = RetryPolicy()
        policy.now = { now.withLock { $0 } }
        var configuration = SessionConfiguration()
        configuration.sleep = { _ in }
        configuration.interceptors = [policy]
        let (manager, stub) = try stubManager(configuration: configuration) { request in
            .json("1", status: request.head.url.path() == "/good" ? 200 : 503)
        }
        func retries(of url: String = "bad") async -> Int {
            let before = stub.requests.count
            _ = try? await manager.send(SessionRequest(url))
            return stub.requests.count - before - 1
        }
        #expect(await retries() == 2)
        #expect(await retries() == 0)
        // Another host has its own load.
        #expect(await retries(of: "http://other.test/bad") == 2)
        // 14 requests allow 2 retries, which are used; 21 allow 4.
        for _ in 0..<11 { #expect(await retries(of: "good") == 0) }
        #expect(await retries() == 0)
        for _ in 0..<6 { #expect(await retries(of: "good") == 0) }
        #expect(await retries() == 2)
        #expect(await retries() == 0)
        now.withLock { $0 += 9 }
        #expect(await retries() == 0)
        now.withLock { $0 += 1 }
        #expect(await retries() == 2)
        // A clock that was set back, and times that are none.
        for time in [5, -1, .infinity, .nan, 1e300] {
            now.withLock { $0 = time }
            #expect(await retries() <= 2, "\(time)")
        }
    }

    @Test("without a limit of the extra load, each call has its retries")
    func unlimitedLoad() async throws {
        var policy = RetryPolicy()
        policy.maximumExtraLoad = nil
        for _ in 0..<3 { #expect(try await run(policy) { .json("1", status: 503) }.sent == 3) }
    }

    @Test("an attempt that takes too long fails, and is tried again")
    func attemptTimeout() async throws {
        var policy = RetryPolicy()
        policy.attemptTimeout = .milliseconds(50)
        let count = Guarded(0)
        let slow = StubReply(status: 200, body: "", delay: .seconds(60))
        let recovered = try await run(policy) {
            count.withLock {
                $0 += 1
                return $0
            } == 1 ? slow : .json("1")
        }
        #expect(recovered.code == nil)
        #expect(recovered.sent == 2)
        policy.limit = 0
        let failed = try await run(policy) { slow }
        #expect(failed.code == .attemptTimeout)
        #expect(failed.sent == 1)
    }

    @Test("1.12.7: a call that succeeds is not tried again, and one that recovers says how often it was")
    func recovery() async throws {
        #expect(try await run(RetryPolicy()) { .json("1") }.sent == 1)
        let statuses = Guarded([500, 200])
        let result = try await run(RetryPolicy()) { .json("1", status: statuses.withLock { $0.removeFirst() }) }
        #expect(result.code == nil)
        #expect(result.sent == 2)
    }

    /// Now is a Sunday in 1994, a minute to nine.
    private func fixedPolicy(_ spread: @escaping @Sendable (ClosedRange<Double>) -> Double) -> RetryPolicy {
        var policy = RetryPolicy()
        policy.random = spread
        policy.now = { 784_112_340 }
        return policy
    }

    @Test("pauses are spread from nothing to what they may be")
    func spread() async throws {
        let ranges = Guarded<[ClosedRange<Double>]>([])
        var policy = fixedPolicy { range in
            ranges.withLock { $0.append(range) }
            return range.upperBound / 4
        }
        policy.limit = 3
        #expect(
            try await run(policy) { .json("1", status: 503) }.delays == [
                .seconds(0.125), .seconds(0.25), .seconds(0.5),
            ])
        #expect(ranges.withLock { $0 } == [0...0.5, 0...1, 0...2])
    }

    @Test("the default pauses are no constant, and none is longer than it may be")
    func random() async throws {
        var policy = RetryPolicy()
        policy.limit = 40
        policy.exponentialBase = 1
        let delays = try await run(policy) { .json("1", status: 429) }.delays
        #expect(delays.count == 40)
        #expect(Set(delays).count > 30)
        #expect(delays.allSatisfy { (.zero ... .seconds(0.5)).contains($0) })
    }

    @Test(
        "a response says when to come back, and no call comes sooner; nil: none comes at all",
        arguments: [
            ([:], 0.5), (["Retry-After": "7"], 7.5), (["Retry-After": "0"], 0.5), (["Retry-After": "29"], 29.5),
            (["Retry-After": "30"], 30), (["Retry-After": "31"], nil), (["Retry-After": "007"], 7.5),
            (["Retry-After": "Sun, 06 Nov 1994 08:59:10 GMT"], 10.5),
            (["Retry-After": "Sunday, 06-Nov-94 08:59:10 GMT"], 10.5),
            (["Retry-After": "Sun Nov  6 08:59:10 1994"], 10.5),
            (["Retry-After": "Sun, 06 Nov 1994 08:58:00 GMT"], 0.5),
            (["Retry-After": "Thu, 01 Jan 1970 00:00:00 GMT"], 0.5),
            (["Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT"], nil),
            // Seen from the server's clock.
            (["Retry-After": "Tue, 01 Jan 2030 00:00:09 GMT", "Date": "Tue, 01 Jan 2030 00:00:00 GMT"], 9.5),
            (["Retry-After": "Tue, 01 Jan 2030 00:00:09 GMT", "Date": "Thu, 01 Jan 1970 00:00:00 GMT"], nil),
            (["Retry-After": "-5"], 0.5), (["Retry-After": "+5"], 0.5), (["Retry-After": "1.5"], 0.5),
            (["Retry-After": ""], 0.5), (["Retry-After": "soon"], 0.5), (["Retry-After": "0x10"], 0.5),
            (["Retry-After": "inf"], 0.5), (["Retry-After": "\u{0665}"], 0.5), (["Retry-After": "5 5"], 0.5),
            (["Retry-After": "9223372036854775807"], nil), (["Retry-After": "9223372036854775808"], nil),
        ] as [(HeaderFields, Double?)])
    func retryAfter(_ fields: HeaderFields, _ seconds: Double?) async throws {
        for status in [429, 503] {
            let result = try await run(fixedPolicy({ $0.upperBound })) { StubReply(status: status, fields: fields) }
            #expect(result.delays.first == seconds.map { .seconds($0) })
            #expect(result.sent == (seconds == nil ? 1 : 3))
        }
        // Where chance gives nothing on top, the server's word is still kept.
        let least = try await run(fixedPolicy({ $0.lowerBound })) { StubReply(status: 503, fields: fields) }.delays
            .first
        #expect(least == seconds.map { .seconds($0 == 30 ? 30 : $0 - 0.5) })
    }

    @Test("of several such fields the latest counts, and 400 digits are for ever")
    func several() async throws {
        let policy = fixedPolicy { $0.lowerBound }
        for (last, sent) in [("x", 3), (String(repeating: "9", count: 400), 1)] {
            var fields: HeaderFields = ["Retry-After": "3"]
            for value in ["8", last] { fields.append(value, for: "Retry-After") }
            let reply = StubReply(status: 503, fields: fields)
            let result = try await run(policy) { reply }
            #expect(result.sent == sent)
            #expect(result.delays.allSatisfy { $0 == .seconds(8) })
        }
    }

    @Test("the longest pause is a setting, and the longest of all cannot be outrun by a server")
    func longest() async throws {
        var policy = fixedPolicy({ $0.upperBound })
        policy.maximumPause = .milliseconds(200)
        #expect(try await run(policy) { .json("1", status: 503) }.delays == [.seconds(0.2), .seconds(0.2)])
        policy.maximumPause = .seconds(Int64.max)
        for text in ["9223372036854775807", String(repeating: "9", count: 300)] {
            #expect(try await run(policy) { StubReply(status: 503, fields: ["Retry-After": text]) }.sent == 1)
        }
        policy.maximumPause = .seconds(-1)
        #expect(try await run(policy) { .json("1", status: 503) }.sent == 1)
    }

    @Test("a year of two digits is at most 50 years away")
    func twoDigits() {
        let now = { 1_795_000_000.0 }  // November 2026
        for (text, year) in [("26", 2026), ("75", 2075), ("78", 1978), ("94", 1994), ("00", 2000)] {
            let full = HTTPDate.seconds("Sun, 06 Nov \(year) 08:49:37 GMT")
            #expect(HTTPDate.secondsOfAnyForm("Sunday, 06-Nov-\(text) 08:49:37 GMT", now: now) == full)
        }
        for text in [
            "Sunday, 06-Nov-94 99:49:37 GMT", "Sunday, 00-Nov-94 08:49:37 GMT", "Sunday, 31-Nov-94 08:49:37 GMT",
            "Sun Nov  6 24:49:37 1994", "Sun Nov 99 08:49:37 1994", "Sun Nov  0 08:49:37 1994",
            "Tue Feb 29 08:49:37 1994", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37",
            "Sun Nov  6 08:49 1994", "a b c d e",
        ] {
            #expect(HTTPDate.secondsOfAnyForm(text, now: now) == nil)
        }
    }

    @Test(
        "A Retry-After that is no date counts as zero",
        arguments: [
            ("Fri, 06 Nov 2026 08:49:47 GMT", 10.0), ("Fri, 06 Nov 2026 99:49:47 GMT", nil),
            ("Fri, 99 Nov 2026 08:49:47 GMT", nil), ("Fri, 00 Nov 2026 08:49:47 GMT", nil),
        ] as [(String, Double?)])
    func dateThatIsNone(_ text: String, _ seconds: Double?) {
        let fields: HeaderFields = ["Retry-After": text, "Date": "Fri, 06 Nov 2026 08:49:37 GMT"]
        #expect(RetryAfter.seconds(fields, now: { 0 }) == seconds)
    }
}
