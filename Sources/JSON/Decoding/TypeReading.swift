import PatchbayPlatform

/// How values of one type are read: some without a decoder of their own, the others by their own initializer.
///
/// It depends on the type alone, and `KnownTypes` remembers it.
enum TypeReading {
    case double
    case string
    case int
    case json
    case date
    case data
    case url
    case decimal
    case collection(any TapeCollection.Type)
    case other

    init<Value: Decodable>(of type: Value.Type) {
        if type == Double.self {
            self = .double
        } else if type == String.self {
            self = .string
        } else if type == Int.self {
            self = .int
        } else if type == JSON.self {
            self = .json
        } else if type == Date.self {
            self = .date
        } else if type == Data.self {
            self = .data
        } else if type == URL.self {
            self = .url
        } else if type == Decimal.self {
            self = .decimal
        } else if let type = type as? any TapeCollection.Type {
            self = .collection(type)
        } else {
            self = .other
        }
    }
}
