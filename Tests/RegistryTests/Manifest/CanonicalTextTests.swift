import Foundation
import PatchbayRegistry
import TestSupport
import Testing

/// The text of a serializer that replaces the one of an entry, which the digest of a table has.
@Suite struct CanonicalTextTests {
    private enum Mode {
        case plain
        case limited(to: Int, Set<String>)
    }

    private final class Loop {
        var own: Loop?
    }

    private struct Written: CustomStringConvertible {
        let names: Set<String>
        var description: String { "written by its author" }
    }

    private struct Options {
        var names: Set<String>
        var table: [String: [Int]] = ["b": [1], "a": [2, 3]]
        var modes: [Mode] = [.plain]
        var limit: Int?
        var pair = (1, "x")
        let loop = Loop()
        var written = Written(names: [])
        let closure: @Sendable () -> Void = {}
    }

    private struct Listed: ResponseSerializer {
        let names: Set<String>
        func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> String { names.sorted().joined() }
    }

    private static let words = (0..<40).map { "word \($0)" }

    /// The same set, of many buckets, so that its members have another order.
    private static func wide(_ words: [String]) -> Set<String> {
        var set = Set<String>(minimumCapacity: 4_096)
        for word in words.reversed() { set.insert(word) }
        return set
    }

    @Test("equal values have one text, whatever the order of their sets and dictionaries")
    func equal() throws {
        let (one, other) = (Set(Self.words), Self.wide(Self.words))
        #expect(one == other)
        #expect(String(reflecting: one) != String(reflecting: other))
        let values: [(Any, Any)] = [
            (one, other), (Options(names: one), Options(names: other)),
            ([one: Mode.limited(to: 1, one)], [other: Mode.limited(to: 1, other)]),
            (Optional(one) as Any, Optional(other) as Any),
        ]
        for (one, other) in values { #expect(String(canonical: one) == String(canonical: other)) }
        let manifest = """
            {"manifestVersion": 1, "plugins": [{"id": "json", "factory": "json", "match": {"types": ["a/b"]}}]}
            """
        let base = try SerializerRegistry.compared(manifest)
        let replaced = try base.replacing("json", with: Listed(names: one))
        #expect(try replaced.digest == base.replacing("json", with: Listed(names: other)).digest)
        #expect(try replaced.digest != base.replacing("json", with: Listed(names: one.union(["more"]))).digest)
    }

    @Test("the text has the types and the names of all parts, and the text that the author of a type has written")
    func text() {
        var options = Options(names: ["b", "a"])
        (options.modes, options.limit) = ([.plain, .limited(to: 1, ["x"])], 7)
        options.loop.own = options.loop
        defer { options.loop.own = nil }
        let own = "RegistryTests.CanonicalTextTests."
        let text = String(canonical: options).replacing(own, with: "")
        #expect(text.hasPrefix(#"Options(names: Swift.Set<Swift.String>("a", "b"), table: "#), "\(text)")
        #expect(!text.contains("unknown context"), "\(text)")
        for part in [
            #"(key: "a", value: Swift.Array<Swift.Int>(2, 3))"#, "Mode.plain", "limited: ",
            #"Swift.Set<Swift.String>("x")"#, "limit: Swift.Optional<Swift.Int>(some: 7)", "loop: Loop",
            "written: written by its author",
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
    }
}
