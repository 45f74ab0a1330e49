import Foundation
import Patchbay
import PatchbayMigration
import PatchbayTesting
import Testing

/// What can be an element of a stream can be in an array, in every framing; and a byte order mark at the start of a
/// body, and the suffix of a JSON text sequence, mean the same everywhere.
@Suite(.timeLimit(.minutes(5))) struct ElementArrayTests {
    struct User: Codable, Sendable, Equatable { let name: String }

    private static func manager(_ type: String, _ body: String, _ registry: SerializerRegistry = .standard)
        -> SessionManager
    {
        let transport = StubTransport { _ in StubReply(fields: ["Content-Type": type], body: Data(body.utf8)) }
        return SessionManager(baseURL: URL(string: "http://origin.test/"), registry: registry, transport: transport)
    }

    private static func elements<Element: Sendable>(
        of element: Element.Type, _ manager: SessionManager
    ) async throws -> [Element] {
        var elements: [Element] = []
        for try await element in try await manager.stream("x", of: element) { elements.append(element) }
        return elements
    }

    /// - Parameter count: the number of elements.
    private static func check<Element: Sendable & Equatable>(
        _ element: Element.Type, _ type: String, _ body: String, _ count: Int = 2,
        _ registry: SerializerRegistry = .standard
    ) async throws {
        let manager = manager(type, body, registry)
        let expected = try await elements(of: element, manager)
        #expect(expected.count == count, "\(element) from \(type)")
        #expect(try await manager.get("x", as: [Element].self) == expected, "\(element) from \(type)")
        #expect(try await manager.get("x", as: [Element]?.self) == expected)
        #expect(try await manager.get("x", as: [Element?].self) == expected.map(Optional.some))
        let reply = try await manager.send("x")
        #expect(try reply.decode(as: [Element].self) == expected)
        let saved = try await manager.download(SessionRequest("x"), as: [Element].self).value
        #expect(saved.value == expected)
        try FileManager.default.removeItem(at: saved.file)
    }

    private static func parts(_ type: String, _ bodies: String...) -> String {
        bodies.map { "--b\r\nContent-Type: \(type)\r\n\r\n\($0)\r\n" }.joined() + "--b--"
    }

    private static let mixed = "multipart/mixed; boundary=b"

    @Test func `parts, whatever an entry makes of each`() async throws {
        try await Self.check(XMLTree.self, Self.mixed, Self.parts("application/xml", "<a/>", "<b>1</b>"))
        try await Self.check(
            FormFields.self, "multipart/form-data; boundary=b",
            Self.parts("application/x-www-form-urlencoded", "a=1", "b=2&b=3"))
        let list = "<plist version='1.0'><string>a</string></plist>"
        try await Self.check(PropertyList.self, Self.mixed, Self.parts("application/x-plist", list, list))
        try await Self.check(JSON.self, Self.mixed, Self.parts("application/json", "1", "{}"))
        try await Self.check(
            User.self, Self.mixed, Self.parts("application/json", #"{"name":"Ada"}"#, #"{"name":"Bob"}"#))
        try await Self.check(String.self, Self.mixed, Self.parts("text/plain", "one", "two"))
        try await Self.check([Int].self, Self.mixed, Self.parts("application/json", "[1]", "[]"))
        try await Self.check(ResponsePart.self, Self.mixed, Self.parts("text/plain", "one", "two"))
        let bodies = Self.manager(Self.mixed, Self.parts("a/b", "one", "two"))
        #expect(try await bodies.get("x", as: [ResponseBody].self).map(\.data) == [Data("one".utf8), Data("two".utf8)])
        #expect(try await bodies.get("x", as: [Data].self) == [Data("one".utf8), Data("two".utf8)])
        #expect(try await bodies.get("x", as: [[UInt8]].self) == [Array("one".utf8), Array("two".utf8)])
        #expect(try await bodies.get("x", as: [any Sendable].self).count == 2)
        let encoded = Self.parts("application/json\r\nContent-Transfer-Encoding: base64", "eyJuYW1lIjoiQWRhIn0=")
        try await Self.check(User.self, Self.mixed, encoded, 1)
        #expect(try await Self.manager(Self.mixed, encoded).get("x", as: [User].self) == [User(name: "Ada")])
    }

    @Test func `lines, records, events, rows and elements of JSON`() async throws {
        let (ada, bob) = (#"{"name":"Ada"}"#, #"{"name":"Bob"}"#)
        let framings = [
            ("application/x-ndjson", "\(ada)\n\(bob)\n"), ("application/jsonl", "\(ada)\n\(bob)"),
            ("application/json-seq", "\u{1E}\(ada)\n\u{1E}\(bob)\n"),
            ("application/geo+json-seq", "\u{1E}\(ada)\n\u{1E}\(bob)\n"),
            ("application/json", "[\(ada),\(bob)]"), ("text/event-stream", "data: \(ada)\n\ndata: \(bob)\n\n"),
            ("text/csv", "name\r\nAda\r\nBob\r\n"),
        ]
        for (type, body) in framings {
            try await Self.check(User.self, type, body)
            try await Self.check(JSON.self, type, body)
            try await Self.check(User.self, type, "\u{FEFF}" + body)
            #expect(try await Self.manager(type, body).get("x", as: [any Sendable].self).count == 2, "\(type)")
        }
        try await Self.check(ServerSentEvent.self, "text/event-stream", "data: 1\n\ndata: 2\n\n")
        try await Self.check(CSVRow.self, "text/csv", "name\r\nAda\r\nBob\r\n")
        try await Self.check(String.self, "text/plain", "one\r\ntwo\n")
        try await Self.check(String.self, "text/plain; charset=utf-8", "\u{FEFF}one\ntwo")
    }

    @Test func `what cannot be an element is an error in an array, too`() async throws {
        func check<Element: Sendable>(_ element: Element.Type, _ type: String, _ body: String) async throws {
            let manager = Self.manager(type, body)
            let stream = await #expect(throws: SessionError.self) { try await Self.elements(of: element, manager) }
            let array = await #expect(throws: SessionError.self) { try await manager.get("x", as: [Element].self) }
            #expect(array?.code == stream?.code)
        }
        try await check(XMLTree.self, Self.mixed, Self.parts("application/json", "1"))
        try await check(XMLTree.self, Self.mixed, Self.parts("application/xml", "<a>"))
        try await check(XMLTree.self, "application/x-ndjson", "1\n")
        try await check(FormFields.self, "text/csv", "a\r\n1\r\n")
        try await check(FormFields.self, "application/json", "[]")
        try await check(User.self, "text/plain", "Ada")
        let tree = await #expect(throws: SessionError.self) {
            try await Self.manager("application/xml", "<a/>").get("x", as: [XMLTree].self)
        }
        #expect(tree?.code == .noReader)
    }

    @Test func `texts of a sequence are written in every type with its suffix`() async throws {
        let stub = StubTransport { _ in StubReply() }
        let manager = SessionManager(baseURL: URL(string: "http://origin.test/"), registry: .standard, transport: stub)
        let (users, feed) = AsyncStream.makeStream(of: User?.self)
        feed.yield(User(name: "Ada"))
        feed.yield(nil)
        feed.finish()
        try await manager.upload(.elements(users, in: "application/geo+json-seq"), to: "x")
        try await manager.post("x", body: [1, 2], in: "application/vnd.acme+json-seq")
        #expect(
            stub.requests.map { $0.head.fields["Content-Type"] } == [
                "application/geo+json-seq", "application/vnd.acme+json-seq",
            ])
        #expect(
            stub.requests.map { String(decoding: $0.body?.data ?? Data(), as: UTF8.self) } == [
                "\u{1E}{\"name\":\"Ada\"}\n\u{1E}null\n", "\u{1E}1\n\u{1E}2\n",
            ])
    }

    @Test("The limit of a list holds for all parts together, and for collections")
    func limitOfParts() async throws {
        func sentence<Value: Sendable>(_ type: String, _ body: String, as value: Value.Type) async -> String? {
            do throws(SessionError) {
                _ = try await Self.manager(type, body).get("x", as: value)
                return nil
            } catch {
                return error.description
            }
        }
        let limit = "the elements take more than 134217728 bytes once they are parsed; a stream reads them one by one"
        // Each row of two bytes takes 145.
        let rows = "--b\r\nContent-Type: text/csv\r\n\r\na\n" + String(repeating: "1\n", count: 20_000) + "\r\n"
        func parts(_ count: Int) -> String { String(repeating: rows, count: count) + "--b--\r\n" }
        let many = await sentence("multipart/mixed; boundary=b", parts(50), as: [[[String: String]]].self)
        #expect(many?.contains(limit) == true, "\(many ?? "no error")")
        #expect(await sentence("multipart/mixed; boundary=b", parts(2), as: [[[String: String]]].self) == nil)
    }
}
