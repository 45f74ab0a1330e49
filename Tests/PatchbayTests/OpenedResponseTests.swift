import Foundation
import Patchbay
import PatchbayManager
import PatchbayPlatform
import PatchbayTesting
import TestSupport
import Testing

/// A call that takes elements or one value, as `patchbay get` makes it.
@Suite("The head decides whether a response is elements or one value", .timeLimit(.minutes(5)))
struct OpenedResponseTests {
    /// A response, and whether the standard table gives its elements.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        var status = 200
        let type: String?
        let body: String
        let elements: Int?
        var request = SessionRequest("http://h/")
        var testDescription: String { name }
    }

    static let rows = [
        Row(name: "events", type: "text/event-stream; charset=utf-8", body: "data: 1\n\ndata: 2\n\n", elements: 2),
        Row(name: "no event", type: "text/event-stream", body: "", elements: 0),
        Row(name: "parts", type: "multipart/mixed; boundary=b", body: "--b\r\n\r\n1\r\n--b--\r\n", elements: 1),
        Row(name: "JSON", type: "application/json", body: "[1,2]", elements: nil),
        Row(name: "rows, which are a text too", type: "text/csv", body: "a,b\n1,2\n", elements: nil),
        Row(name: "lines of JSON, which are an array too", type: "application/x-ndjson", body: "1\n2\n", elements: nil),
        Row(name: "text", type: "text/plain", body: "data: 1\n\n", elements: nil),
        Row(name: "unknown", type: "application/x-unheard-of", body: "x", elements: nil),
        Row(name: "no type", type: nil, body: "x", elements: nil),
        Row(name: "no content", status: 204, type: "text/event-stream", body: "", elements: nil),
        Row(
            name: "events with another status", status: 201, type: "text/event-stream", body: "data: 1\n\n",
            elements: nil),
        Row(
            name: "the head of events", type: "text/event-stream", body: "", elements: nil,
            request: SessionRequest("http://h/", method: "HEAD")),
        Row(
            name: "events, by an entry that the request names", type: "text/event-stream", body: "data: 1\n\n",
            elements: nil, request: naming("text")),
        Row(
            name: "events, by their own entry that the request names", type: "text/event-stream", body: "data: 1\n\n",
            elements: nil, request: naming("server-sent-events")),
    ]

    private static func naming(_ entry: String) -> SessionRequest {
        var request = SessionRequest("http://h/")
        request.using = .entry(entry)
        return request
    }

    @Test(arguments: rows)
    func `the standard table`(_ row: Row) async throws {
        let manager = Self.manager(row)
        let (elements, reply) = try await manager.elementsOrReply(to: row.request)
        #expect((elements != nil) == (row.elements != nil))
        #expect((reply != nil) == (row.elements == nil))
        if let reply {
            #expect(reply.head.status == row.status)
            #expect(reply.body.data == Data(row.body.utf8))
            // The same as in `send`.
            let sent = try await manager.send(row.request)
            #expect(sent.entry == reply.entry)
            #expect(sent.outcome == reply.outcome)
            #expect("\(sent.value)" == "\(reply.value)")
            #expect(sent.head.request.fields["Accept"] == reply.head.request.fields["Accept"])
        }
        if let elements {
            var count = 0
            for try await _ in elements { count += 1 }
            #expect(count == row.elements)
            #expect(elements.decision.outcome == .entry)
        }
        while !manager.tasks.isEmpty { await Task.yield() }
    }

    @Test func `without the entry for events, they are a text`() async throws {
        let manager = try Self.manager(
            Self.rows[0],
            SerializerRegistry([
                .text(
                    #"{"manifestVersion": 1, "plugins": [{"id": "server-sent-events", "enabled": false}]}"#, name: "own"
                )
            ]))
        let reply = try #require(await manager.elementsOrReply(to: SessionRequest("http://h/")).reply)
        #expect(reply.value as? String == "data: 1\n\ndata: 2\n\n")
    }

    @Test func `an error status is an error with its body`() async throws {
        let row = Row(name: "", status: 503, type: "text/event-stream", body: "data: 1\n\n", elements: nil)
        let error = await #expect(throws: SessionError.self) {
            _ = try await Self.manager(row).elementsOrReply(to: SessionRequest("http://h/"))
        }
        #expect(error?.code == .status)
        #expect(error?.value as? String == "data: 1\n\n")
    }

    @Test func `elements have no total timeout by default, and the one of the request`() async throws {
        var configuration = SessionConfiguration()
        // The head has these two seconds to come beside other tests, and the elements take longer.
        configuration.totalTimeout = .seconds(2)
        var steps = [RawReply.Step.send(Array("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n".utf8))]
        for number in 0..<6 { steps += [.send(Array("data: \(number)\n\n".utf8)), .pause(.milliseconds(400))] }
        let server = try RawServer(always: RawReply(steps + [.close]))
        let manager = SessionManager(baseURL: server.url(), configuration: configuration)
        let stream = try #require(await manager.elementsOrReply(to: SessionRequest("a")).elements)
        var count = 0
        for try await _ in stream { count += 1 }
        #expect(count == 6)
        var request = SessionRequest("a")
        request.totalTimeout = .milliseconds(1_500)
        let ended = try #require(await manager.elementsOrReply(to: request).elements)
        do throws(SessionError) {
            for try await _ in ended {}
            Issue.record("the stream ended in time")
        } catch {
            #expect(error.code == .totalTimeout)
        }
    }

    @Test func `a cancelled call ends in both forms`() async throws {
        for type in ["text/event-stream", "application/json"] {
            let manager = SessionManager(
                transport: StubTransport { _ in
                    try await Task.sleep(for: .seconds(60))
                    return StubReply(fields: ["Content-Type": type], body: "1")
                })
            let call = Task { _ = try await manager.elementsOrReply(to: SessionRequest("http://h/")) }
            while manager.tasks.isEmpty { await Task.yield() }
            call.cancel()
            guard case .failure(let error as SessionError) = await call.result else {
                Issue.record("not cancelled")
                continue
            }
            #expect(error.code == .cancelled)
            while !manager.tasks.isEmpty { await Task.yield() }
        }
    }

    private static func manager(_ row: Row, _ registry: SerializerRegistry = .standard) -> SessionManager {
        SessionManager(
            registry: registry,
            transport: StubTransport { _ in
                StubReply(
                    status: row.status, fields: row.type.map { ["Content-Type": $0] } ?? [:], body: row.body)
            })
    }
}
