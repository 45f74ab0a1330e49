import PatchbayJSON
import Testing

/// What is known of a type is kept for all calls: more types than there is room for, met by many tasks at once.
@Suite(.timeLimit(.minutes(5))) struct KnownTypesTests {
    protocol Leaf: Decodable, Sendable {
        static var nested: [any Leaf.Type] { get }
        var number: Int { get }
    }

    struct First<Inner: Leaf>: Leaf {
        let inner: Inner
        init(from decoder: any Decoder) throws { inner = try decoder.singleValueContainer().decode(Inner.self) }
        static var nested: [any Leaf.Type] { [First<Self>.self, Second<Self>.self, Third<Self>.self] }
        var number: Int { inner.number }
    }

    struct Second<Inner: Leaf>: Leaf {
        let inner: [Inner]
        init(from decoder: any Decoder) throws { inner = [try decoder.singleValueContainer().decode(Inner.self)] }
        static var nested: [any Leaf.Type] { [First<Self>.self, Second<Self>.self, Third<Self>.self] }
        var number: Int { inner.first?.number ?? -1 }
    }

    struct Third<Inner: Leaf>: Leaf {
        let inner: Inner?
        init(from decoder: any Decoder) throws { inner = try decoder.singleValueContainer().decode(Inner?.self) }
        static var nested: [any Leaf.Type] { [First<Self>.self, Second<Self>.self, Third<Self>.self] }
        var number: Int { inner?.number ?? -1 }
    }

    struct Number: Leaf {
        let number: Int
        init(from decoder: any Decoder) throws { number = try decoder.singleValueContainer().decode(Int.self) }
        static var nested: [any Leaf.Type] { [First<Self>.self, Second<Self>.self, Third<Self>.self] }
    }

    private static func decode<Value: Leaf>(_ type: Value.Type, _ json: JSON) throws -> [Int] {
        try json.decode([Value].self).map(\.number)
    }

    @Test("Every type decodes alike, whether or not there is room to know it") func manyTypes() async throws {
        var types: [any Leaf.Type] = [Number.self]
        var level = types
        for _ in 0..<6 {
            level = level.flatMap { type in type.nested }
            types += level
        }
        let all = types
        #expect(all.count > 1024)
        let json = try JSON(parsing: "[1,2,3]")
        try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var right = 0
                    // Each begins elsewhere.
                    for index in all.indices {
                        let type = all[(index + task * all.count / 8) % all.count]
                        if try Self.decode(type, json) == [1, 2, 3] { right += 1 }
                    }
                    return right
                }
            }
            for try await right in group { #expect(right == all.count) }
        }
    }
}
