#if os(Linux)
    import Foundation
    import Patchbay
    import PatchbayTesting
    import PatchbayURLSession
    import TestSupport
    import Testing

    /// The 39 cases of the client suite of the Swift Networking Workgroup, over both transports. It names the cases.
    @Suite("The 39 cases of the Networking Workgroup", .timeLimit(.minutes(5)))
    struct ClientConformanceTests {
        private static let sendsWholeBodies = "the body of a request is read to its end before it is sent"
        private static let endsTheProcess = "a trailer field ends the process inside Foundation"

        /// The cases that fail, with the reason.
        private static let exceptions: [Carrier: [String: String]] = [
            .urlSession: [
                "EchoInterleave": sendsWholeBodies, "SpeakInterleave": sendsWholeBodies,
                "BadHTTPCase": "Foundation accepts a status line that begins with Http",
                "NoReason": "Foundation refuses a status line without its second space",
                "TrailerRead": endsTheProcess, "TrailerWrite": "the transport sends no trailer fields",
            ]
        ]

        @Test("All cases pass, but for the exceptions", arguments: Carrier.allCases)
        func cases(_ carrier: Carrier) async {
            let exceptions = Self.exceptions[carrier] ?? [:]
            let failures = await Self.failures(exceptions) { carrier.transport }
            let count = ConformanceCase.all.count
            print("\(count - failures.count) of \(count) over \(carrier == .libcurl ? "libcurl" : "URLSession")")
            for (name, reason) in failures.sorted(by: <) { print("  \(name): \(reason)") }
            #expect(Set(failures.keys) == Set(exceptions.keys))
        }

        @Test("The case that ends the process fails in a child, where another one passes")
        func inAChild() async {
            await #expect(processExitsWith: .success) { try await Self.carryByURLSession("Ok") }
            await #expect(processExitsWith: .failure) { try await Self.carryByURLSession("TrailerRead") }
        }

        @Test("Every case fails over a transport that gives the same answer to every request")
        func control() async {
            let failures = await Self.failures(limit: .seconds(1)) { StubTransport { _ in StubReply(body: "?") } }
            #expect(failures.count == 39 && ConformanceCase.all.count == 39)
        }

        private static func carryByURLSession(_ name: String) async throws {
            let item = try #require(ConformanceCase.all.first { $0.name == name })
            try await item.run(over: URLSessionTransport(), limit: .seconds(10))
        }

        /// Runs the cases, and returns the reason of each that fails, by its name. Cases that are expected to fail get
        /// less time, because the interleavings use all of it.
        private static func failures(
            _ exceptions: [String: String] = [:], limit: Duration = .seconds(200), _ transport: () -> any Transport
        ) async -> [String: String] {
            var failures: [String: String] = [:]
            for item in ConformanceCase.all {
                do {
                    let exception = exceptions[item.name]
                    guard exception != endsTheProcess else { throw Mismatch(description: "not run here") }
                    try await item.run(over: transport(), limit: exception == nil ? limit : .seconds(2))
                } catch {
                    failures[item.name] = "\(error)"
                }
            }
            return failures
        }
    }

    private struct Mismatch: Error, CustomStringConvertible {
        let description: String
    }

    /// One case: its server, and the check of what a client makes of the answers.
    struct ConformanceCase: Sendable {
        /// The manager under test, and the server at its base URL.
        struct Client: Sendable {
            let manager: SessionManager
            let server: RawServer
        }

        /// A request as the server got it. The names of fields are in lower case.
        struct Received: Codable, Sendable {
            let method: String, body: String
            let params: [String: [String]], headers: [String: [String]], trailers: [String: [String]]
        }

        let name: String
        let makeServer: @Sendable () throws -> RawServer
        let check: @Sendable (Client) async throws -> Void

        /// - Parameter makeServer: called for each run; by default the server that has a path for most cases.
        init(
            _ name: String, server makeServer: @escaping @Sendable () throws -> RawServer = Self.service,
            check: @escaping @Sendable (Client) async throws -> Void
        ) {
            (self.name, self.makeServer, self.check) = (name, makeServer, check)
        }

        /// A case whose server sends the text and closes the connection.
        init(_ name: String, raw: String, check: @escaping @Sendable (Client) async throws -> Void) {
            self.init(name, server: { try RawServer(always: .raw(raw)) }, check: check)
        }

        func run(over transport: any Transport, limit: Duration) async throws {
            let server = try makeServer()
            defer { server.stop() }
            let configuration = SessionConfiguration(cache: .memory(bytes: 1 << 20))
            let manager = SessionManager(baseURL: server.url(), transport: transport, configuration: configuration)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await check(Client(manager: manager, server: server)) }
                group.addTask {
                    try await Task.sleep(for: limit)
                    // Also ends a check that waits for a request.
                    server.stop()
                    throw Mismatch(description: "not over after \(limit)")
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    private func equal<Value: Equatable>(_ value: Value, _ wanted: Value) throws {
        guard value != wanted else { return }
        throw Mismatch(description: "\("\(value)".prefix(99)) instead of \("\(wanted)".prefix(99))")
    }

    /// The values of a list, in one field or in several.
    private func members(of values: [String]?) -> [String] {
        (values ?? []).flatMap { $0.split(separator: ",") }.map { $0.trimmingCharacters(in: .whitespaces) }
    }

    extension Reply {
        fileprivate var received: ConformanceCase.Received {
            get throws { try decode(as: ConformanceCase.Received.self) }
        }
    }

    // What the checks have in common.
    extension ConformanceCase.Client {
        func send(
            _ target: String = "request", method: String = "GET", content: RequestContent? = nil,
            query: QueryItems = [], headers: HeaderFields = [:]
        ) async throws -> Reply<Data> {
            var request = SessionRequest(target, method: method, content: content, query: query, headers: headers)
            request.acceptableStatus = .any
            return try await manager.send(request, as: Data.self)
        }

        /// Checks the response to a request without a query and fields.
        @discardableResult
        func expect(
            _ status: Int, _ body: String = "", trailers: HeaderFields = [:], from target: String = "",
            method: String = "GET", content: RequestContent? = nil
        ) async throws -> Reply<Data> {
            let reply = try await send(target, method: method, content: content)
            try equal(reply.head.status, status)
            try equal(String(decoding: reply.value, as: UTF8.self), body)
            try equal(reply.trailers, trailers)
            return reply
        }

        func expect(_ code: TransportFailure.Code) async throws {
            try equal((try await error { try await send("") }.cause as? TransportFailure)?.code, code)
        }

        func error(of call: () async throws -> some Any) async throws -> SessionError {
            do {
                throw Mismatch(description: "no error, but \(try await call())")
            } catch let error as SessionError {
                return error
            }
        }

        /// Checks a body that the server codes if the client offers to decode it.
        func expectText(in coding: String) async throws {
            let reply = try await expect(200, "TEST\n", from: coding)
            let offer = members(of: server.requests.last?.fields.values(for: "Accept-Encoding"))
            let isCoded = coding != "identity" && offer.contains(coding)
            try equal(reply.head.fields["Content-Encoding"], isCoded ? coding : nil)
        }

        /// Sends each piece when the echo of the last has arrived, or sends each piece of the speaker back.
        func expectTurns(from target: String) async throws {
            let (content, feed) = AsyncStream.makeStream(of: Data.self)
            defer { feed.finish() }
            let turns = ConformanceCase.turns
            let speaks = target == "speak"
            if !speaks { feed.yield(turns[0]) }
            var received: [Data] = []
            let request = SessionRequest(target, method: "POST", content: .stream(content))
            for try await piece in try await manager.stream(request, of: Data.self) {
                received.append(piece)
                let next = speaks ? piece : turns.dropFirst(received.count).first
                if let next { feed.yield(next) } else { feed.finish() }
            }
            try equal(received, turns)
        }
    }

    // The servers.
    extension ConformanceCase {
        private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        private static func thousand(_ status: Int = 200) -> String {
            "HTTP/1.1 \(status) Status\r\nContent-Length: 1000\r\n\r\n"
        }
        private static let million = String(repeating: "A", count: 1_000_000)
        fileprivate static let turns = (0..<1_000).map { Data([UInt8(truncatingIfNeeded: $0)]) }

        /// "TEST\n" in each coding.
        private static let coded = [
            "gzip": "H4sIAAAAAAACAwtxDQ7hAgC+14P3BQAAAA==", "deflate": "eJwLcQ0O4QIABGgBSw==", "br": "CwKAVEVTVAoD",
        ].mapValues { Data(base64Encoded: $0) ?? Data() }

        @Sendable private static func service() throws -> RawServer {
            let tag = Shared(0)
            return try RawServer { request in
                let path = String(request.target.dropFirst().prefix { $0 != "?" })
                switch path {
                case "request": return described(request)
                case "200", "404", "999": return .response(status: Int(path) ?? 0)
                case "301", "308": return .response(status: Int(path) ?? 0, ["Location": "/request"], body: "moved")
                case "ping": return .response(status: 301, ["Location": "/pong"])
                case "pong": return .response(status: 301, ["Location": "/ping"])
                case "gzip", "deflate", "br", "identity":
                    let isOffered = members(of: request.fields.values(for: "Accept-Encoding")).contains(path)
                    guard isOffered, let body = coded[path] else { return .response(body: "TEST\n") }
                    return .response(["Content-Encoding": path], body: body)
                case "two": return .response(["X-Test": "one", "X-Test": "two"])
                case "length": return .raw(thousand(), closing: false)
                case "stall": return RawReply([.hang])
                case "half": return RawReply([.send(Array((thousand() + million.prefix(500)).utf8)), .hang])
                case "million": return .response(body: million)
                case "drip": return RawReply.response(body: million).sliced(into: 500)
                case "cookie": return .response(["Set-Cookie": "foo=bar"])
                case "etag":
                    return tag.withLock { number in
                        let isKept = request.fields["If-None-Match"] == "\"\(number)\""
                        defer { number += isKept ? 1 : 0 }
                        let fields: HeaderFields = ["ETag": "\"\(number)\"", "Cached": "\(isKept)"]
                        return .response(status: isKept ? 304 : 200, fields, body: isKept ? "" : "\(number)")
                    }
                case "trailers":
                    let trailers = "X-Trailer-One: 1\r\nX-Trailer-Two: 2\r\nX-Checksum: abc\r\n"
                    return .raw("\(chunked)d\r\nResponse body\r\n0\r\n\(trailers)\r\n", closing: false)
                default: return .response(status: 500)
                }
            }
        }

        private static func described(_ request: RawServer.Request) -> RawReply {
            let items = URLComponents(string: request.target)?.queryItems ?? []
            let trailers = request.trailers.map { $0.components(separatedBy: ": ") }
            let received = Received(
                method: request.method, body: request.text,
                params: Dictionary(grouping: items, by: \.name).mapValues { $0.map { $0.value ?? "" } },
                headers: Dictionary(grouping: request.fields) { $0.name.lowercased() }.mapValues { $0.map(\.value) },
                trailers: Dictionary(grouping: trailers) { $0[0].lowercased() }.mapValues { $0.map { $0.last ?? "" } })
            let body = try? JSONEncoder().encode(received)
            return .response(["Content-Type": "application/json"], body: body ?? Data())
        }

        /// Answers at once. Sends each piece of the body back when it has arrived, or speaks first: then it sends each
        /// piece when the last one has come back.
        @Sendable private static func turning() throws -> RawServer {
            try RawServer(readsBodies: false) { request in
                let length = request.fields["Content-Length"].flatMap { Int($0) }
                let speak = RawReply.Step.converse { peer in
                    for piece in turns {
                        peer.sendChunk(Array(piece))
                        guard peer.readChunk() == Array(piece) else { return }
                    }
                    peer.sendChunk([])
                    _ = (peer.readChunk(), peer.readTrailers())
                }
                let echo = RawReply.Step.converse { peer in
                    for start in stride(from: 0, to: length ?? 0, by: 10_000) {
                        peer.sendChunk(peer.read(min(10_000, (length ?? 0) - start)) ?? [])
                    }
                    while length == nil, let chunk = peer.readChunk(), !chunk.isEmpty { peer.sendChunk(chunk) }
                    if length == nil { _ = peer.readTrailers() }
                    peer.sendChunk([])
                }
                return RawReply([.send(Array(chunked.utf8)), request.target == "/speak" ? speak : echo])
            }
        }
    }

    // The table.
    extension ConformanceCase {
        static let all = heads + messages + calls + streams

        private static let heads = [
            Self("NotHTTP", raw: "FOOBAR") { try await $0.expect(.malformedResponse) },
            Self("BadHTTPCase", raw: "Http/1.1 200 OK\r\n\r\n") { try await $0.expect(.malformedResponse) },
            Self("NoReason", raw: "HTTP/1.1 200\r\n\r\n") { try await $0.expect(200) },
            Self("204WithContentLength", raw: thousand(204)) { try await $0.expect(204) },
            Self("304WithContentLength", raw: thousand(304)) { try await $0.expect(304) },
            Self("IncompleteBody", raw: thousand() + "1234") { try await $0.expect(.truncatedBody) },
            Self("ConflictingContentLength", raw: "HTTP/1.1 200 OK\r\nContent-Length: 10, 4\r\n\r\n1234") {
                try await $0.expect(.malformedResponse)
            },
            Self("NoLengthHint", raw: "HTTP/1.1 200 OK\r\n\r\n1234") { try await $0.expect(200, "1234") },
        ]

        private static let messages = [
            Self("Ok") { client in
                let methods = ["HEAD", "GET", "PUT", "POST", "DELETE"]
                for method in methods { try await client.expect(200, from: "200", method: method) }
                try equal(client.server.requests.map(\.method), methods)
            },
            Self("NotFound") { try await $0.expect(404, from: "404") },
            Self("StatusOutOfRangeButValid") { try await $0.expect(999, from: "999") },
            Self("HeadWithContentLength") { try await $0.expect(200, from: "length", method: "HEAD") },
            Self("EchoString", server: turning) { client in
                let chunks = AsyncStream {
                    for text in ["Hello ", "World"] { $0.yield(Data(text.utf8)) }
                    $0.finish()
                }
                try await client.expect(200, "Hello World", method: "POST", content: .stream(chunks))
            },
            Self("Echo1MBBody", server: turning) { client in
                try await client.expect(200, million, method: "POST", content: .data(Data(million.utf8)))
                try equal(client.server.requests.first?.fields["Content-Length"], "1000000")
            },
            Self("EmptyChunkedBody") { client in
                let chunks = AsyncStream { _ = ($0.yield(Data()), $0.finish()) }
                let received = try await client.send(method: "POST", content: .stream(chunks, length: 0)).received
                try equal([received.method, received.body], ["POST", ""])
            },
            Self("CustomHeader") { client in
                let received = try await client.send(method: "POST", headers: ["X-Foo": "BARbaz"]).received
                try equal(received.headers["x-foo"], ["BARbaz"])
            },
            Self("ClientSendsEmptyHeaderValue") { client in
                try equal(try await client.send(headers: ["X-Test": ""]).received.headers["x-test"], [""])
            },
            Self("ClientSendsMultiValueHeader") { client in
                let received = try await client.send(headers: ["X-Test": "one", "X-Test": "two"]).received
                try equal(members(of: received.headers["x-test"]), ["one", "two"])
            },
            Self("ServerSendsMultiValueHeader") { client in
                try equal(members(of: try await client.send("two").head.fields.values(for: "X-Test")), ["one", "two"])
            },
            Self("Gzip") { try await $0.expectText(in: "gzip") },
            Self("Deflate") { try await $0.expectText(in: "deflate") },
            Self("Brotli") { try await $0.expectText(in: "br") },
            Self("Identity") { try await $0.expectText(in: "identity") },
        ]

        private static let calls = [
            Self("BasicRedirect") { client in
                for status in ["301", "308"] {
                    let received = try await client.send(status).received
                    try equal([received.method, received.body], ["GET", ""])
                }
                try equal(client.server.requests.map(\.target), ["/301", "/request", "/308", "/request"])
            },
            Self("InfiniteRedirect") { client in
                try equal(try await client.error { try await client.send("ping") }.code, .tooManyRedirects)
            },
            Self("URLParams") { client in
                let query: QueryItems = ["foo": "bar", "bar": "baz", "baz": "qux", "qux": "", "foo": "phew"]
                let params = ["foo": ["bar", "phew"], "bar": ["baz"], "baz": ["qux"], "qux": [""]]
                try equal(try await client.send(query: query).received.params, params)
            },
            Self("StressTest") { client in
                let answers = try await withThrowingTaskGroup(of: [String]?.self) { group in
                    for number in 0..<100 {
                        group.addTask { try await client.send(query: ["number": number]).received.params["number"] }
                    }
                    return try await group.reduce(into: Set()) { $0.insert($1) }
                }
                try equal(answers, Set((0..<100).map { ["\($0)"] }))
            },
            Self("GetConvenience") { client in
                let reply = try await client.manager.send("request", as: Data.self)
                try equal(reply.head.status, 200)
                try equal(try [reply.received.method, reply.received.body], ["GET", ""])
            },
            Self("PostConvenience") { client in
                let reply = try await client.manager.send(SessionRequest("request", body: "Hello World"), as: Data.self)
                try equal(reply.head.status, 200)
                try equal(try [reply.received.method, reply.received.body], ["POST", "Hello World"])
            },
            // Only the cancellation ends the calls of these two in time: their timeouts are a minute.
            Self("CancelPreHeaders") { client in
                let call = Task { try await client.send("stall") }
                try equal(await client.server.requests(atLeast: 1).count, 1)
                call.cancel()
                try equal(try await client.error { try await call.value }.code, .cancelled)
            },
            Self("CancelPreBody") { client in
                let (head, note) = AsyncStream.makeStream(of: String.self)
                let call = Task {
                    let stream = try await client.manager.stream("half", of: Data.self)
                    // With the length, so that no other answer passes whose body ends after the cancellation.
                    note.yield("\(stream.head.status) \(stream.head.fields["Content-Length"] ?? "")")
                    for try await _ in stream {}
                }
                try equal(await head.first { _ in true }, "200 1000")
                call.cancel()
                try equal(try await client.error { try await call.value }.code, .cancelled)
            },
        ]

        private static let streams = [
            Self("UnderRead") { client in
                let first = try await client.manager.stream("million", of: Data.self).first { _ in true }
                try equal(first?.first, 0x41)
                while !client.manager.tasks.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
                try await client.expect(200, from: "200")
            },
            Self("DripRead") { try await $0.expect(200, million, from: "drip") },
            Self("EchoInterleave", server: turning) { try await $0.expectTurns(from: "echo") },
            Self("SpeakInterleave", server: turning) { try await $0.expectTurns(from: "speak") },
            Self("BasicCookieSetAndUse") { client in
                var configuration = SessionConfiguration()
                configuration.cookies = CookieJar()
                let (url, transport) = (client.manager.baseURL, client.manager.transport)
                let manager = SessionManager(baseURL: url, transport: transport, configuration: configuration)
                _ = try await manager.send("cookie")
                try equal(try await manager.get("request", as: Received.self).headers["cookie"], ["foo=bar"])
            },
            Self("ETag") { client in
                for number in 0..<6 {
                    let reply = try await client.expect(200, "\(number / 2)", from: "etag")
                    try equal(reply.head.fields["ETag"], "\"\(number / 2)\"")
                    try equal(reply.head.fields["Cached"], number.isMultiple(of: 2) ? "false" : "true")
                }
            },
            Self("TrailerRead") { client in
                let trailers: HeaderFields = ["X-Trailer-One": "1", "X-Trailer-Two": "2", "X-Checksum": "abc"]
                try await client.expect(200, "Response body", trailers: trailers, from: "trailers")
            },
            Self("TrailerWrite") { client in
                let body = RequestContent.data(Data("Request body".utf8)).trailers("X-Trailer-One", "X-Trailer-Two") {
                    ["X-Trailer-One": "1", "X-Trailer-Two": "2"]
                }
                let received = try await client.send(method: "POST", content: body).received
                try equal(received.body, "Request body")
                try equal(received.trailers, ["x-trailer-one": ["1"], "x-trailer-two": ["2"]])
            },
        ]
    }
#endif
