/// A place in a coding path that no type's own keys name: an element of an array, a key of a dictionary, a superclass.
package enum PathKey: CodingKey {
    case index(Int)
    case name(String)

    package static let superclass = PathKey.name("super")

    package init(stringValue: String) { self = .name(stringValue) }
    package init(intValue: Int) { self = .index(intValue) }

    package var stringValue: String {
        switch self {
        case .index(let index): "Index \(index)"
        case .name(let name): name
        }
    }

    package var intValue: Int? {
        switch self {
        case .index(let index): index
        case .name: nil
        }
    }
}

/// The coder of one value, which lies in that of another under a key. A path is read off only when somebody asks for it.
protocol CodingNode: AnyObject {
    var parent: Self? { get }
    var key: (any CodingKey)? { get }
}

extension CodingNode {
    /// How many values may lie inside each other: coders recurse, so that a value built in code, or a graph with a cycle, would
    /// otherwise exhaust the stack.
    static var maximumDepth: Int { 512 }

    var codingPath: [any CodingKey] {
        var path: [any CodingKey] = []
        var node: Self? = self
        while let current = node {
            if let key = current.key { path.append(key) }
            node = current.parent
        }
        return path.reversed()
    }
}
