import Foundation

extension PropertyList {
    /// Decodes a type from this value, with the behaviour of Foundation's `PropertyListDecoder`.
    ///
    /// A number decodes as any type of number that holds it, an integer exactly; a `Float` is rounded, and one that would be infinite is
    /// an error, from both formats. The string `$null` is null, which is how Foundation
    /// writes one in an array.
    /// - Throws: `DecodingError` with the coding path of the place.
    public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try NodeDecoder(self).decode(type) }
}

extension PropertyList: DecodingNode {
    static var absent: PropertyList? { nil }
    static var null: PropertyList { .string("$null") }

    var isNull: Bool { self == .null }

    func isNil(as type: any Decodable.Type) -> Bool { isNull }

    func members() throws(DecodingRefusal) -> PropertyListMembers {
        guard case .dictionary(let members) = self else { throw refusal }
        return PropertyListMembers(dictionary: members)
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

/// The members of a dictionary.
struct PropertyListMembers: DecodingMembers {
    let dictionary: [String: PropertyList]

    var keys: [String] { Array(dictionary.keys) }

    func member(_ key: String) -> PropertyList? { dictionary[key] }
}

/// A type that one value of a property list, neither array nor dictionary, is read as.
private protocol PropertyListScalar {
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
extension Double: PropertyListScalar {}
extension Float: PropertyListScalar {}
extension Int: PropertyListScalar {}
extension Int8: PropertyListScalar {}
extension Int16: PropertyListScalar {}
extension Int32: PropertyListScalar {}
extension Int64: PropertyListScalar {}
extension Int128: PropertyListScalar {}
extension UInt: PropertyListScalar {}
extension UInt8: PropertyListScalar {}
extension UInt16: PropertyListScalar {}
extension UInt32: PropertyListScalar {}
extension UInt64: PropertyListScalar {}
extension UInt128: PropertyListScalar {}
