/// Arrays or objects inside each other, so many of them, made in one of the ways that an encoder has.
struct Nest: Encodable {
    enum Way: String, CaseIterable, Codable, Sendable { case elements, members, superclasses, values, optionals }

    var way: Way
    var depth: Int
    /// Lies in the innermost of them.
    var element: Int?

    init(_ way: Way, depth: Int, element: Int? = nil) {
        self.way = way
        self.depth = depth
        self.element = element
    }

    func encode(to encoder: any Encoder) throws {
        switch way {
        case .elements:
            var container = encoder.unkeyedContainer()
            for _ in 1..<depth { container = container.nestedUnkeyedContainer() }
            if let element { try container.encode(element) }
        case .members:
            let key = KeyList.Key(stringValue: "a")
            var container = encoder.container(keyedBy: KeyList.Key.self)
            for _ in 1..<depth { container = container.nestedContainer(keyedBy: KeyList.Key.self, forKey: key) }
            if let element { try container.encode(element, forKey: key) }
        case .superclasses:
            var container = encoder.unkeyedContainer()
            for _ in 1..<depth { container = container.superEncoder().unkeyedContainer() }
            if let element { try container.encode(element) }
        case .values, .optionals:
            var container = encoder.unkeyedContainer()
            let inner = Nest(way, depth: depth - 1, element: element)
            if depth > 1 {
                if way == .values { try container.encode(inner) } else { try container.encode(Optional(inner)) }
            } else if let element {
                try container.encode(element)
            }
        }
    }
}
