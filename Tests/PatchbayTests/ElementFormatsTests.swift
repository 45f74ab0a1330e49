import Foundation
import Patchbay
import PatchbayTesting
import TestSupport
import Testing

/// Holds the table of the page on formats to the code: the formats whose elements make an array or a stream.
@Suite(.timeLimit(.minutes(5))) struct ElementFormatsTests {
    struct User: Decodable, Sendable { let name: String }

    struct Format: Sendable, CustomTestStringConvertible {
        /// The cell of the page.
        let testDescription: String
        let type: String
        /// Bodies of one user, and of two.
        let one, two: String
        /// The elements of a stream of the first body, and of the second; nil if it fails.
        var elements: [Int?] = [1, 2]
    }

    private static func plist(_ value: String) -> String { "<plist version='1.0'>\(value)</plist>" }
    private static let dict = "<dict><key>name</key><string>Ada</string></dict>"
    private static let json = #"{"name":"Ada"}"#
    private static let part = "--b\r\nContent-Type: application/json\r\n\r\n\(json)\r\n"

    static let formats = [
        Format(testDescription: "JSON", type: "application/json", one: json, two: "[\(json),\(json)]"),
        Format(
            testDescription: "property list", type: "application/x-plist", one: plist(dict),
            two: plist("<array>\(dict)\(dict)</array>"), elements: [1, nil]),
        Format(
            testDescription: "`ndjson`, `json-seq`", type: "application/x-ndjson", one: json, two: "\(json)\n\(json)"),
        Format(
            testDescription: "`ndjson`, `json-seq`", type: "application/json-seq", one: "\u{1E}\(json)\n",
            two: "\u{1E}\(json)\n\u{1E}\(json)\n"),
        Format(testDescription: "`csv-rows`", type: "text/csv", one: "name\r\nAda\r\n", two: "name\r\nAda\r\nBob\r\n"),
        Format(
            testDescription: "`server-sent-events`", type: "text/event-stream", one: "data: \(json)\n\n",
            two: "data: \(json)\n\ndata: \(json)\n\n"),
        Format(
            testDescription: "`multipart-parts`", type: "multipart/mixed; boundary=b", one: part + "--b--",
            two: part + part + "--b--"),
    ]

    private func manager(_ type: String, _ body: String, status: Int = 200) -> SessionManager {
        let stub = StubTransport { _ in StubReply(status: status, fields: ["Content-Type": type], body: body) }
        return SessionManager(baseURL: URL(string: "https://api.example.com"), registry: .standard, transport: stub)
    }

    private func count(_ manager: SessionManager) async throws -> Int {
        var count = 0
        for try await _ in try await manager.stream("x", of: User.self) { count += 1 }
        return count
    }

    @Test("a format gives the values of its row", arguments: formats)
    func row(_ format: Format) async throws {
        let page = try Markdown("Documentation/Formats.md").text
        let row = try #require(page.split(separator: "\n").last { $0.hasPrefix("| \(format.testDescription) | ") })
        let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        let (one, two) = (manager(format.type, format.one), manager(format.type, format.two))
        let untyped = "\(type(of: try await two.send("x").value))".replacing("Array<JSON>", with: "[JSON]")
        #expect(cells[1].hasPrefix("`\(untyped)`"), "\(untyped)")
        if cells[2] == "fails" {
            let error = await #expect(throws: SessionError.self) { try await one.get("x", as: User.self) }
            #expect(error?.code == .noReader)
        } else {
            #expect(try await one.get("x", as: User.self).name == "Ada")
        }
        #expect(try await two.get("x", as: [User].self).count == 2)
        for (manager, elements) in zip([one, two], format.elements) {
            if let elements {
                #expect(try await count(manager) == elements)
            } else {
                await #expect(throws: SessionError.self) { try await count(manager) }
            }
        }
    }

    @Test("events need the status 200, unless an entry of one's own reads them")
    func events() async throws {
        let manager = manager("text/event-stream", "data: \(Self.json)\n\n", status: 201)
        let error = await #expect(throws: SessionError.self) { try await count(manager) }
        #expect(error?.code == .noReader)
        let manifest = """
            { "manifestVersion": 1, "plugins": [
                { "id": "created", "factory": "server-sent-events", "match": { "types": ["text/event-stream"] } }
            ] }
            """
        manager.registry = try SerializerRegistry([.text(manifest, name: "created")])
        #expect(try await count(manager) == 1)
    }

    @Test(
        "what iso8601 reads and writes",
        arguments: [
            ("2026-01-31T23:59:59Z", "2026-01-31T23:59:59Z"), ("2026-01-31T23:59:59.5Z", "2026-01-31T23:59:59Z"),
            ("2026-01-31T23:59:59.5+02:00", "2026-01-31T21:59:59Z"),
            ("2026-01-31T23:59:59-0130", "2026-02-01T01:29:59Z"), ("2026-01-31", nil), ("2026-01-31T23:59Z", nil),
            ("2026-01-31T23:59:59", nil), ("2026-01-31 23:59:59Z", nil),
        ] as [(String, String?)])
    func dates(_ text: String, _ written: String?) throws {
        let options = JSON.CodingOptions(dates: .iso8601)
        guard let written else {
            #expect(throws: DecodingError.self) { try JSON(text).decode(Date.self, options: options) }
            return
        }
        let date = try JSON(text).decode(Date.self, options: options)
        #expect(try JSON(encoding: date, options: options) == JSON(written))
        #expect(date.timeIntervalSince1970.truncatingRemainder(dividingBy: 1) == (text.contains(".5") ? 0.5 : 0))
    }
}
