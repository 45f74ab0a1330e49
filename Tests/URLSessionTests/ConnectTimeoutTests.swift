#if os(Linux)
    import Foundation
    import Patchbay
    import PatchbayURLSession
    import TestSupport
    import Testing

    /// The connect timeout by the clock of `URLSessionTransport`.
    @Suite(.timeLimit(.minutes(5)))
    struct ConnectTimeoutTests {
        private static let limit = Duration.milliseconds(300)

        private static func request(
            _ port: UInt16, _ method: String = "GET", _ body: String? = nil, _ fields: HeaderFields = [:],
            within limit: Duration? = limit
        ) throws -> TransportRequest {
            let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
            var request = TransportRequest(
                head: RequestHead(method: method, url: url, fields: fields), body: body.map { .data(Data($0.utf8)) })
            request.connection.connectTimeout = limit
            return request
        }

        /// A request to a host that takes no connection.
        struct Case: Sendable, CustomTestStringConvertible {
            let name: String
            var method = "GET"
            var body: String?
            var fields: HeaderFields = [:]
            let code: TransportFailure.Code
            var testDescription: String { name }
        }

        static let cases = [
            Case(name: "a GET", code: .connectTimeout),
            Case(name: "a PUT", method: "PUT", body: "abc", code: .connectTimeout),
            Case(name: "a POST", method: "POST", body: "abc", code: .lostConnection),
            Case(name: "a POST without a body", method: "POST", code: .lostConnection),
            Case(name: "a POST of no bytes", method: "POST", body: "", code: .lostConnection),
            Case(
                name: "a POST without a body, with a key", method: "POST", fields: ["Idempotency-Key": "1"],
                code: .connectTimeout),
            Case(
                name: "a POST with a key", method: "POST", body: "abc", fields: ["Idempotency-Key": "1"],
                code: .connectTimeout),
        ]

        @Test("an exchange with a host that takes no connection ends after the connect timeout", arguments: cases)
        func neverAccepts(_ item: Case) async throws {
            let full = try FullListener()
            defer { full.close() }
            let reason =
                "no answer from 127.0.0.1:\(full.port) within 0.3 s, and URLSession does not tell whether it was connected"
            await #expect(throws: TransportFailure(item.code, reason)) {
                try await URLSessionTransport().perform(
                    Self.request(full.port, item.method, item.body, item.fields), for: Recorder())
            }
        }

        @Test("a host that takes the connection late is answered by", arguments: ["GET", "PUT"])
        func acceptsLate(_ method: String) async throws {
            let full = try FullListener()
            defer { full.close() }
            async let late = {
                let recorder = Recorder()
                let body = method == "GET" ? nil : "abc"
                _ = try await URLSessionTransport().perform(
                    Self.request(full.port, method, body, within: .seconds(100)), for: recorder)
                return recorder.record.status
            }()
            // An exchange that fails shows that no connection was taken yet.
            await #expect(throws: TransportFailure.self) {
                try await URLSessionTransport().perform(Self.request(full.port), for: Recorder())
            }
            try full.takeConnections()
            #expect(try await late == 204)
        }

        @Test("the connect timeout does not count after the first byte of the body, however late the answer is")
        func slowServer() async throws {
            let (full, gate) = (try FullListener(), Gate())
            defer { full.close() }
            let server = try RawServer(always: RawReply.response(status: 204).after(gate))
            let recorder = Recorder()
            let limit = Duration.seconds(2)
            async let slow = URLSessionTransport().perform(
                Self.request(server.port, "PUT", "abc", within: limit), for: recorder)
            await server.requests(atLeast: 1)
            // A second timeout of the same length begins later, and has passed.
            await #expect(throws: TransportFailure.self) {
                try await URLSessionTransport().perform(Self.request(full.port, within: limit), for: Recorder())
            }
            gate.open()
            _ = try await slow
            #expect(recorder.record.status == 204)
        }

        @Test("the connect timeout does not count after an interim response, or in the body of the response")
        func slowResponse() async throws {
            let (full, gate) = (try FullListener(), Gate())
            defer { full.close() }
            let pieces = [
                ("/interim", "HTTP/1.1 103 Early\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
                ("/body", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no", "k"),
            ]
            let server = try RawServer { request in
                let (_, first, rest) = pieces.first { $0.0 == request.target } ?? ("", "", "")
                return RawReply([.send(Array(first.utf8)), .wait(gate), .send(Array(rest.utf8))])
            }
            let transport = URLSessionTransport()
            let recorders = pieces.map { _ in Recorder() }
            let exchanges = zip(pieces, recorders).map { piece, recorder in
                Task {
                    var request = TransportRequest(head: RequestHead(url: server.url(piece.0)))
                    request.connection.connectTimeout = .seconds(2)
                    _ = try await transport.perform(request, for: recorder)
                }
            }
            await server.requests(atLeast: 2)
            await #expect(throws: TransportFailure.self) {
                try await transport.perform(Self.request(full.port, within: .seconds(2)), for: Recorder())
            }
            gate.open()
            for exchange in exchanges { try await exchange.value }
            #expect(recorders.map(\.record.text) == ["ok", "ok"])
        }

        @Test(
            "without a limit, and with the default, the clocks of the call decide",
            arguments: [Duration?.none, .seconds(10)])
        func systems(_ limit: Duration?) async throws {
            let full = try FullListener()
            defer { full.close() }
            var configuration = SessionConfiguration(idleTimeout: .milliseconds(200))
            configuration.connection.connectTimeout = limit
            let manager = SessionManager(
                registry: .standard, transport: URLSessionTransport(), configuration: configuration)
            let error = await #expect(throws: SessionError.self) {
                try await manager.send("http://127.0.0.1:\(full.port)/")
            }
            #expect(error?.code == .idleTimeout)
        }

        @Test("RetryPolicy sends a GET again after the connect timeout, and no POST that the host can have")
        func retries() async throws {
            let server = try RawServer(always: RawReply([.hang]))
            var configuration = SessionConfiguration(
                interceptors: [RetryPolicy(limit: 1, scale: .zero, maximumExtraLoad: nil)])
            configuration.connection.connectTimeout = Self.limit
            let manager = SessionManager(
                registry: .standard, transport: URLSessionTransport(), configuration: configuration)
            for (method, count) in [("GET", 2), ("POST", 3)] {
                let error = await #expect(throws: SessionError.self) {
                    try await manager.send(SessionRequest(server.target(), method: method))
                }
                #expect(error?.code == .transport)
                #expect(server.requests.count == count)
            }
        }

        @Test("an exchange that is cancelled before its connect timeout leaves nothing", arguments: [true, false])
        func cancelled(bySignal: Bool) async throws {
            let full = try FullListener()
            defer { full.close() }
            let transport = URLSessionTransport()
            let released = await {
                let recorder = Recorder()
                let exchange = Task {
                    try await transport.perform(Self.request(full.port, within: .seconds(100_000)), for: recorder)
                }
                if bySignal { recorder.stop.fire() } else { exchange.cancel() }
                let result = await exchange.result
                #expect(throws: TransportFailure(.stopped, "the exchange was stopped")) { try result.get() }
                return recorder.released
            }()
            await released.fired()
        }
    }
#endif
