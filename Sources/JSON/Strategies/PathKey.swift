/// A place in a coding path that no type's own keys name: an element of an array, a key of a dictionary, a superclass.
enum PathKey: CodingKey {
    case index(Int)
    case name(String)

    static let superclass = PathKey.name("super")

    init(stringValue: String) { self = .name(stringValue) }
    init(intValue: Int) { self = .index(intValue) }

    var stringValue: String {
        switch self {
        case .index(let index): "Index \(index)"
        case .name(let name): name
        }
    }

    var intValue: Int? {
        switch self {
        case .index(let index): index
        case .name: nil
        }
    }
}
