import Foundation
import PatchbayRegistry
import Testing

@testable import PatchbayManager

/// A body of many elements, and a call that decodes them.
struct InterruptedFormat: Sendable, CustomTestStringConvertible {
    /// An element that says when it is decoded.
    struct Element: Decodable, Sendable {
        @TaskLocal static var whenDecoded: @Sendable () -> Void = {}
        let a: Int

        private enum Key: String, CodingKey { case a }

        init(from decoder: any Decoder) throws {
            a = try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .a)
            Self.whenDecoded()
        }
    }

    struct Page: Decodable, Sendable { let items: [Element] }

    /// Reads the elements of an array one by one, and does not pass on the error of any of them.
    struct Forgiving: Decodable, Sendable {
        var count = 0

        init(from decoder: any Decoder) throws {
            var elements = try decoder.unkeyedContainer()
            while !elements.isAtEnd, (try? elements.decode(Element.self)) != nil { count += 1 }
        }
    }

    /// An element that is decoded, and refused afterwards.
    struct Refused: Decodable, Sendable {
        struct Refusal: Error {}

        init(from decoder: any Decoder) throws {
            _ = try Element(from: decoder)
            throw Refusal()
        }
    }

    let testDescription: String
    let type: String
    let body: Data
    let read: @Sendable (SessionManager) async throws -> Void

    init<Value: Sendable>(_ name: String, _ type: String, as value: Value.Type, _ body: some Sequence<UInt8>) {
        (testDescription, self.type, self.body) = (name, type, Data(body))
        read = { manager in _ = try await manager.get("a", as: value) }
    }

    static let count = 10_000
    static let one = #"{"a":1}"#
    static let array = "[" + Array(repeating: one, count: count).joined(separator: ",") + "]"

    private static func members(_ value: String) -> String {
        "{" + (0..<count).map { "\"k\($0)\":\(value)" }.joined(separator: ",") + "}"
    }

    static func repeated(_ text: String) -> String { String(repeating: text, count: count) }

    static func propertyList() -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return (try? encoder.encode(Array(repeating: ["a": 1], count: count))) ?? Data()
    }

    static let all: [InterruptedFormat] = [
        InterruptedFormat("a JSON array", "application/json", as: [Element].self, array.utf8),
        InterruptedFormat("a JSON array of optionals", "application/json", as: [Element?].self, array.utf8),
        InterruptedFormat("a JSON array in an object", "application/json", as: Page.self, "{\"items\":\(array)}".utf8),
        InterruptedFormat(
            "JSON arrays in an array", "application/json", as: [[Element]].self,
            ("[" + Array(repeating: "[\(one)]", count: count).joined(separator: ",") + "]").utf8),
        InterruptedFormat(
            "JSON arrays in a dictionary", "application/json", as: [String: [Element]].self, members("[\(one)]").utf8),
        InterruptedFormat("a JSON dictionary", "application/json", as: [String: Element].self, members(one).utf8),
        InterruptedFormat(
            "a JSON array that the type reads by itself", "application/json", as: Forgiving.self, array.utf8),
        InterruptedFormat("ndjson", "application/x-ndjson", as: [Element].self, repeated("\(one)\n").utf8),
        InterruptedFormat("json-seq", "application/json-seq", as: [Element].self, repeated("\u{1E}\(one)\n").utf8),
        InterruptedFormat("csv", "text/csv", as: [Element].self, ("a\n" + repeated("1\n")).utf8),
        InterruptedFormat("events", "text/event-stream", as: [Element].self, repeated("data: \(one)\n\n").utf8),
        InterruptedFormat(
            "events of arrays", "text/event-stream", as: [[Element]].self,
            repeated("data: [" + Array(repeating: one, count: 20).joined(separator: ",") + "]\n\n").utf8),
        InterruptedFormat(
            "parts", "multipart/mixed; boundary=b", as: [Element].self,
            (repeated("--b\r\nContent-Type: application/json\r\n\r\n\(one)\r\n") + "--b--").utf8),
        InterruptedFormat("skipped lines", "application/x-ndjson+skip", as: [Refused].self, repeated("\(one)\n").utf8),
        InterruptedFormat(
            "skipped texts", "application/x-json-seq+skip", as: [Refused].self, repeated("\u{1E}\(one)\n").utf8),
        InterruptedFormat("skipped rows", "text/x-csv+skip", as: [Refused].self, ("a\n" + repeated("1\n")).utf8),
        InterruptedFormat("a property list", "application/x-plist", as: [Element].self, propertyList()),
    ]

    static let plugins = """
        {"manifestVersion": 1, "plugins": [
            { "id": "json", "factory": "json", "match": { "types": ["application/json"] }, "onFailure": "next" },
            { "id": "fallback", "factory": "fallback", "match": { "types": ["application/json"] } },
            { "id": "ndjson", "factory": "ndjson", "match": { "types": ["application/x-ndjson"] } },
            { "id": "lines", "factory": "ndjson", "match": { "types": ["application/x-ndjson+skip"] },
              "options": { "badLines": "skip" } },
            { "id": "texts", "factory": "json-seq", "match": { "types": ["application/x-json-seq+skip"] },
              "options": { "badTexts": "skip" } },
            { "id": "rows", "factory": "csv-rows", "match": { "types": ["text/x-csv+skip"] },
              "options": { "badRows": "skip" } },
            { "id": "seq", "factory": "json-seq", "match": { "types": ["application/json-seq"] } },
            { "id": "csv", "factory": "csv-rows", "match": { "types": ["text/csv"] } },
            { "id": "events", "factory": "server-sent-events", "match": { "types": ["text/event-stream"] },
              "onFailure": "next" },
            { "id": "lists", "factory": "lists", "match": { "types": ["text/event-stream"] } },
            { "id": "parts", "factory": "multipart-parts", "match": { "types": ["multipart/mixed"] } },
            { "id": "plist", "factory": "property-list", "match": { "types": ["application/x-plist"] } },
            { "id": "bytes", "factory": "bytes", "match": { "types": ["application/x-bytes"] } }
        ]}
        """
}
