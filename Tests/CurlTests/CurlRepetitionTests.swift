import Foundation
import Patchbay
import PatchbayCurl
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayManager

/// What becomes of a request over HTTP/2 that gets no response (RFC 9113, sections 7 and 8.7; RFC 9110, section 9.2.2).
@Suite(
    "Requests over HTTP/2 that get no response", .timeLimit(.minutes(5)),
    .enabled(if: HTTP2Server.isPossible, HTTP2Server.absence))
struct CurlRepetitionTests {
    private static let methods = ["GET", "DELETE", "PUT", "POST", "PATCH"]
    private static let highest: UInt32 = 0x7FFF_FFFF

    private static func body(_ method: String) -> [UInt8]? {
        method == "GET" || method == "DELETE" ? nil : Array("abc".utf8)
    }

    /// Performs an exchange, after another one on the same connection if it is kept.
    private static func exchange(
        _ transport: ConnectedTransport, _ server: HTTP2Server, onKept isKept: Bool, _ method: String,
        _ fields: HeaderFields = [:]
    ) async throws -> Exchange {
        let url = try server.url
        if isKept { #expect(await transport.exchange(url).record.text == "ok") }
        return await transport.exchange(url, method: method, fields: fields, body: body(method))
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var code = HTTP2Server.ErrorCode.refusedStream
        var isKept = false
        var atHead = false
    }

    @Test(
        "What the host did not process is sent once more on another connection, whatever the method",
        arguments: [
            Refused(testDescription: "a stream of a new connection is refused"),
            Refused(testDescription: "a stream of a kept connection is refused", isKept: true),
            Refused(testDescription: "a stream of a new connection is refused before its body", atHead: true),
            Refused(
                testDescription: "a stream of a kept connection is refused before its body", isKept: true, atHead: true),
            Refused(testDescription: "HTTP/1.1 is required on a new connection", code: .http11Required),
            Refused(testDescription: "HTTP/1.1 is required on a kept connection", code: .http11Required, isKept: true),
            Refused(
                testDescription: "HTTP/1.1 is required before the body", code: .http11Required, isKept: true,
                atHead: true),
        ])
    func refused(_ row: Refused) async throws {
        try await HTTP2Server.run { server in
            for method in Self.methods {
                server.begin(answersHeads: row.atHead) { request in
                    let isRefused = request.connection == 0 && request.number == (row.isKept ? 2 : 1)
                    return isRefused ? request.reset(row.code) : request.ok
                }
                let transport = try server.transport()
                let exchange = try await Self.exchange(transport, server, onKept: row.isKept, method)
                #expect(exchange.record.text == "ok", "\(method): \(exchange.result)")
                #expect(exchange.timings?.reusedConnection == false, "\(method)")
                let first = server.requests.count { $0.connection == 0 }
                #expect(first == (row.isKept ? 2 : 1), "\(method)")
                let again = server.requests.filter { $0.connection != 0 }
                let bodies = row.code == .refusedStream ? again.map(\.body) : server.http1Requests.map(\.body)
                #expect(bodies == [Self.body(method) ?? []], "\(method)")
                #expect(exchange.timings?.httpVersion == (row.code == .refusedStream ? "2" : "1.1"), "\(method)")
            }
        }
    }

    @Test("A host that wants HTTP/1.1 after an interim response is followed", arguments: methods)
    func afterInterim(_ method: String) async throws {
        try await HTTP2Server.run { server in
            server.begin { $0.interim + $0.reset(.http11Required) }
            let exchange = try await Self.exchange(try server.transport(), server, onKept: false, method)
            #expect(exchange.record.text == "ok", "\(exchange.result)")
            #expect(exchange.timings?.httpVersion == "1.1")
            #expect(server.requests.count == 1)
            #expect(server.http1Requests.map(\.body) == [Self.body(method) ?? []])
        }
    }

    @Test("After the head of a response nothing is sent again", arguments: methods)
    func afterHead(_ method: String) async throws {
        try await HTTP2Server.run { server in
            let first = Shared<HTTP2Server.Request?>(nil)
            server.begin { request in
                switch request.number {
                case 1:
                    first.withLock { $0 = request }
                    return request.head
                case 2: return request.ok
                default: return (first.withLock { $0?.reset(.http11Required) } ?? []) + request.ok
                }
            }
            let (transport, url) = (try server.transport(), try server.url)
            async let lost = transport.exchange(url, method: method, body: Self.body(method))
            await until { server.requests.count == 1 }
            // libcurl has read the head when it has this response.
            #expect(await transport.exchange(url).record.text == "ok")
            #expect(await transport.exchange(url).record.text == "ok")
            #expect(await lost.result.failure?.reason == "the connection was lost")
            #expect(server.requests.count == 3)
            #expect(server.http1Requests.isEmpty)
        }
    }

    @Test(
        "Where nginx ends a connection after some requests, no call is lost that can be sent again", arguments: methods,
        [4, 16])
    func busy(_ method: String, workers: Int) async throws {
        let served = """
            listen 127.0.0.1:PORT ssl http2; keepalive_requests 10;
            ssl_certificate FOLDER/host.pem; ssl_certificate_key FOLDER/host.key;
            location / { return 200 "ok"; }
            """
        let folder = try await CertificateFolder()
        defer { folder.remove() }
        try await folder.issue("host")
        let tls = TLSSettings(certificateAuthorities: folder.path("ca.pem"))
        try await LocalService.runNginx(served, in: folder.url) { _, port in
            let transport = ConnectedTransport(CurlTransport(), tls: tls)
            let url = try #require(URL(string: "https://127.0.0.1:\(port)/"))
            let exchanges = await withTaskGroup { group in
                for _ in 0..<workers {
                    group.addTask {
                        var exchanges: [Exchange] = []
                        for _ in 0..<20 {
                            exchanges.append(await transport.exchange(url, method: method, body: Self.body(method)))
                        }
                        return exchanges
                    }
                }
                return await group.reduce(into: [Exchange]()) { $0 += $1 }
            }
            let failed = exchanges.filter { $0.record.text != "ok" }
            #expect(failed.isEmpty || method == "POST" || method == "PATCH", "\(failed.map(\.result))")
            for exchange in failed {
                #expect(exchange.code == .lostConnection, "\(exchange.result)")
                #expect(exchange.result.failure?.reason.hasSuffix("the request may have been processed") == true)
            }
        }
    }

    @Test("It is sent again without a RetryPolicy, and is no retry of one")
    func uncounted() async throws {
        try await HTTP2Server.run { server in
            for hasPolicy in [false, true] {
                server.begin { $0.connection == 0 ? $0.reset(.refusedStream) : $0.ok }
                var configuration = SessionConfiguration()
                var policy = RetryPolicy()
                policy.limit = 0
                configuration.interceptors = hasPolicy ? [policy] : []
                let manager = SessionManager(
                    baseURL: try server.url, registry: .standard, transport: try server.transport(),
                    configuration: configuration)
                let request = SessionRequest("a", method: "POST", content: .data(Data("abc".utf8)))
                let reply = try await manager.send(request, as: String.self)
                #expect(reply.value == "ok")
                #expect(reply.timeline.retries == 0)
                #expect(server.requests.map(\.text) == ["abc", "abc"])
            }
        }
    }

    struct Lost: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var isKept = false
        var ending = RawReply.Step.close
        /// Nil ends the connection.
        var frames: [UInt8]?
        /// The last stream of the GOAWAY tells that the host has not processed the request, and libcurl 8 passes that on.
        var isRefused = false
    }

