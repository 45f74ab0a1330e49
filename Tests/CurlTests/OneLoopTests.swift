import Foundation
import Patchbay
import PatchbayCurl
import PatchbayRegistry
import TestSupport
import Testing

/// One and the same code reads every format of elements: the response says which it is.
@Suite("One loop reads every format of elements", .timeLimit(.minutes(5)))
struct OneLoopTests {
    struct Row: Decodable, Sendable, Equatable {
        let id: Int
        let name: String
    }

    /// The same rows, as each format writes them.
    private static let formats: [(type: String, body: String)] = [
        ("application/x-ndjson", #"{"id":1,"name":"Zoë"}\#n{"id":2,"name":"Ada"}\#n"#),
        ("application/jsonl", #"{"id":1,"name":"Zoë"}\#r\#n\#r\#n{"id":2,"name":"Ada"}"#),
        ("application/json", #"[{"id":1,"name":"Zoë"}, {"id":2,"name":"Ada"}]"#),
        ("application/json-seq", "\u{1E}{\"id\":1,\"name\":\"Zoë\"}\n\u{1E}{\"id\":2,\"name\":\"Ada\"}\n"),
        (
            "text/event-stream",
            ": hello\n\ndata: {\"id\":1,\ndata: \"name\":\"Zoë\"}\n\nevent: row\ndata:{\"id\":2,\"name\":\"Ada\"}\n\n"
        ),
        ("text/csv", "id,name\r\n1,Zoë\r\n2,\"Ada\"\r\n"),
        (
            "multipart/mixed; boundary=b",
            "--b\r\nContent-Type: application/json\r\n\r\n{\"id\":1,\"name\":\"Zoë\"}\r\n--b\r\n"
                + "Content-Type: application/json\r\n\r\n{\"id\":2,\"name\":\"Ada\"}\r\n--b--\r\n"
        ),
    ]

    private static let rows = [Row(id: 1, name: "Zoë"), Row(id: 2, name: "Ada")]

    private static func rows(_ manager: SessionManager) async throws -> [Row] {
        var rows: [Row] = []
        for try await row in try await manager.stream("rows", of: Row.self) { rows.append(row) }
        return rows
    }

    private static func manager(_ type: String, _ body: String, sliced size: Int?) throws -> (RawServer, SessionManager)
    {
        let whole = RawReply.response(["Content-Type": type], body: body)
        let server = try RawServer(always: size.map { whole.sliced(into: $0) } ?? whole)
        return (server, SessionManager(baseURL: server.url()))
    }

    @Test("as it arrives, whole or byte by byte", arguments: formats.indices)
    func stream(_ index: Int) async throws {
        let (type, body) = Self.formats[index]
        for size in [nil, 1, 7] {
            let (server, manager) = try Self.manager(type, body, sliced: size)
            #expect(try await Self.rows(manager) == Self.rows, "\(type), \(size ?? 0)")
            server.stop()
        }
    }

    /// The two rows, cut where the first has ended.
    private static let cutBodies: [(type: String, first: String, second: String)] = [
        ("application/x-ndjson", "{\"id\":1,\"name\":\"Zoë\"}\n", "{\"id\":2,\"name\":\"Ada\"}\n"),
        ("application/json", "[{\"id\":1,\"name\":\"Zoë\"}", ",{\"id\":2,\"name\":\"Ada\"}]"),
        ("application/json-seq", "\u{1E}{\"id\":1,\"name\":\"Zoë\"}\n", "\u{1E}{\"id\":2,\"name\":\"Ada\"}\n"),
        ("text/event-stream", "data: {\"id\":1,\"name\":\"Zoë\"}\n\n", "data: {\"id\":2,\"name\":\"Ada\"}\n\n"),
        ("text/csv", "id,name\r\n1,Zoë\r\n", "2,Ada\r\n"),
        (
            "multipart/mixed; boundary=b",
            "--b\r\nContent-Type: application/json\r\n\r\n{\"id\":1,\"name\":\"Zoë\"}\r\n--b\r\n",
            "Content-Type: application/json\r\n\r\n{\"id\":2,\"name\":\"Ada\"}\r\n--b--\r\n"
        ),
    ]

    @Test("the first element is given before the server sends the second", arguments: cutBodies.indices)
    func early(_ index: Int) async throws {
        let (type, first, second) = Self.cutBodies[index]
        let gate = Gate()
        let head = "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\n\r\n"
        let server = try RawServer(
            always: RawReply([.send(Array((head + first).utf8)), .wait(gate), .send(Array(second.utf8)), .close]))
        var rows: [Row] = []
        for try await row in try await SessionManager(baseURL: server.url()).stream("rows", of: Row.self) {
            rows.append(row)
            gate.open()
        }
        #expect(rows == Self.rows, "\(type)")
    }

    @Test("or all at once, from the same entry", arguments: formats.indices)
    func array(_ index: Int) async throws {
        let (type, body) = Self.formats[index]
        let (server, manager) = try Self.manager(type, body, sliced: nil)
        #expect(try await manager.get("rows", as: [Row].self) == Self.rows, "\(type)")
        server.stop()
    }

    @Test("an untyped call of a table, of events or of parts is what it was before there were elements")
    func untyped() async throws {
        let entries: [(String, String?)] = [
            ("text/csv", "text"), ("text/event-stream", "text"), ("multipart/mixed; boundary=b", nil),
        ]
        for (type, made) in entries {
            let (server, manager) = try Self.manager(type, "a,b\n", sliced: nil)
            #expect(try await manager.send("rows").entry == made, "\(type)")
            server.stop()
        }
    }

    @Test("elements of any type are what their format has", arguments: formats.indices)
    func anyElements(_ index: Int) async throws {
        let (type, body) = Self.formats[index]
        let (server, manager) = try Self.manager(type, body, sliced: 7)
        var types: [String] = []
        for try await element in try await manager.stream("rows") { types.append("\(Swift.type(of: element))") }
        let expected = ["JSON", "JSON", "JSON", "JSON", "ServerSentEvent", "CSVRow", "ResponsePart"][index]
        #expect(types == [expected, expected], "\(type)")
        server.stop()
    }

    @Test("where nobody yields any, one value is the only element, and bytes of an unknown type are pieces")
    func noElements() async throws {
        for (type, body, made) in [
            ("application/xml", "<a/>", "XMLTree"), ("text/plain", "one line", "String"),
            ("application/x-unheard-of", "bytes", "Data"),
        ] {
            let (server, manager) = try Self.manager(type, body, sliced: nil)
            var types: [String] = []
            for try await element in try await manager.stream("a") { types.append("\(Swift.type(of: element))") }
            #expect(types == [made], "\(type)")
            server.stop()
        }
    }

    @Test("lines of text in any charset, with characters that are cut in two")
    func lines() async throws {
        let latin = RawReply([
            .send(Array("HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\n".utf8)),
            .send([0x5A, 0x6F, 0xEB, 0x0D, 0x0A, 0x61]), .close,
        ])
        let replies = [latin, .response(["Content-Type": "text/plain"], body: "Zoë\r\na").sliced(into: 1)]
        for reply in replies {
            let server = try RawServer(always: reply)
            let manager = SessionManager(baseURL: server.url())
            var lines: [String] = []
            for try await line in try await manager.stream("a", of: String.self) { lines.append(line) }
            #expect(lines == ["Zoë", "a"])
            server.stop()
        }
    }

    @Test("Accept names every format that gives the elements, and an untyped call none that is for elements only")
    func accept() async throws {
        let server = try RawServer(always: .response(["Content-Type": "application/x-ndjson"], body: ""))
        let manager = SessionManager(baseURL: server.url())
        for try await _ in try await manager.stream("a", of: Row.self) {}
        _ = try await manager.send("a")
        let fields = await server.requests(atLeast: 2).map { $0.fields["Accept"] ?? "" }
        for type in ["text/event-stream", "application/x-ndjson", "application/json-seq", "text/csv"] {
            #expect(fields[0].contains(type), "\(fields[0])")
        }
        #expect(!fields[1].contains("text/event-stream"), "\(fields[1])")
    }

    @Test("events as they are: type, data, id; a comment is none, and what is not finished at the end is dropped")
    func events() async throws {
        let body = ": comment\r\n\r\nevent: tick\r\nid: 7\r\ndata: one\r\ndata: two\r\n\r\ndata: last\r\n"
        let (server, manager) = try Self.manager("text/event-stream", body, sliced: 3)
        var events: [ServerSentEvent] = []
        for try await event in try await manager.stream("a", of: ServerSentEvent.self) { events.append(event) }
        #expect(events == [ServerSentEvent(type: "tick", data: "one\ntwo", lastEventID: "7")])
        server.stop()
    }

    @Test("a line that is no JSON is an error with its number, behind the elements before")
    func badLine() async throws {
        let (server, manager) = try Self.manager("application/x-ndjson", "{\"id\":1,\"name\":\"a\"}\nx\n", sliced: nil)
        var rows: [Row] = []
        let error = await #expect(throws: SessionError.self) {
            for try await row in try await manager.stream("rows", of: Row.self) { rows.append(row) }
        }
        #expect(rows == [Row(id: 1, name: "a")])
        #expect(error?.decision?.entry == "ndjson")
        #expect(error?.description.contains("line 2") == true, "\(error?.description ?? "")")
        server.stop()
    }

    @Test("lines that cannot be read are passed over and counted where the manifest says so")
    func skipped() async throws {
        let overlay = """
            { "manifestVersion": 1, "plugins": [{ "id": "ndjson", "options": { "badLines": "skip" } }] }
            """
        let registry = try SerializerRegistry.standard.overlaid(by: .text(overlay, name: "overlay"))
        let server = try RawServer(
            always: .response(["Content-Type": "application/x-ndjson"], body: "{\"id\":1,\"name\":\"a\"}\nx\ny\n"))
        let manager = SessionManager(baseURL: server.url(), registry: registry)
        let stream = try await manager.stream("rows", of: Row.self)
        var rows: [Row] = []
        for try await row in stream { rows.append(row) }
        #expect(rows == [Row(id: 1, name: "a")])
        #expect(stream.skippedElements == 2)
    }
}
