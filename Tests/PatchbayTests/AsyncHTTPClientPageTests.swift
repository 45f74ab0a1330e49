import Foundation
import Patchbay
import PatchbayTesting
import TestSupport
import Testing

/// Holds the page for those who come from AsyncHTTPClient to the code: its column of Patchbay is compiled, and run over a stub.
@Suite(.timeLimit(.minutes(5))) struct AsyncHTTPClientPageTests {
    typealias Examples = AsyncHTTPClientExamples

    private let page: Markdown
    private let server: URL
    private let folder = TemporaryFolder()

    init() throws {
        page = try Markdown("Documentation/ComingFromAsyncHTTPClient.md")
        server = try #require(URL(string: "https://api.example.com/v1"))
    }

    /// The cells of the rows of its tables, without heads.
    private var rows: [[String]] {
        page.text.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    private func manager(_ reply: @escaping @Sendable (TransportRequest) async throws -> StubReply) -> SessionManager {
        SessionManager(baseURL: server, registry: .standard, transport: StubTransport(reply))
    }

    private static func json(_ text: String, status: Int = 200) -> StubReply {
        StubReply(status: status, fields: ["Content-Type": "application/json", "ETag": #""a""#], body: text)
    }

    @Test("it is read in one go, has twenty tasks, and its Swift is compiled")
    func swift() throws {
        #expect(page.text.split(separator: "\n", omittingEmptySubsequences: false).count <= 151)
        #expect(rows.count { $0.count == 3 } > 20)
        #expect(page.blocks(of: "swift theirs").count == 1)
        #expect(page.blocks(of: "swift").count == 1)
        #expect(try page.swift(missingIn: ["Tests/PatchbayTests/AsyncHTTPClientExamples.swift"]) == [])
    }

    @Test("every code of ours in its tables is compiled, and every word of it is in the sources")
    func column() throws {
        let examples = try Markdown("Tests/PatchbayTests/AsyncHTTPClientExamples.swift").text
        let adapters = try Markdown("Examples/Adapters/PatchbayClientTransport.swift").text
        let known = Self.words(in: examples + adapters + (try Markdown.sources()))
        var checked = 0
        for row in rows {
            let codes =
                row.last?.split(separator: "`", omittingEmptySubsequences: false).enumerated() ?? [].enumerated()
            for case (let index, let code) in codes where !index.isMultiple(of: 2) && !code.hasPrefix("promise.") {
                if code.contains(where: { "=( ".contains($0) }) {
                    let isCompiled = examples.contains(code)
                    #expect(isCompiled, "\(code) is in no example")
                }
                for word in Self.words(in: String(code)) where !known.contains(word) {
                    Issue.record("no source has \(word)")
                }
                checked += 1
            }
        }
        #expect(checked > 70)
    }

    private static func words(in text: String) -> Set<Substring> {
        Set(text.split { !($0.isLetter || $0.isNumber || $0 == "_") })
    }

    @Test("calls, fields, a name and a password, and an error")
    func calls() async throws {
        let stub = StubTransport { request in
            request.head.url.path().hasSuffix("missing")
                ? Self.json(#"{"reason": "sold out"}"#, status: 404) : Self.json(#"{"item":"tea","count":2}"#)
        }
        let api = SessionManager(baseURL: server, registry: .standard, transport: stub)
        try Examples.signedIn(api, "ada", "secret")
        let tea = Examples.Order(item: "tea", count: 2)
        #expect(try await Examples.calls(api, "../7", tea) == [tea, tea, tea])
        #expect(try await Examples.reply(api) == #"24 200 "a" "#)
        #expect(try await Examples.refused(api) == "404 sold out")
        _ = try await api.get("/orders", as: JSON.self)
        let sent = stub.requests
        #expect(
            sent.map { "\($0.head.method) \($0.head.url.path(percentEncoded: true))" } == [
                "GET /v1/orders/7", "GET /v1/orders/..%2F7", "POST /v1/orders", "GET /v1/orders/..%2F7",
                "GET /v1/report",
                "GET /v1/report", "GET /v1/missing", "GET /orders",
            ])
        #expect(sent[2].body?.data == Data(#"{"item":"tea","count":2}"#.utf8))
        #expect(sent.allSatisfy { $0.head.fields["Authorization"] == "Basic YWRhOnNlY3JldA==" })
        let error = await #expect(throws: SessionError.self) {
            try await Examples.stubbed(server).get("orders/7", as: Examples.Order.self)
        }
        #expect(error?.head?.status == 503)
    }

    @Test("bodies in pieces, both ways, and a file")
    func pieces() async throws {
        let lines = #"{"item":"tea","count":2}"# + "\n"
        let stub = StubTransport { request in
            request.head.method == "GET"
                ? StubReply(fields: ["Content-Type": "application/x-ndjson"], body: lines) : StubReply()
        }
        let api = SessionManager(baseURL: server, registry: .standard, transport: stub)
        let read = try await Examples.pieces(api)
        #expect(read.bytes == lines.utf8.count)
        #expect(read.orders == [Examples.Order(item: "tea", count: 2)])
        let (pieces, feed) = AsyncStream.makeStream(of: Data.self)
        for text in ["one", "two"] { feed.yield(Data(text.utf8)) }
        feed.finish()
        let film = folder.url.appending(path: "film")
        try Data("film".utf8).write(to: film)
        try await Examples.sent(api, pieces, film)
        #expect(stub.requests.suffix(3).map { $0.body?.data } == [Data("onetwo".utf8), Data(), Data("film".utf8)])
        let copy = folder.url.appending(path: "copy")
        try await Examples.saved(api, copy)
        #expect(try Data(contentsOf: copy) == Data(lines.utf8))
    }

    @Test("the settings of its column, and the defaults that it names")
    func settings() throws {
        let standard = SessionConfiguration()
        #expect(standard.idleTimeout == .seconds(60) && standard.totalTimeout == .seconds(60))
        #expect(standard.connection.proxy == .environment)
        #expect(standard.cookies == nil && standard.interceptors.isEmpty)
        var configuration = standard
        try Examples.configured(&configuration, "ca.pem")
        #expect(configuration.connectionByHost.count == 4)
        #expect(configuration.connection.tls?.certificateAuthorities == "ca.pem")
        let request = Examples.request("7")
        #expect(request.headers["X-Trace"] == "7")
    }

    @Test("what runs on its own: no redirect, a retry, a cookie that is sent back, an observer")
    func running() async throws {
        var configuration = SessionConfiguration()
        Examples.running(&configuration)
        let count = Shared(0)
        let stub = StubTransport { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            switch number {
            case 1: return StubReply(status: 503, fields: ["Set-Cookie": "a=1"])
            case 2: return Self.json("{}")
            default: return StubReply(status: 302, fields: ["Location": "/elsewhere"])
            }
        }
        let api = SessionManager(
            baseURL: server, registry: .standard, transport: stub, configuration: configuration)
        _ = try await api.get("orders", as: JSON.self)
        let error = await #expect(throws: SessionError.self) { try await api.get("moved", as: JSON.self) }
        #expect(error?.head?.status == 302)
        await api.finishObserving()
        #expect(Examples.CallPrinter.finished.withLock { $0 } == 2)
        #expect(stub.requests.map { $0.head.fields["Cookie"] } == [nil, "a=1", "a=1"])
    }

    /// What the page says of each error of AsyncHTTPClient, made with a stub.
    static let failures: [(theirs: String, code: SessionError.Code, reply: @Sendable () async throws -> StubReply)] = [
        ("invalidURL", .invalidRequest, { StubReply() }),
        (
            "remoteConnectionClosed", .transport,
            { StubReply(failure: TransportFailure(.lostConnection, "the connection was lost")) }
        ),
        ("readTimeout", .idleTimeout, { StubReply(delay: .seconds(600)) }),
        ("deadlineExceeded", .totalTimeout, { StubReply(delay: .seconds(600)) }),
        ("redirectLimitReached", .tooManyRedirects, { StubReply(status: 302, fields: ["Location": "again"]) }),
        ("cancelled", .cancelled, { StubReply(delay: .seconds(600)) }),
        ("alreadyShutdown", .invalidated, { StubReply() }),
        ("NIOTooManyBytesError", .bodyTooLarge, { StubReply(body: "longer than three bytes") }),
    ]

    @Test("an error of AsyncHTTPClient has the code of its row", arguments: failures.map(\.theirs))
    func failure(_ theirs: String) async throws {
        let row = try #require(rows.first { $0.count == 2 && $0[0].contains("`\(theirs)`") })
        let failure = try #require(Self.failures.first { $0.theirs == theirs })
        #expect(row[1].hasPrefix("`\(failure.code)`"))
        let api = manager { _ in try await failure.reply() }
        var request = SessionRequest(theirs == "invalidURL" ? "http://[" : "orders")
        if failure.code == .idleTimeout { request.idleTimeout = .milliseconds(1) }
        if failure.code == .totalTimeout { request.totalTimeout = .milliseconds(1) }
        if failure.code == .bodyTooLarge { request.maximumBodyBytes = 3 }
        if failure.code == .invalidated { await Examples.end(api) }
        let sent = request
        let call = Task { try await api.send(sent, as: Data.self) }
        if failure.code == .cancelled { call.cancel() }
        let error = await #expect(throws: SessionError.self) { try await call.value }
        #expect(error?.code == failure.code)
        if failure.code == .transport { #expect((error?.cause as? TransportFailure)?.code == .lostConnection) }
    }
}
