import Foundation
import PatchbayJSON
import PatchbayPlugins
import PatchbayRegistry
import PatchbayTesting
import Testing

@testable import PatchbayManager

/// Dictionaries and sets, whose order Swift makes up, inside the values of a query or a form.
@Suite(.timeLimit(.minutes(5))) struct NestedOrderTests {
    private static let names = (0..<16).map { "n\($0 / 10)\($0 % 10)" }

    /// Sixteen members, made in another order and with other room each time.
    private static func members<Value>(_ round: Int, _ value: (Int) -> Value) -> [String: Value] {
        var members = [String: Value](minimumCapacity: 16 << (round % 4))
        for place in 0..<16 { members[names[(place * 5 + round) % 16]] = value((place * 5 + round) % 16) }
        return members
    }

    /// The pairs of `members`, sorted, with a prefix and a suffix for the names.
    private static func pairs(_ before: String = "", _ after: String = "") -> [String] {
        names.enumerated().map { "\(before)\($1)\(after)=\($0)" }
    }

    private struct Filter: Encodable, Sendable {
        var zone = 1
        var tags: [String: Int]
        var alpha = 2
        var maybe: [String: Int]?
    }

    /// A value that writes a member of its own, and then a dictionary beside it.
    private struct Flat: Encodable {
        let values: [String: Int]
        enum Key: CodingKey { case zone }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(1, forKey: .zone)
            try values.encode(to: encoder)
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let pairs: [String]
        let value: @Sendable (_ round: Int) -> any Encodable & Sendable
    }

    static let rows = [
        Row(testDescription: "a dictionary", pairs: pairs(), value: { members($0) { $0 } }),
        Row(
            testDescription: "a member of a type, whose members keep their order",
            pairs: ["zone=1"] + pairs("tags[", "]") + ["alpha=2"], value: { Filter(tags: members($0) { $0 }) }),
        Row(
            testDescription: "an optional member", pairs: ["zone=1", "alpha=2"] + pairs("maybe[", "]"),
            value: { Filter(tags: [:], maybe: members($0) { $0 }) }),
        Row(
            testDescription: "a dictionary in a dictionary", pairs: pairs("a[", "]") + pairs("b[", "]"),
            value: { round in ["b": members(round) { $0 }, "a": members(round) { $0 }] }),
        Row(
            testDescription: "a dictionary in an array", pairs: pairs("a[", "]"),
            value: { round in ["a": [members(round) { $0 }]] }),
        Row(
            testDescription: "keys that are numbers", pairs: (0..<8).map { "a[\($0)]=\($0)" },
            value: { round in
                ["a": Dictionary(uniqueKeysWithValues: (0..<8).map { (($0 * 3 + round) % 8, ($0 * 3 + round) % 8) })]
            }),
        Row(
            testDescription: "a dictionary that writes itself beside other members", pairs: ["zone=1"] + pairs(),
            value: { Flat(values: members($0) { $0 }) as any Encodable & Sendable }),
        Row(
            testDescription: "a set of texts", pairs: names.map { "a=\($0)" },
            value: { round in ["a": Set(members(round) { $0 }.keys)] }),
        Row(
            testDescription: "a set of dates",
            pairs: (0..<8).map { "a=2001-01-01T00:00:0\($0)Z" },
            value: { round in
                ["a": Set((0..<8).map { Date(timeIntervalSinceReferenceDate: Double(($0 * 3 + round) % 8)) })]
            }),
        Row(
            testDescription: "an array keeps its order", pairs: ["a=2", "a=1"], value: { _ in ["a": [2, 1]] }),
        Row(
            testDescription: "an object of JSON keeps its order", pairs: ["a[z]=1", "a[b]=2"],
            value: { _ in ["a": ["z": 1, "b": 2] as JSON] }),
    ]

    @Test("the query of a value is the same in each call", arguments: rows)
    func query(_ row: Row) throws {
        for round in 0..<8 {
            let items = try QueryItems(encoding: row.value(round))
            #expect(items.map { "\($0.name)=\($0.value)" } == row.pairs, "\(round)")
        }
    }

    @Test("so is its form", arguments: rows)
    func form(_ row: Row) async throws {
        for round in 0..<8 {
            let (manager, stub) = try stubManager(TestRegistry.make(TestRegistry.formats)) { _ in .json("1") }
            try await manager.post("a", body: row.value(round), in: .form)
            let text = String(decoding: stub.requests.first?.body?.data ?? Data(), as: UTF8.self)
            let pairs = text.split(separator: "&").map { String($0).removingPercentEncoding ?? "" }
            #expect(pairs == row.pairs, "\(round)")
        }
    }
}