    @Test(
        "What the host may have processed is sent once more if it is idempotent; a POST over a kept connection that is reset is sent once",
        arguments: [
            Lost(testDescription: "GOAWAY without a stream", frames: HTTP2Server.goAway(0), isRefused: true),
            Lost(testDescription: "GOAWAY and an error", frames: HTTP2Server.goAway(0, .internalError)),
            Lost(
                testDescription: "GOAWAY that falls from 2^31-1 to 0",
                frames: HTTP2Server.goAway(highest) + HTTP2Server.goAway(0), isRefused: true),
            Lost(
                testDescription: "GOAWAY on a kept connection", isKept: true, frames: HTTP2Server.goAway(1),
                isRefused: true),
            Lost(
                testDescription: "broken framing on a kept connection", isKept: true, frames: HTTP2Server.misplacedData),
            Lost(testDescription: "the end of a kept connection", isKept: true),
            Lost(testDescription: "a reset of a kept connection", isKept: true, ending: .reset),
        ])
    func lost(_ row: Lost) async throws {
        try await HTTP2Server.run { server in
            let requests: [(method: String, key: String?)] =
                Self.methods.map { ($0, nil) } + [("POST", "1"), ("PATCH", "1")]
            for (method, key) in requests {
                server.begin(ending: row.ending) { request in
                    request.connection == 0 && request.number == (row.isKept ? 2 : 1) ? row.frames : request.ok
                }
                let transport = try server.transport()
                var fields = HeaderFields()
                fields["Idempotency-Key"] = key
                let exchange = try await Self.exchange(transport, server, onKept: row.isKept, method, fields)
                let sent = server.requests.count - (row.isKept ? 1 : 0)
                if key == nil, method == "POST" || method == "PATCH", !row.isRefused || sent == 1 {
                    #expect(sent == 1, "\(method)")
                    #expect(exchange.code == .lostConnection, "\(method): \(exchange.result)")
                    let reason = exchange.result.failure?.reason
                    #expect(
                        reason?.hasSuffix("the request may have been processed") == true, "\(method): \(reason ?? "")")
                } else {
                    #expect(sent == 2, "\(method)")
                    #expect(exchange.record.text == "ok", "\(method): \(exchange.result)")
                }
            }
        }
    }

    struct Ended: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let frames: [UInt8]
        /// The last stream that is served.
        var served: UInt32 = 1
    }

    @Test(
        "Where a connection with three requests ends, those that are served are sent once, and the others once more",
        arguments: [
            Ended(
                testDescription: "GOAWAY with the first of them",
                frames: HTTP2Server.goAway(3) + HTTP2Server.ok(3), served: 3),
            Ended(
                testDescription: "GOAWAY with the first of them, and an error",
                frames: HTTP2Server.goAway(3, .internalError) + HTTP2Server.ok(3), served: 3),
            Ended(
                testDescription: "GOAWAY that falls from 2^31-1",
                frames: HTTP2Server.goAway(highest) + HTTP2Server.goAway(5) + HTTP2Server.goAway(3) + HTTP2Server.ok(3),
                served: 3),
            Ended(
                testDescription: "GOAWAY that refuses none",
                frames: HTTP2Server.goAway(highest) + [3, 5, 7].flatMap(HTTP2Server.ok), served: 7),
            Ended(testDescription: "GOAWAY with none of them", frames: HTTP2Server.goAway(0)),
        ], ["GET", "POST"])
    func shared(_ row: Ended, _ method: String) async throws {
        try await HTTP2Server.run { server in
            for _ in 0..<10 {
                server.begin { request in
                    guard request.connection == 0, request.number > 1 else { return request.ok }
                    return request.number < 4 ? [] : row.frames
                }
                let (transport, url) = (try server.transport(), try server.url)
                #expect(await transport.exchange(url).record.text == "ok")
                let exchanges = await withTaskGroup { group in
                    for number in 1...3 {
                        let body = method == "GET" ? nil : Array("\(number)".utf8)
                        group.addTask { await transport.exchange(url, method: method, body: body) }
                    }
                    return await group.reduce(into: [Exchange]()) { $0.append($1) }
                }
                let served = Int(row.served - 1) / 2
                // libcurl does not tell whether the last stream of a connection was refused.
                let failed = exchanges.filter { $0.code != nil }
                #expect(failed.isEmpty || method == "POST" && served < 3, "\(exchanges.map(\.result))")
                for exchange in failed {
                    #expect(exchange.result.failure?.reason.hasSuffix("the request may have been processed") == true)
                }
                #expect(server.requests.count == 1 + 3 + (3 - served) - failed.count)
                guard method == "POST" else { continue }
                for number in 1...3 {
                    let sent = server.requests.filter { $0.text == "\(number)" }
                    #expect(sent.count <= 2)
                    #expect(sent.count == 1 || sent.first.map { $0.stream > row.served } == true)
                }
            }
        }
    }

    @Test("A host that refuses for ever gets each attempt twice", arguments: methods)
    func refusedForEver(_ method: String) async throws {
        try await HTTP2Server.run { server in
            for isKept in [false, true] {
                server.begin { isKept && $0.connection == 0 && $0.number == 1 ? $0.ok : $0.reset(.refusedStream) }
                let transport = try server.transport()
                let exchange = try await Self.exchange(transport, server, onKept: isKept, method)
                #expect(exchange.code == .unprocessed)
                #expect(
                    exchange.result.failure?.reason == "the host refused the request twice, and processed nothing of it"
                )
                #expect(server.requests.count == (isKept ? 3 : 2))
            }
            server.begin { $0.reset(.refusedStream) }
            var configuration = SessionConfiguration()
            configuration.sleep = { _ in }
            configuration.interceptors = [RetryPolicy()]
            let manager = SessionManager(
                baseURL: try server.url, registry: .standard, transport: try server.transport(),
                configuration: configuration)
            let content = Self.body(method).map { RequestContent.data(Data($0)) }
            let error = await #expect(throws: SessionError.self) {
                try await manager.send(SessionRequest("a", method: method, content: content))
            }
            #expect((error?.cause as? TransportFailure)?.code == .unprocessed)
            #expect(error?.retries == 2)
            #expect(server.requests.count == 6)
        }
    }

    @Test(
        "The failure of a body that can be read once says that nothing was processed",
        arguments: [HTTP2Server.ErrorCode.refusedStream, .http11Required], ["PUT", "POST"])
    func singlePass(_ code: HTTP2Server.ErrorCode, _ method: String) async throws {
        try await HTTP2Server.run { server in
            for isKept in [false, true] {
                server.begin { isKept && $0.connection == 0 && $0.number == 1 ? $0.ok : $0.reset(code) }
                let manager = SessionManager(
                    baseURL: try server.url, registry: .standard, transport: try server.transport())
                if isKept { #expect(try await manager.get("", as: String.self) == "ok") }
                let (chunks, more) = AsyncStream.makeStream(of: Data.self)
                more.yield(Data("abc".utf8))
                more.finish()
                let request = SessionRequest("a", method: method, content: .stream(chunks, length: 3))
                let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
                #expect((error?.cause as? TransportFailure)?.code == .unprocessed)
                #expect(
                    error?.reason
                        == "the host processed nothing of the request, and the body of the request cannot be sent twice"
                )
                #expect(server.requests.count == (isKept ? 2 : 1))
                #expect(server.http1Requests.isEmpty)
            }
        }
    }

    @Test("A host that wants HTTP/1.1 is not followed where the settings allow HTTP/2 alone", arguments: methods)
    func onlyHTTP2(_ method: String) async throws {
        try await HTTP2Server.run { server in
            server.begin { $0.reset(.http11Required) }
            let transport = ConnectedTransport(CurlTransport(), ConnectionSettings(http: .http2))
            let exchange = await transport.exchange(server.plainURL, method: method, body: Self.body(method))
            #expect(exchange.code == .unsupportedRequest, "\(exchange.result)")
            #expect(exchange.result.failure?.reason.hasPrefix("the host wants the request over HTTP/1.1") == true)
            #expect(server.requests.count == 1)
            #expect(server.http1Requests.isEmpty)
        }
    }

    @Test("A stream that the host resets for another reason is not sent again", arguments: methods)
    func otherReset(_ method: String) async throws {
        try await HTTP2Server.run { server in
            for isKept in [false, true] {
                server.begin { isKept && $0.number == 1 ? $0.ok : $0.reset(.internalError) }
                let transport = try server.transport()
                let exchange = try await Self.exchange(transport, server, onKept: isKept, method)
                #expect(exchange.code == .lostConnection, "\(exchange.result)")
                #expect(server.requests.count == (isKept ? 2 : 1))
            }
        }
    }
}
