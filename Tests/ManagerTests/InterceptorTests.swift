import Foundation
import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct InterceptorTests {
    struct Reason: Error, Equatable {}

    /// Adds its name to a field of every request, and notes when it is asked about a failure.
    private func marker(
        _ name: String, _ asked: Shared<[String]>, _ decision: RetryDecision = .doNotRetry
    ) -> MadeInterceptor {
        MadeInterceptor(
            adapt: { request in
                var request = request
                request.headers["X-Marks"] = (request.headers["X-Marks"] ?? "") + name
                return request
            },
            retry: { _, _ in
                asked.withLock { $0.append(name) }
                return decision
            })
    }

    @Test(
        "1.12.6: the manager's interceptors are asked before the request's, and the first that decides ends the asking")
    func order() async throws {
        let asked = Shared<[String]>([])
        var configuration = SessionConfiguration()
        configuration.interceptors = [marker("a", asked), marker("b", asked)]
        let (manager, stub) = try stubManager(configuration: configuration) { [asked] _ in
            asked.withLock(\.isEmpty) ? .json("{}", status: 500) : .json("1")
        }
        var request = SessionRequest("x")
        request.interceptors = [marker("c", asked, .retry), marker("d", asked)]
        let reply = try await manager.send(request, as: Int.self)
        #expect(reply.value == 1)
        #expect(reply.timeline.retries == 1)
        #expect(asked.withLock { $0 } == ["a", "b", "c"])
        #expect(stub.requests.map { $0.head.fields["X-Marks"] } == ["abcd", "abcd"])
    }

    @Test("1.12.6: an error that takes the place of another says what was known of the call")
    func replaced() async throws {
        let (manager, _) = try stubManager { _ in .json("{}", status: 500) }
        let error = await #expect(throws: SessionError.self) { try await manager.send(SessionRequest("x")) }
        var original = try #require(error)
        original.facts.unwrapped = original.decision
        original.facts.retries = 2
        let refused = SessionError(retrying: original, Reason())
        #expect(refused.facts.unwrapped != nil)
        #expect(refused.original?.retries == 2)
        #expect(SessionError(cancelling: Result<Reply<Int>, SessionError>.failure(original)).retries == 2)
        let answers = Guarded(0)
        let (answering, _) = try stubManager { _ in
            let count = answers.withLock { count in
                count += 1
                return count
            }
            return .json("1", status: count < 3 ? 500 : 200)
        }
        var request = SessionRequest("x")
        request.interceptors = [MadeInterceptor(retry: { _, _ in .retry })]
        let reply = try await answering.send(request, as: Int.self)
        #expect(reply.timeline.retries == 2)
        #expect(SessionError(cancelling: .success(reply)).retries == 2)
    }

    @Test(
        "1.12.6: what an interceptor decides is what happens",
        arguments: [
            ("retry", 3, [Duration](), nil), ("retryAfter", 3, [.seconds(7), .seconds(7)], nil),
            ("doNotRetry", 1, [], SessionError.Code.status), ("doNotRetryWithError", 1, [], .retryRefused),
        ] as [(String, Int, [Duration], SessionError.Code?)])
    func decisions(_ name: String, _ sent: Int, _ delays: [Duration], _ code: SessionError.Code?) async throws {
        let slept = Guarded<[Duration]>([])
        var configuration = SessionConfiguration()
        configuration.sleep = { delay in slept.withLock { $0.append(delay) } }
        configuration.interceptors = [
            MadeInterceptor(retry: { _, _ in
                switch name {
                case "retry": .retry
                case "retryAfter": .retryAfter(.seconds(7))
                case "doNotRetry": .doNotRetry
                default: .doNotRetryWithError(Reason())
                }
            })
        ]
        let count = Guarded(0)
        let (manager, stub) = try stubManager(configuration: configuration) { _ in
            let tries = count.withLock { count in
                count += 1
                return count
            }
            return tries < 3 ? .json(#"{"e":1}"#, status: 503) : .json("1")
        }
        if let code {
            let error = try #require(await #expect(throws: SessionError.self) { try await manager.send("x") })
            #expect(error.code == code)
            #expect(error.retries == 0)
            #expect(error.head?.status == 503)
            #expect(error.value as? JSON == ["e": 1])
            #expect(error.original?.code == (code == .retryRefused ? .status : nil))
            #expect(error.cause is Reason == (code == .retryRefused))
        } else {
            let call = manager.held(SessionRequest("x")).begin()
            #expect(try await call.reply.timeline.retries == 2)
            #expect(call.task.retries == 2)
        }
        #expect(stub.requests.count == sent)
        #expect(slept.withLock { $0 } == delays)
    }

    @Test("1.13: an interceptor that fails is a failure of adaptation, and one that gives a reason one of the retry")
    func sentences() async throws {
        let (manager, stub) = try stubManager { _ in .json("1", status: 500) }
        var request = SessionRequest("x")
        request.interceptors = [MadeInterceptor(adapt: { _ in throw Reason() })]
        let adaptation = try #require(await #expect(throws: SessionError.self) { try await manager.send(request) })
        #expect(adaptation.code == .adaptation)
        #expect(adaptation.description == "the request was not sent: an interceptor threw Reason")
        #expect(adaptation.cause is Reason)
        #expect(stub.requests.isEmpty)

        request.interceptors = [MadeInterceptor(retry: { _, _ in .doNotRetryWithError(Reason()) })]
        let refused = try #require(await #expect(throws: SessionError.self) { try await manager.send(request) })
        #expect(refused.code == .retryRefused)
        #expect(
            refused.description
                == "GET origin.test/x: the status is 500, which is not acceptable (2XX); it was not tried again: an interceptor gave the reason Reason"
        )
        #expect(refused.cause is Reason)
        let original = try #require(refused.original)
        #expect(original.code == .status)
        #expect(original.description == "GET origin.test/x: the status is 500, which is not acceptable (2XX)")
        #expect(original.original == nil)
        #expect(adaptation.original == nil)
    }

    @Test("1.12.6: an adaptation that fails may be tried again, and every try starts from the request as it was made")
    func adaptedAgain() async throws {
        let tries = Guarded(0)
        let (manager, stub) = try stubManager { _ in .json("1") }
        var request = SessionRequest("x", headers: ["X-Marks": "0"])
        request.interceptors = [
            MadeInterceptor(
                adapt: { request in
                    var request = request
                    request.headers["X-Marks"] = (request.headers["X-Marks"] ?? "") + "1"
                    let first = tries.withLock { tries in
                        tries += 1
                        return tries == 1
                    }
                    if first { throw Reason() }
                    return request
                }, retry: { _, error in error.code == .adaptation ? .retry : .doNotRetry })
        ]
        #expect(try await manager.send(request).timeline.retries == 1)
        #expect(stub.requests.map { $0.head.fields["X-Marks"] } == ["01"])
    }

    @Test(
        "1.12.6: what is asked about a retry is shown the request as the interceptors made it, whatever was made of that"
    )
    func shownRequest() async throws {
        let shown = Guarded<[SessionRequest]>([])
        let (manager, _) = try stubManager { _ in .json("1", status: 500) }
        for fails in [false, true] {
            var request = SessionRequest("x", method: "POST", headers: ["X-Marks": "0"])
            request.hook = MadeHook { request throws(SessionError) in
                request.headers["X-Marks"] = "modified"
                request.content = .data(Data("a=1".utf8), type: "application/x-www-form-urlencoded")
                if fails { throw SessionError(.invalidRequest, "the request was not sent: its addition failed") }
            }
            request.interceptors = [
                MadeInterceptor(
                    adapt: { request in
                        var request = request
                        request.headers["X-Marks"] = "adapted"
                        return request
                    },
                    retry: { request, _ in
                        shown.withLock { $0.append(request) }
                        return .doNotRetry
                    })
            ]
            await #expect(throws: SessionError.self) { try await manager.send(request) }
        }
        let requests = shown.withLock { $0 }
        #expect(requests.map { $0.headers["X-Marks"] } == ["adapted", "adapted"])
        #expect(requests.map { $0.headers["Content-Type"] } == [nil, nil])
        #expect(requests.map { $0.content == nil } == [true, true])
    }

    @Test("1.2.17, 1.12.6: a serializer that failed may be a reason to try again")
    func serialization() async throws {
        let bodies = Guarded(["{", "[1]"])
        let (manager, _) = try stubManager { _ in .json(bodies.withLock { $0.removeFirst() }) }
        var request = SessionRequest("x")
        request.interceptors = [
            MadeInterceptor(retry: { _, error in error.code == .serialization ? .retry : .doNotRetry })
        ]
        #expect(try await manager.send(request, as: [Int].self).value == [1])
    }

    @Test(
        "1.5.21, 1.12.6: a body is read again for another try; one that cannot be fails the call with what went wrong first"
    )
    func bodies() async throws {
        let (manager, stub) = try stubManager { _ in .json("1", status: 500) }
        let retry = MadeInterceptor(retry: { _, error in error.retries == 0 ? .retry : .doNotRetry })
        for (rewinds, sent) in [(true, 2), (false, 1)] {
            let source = ScriptedSource([.text("abc")], rewinds: rewinds)
            var request = SessionRequest("x", method: "PUT")
            request.content = RequestContent("text/x", making: { .source(source) })
            request.interceptors = [retry]
            let before = stub.requests.count
            let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
            #expect(error?.code == .status)
            #expect(
                stub.requests.dropFirst(before).map { $0.body?.data } == Array(repeating: Data("abc".utf8), count: sent)
            )
        }
    }

    @Test(
        "1.12.6: a call is cancelled while an interceptor adapts, decides or waits, and is not tried again",
        arguments: ["adapt", "retry", "delay", "exchange"])
    func cancellation(_ place: String) async throws {
        let (reached, asked) = (OneShot(), Shared(0))
        @Sendable func stay() async {
            reached.fire()
            try? await Task.sleep(for: .seconds(3600))
        }
        var configuration = SessionConfiguration()
        configuration.sleep = { _ in await stay() }
        configuration.interceptors = [
            MadeInterceptor(
                adapt: { request in
                    if place == "adapt" { await stay() }
                    return request
                },
                retry: { _, _ in
                    asked.withLock { $0 += 1 }
                    if place == "retry" { await stay() }
                    return .retryAfter(.seconds(1))
                })
        ]
        let (manager, stub) = try stubManager(configuration: configuration) { _ in
            if place == "exchange" { await stay() }
            return .json("1", status: 500)
        }
        let call = Task { try await manager.send("x") }
        await reached.fired()
        call.cancel()
        let error = await #expect(throws: SessionError.self) { try await call.value }
        #expect(error?.code == .cancelled)
        #expect(stub.requests.count == (place == "adapt" ? 0 : 1))
        #expect(asked.withLock { $0 } == (place == "adapt" || place == "exchange" ? 0 : 1))
        #expect(manager.tasks.isEmpty)
        #expect(manager.taskList.timeoutCount == 0)
    }

    @Test("1.12.6: the total clock spans interceptors and tries")
    func clocks() async throws {
        var configuration = SessionConfiguration()
        let keeper = Guarded<TaskList?>(nil)
        // While the call waits to be tried again, the time of its total clock passes.
        configuration.sleep = { _ in
            keeper.withLock { $0 }?.check(at: .now + .seconds(7200))
            try? await Task.sleep(for: .seconds(3600))
        }
        let (manager, stub) = try stubManager(configuration: configuration) { _ in .json("1", status: 500) }
        keeper.withLock { $0 = manager.taskList }
        var request = SessionRequest("x")
        request.totalTimeout = .seconds(3600)
        request.interceptors = [MadeInterceptor(retry: { _, _ in .retryAfter(.seconds(1)) })]
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.code == .totalTimeout)
        #expect((error?.cause as? SessionError)?.code == .status)
        #expect(stub.requests.count == 1)
    }

    @Test("1.12.6: a call whose total timeout has run out asks no interceptor, and its error is the timeout's")
    func outOfTime() async throws {
        let asked = Shared(0)
        let keeper = Guarded<TaskList?>(nil)
        let (manager, stub) = try stubManager { _ in
            keeper.withLock { $0 }?.check(at: .now + .seconds(7200))
            return .json("1")
        }
        keeper.withLock { $0 = manager.taskList }
        var request = SessionRequest("x")
        request.totalTimeout = .seconds(3600)
        request.interceptors = [
            MadeInterceptor(retry: { _, _ in
                asked.withLock { $0 += 1 }
                return .retry
            })
        ]
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.code == .totalTimeout)
        // The failure that interceptors were asked about would be the cause.
        #expect(!(error?.cause is SessionError))
        #expect(stub.requests.count == 1)
        await settle()
        #expect(asked.withLock { $0 } == 0)
    }

    @Test("1.12.6: a call that was idle for too long may be tried again, with a clock of its own")
    func idle() async throws {
        let tries = Guarded(0)
        let (manager, _) = try stubManager { _ in
            let first = tries.withLock { tries in
                tries += 1
                return tries == 1
            }
            return first ? StubReply(delay: .seconds(3600)) : .json("1")
        }
        var request = SessionRequest("x")
        request.idleTimeout = .seconds(4)
        request.interceptors = [
            MadeInterceptor(retry: { _, error in error.code == .idleTimeout ? .retry : .doNotRetry })
        ]
        #expect(try await manager.send(request).timeline.retries == 1)
    }
}
