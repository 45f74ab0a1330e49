import PatchbayJSON
import PatchbayPlatform

extension PropertyList {
    /// Decodes a type from this value, with the behaviour of Foundation's `PropertyListDecoder`.
    ///
    /// A number decodes as any numeric type that can hold it; an integer type must hold it exactly. A `Float` is
    /// rounded; a number that would become infinite is an error in both formats. The string `$null` is null: Foundation
    /// writes null in an array this way.
    /// - Throws: `DecodingError` with the coding path of the value.
    public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try NodeDecoder(self).decode(type) }
}

extension PropertyList: Codable {
    /// Decodes from any decoder. In `PropertyList.decode`, the result is the decoded part of the list; in
    /// `PropertyListDecoder`, it is the value with its type. With other decoders, such as a JSON decoder, a number
    /// becomes the first of `Int64`, `UInt64` and `Double` that can hold it, null becomes the string `$null`, and text
    /// becomes a string.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? NodeDecoder<PropertyList> {
            self = decoder.node
        } else if let members = try? decoder.container(keyedBy: PathKey.self) {
            var dictionary: [String: PropertyList] = [:]
            for key in members.allKeys {
                dictionary[key.stringValue] = try members.decode(PropertyList.self, forKey: key)
            }
            self = .dictionary(dictionary)
        } else if var elements = try? decoder.unkeyedContainer() {
            var array: [PropertyList] = []
            while !elements.isAtEnd { array.append(try elements.decode(PropertyList.self)) }
            self = .array(array)
        } else {
            self = try Self.scalar(in: decoder.singleValueContainer())
        }
    }

    /// `String` is tried before `Date` and `Data`: a decoder that reads dates or data from text would turn every text
    /// into a date or data.
    private static func scalar(in container: any SingleValueDecodingContainer) throws -> PropertyList {
        if container.decodeNil() { return .null }
        if let value = try? container.decode(Int64.self) { return .integer(value) }
        if let value = try? container.decode(UInt64.self) { return .unsigned(value) }
        if let value = try? container.decode(Double.self) { return .real(value) }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        if let value = try? container.decode(String.self) { return .string(value) }
        if let value = try? container.decode(Date.self) { return .date(value) }
        return .data(try container.decode(Data.self))
    }

    /// Encodes to any encoder, which decides how a `Date` and a `Data` are written. The string `$null` is encoded as
    /// null.
    /// - Throws: `EncodingError` for a list of more than 512 levels.
    public func encode(to encoder: any Encoder) throws {
        func encode(_ value: some Encodable) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
        switch self {
        case .string(let value):
            var container = encoder.singleValueContainer()
            if isNull { try container.encodeNil() } else { try container.encode(value) }
        case .integer(let value): try encode(value)
        case .unsigned(let value): try encode(value)
        case .real(let value): try encode(value)
        case .bool(let value): try encode(value)
        case .date(let value): try encode(value)
        case .data(let value): try encode(value)
        case .array(let elements):
            try Self.checkDepth(of: self, at: encoder.codingPath)
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .dictionary(let members):
            try Self.checkDepth(of: self, at: encoder.codingPath)
            var container = encoder.container(keyedBy: PathKey.self)
            for (key, value) in members.inOrder(by: { $0.key < $1.key }) {
                try container.encode(value, forKey: .name(key))
            }
        }
    }
}

extension PropertyList {
    /// A value built in code can be too deep for the stack of a recursive encoder.
    static func checkDepth(of value: Any, at path: [any CodingKey]) throws {
        let limit = PropertyListLimits().depth
        guard path.count >= limit else { return }
        let context = EncodingError.Context(
            codingPath: path, debugDescription: "More than \(limit) containers lie inside each other.")
        throw EncodingError.invalidValue(value, context)
    }
}

extension PropertyList: DecodingNode {
    static var absent: PropertyList? { nil }
    static var null: PropertyList { .string("$null") }

    var isNull: Bool { self == .null }

    func isNil(as type: any Decodable.Type) -> Bool { isNull }

    func members() throws(DecodingRefusal) -> [String: PropertyList] {
        guard case .dictionary(let members) = self else { throw refusal }
        return members
    }

    func elements() throws(DecodingRefusal) -> [PropertyList] {
        guard case .array(let elements) = self else { throw refusal }
        return elements
    }

    func scalar<Value: Decodable>(_ type: Value.Type) throws(DecodingRefusal) -> Value? {
        guard let scalar = type as? any PropertyListScalar.Type else { return nil }
        if isNull { throw .null }
        if let value = scalar.read(self) as? Value { return value }
        if scalar.isNumber, double != nil { throw .corrupted("the number does not fit in \(type)") }
        throw refusal
    }

    private var refusal: DecodingRefusal {
        switch self {
        case .string: isNull ? .null : .mismatch(found: "a string")
        case .integer, .unsigned, .real: .mismatch(found: "a number")
        case .bool: .mismatch(found: "a Boolean")
        case .date: .mismatch(found: "a date")
        case .data: .mismatch(found: "data")
        case .array: .mismatch(found: "an array")
        case .dictionary: .mismatch(found: "a dictionary")
        }
    }
}

extension [String: PropertyList]: DecodingMembers {
    var memberKeys: [String] { Array(keys) }

    func member(_ key: String) -> PropertyList? { self[key] }
}

/// A type that is read from a single value of a property list, neither an array nor a dictionary.
protocol PropertyListScalar {
    static var isNumber: Bool { get }
    static func read(_ list: PropertyList) -> Self?
}

extension PropertyListScalar {
    static var isNumber: Bool { false }
}

extension PropertyListScalar where Self: FixedWidthInteger {
    static var isNumber: Bool { true }

    static func read(_ list: PropertyList) -> Self? {
        switch list {
        case .integer(let value): Self(exactly: value)
        case .unsigned(let value): Self(exactly: value)
        case .real(let value): Self(exactly: value)
        default: nil
        }
    }
}

extension PropertyListScalar where Self: BinaryFloatingPoint {
    static var isNumber: Bool { true }

    static func read(_ list: PropertyList) -> Self? {
        guard let double = list.double else { return nil }
        let value = Self(double)
        return value.isFinite == double.isFinite ? value : nil
    }
}

extension Bool: PropertyListScalar { static func read(_ list: PropertyList) -> Bool? { list.bool } }
extension String: PropertyListScalar { static func read(_ list: PropertyList) -> String? { list.string } }
extension Date: PropertyListScalar { static func read(_ list: PropertyList) -> Date? { list.date } }
extension Data: PropertyListScalar { static func read(_ list: PropertyList) -> Data? { list.data } }
