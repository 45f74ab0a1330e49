/// A step of a coding path that is not a key of a type: an element of an array, a key of a dictionary, a superclass.
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

/// The coder of one value, within the coder of its container. The coding path is computed only when it is needed.
package protocol CodingNode: AnyObject {
    var parent: Self? { get }
    var key: (any CodingKey)? { get }
}

extension CodingNode {
    /// The limit of nesting. Coders recurse, so a deep value built in code, or a cyclic graph, would otherwise exhaust
    /// the stack.
    package static var maximumDepth: Int { 512 }

    package var codingPath: [any CodingKey] {
        var path: [any CodingKey] = []
        var node: Self? = self
        while let current = node {
            if let key = current.key { path.append(key) }
            node = current.parent
        }
        return path.reversed()
    }
}
