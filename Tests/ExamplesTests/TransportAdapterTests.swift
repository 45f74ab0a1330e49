import Foundation
import Patchbay
import PatchbayTesting
import StandInHTTPTypes
import StandInLogging
import StandInOpenAPIRuntime
import TestSupport
import Testing

@testable import Adapters

/// The examples `PatchbayClientTransport` and `StreamableTransport`.
@Suite(.timeLimit(.minutes(5))) struct TransportAdapterTests {
    // MARK: OpenAPI

    private func send(
        _ method: String, _ path: String, _ fields: [(String, String)] = [], body: HTTPBody? = nil,
        base: String = "https://api.example.com/v1",
        _ reply: @escaping @Sendable (TransportRequest) async throws -> StubReply
    ) async throws -> (response: HTTPResponse, body: String, sent: [TransportRequest]) {
        let stub = StubTransport(reply)
        let transport = PatchbayClientTransport(SessionManager(transport: stub))
        var headers = HTTPFields()
        for (name, value) in fields {
            headers.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        let request = HTTPRequest(
            method: try #require(HTTPRequest.Method(method)), scheme: nil, authority: nil, path: path,
            headerFields: headers)
        let (response, body) = try await transport.send(
            request, body: body, baseURL: try #require(URL(string: base)), operationID: "test")
        var bytes: [UInt8] = []
        if let body { for try await chunk in body { bytes += chunk } }
        return (response, String(decoding: bytes, as: UTF8.self), stub.requests)
    }

    @Test(
        "a request of a generated client goes to its path below the server's URL, with its query as it is encoded",
        arguments: [
            ("https://api.example.com/v1", "/users/a%2Fb?x=1%202"),
            ("https://api.example.com/v1/", "/users/a%2Fb?x=1%202"),
            ("https://api.example.com/v1", ""),
        ])
    func openAPI(_ base: String, _ path: String) async throws {
        let accept = ("accept", "application/json")
        let result = try await send("GET", path, [accept, ("X-Twice", "1"), ("X-Twice", "2")], base: base) { _ in
            StubReply(
                fields: [("Content-Type", "text/plain"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")].fields,
                chunks: [Data("Hello, ".utf8), Data("Ada".utf8)])
        }
        let sent = try #require(result.sent.first)
        #expect(sent.head.url.absoluteString == "https://api.example.com/v1" + path)
        #expect(sent.head.fields.values(for: "X-Twice") == ["1", "2"])
        #expect(sent.head.fields["Accept"] == "application/json")
        #expect(result.response.status.code == 200)
        #expect(result.body == "Hello, Ada")
        #expect(result.response.headerFields.map(\.value).contains("b=2"))
    }

    @Test("each status is a response, with its body", arguments: [200, 204, 404, 409, 500])
    func openAPIStatus(_ status: Int) async throws {
        let result = try await send("DELETE", "/users/1") { _ in
            StubReply(
                status: status, fields: ["Content-Type": "application/json"], body: status == 204 ? "" : #"{"a": 1}"#)
        }
        #expect(result.response.status.code == status)
        #expect(result.body == (status == 204 ? "" : #"{"a": 1}"#))
    }

    @Test("a body of the client is sent with its type, its length if that is known, and its bytes")
    func openAPIBody() async throws {
        let result = try await send(
            "POST", "/users", [("content-type", "application/json; charset=utf-8")], body: HTTPBody(Array("[1]".utf8))
        ) { _ in StubReply(status: 201) }
        let sent = try #require(result.sent.first)
        #expect(sent.body?.data == Data("[1]".utf8))
        #expect(sent.head.fields.values(for: "Content-Type") == ["application/json; charset=utf-8"])
        #expect(result.response.status.code == 201)
    }

    @Test("a lost connection is the error of the call, before the head and behind it")
    func openAPIFailure() async throws {
        let failure = TransportFailure(.lostConnection, "the connection was lost")
        let before = await #expect(throws: SessionError.self) { try await send("GET", "/") { _ in throw failure } }
        #expect(before?.code == .transport)
        let behind = await #expect(throws: SessionError.self) {
            try await send("GET", "/") { _ in StubReply(chunks: [Data("a".utf8)], failure: failure) }
        }
        #expect(behind?.code == .transport)
    }

    // MARK: MCP

    private static func server(_ request: TransportRequest) async throws -> StubReply {
        switch request.head.method {
        case "POST":
            let method = try JSON(parsing: request.body?.data ?? Data())["method"]?.string
            switch method {
            case "initialize":
                return StubReply(
                    fields: ["Content-Type": "application/json", "Mcp-Session-Id": "s1"],
                    body: #"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}"#)
            case "tools/call":
                return StubReply(
                    fields: ["Content-Type": "text/event-stream"],
                    body: "id: 1\ndata: \n\ndata: {\"progress\":1}\n\ndata: {\"id\":2}\n\n")
            case "lost": return StubReply(status: 404)
            default: return StubReply(status: 202)
            }
        case "GET":
            let last = request.head.fields["Last-Event-ID"]
            return last == nil
                ? StubReply(fields: ["Content-Type": "text/event-stream"], body: "retry: 0\nid: 7\ndata: {\"n\":1}\n\n")
                : last == "7"
                    ? StubReply(fields: ["Content-Type": "text/event-stream"], body: "id: 8\ndata: {\"n\":2}\n\n")
                    : StubReply(status: 204)
        default: return StubReply(status: 405)
        }
    }

    private struct NoHandler: LogHandler {
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.critical
        subscript(metadataKey _: String) -> Logger.Metadata.Value? {
            get { nil }
            set {}
        }
        func log(
            level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String, file: String,
            function: String, line: UInt
        ) {}
    }

    private func transport() -> (StreamableTransport, StubTransport) {
        let stub = StubTransport(Self.server)
        let reconnection = EventReconnection(delay: .zero, allowedDelays: .zero ... .milliseconds(1))
        let transport = StreamableTransport(
            SessionManager(transport: stub), endpoint: "https://mcp.example.com/mcp", reconnecting: reconnection,
            logger: Logger(label: "mcp") { _ in NoHandler() })
        return (transport, stub)
    }

    @Test(
        "answers come as JSON and as events, and messages of the server over connections that go on where they were lost"
    )
    func mcp() async throws {
        let (transport, stub) = transport()
        try await transport.connect()
        var messages = await transport.receive().makeAsyncIterator()
        func next(_ count: Int) async throws -> [String] {
            var texts: [String] = []
            while texts.count < count, let message = try await messages.next() {
                texts.append(String(decoding: message, as: UTF8.self))
            }
            return texts
        }
        try await transport.send(Data(#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#.utf8))
        let first = try await next(3)
        try #require(first.count == 3)
        #expect(first[0] == #"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}"#)
        #expect(first[1...] == [#"{"n":1}"#, #"{"n":2}"#])
        try await transport.send(Data(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.utf8))
        try await transport.send(Data(#"{"jsonrpc":"2.0","id":2,"method":"tools/call"}"#.utf8))
        #expect(try await next(2) == [#"{"progress":1}"#, #"{"id":2}"#])
        await #expect(throws: SessionError.self) {
            try await transport.send(Data(#"{"jsonrpc":"2.0","id":3,"method":"lost"}"#.utf8))
        }
        await transport.disconnect()
        #expect(try await messages.next() == nil)
        await #expect(throws: CancellationError.self) { try await transport.send(Data("{}".utf8)) }

        let requests = stub.requests
        let posts = requests.filter { $0.head.method == "POST" }
        #expect(posts.map { $0.head.fields["Mcp-Session-Id"] } == [nil, "s1", "s1", "s1"])
        #expect(
            posts.map { $0.head.fields["MCP-Protocol-Version"] } == [nil] + Array(repeating: "2025-06-18", count: 3))
        #expect(posts.allSatisfy { $0.head.fields["Accept"] == "application/json, text/event-stream" })
        let gets = requests.filter { $0.head.method == "GET" }
        #expect(gets.map { $0.head.fields["Last-Event-ID"] } == [nil, "7", "8"])
        #expect(gets.allSatisfy { $0.head.fields["Mcp-Session-Id"] == "s1" })
        #expect(requests.last?.head.method == "DELETE")
    }
}

extension [(String, String)] {
    fileprivate var fields: HeaderFields { HeaderFields(map { (name: $0, value: $1) }) }
}
