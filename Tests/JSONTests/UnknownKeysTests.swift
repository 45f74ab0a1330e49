import Foundation
import PatchbayJSON
import Testing

@Suite struct UnknownKeysTests {
    struct Entry: Decodable, Equatable {
        var id: String
        var limits: Limits?
        var extra: JSON?
        var names: [String: Limits]?
        struct Limits: Decodable, Equatable { var maxBytes: Int? }
    }

    struct Peek: Decodable {
        private enum CodingKeys: CodingKey { case id, extra }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            _ = container.contains(.extra)
            _ = try container.decodeNil(forKey: .id)
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        let decode: @Sendable (JSON) throws -> Void
        let expected: [Key]
        var testDescription: String { name }

        init<Value: Decodable & SendableMetatype>(
            _ name: String, _ type: Value.Type, _ text: String, options: JSON.CodingOptions = .init(),
            _ expected: [Key] = []
        ) {
            self.name = name
            self.text = text
            self.expected = expected
            decode = { _ = try $0.decodeRefusingUnknownKeys(Value.self, options: options) }
        }
    }

    struct Key: Sendable, Equatable {
        let key: String
        let pointer: String
        let known: [String]
    }

    static let entryKeys = ["extra", "id", "limits", "names"]

    static let cases: [Case] = [
        Case("all known", Entry.self, #"{"id":"a","limits":{"maxBytes":1},"extra":null,"names":{}}"#),
        Case("one unknown", Entry.self, #"{"id":"a","idd":1}"#, [Key(key: "idd", pointer: "/idd", known: entryKeys)]),
        Case(
            "in document order, outer before inner", Entry.self, #"{"limits":{"b":1,"a":2},"id":"a","z":{"y":1}}"#,
            [
                Key(key: "z", pointer: "/z", known: entryKeys),
                Key(key: "b", pointer: "/limits/b", known: ["maxBytes"]),
                Key(key: "a", pointer: "/limits/a", known: ["maxBytes"]),
            ]),
        Case("JSON takes in everything", Entry.self, #"{"id":"a","extra":{"b":{"c":[{"d":1}]}}}"#),
        Case("JSON at the root", JSON.self, #"{"a":{"b":1}}"#),
        Case("JSON in an array", [JSON].self, #"[{"a":1}]"#),
        Case(
            "dictionary keys are known, its values are not free", Entry.self,
            #"{"id":"a","names":{"x":{"maxByte":1},"y":{}}}"#,
            [Key(key: "maxByte", pointer: "/names/x/maxByte", known: ["maxBytes"])]),
        Case(
            "in arrays", [Entry].self, #"[{"id":"a"},{"id":"b","x":1}]"#,
            [Key(key: "x", pointer: "/1/x", known: entryKeys)]),
        Case(
            "pointer is escaped", Entry.self, #"{"id":"a","a/b~c":1}"#,
            [Key(key: "a/b~c", pointer: "/a~1b~0c", known: entryKeys)]),
        Case(
            "type without a container", Empty.self, #"{"a":1,"b":2}"#,
            [Key(key: "a", pointer: "/a", known: []), Key(key: "b", pointer: "/b", known: [])]),
        Case(
            "type without a container below", [String: Empty].self, #"{"x":{"a":1}}"#,
            [Key(key: "a", pointer: "/x/a", known: [])]),
        Case("looked at but not decoded", Peek.self, #"{"id":{"q":1},"extra":{"r":1}}"#),
        Case(
            "superclass", Dog.self, #"{"name":"Rex","super":{"legs":4,"arms":0}}"#,
            [Key(key: "arms", pointer: "/super/arms", known: ["legs"])]),
        Case(
            "nested containers", Grid.self, #"{"grid":[],"meta":{"title":"t","x":1}}"#,
            [Key(key: "x", pointer: "/meta/x", known: ["title"])]),
        Case(
            "enum with values", Shape.self, #"{"circle":{"radius":1,"diameter":2}}"#,
            [Key(key: "diameter", pointer: "/circle/diameter", known: ["radius"])]),
        Case(
            "snake case", Snake.self, #"{"user_name":"a","userid":1}"#, options: .init(keys: .snakeCase),
            [
                Key(
                    key: "userid", pointer: "/userid",
                    known: ["_private", "extra_info", "home_url", "nested_thing", "user_name"])
            ]),
        Case(
            "snake case dictionary", Snake.self, #"{"user_name":"a","extra_info":{"any_key":1}}"#,
            options: .init(keys: .snakeCase)),
        Case("duplicate of a known key", Entry.self, #"{"id":"a","id":"b"}"#),
    ]

    @Test(arguments: cases) func findsUnknownKeys(_ item: Case) throws {
        let json = try JSON(parsing: item.text)
        guard !item.expected.isEmpty else { return try item.decode(json) }
        let failure = #expect(throws: JSON.UnknownKeysFailure.self) { try item.decode(json) }
        let found = failure?.keys.map { Key(key: $0.key, pointer: $0.pointer, known: $0.known) }
        #expect(found == item.expected)
    }

    @Test func reportsDecodingErrorsFirst() throws {
        let json = try JSON(parsing: #"{"idd":1}"#)
        #expect(throws: DecodingError.self) { try json.decodeRefusingUnknownKeys(Entry.self) }
    }

    @Test func leavesIgnoredKeysAlone() throws {
        let json = try JSON(parsing: #"{"id":"a","x-note":1,"limits":{"x-why":2}}"#)
        let entry = try json.decodeRefusingUnknownKeys(Entry.self, ignoringKeys: { $0.hasPrefix("x-") })
        #expect(entry.id == "a")
    }

    @Test func worksOnAPartOfADocument() throws {
        let json = try #require(try JSON(parsing: #"{"skip":1,"entry":{"id":"a","b":2}}"#)["entry"])
        let failure = #expect(throws: JSON.UnknownKeysFailure.self) { try json.decodeRefusingUnknownKeys(Entry.self) }
        #expect(failure?.keys.map(\.pointer) == ["/b"])
    }

    @Test func readsAsSentences() throws {
        let json = try JSON(parsing: #"{"id":"a","idd":1}"#)
        let failure = #expect(throws: JSON.UnknownKeysFailure.self) { try json.decodeRefusingUnknownKeys(Entry.self) }
        #expect(failure?.description == "/idd: unknown key (known here: extra, id, limits, names)")
    }
}
