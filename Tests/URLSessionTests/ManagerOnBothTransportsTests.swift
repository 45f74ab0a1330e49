import PatchbayPlatform

#if os(Linux)
    import Foundation
    import Patchbay
    import PatchbayURLSession
    import TestSupport
    import Testing
    import PatchbayMigration

    /// What the session manager decides above the transports comes out alike on both.
    @Suite(.timeLimit(.minutes(5)))
    struct ManagerOnBothTransportsTests {
        typealias Carrier = URLSessionTests.Carrier

        private func manager(_ carrier: Carrier, _ server: RawServer) -> SessionManager {
            SessionManager(baseURL: server.url(), registry: .standard, transport: carrier.transport)
        }

        @Test(arguments: Carrier.allCases) func decodesTheBodyOfAChallenge(_ carrier: Carrier) async throws {
            let server = try RawServer(
                always: .response(
                    status: 401,
                    ["WWW-Authenticate": "Basic realm=\"x\"", "Content-Type": "application/problem+json"],
                    body: #"{"title": "Who are you?"}"#))
            let error = await #expect(throws: SessionError.self) { try await manager(carrier, server).send("x") }
            #expect(error?.code == .status)
            #expect(try error?.decode(as: Problem.self).title == "Who are you?")
        }

        @Test("1.7.9: timeouts that a modifier or an interceptor sets are honoured", arguments: Carrier.allCases)
        func changedTimeouts(_ carrier: Carrier) async throws {
            let server = try RawServer(always: RawReply([.hang]))
            let changes: [(SessionError.Code, @Sendable (inout SessionRequest) -> Void)] = [
                (.idleTimeout, { $0.idleTimeout = .milliseconds(200) }),
                (.totalTimeout, { $0.totalTimeout = .milliseconds(200) }),
            ]
            for (code, change) in changes {
                var modified = SessionRequest("x")
                // The clock that is not changed ends the call later, and with another code.
                (modified.idleTimeout, modified.totalTimeout) = (.seconds(50), .seconds(50))
                var adapted = modified
                modified.modifier = change
                adapted.interceptors = [
                    ClosureInterceptor(adapt: { request in
                        var request = request
                        change(&request)
                        return request
                    })
                ]
                for request in [modified, adapted] {
                    let error = await #expect(throws: SessionError.self) {
                        try await manager(carrier, server).send(request)
                    }
                    #expect(error?.code == code)
                    #expect(error?.description.contains("0.2 s") == true, "\(String(describing: error))")
                }
            }
        }

        /// Notes what a transport does not keep in turn.
        private final class Turns: ExchangeReceiver {
            private struct State {
                var isInside = false
                var hasHead = false
                var count = 0
                var faults: [String] = []
            }

            let stop = OneShot()
            private let state = Guarded(State())

            var count: Int { state.withLock(\.count) }
            var faults: [String] { state.withLock(\.faults) }

            func receive(status: Int, fields: HeaderFields) -> TransportFlow { take(isHead: true, 0) }
            func receive(_ chunk: UnsafeRawBufferPointer) -> TransportFlow { take(isHead: false, chunk.count) }
            func sent(_ bytes: Int) {}

            private func take(isHead: Bool, _ count: Int) -> TransportFlow {
                state.withLock { state in
                    if state.isInside { state.faults.append("two at once") }
                    if state.hasHead == isHead {
                        state.faults.append(isHead ? "a second head" : "a chunk before its head")
                    }
                    state.isInside = true
                    state.hasHead = true
                    state.count += count
                }
                sched_yield()
                state.withLock { $0.isInside = false }
                return .proceed
            }
        }

        @Test(
            "1.5.1: what arrives of a call comes one piece at a time, its head first, however many calls there are",
            arguments: Carrier.allCases)
        func piecesInTurn(_ carrier: Carrier) async throws {
            let server = try RawServer(always: RawReply.response(body: "0123456789").sliced(into: 5))
            let transport = carrier.transport
            let receivers = (0..<50).map { _ in Turns() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for receiver in receivers {
                    let request = TransportRequest(head: RequestHead(url: server.url()))
                    group.addTask { _ = try await transport.perform(request, for: receiver) }
                }
                try await group.waitForAll()
            }
            #expect(receivers.flatMap(\.faults) == [])
            #expect(receivers.allSatisfy { $0.count == 10 })
        }

        /// Set-Cookie fields of one response, which URLSession joins by `, `, and the cookies that the next request has.
        struct Cookies: Sendable, CustomTestStringConvertible {
            let name: String
            let fields: [String]
            let sent: String?
            var testDescription: String { name }
        }

        static let cookies = [
            Cookies(name: "one", fields: ["a=b"], sent: "a=b"),
            Cookies(name: "two", fields: ["a=1", "b=2"], sent: "a=1; b=2"),
            Cookies(
                name: "dates",
                fields: [
                    "a=1; Expires=Fri, 31 Dec 9999 23:59:59 GMT", "b=2; expires=Fri, 31 Dec 9999 23:59:59 GMT; Path=/",
                    "c=3",
                ],
                sent: "a=1; b=2; c=3"),
            Cookies(
                name: "a comma in a value", fields: ["a=1,b=2", "c=3, 4", "d[e]="], sent: "a=1,b=2; c=3, 4; d[e]="),
            Cookies(
                name: "a date that is over", fields: ["a=1", "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "b=2"],
                sent: "b=2"),
        ]

        @Test("1.8.9: all cookies of a response come back", arguments: Carrier.allCases, cookies)
        func cookieFields(_ carrier: Carrier, _ item: Cookies) async throws {
            let server = try RawServer { request in
                .response(
                    status: 204, HeaderFields(request.target == "/set" ? item.fields.map { ("Set-Cookie", $0) } : []))
            }
            var configuration = SessionConfiguration()
            configuration.cookies = CookieJar()
            let manager = SessionManager(
                baseURL: server.url(), registry: .standard, transport: carrier.transport, configuration: configuration)
            for path in ["set", "get"] { _ = try await manager.send(path) }
            #expect(server.requests.map { $0.fields.values(for: "Cookie") } == [[], item.sent.map { [$0] } ?? []])
            var request = SessionRequest("without")
            request.usesCookies = false
            _ = try await manager.send(request)
            #expect(server.requests.last?.fields["Cookie"] == nil)
        }
    }
#endif
