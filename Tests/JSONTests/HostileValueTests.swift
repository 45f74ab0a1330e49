import Foundation
import PatchbayJSON
import Testing

/// Values far deeper than any stack, each operation in a process of its own, since a failure would be a crash.
@Suite(.timeLimit(.minutes(5))) struct HostileValueTests {
    struct Nested: Decodable {
        var inner: [Nested]
        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            inner = container.isAtEnd ? [] : [try container.decode(Nested.self)]
        }
    }

    /// Encodes itself as a single value, without end.
    struct Endless: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(self)
        }
    }

    static func deep(_ open: String, _ close: String, depth: Int = 200_000) throws -> JSON {
        let text = String(repeating: open, count: depth) + "null" + String(repeating: close, count: depth)
        return try JSON(parsing: text, options: .init(maximumDepth: 2 * depth))
    }

    @Test func comparesAndHashesDeepValues() async {
        await #expect(processExitsWith: .success) {
            let first = try Self.deep("[", "]")
            let second = try Self.deep("[", "]")
            try #require(first == second)
            try #require(first.hashValue == second.hashValue)
            try #require(try Self.deep(#"{"a":"#, "}") == Self.deep(#"{"a":"#, "}"))
        }
    }

    @Test func printsDeepValues() async {
        await #expect(processExitsWith: .success) {
            let json = try Self.deep(#"{"a":["#, "]}", depth: 100_000)
            try #require(json.description.utf8.count == 100_000 * 8 + 4)
        }
    }

    @Test func transformsDeepValues() async {
        await #expect(processExitsWith: .success) {
            let json = try Self.deep(#"{"a":"#, "}")
            try #require(json.removingNulls(.keys).kind == .object)
            try #require(json.mergePatched(by: json).kind == .object)
            try #require(JSON.array([json, json]).count == 2)
            try #require(JSON.position(of: "/a/a", in: Array(json.description.utf8)) == nil)
        }
    }

    @Test func stopsDecodingAndEncodingDeepValues() async {
        await #expect(processExitsWith: .success) {
            let json = try Self.deep("[", "]")
            #expect(throws: DecodingError.self) { try json.decode(Nested.self) }
            #expect(throws: EncodingError.self) { try PropertyListEncoder().encode(json) }
            try #require(JSON(encoding: ["a": json]).count == 1)
        }
    }

    @Test func stopsEncodingAValueThatIsItself() async {
        await #expect(processExitsWith: .success) {
            #expect(throws: EncodingError.self) { try JSON(encoding: Endless()) }
            #expect(throws: EncodingError.self) { try JSON(encoding: [Endless?.some(Endless())]) }
        }
    }

    @Test(arguments: Nest.Way.allCases) func stopsEncodingDeepContainers(_ way: Nest.Way) async {
        await #expect(processExitsWith: .success) { [way] in
            let isRecursive = way == .values || way == .optionals
            let depth = isRecursive ? 5000 : 100_000
            #expect(throws: EncodingError.self) { try JSON(encoding: Nest(way, depth: depth, element: 1)) }
            #expect(throws: EncodingError.self) { try JSON(encoding: Nest(way, depth: depth)) }
        }
    }
}
