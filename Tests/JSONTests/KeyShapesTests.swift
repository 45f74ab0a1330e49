import PatchbayJSON
import TestSupport
import Testing

/// Repeated keys among objects of a kind, which are not looked at key by key.
@Suite struct KeyShapesTests {
    static let shape = ["id", "name", "", "created_at", "in_reply_to_user_id", "in_reply_to_status_id"]

    private static func object(_ keys: [String]) -> String {
        "{\(keys.enumerated().map { "\"\($1)\":\($0)" }.joined(separator: ","))}"
    }

    /// After many of one shape: one that repeats a key in the same number of them, first, in the middle or last.
    @Test(arguments: shape.indices, shape.indices) func findsOneAfterMany(_ source: Int, _ target: Int) throws {
        guard source < target else { return }
        var keys = Self.shape
        keys[target] = keys[source]
        let plain = Array(repeating: Self.object(Self.shape), count: 5)
        let text = "[\((plain + [Self.object(keys)] + plain).joined(separator: ","))]"
        let json = try JSON(document: text)
        #expect(json[5]?.count == Self.shape.count - 1)
        #expect(json[5]?[keys[source]]?.int == target)
        #expect(json[6] == json[0])
        #expect(throws: JSON.ParseFailure.self) { try JSON(document: text, options: .init(refusesDuplicateKeys: true)) }
    }

    /// A shape with a repeated key is none: the next object of it is looked at as well.
    @Test func findsOneInEveryObject() throws {
        let object = Self.object(Self.shape + ["id"])
        let json = try JSON(document: "[\(Array(repeating: object, count: 9).joined(separator: ","))]")
        #expect(json.array?.allSatisfy { $0.count == Self.shape.count && $0["id"] == 6 } == true)
    }

    /// Objects inside each other, so that many keys and many containers are open at once.
    @Test(arguments: [1, 15, 16, 17, 40, 200]) func findsThemAtEveryDepth(_ depth: Int) throws {
        let keys = (0..<60).map { "key \($0)" }
        var text = "0"
        var expected = "0"
        for level in 0..<depth {
            let members = keys.map { "\"\($0)\":\(level)" }.joined(separator: ",")
            text = "{\(members),\"in\":[\(text)],\"key \(level % 60)\":true}"
            let kept = keys.filter { $0 != "key \(level % 60)" }.map { "\"\($0)\":\(level)" }.joined(separator: ",")
            expected = "{\(kept),\"in\":[\(expected)],\"key \(level % 60)\":true}"
        }
        #expect(try JSON(document: text).description == expected)
    }

    @Test(arguments: 0..<60) func agreesWithLookingAtEachKey(_ seed: UInt64) throws {
        var generator = SplitMix(seed: 900 + seed)
        for _ in 0..<20 {
            let (text, expected) = Self.value(depth: 4, &generator)
            #expect(try JSON(document: text).description == JSON(document: expected).description, "\(text)")
        }
    }

    /// A document, and the same without the members that a later one repeats.
    private static func value(depth: Int, _ generator: inout SplitMix) -> (String, String) {
        guard depth > 0 else { return ("-1.5", "-1.5") }
        let count = [0, 1, 2, 3, 4, 5, 6, 20, 66].randomElement(using: &generator) ?? 0
        if Bool.random(using: &generator) {
            let items = (0..<min(count, 6)).map { _ in value(depth: depth - 1, &generator) }
            return ("[\(items.map(\.0).joined(separator: ","))]", "[\(items.map(\.1).joined(separator: ","))]")
        }
        let alphabet = Bool.random(using: &generator) ? count * count : 2 * count + 1
        let members = (0..<count).map { index in
            let key = String(repeating: "k", count: index % 7) + "\(Int.random(in: 0...alphabet, using: &generator))"
            let inner = value(depth: index < 4 ? depth - 1 : 0, &generator)
            return (key: key, text: inner.0, expected: inner.1)
        }
        let kept = members.enumerated().filter { index, member in
            !members[(index + 1)...].contains { $0.key == member.key }
        }
        return (
            "{\(members.map { "\"\($0.key)\":\($0.text)" }.joined(separator: ","))}",
            "{\(kept.map { "\"\($1.key)\":\($1.expected)" }.joined(separator: ","))}"
        )
    }
}
