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
