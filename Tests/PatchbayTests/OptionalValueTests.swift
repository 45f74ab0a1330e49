import Foundation
import Patchbay
import PatchbayMigration
import PatchbayTesting
import Testing

/// A call for an optional gets what a call for the wrapped type gets. It is nil for 204, for 304, for an empty body that
/// the wrapped type refuses, and for null where an entry read JSON.
@Suite(.timeLimit(.minutes(5))) struct OptionalValueTests {
    struct User: Codable, Sendable, Equatable { let name: String }

    private static func manager(
        _ type: String, _ body: String, status: Int = 200, _ registry: SerializerRegistry = .standard
    ) throws -> SessionManager {
        let transport = StubTransport { _ in
            StubReply(status: status, fields: ["Content-Type": type], body: Data(body.utf8))
        }
        return SessionManager(baseURL: URL(string: "http://origin.test/"), registry: registry, transport: transport)
    }

    /// - Parameter empty: what both types give for an empty body; nil if the wrapped type refuses it.
    private static func check<Value: Sendable & Equatable>(
        _ type: String, _ body: String, as: Value.Type, empty: Value? = nil, _ registry: SerializerRegistry = .standard
    ) async throws {
        let manager = try manager(type, body, registry)
        let value = try await manager.get("x", as: Value.self)
        #expect(try await manager.get("x", as: Value?.self) == value, "\(type)")
        #expect(try await manager.get("x", as: Value??.self) == value, "\(type)")
        let reply = try await manager.send(SessionRequest("x"), as: Value?.self)
        #expect(reply.value == value)
        #expect(try reply.decode(as: Value?.self) == value)
        let plain = try await manager.send(SessionRequest("x"), as: Value.self)
        #expect((reply.entry, reply.outcome) == (plain.entry, plain.outcome))
        let saved = try await manager.download(SessionRequest("x"), as: Value?.self).value
        #expect(saved.value == value)
        try FileManager.default.removeItem(at: saved.file)
        let without = try Self.manager(type, "", registry)
        if let empty {
            #expect(try await without.get("x", as: Value.self) == empty)
        } else {
            let error = await #expect(throws: SessionError.self) { try await without.get("x", as: Value.self) }
            #expect(error?.code == .emptyBody)
        }
        #expect(try await without.get("x", as: Value?.self) == empty)
        let nested = try await without.get("x", as: Value??.self)
        #expect(nested == empty.map { Value?.some($0) })
        var unchanged = SessionRequest("x")
        unchanged.headers["If-None-Match"] = "\"v1\""
        for status in [204, 304] {
            let reply = try await Self.manager(type, "", status: status, registry).send(unchanged, as: Value?.self)
            #expect(reply.value == nil)
            #expect((reply.outcome, reply.entry) == (.empty, nil))
            let nested = try await Self.manager(type, "", status: status, registry).send(unchanged, as: Value??.self)
            #expect(nested.value == Value??.none)
        }
    }

    @Test func `bytes, text, trees, forms and lists`() async throws {
        try await Self.check("image/png", "no picture", as: Data.self, empty: Data())
        try await Self.check("a/b", "abc", as: [UInt8].self, empty: [])
        try await Self.check("a/b", "abc", as: ResponseBody.self, empty: ResponseBody())
        try await Self.check("text/plain", "abc", as: String.self, empty: "")
        try await Self.check("text/html", "<p>", as: String.self, empty: "")
        try await Self.check("image/png", "<p>", as: String.self, empty: "")
        try await Self.check("application/json", #""tok\u00e9n""#, as: String.self, empty: "")
        try await Self.check("application/json", "42", as: String.self, empty: "")
        try await Self.check("application/json", "null", as: String.self, empty: "")
        try await Self.check("application/json", "null", as: Data.self, empty: Data())
        try await Self.check("text/plain", "null", as: String.self, empty: "")
        try await Self.check("application/json", "42", as: Int.self)
        try await Self.check("application/json", "[1, 2]", as: JSON.self, empty: .null)
        try await Self.check("application/json", #"{"name": "Ada"}"#, as: User.self)
        try await Self.check("application/json", "[1, 2]", as: [Int].self)
        try await Self.check("application/json", "[1, null]", as: [Int?].self)
        try await Self.check("application/x-www-form-urlencoded", "a=1&b=2", as: FormFields.self)
        try await Self.check("application/xml", "<a>1</a>", as: XMLTree.self)
        try await Self.check("application/x-ndjson", "1\n2\n", as: [Int].self, empty: [])
        try await Self.check("application/x-ndjson", "\"a\"\n\"b\"\n", as: [String].self, empty: [])
        try await Self.check("application/x-ndjson", "1\nnull\n", as: [JSON].self, empty: [])
        try await Self.check("text/csv", "a,b\r\n1,2\r\n", as: [CSVRow].self, empty: [])
    }

    @Test func `XML that decodes, with an attribute that says that there is nothing`() async throws {
        let registry = try SerializerRegistry([
            .text(#"{ "manifestVersion": 1, "plugins": [{ "id": "xml", "options": { "decodes": true } }] }"#)
        ])
        try await Self.check("application/xml", "<a><name>Ada</name></a>", as: User.self, registry)
        let none = #"<a xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/>"#
        let manager = try Self.manager("application/xml", none, registry)
        let plain = await #expect(throws: SessionError.self) { try await manager.get("x", as: User.self) }
        let error = await #expect(throws: SessionError.self) { try await manager.get("x", as: User?.self) }
        #expect(error?.description == plain?.description)
    }

    @Test(arguments: ["null", " null\r\n", "\u{FEFF}null", " "])
    func `null where an entry reads JSON is nil for every type but bytes and text`(_ body: String) async throws {
        for type in ["application/json", "application/problem+json", "text/javascript"] {
            let manager = try Self.manager(type, body)
            #expect(try await manager.get("x", as: Int?.self) == nil)
            #expect(try await manager.get("x", as: User?.self) == nil)
            #expect(try await manager.get("x", as: [Int]?.self) == nil)
            #expect(try await manager.get("x", as: JSON?.self) == nil)
            #expect(try await manager.get("x", as: Problem?.self) == nil)
            #expect(try await manager.get("x", as: Bool??.self) == Bool??.none)
            #expect(try await manager.get("x", as: (any Sendable)?.self) == nil)
            #expect(try await manager.get("x", as: String?.self) == (try await manager.get("x", as: String.self)))
            #expect(try await manager.get("x", as: Data?.self) == Data(body.utf8))
            #expect(try await manager.get("x", as: JSON.self) == .null)
            let reply = try await manager.send(SessionRequest("x"), as: Int?.self)
            #expect(reply.outcome == .entry && reply.entry != nil)
            #expect(try reply.decode(as: User?.self) == nil)
        }
    }

    @Test func `a failure has its problem where its body is one, and nil where it is null`() async throws {
        for (body, isThere) in [(#"{"title": "no"}"#, true), ("null", false)] {
            let manager = try Self.manager("application/problem+json", body, status: 404)
            let error = try await #require(throws: SessionError.self) { try await manager.get("x", as: Int.self) }
            #expect(try (error.decode(as: Problem?.self) != nil) == isThere)
        }
    }

    @Test func `what the wrapped type cannot be made from is an error`() async throws {
        func check<Value: Sendable>(_ type: String, _ body: String, _ value: Value.Type) async throws {
            let manager = try Self.manager(type, body)
            let plain = await #expect(throws: SessionError.self) { try await manager.get("x", as: value) }
            let error = await #expect(throws: SessionError.self) { try await manager.get("x", as: Value?.self) }
            #expect(error?.code == plain?.code)
        }
        try await check("application/json", #""a""#, Int.self)
        try await check("application/json", "[null]", [Int].self)
        try await check("application/json", "nul", Int.self)
        try await check("application/json", "null null", Int.self)
        try await check("text/plain", "null", Int.self)
        try await check("text/plain; charset=utf-7", "abc", String.self)
        let manager = try Self.manager("text/plain", "1")
        let error = await #expect(throws: SessionError.self) { try await manager.get("x", as: Int?.self) }
        #expect(error?.code == .noReader)
        #expect(error?.description.contains("no entry makes Int? from text/plain") == true, "\(error as Any)")
    }

    @Test func `all strings of a body in lines or records`() async throws {
        let lines = try Self.manager("application/x-ndjson", "\"a\"\n\"b\"\n")
        #expect(try await lines.get("x", as: [String].self) == ["a", "b"])
        let records = try Self.manager("application/json-seq", "\u{1E}\"a\"\n\u{1E}\"b\"\n")
        #expect(try await records.get("x", as: [String].self) == ["a", "b"])
    }

    /// Asks as a caller that does not know whether its type is an optional.
    private static func generic<Value: Decodable & Sendable>(
        _ type: Value.Type, _ manager: SessionManager
    ) async throws -> Value? {
        try await manager.get("x", as: Value?.self)
    }

    @Test func `nested optionals, any value, and no value`() async throws {
        let text = try Self.manager("text/plain", "abc")
        #expect(try await text.get("x", as: String??.self) == "abc")
        #expect(try await text.get("x", as: (any Sendable)?.self) as? String == "abc")
        #expect(try await text.get("x", as: Void?.self) != nil)
        let json = try Self.manager("application/json", "1")
        #expect(try await Self.generic(Int.self, json) == 1)
        #expect(try await Self.generic(Int?.self, json) == 1)
        #expect(try await Self.generic(Int?.self, Self.manager("application/json", "null")) == Int??.none)
        let empty = try Self.manager("text/plain", "")
        #expect(try await empty.get("x", as: String??.self) == "")
        #expect(try await empty.get("x", as: (any Sendable)?.self) is Void)
        #expect(try await empty.get("x", as: Void?.self) != nil)
        let none = try Self.manager("text/plain", "", status: 204)
        let value = try await none.get("x", as: String??.self)
        #expect(value == nil)
        #expect(try await none.get("x", as: (any Sendable)?.self) == nil)
        #expect(try await none.get("x", as: Void?.self) == nil)
        let saved = try await text.download(SessionRequest("x"), as: (any Sendable)?.self).value
        #expect(saved.value as? String == "abc")
        let any = try await text.download(SessionRequest("x"), as: (any Sendable).self).value
        #expect(any.value as? String == "abc")
        for file in [saved.file, any.file] { try FileManager.default.removeItem(at: file) }
    }

    @Test func `a missing Content-Type that the policy makes an error`() async throws {
        let strict = try SerializerRegistry.standard.overlaid(
            by: .text(
                #"{ "manifestVersion": 1, "policy": { "missingContentType": "error", "invalidContentType": "error" } }"#,
                name: "strict"))
        for fields in [[:], ["Content-Type": "x"]] as [HeaderFields] {
            let transport = StubTransport { _ in StubReply(fields: fields, body: "abc") }
            let manager = SessionManager(
                baseURL: URL(string: "http://origin.test/"), registry: strict, transport: transport)
            #expect(try await manager.get("x", as: String?.self) == "abc")
            #expect(try await manager.get("x", as: Data?.self) == Data("abc".utf8))
            let error = await #expect(throws: SessionError.self) { try await manager.get("x", as: Int?.self) }
            #expect(error.map { [.missingContentType, .invalidContentType].contains($0.code) } == true)
        }
    }

    // MARK: Elements

    private static func elements<Element: Sendable>(
        _ type: String, _ body: String, of element: Element.Type
    ) async throws -> [Element] {
        var elements: [Element] = []
        for try await element in try await manager(type, body).stream("x", of: element) { elements.append(element) }
        return elements
    }

    private static let parts =
        "--b\r\nContent-Type: application/json\r\n\r\n1\r\n--b\r\nContent-Type: application/json\r\n\r\nnull\r\n"
        + "--b\r\nContent-Type: application/json\r\n\r\n\r\n--b--"

    static let nulls: [(type: String, body: String, values: [Int?])] = [
        ("application/json", "[1, null, 2]", [1, nil, 2]),
        ("application/json", "null", [nil]), ("application/json", "7", [7]), ("application/json", "[]", []),
        ("application/x-ndjson", "1\nnull\n2\n", [1, nil, 2]), ("application/x-ndjson", "", []),
        ("application/json-seq", "\u{1E}1\n\u{1E}null\n", [1, nil]),
        ("text/event-stream", "data: 1\n\ndata:\n\ndata: null\n\n", [1, nil]),
        ("multipart/mixed; boundary=b", parts, [1, nil, nil]),
    ]

    @Test("elements that may be missing, one by one and in an array", arguments: nulls)
    func elements(_ type: String, _ body: String, _ values: [Int?]) async throws {
        #expect(try await Self.elements(type, body, of: Int?.self) == values)
        #expect(try await Self.elements(type, body, of: Int??.self) == values.map { $0 == nil ? Int??.none : $0 })
        guard type != "application/json" || body.hasPrefix("[") else { return }
        #expect(try await Self.manager(type, body).get("x", as: [Int?].self) == values)
        #expect(try await Self.manager(type, body).get("x", as: [Int?]?.self) == values)
    }

    @Test func `elements of the types of the formats are those without the optional`() async throws {
        func check<Element: Sendable & Equatable>(_ type: String, _ body: String, _ element: Element.Type) async throws
        {
            let plain = try await Self.elements(type, body, of: element)
            #expect(!plain.isEmpty)
            #expect(try await Self.elements(type, body, of: Element?.self) == plain.map(Optional.some), "\(type)")
            #expect(try await Self.elements(type, body, of: Element??.self) == plain, "\(type)")
        }
        try await check("text/plain", "a\nb", String.self)
        try await check("application/json", "[\"a\",\n\"b\"]", String.self)
        try await check("image/png", "a\nb", String.self)
        try await check("image/png", "a\nb", Data.self)
        try await check("application/json", "null", Data.self)
        try await check("a/b", "null", ResponseBody.self)
        try await check("text/csv", "a,b\r\n1,2\r\n", CSVRow.self)
        try await check("text/csv", "name\r\nAda\r\n", User.self)
        try await check("text/event-stream", "id: 1\ndata: null\n\n", ServerSentEvent.self)
        try await check("application/x-ndjson", "1\n[null]\n", JSON.self)
        try await check("application/xml", "<a/>", XMLTree.self)
        try await check("multipart/mixed; boundary=b", Self.parts, ResponsePart.self)
        try await check("multipart/mixed; boundary=b", Self.parts, String.self)
        #expect(try await Self.elements("application/x-ndjson", "null\n1\n", of: JSON?.self) == [nil, 1])
        let any = try await Self.elements("application/x-ndjson", "null\n1\n", of: (any Sendable)?.self)
        #expect(any.map { $0 as? JSON } == [nil, 1])
        let value = try await Self.elements("image/png", "abc", of: (any Sendable)?.self)
        #expect(value.map { $0 as? Data } == [Data("abc".utf8)])
    }

    @Test func `a stream of optional events continues`() async throws {
        let stream = try await Self.manager("text/event-stream", "id: 7\ndata: 1\n\n").stream("x", of: Int?.self)
        var values: [Int?] = []
        for try await value in stream { values.append(value) }
        #expect(values == [1])
        #expect(stream.lastEventID == "7")
    }
}
