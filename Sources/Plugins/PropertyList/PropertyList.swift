import PatchbayJSON
public import PatchbayPlatform
import PatchbayRegistry

/// The value of an XML or binary property list.
///
/// ```swift
/// let settings = try await manager.get("settings.plist", as: PropertyList.self)
/// let name = settings["user"]?["name"]?.string
/// ```
public enum PropertyList: Sendable, Hashable {
    case string(String)
    case integer(Int64)
    /// An integer above the largest `Int64`. Every smaller integer is an `integer`.
    case unsigned(UInt64)
    case real(Double)
    case bool(Bool)
    case date(Date)
    case data(Data)
    case array([PropertyList])
    case dictionary([String: PropertyList])
}

extension PropertyList {
    /// The member of a dictionary; nil if there is none or this is not a dictionary.
    public subscript(key: String) -> PropertyList? { dictionary?[key] }

    /// The element of an array; nil if there is none or this is not an array.
    public subscript(index: Int) -> PropertyList? {
        guard let array, array.indices.contains(index) else { return nil }
        return array[index]
    }

    /// The text, if this is a string.
    public var string: String? { if case .string(let value) = self { value } else { nil } }

    /// The value of an integer, if an `Int` can hold it.
    public var int: Int? {
        switch self {
        case .integer(let value): Int(exactly: value)
        case .unsigned(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The value of a real number, or of an integer as a `Double`.
    public var double: Double? {
        switch self {
        case .real(let value): value
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        default: nil
        }
    }

    /// The Boolean, if this is one.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The date, if this is one.
    public var date: Date? { if case .date(let value) = self { value } else { nil } }
    /// The bytes, if this is data.
    public var data: Data? { if case .data(let value) = self { value } else { nil } }
    /// The elements, if this is an array.
    public var array: [PropertyList]? { if case .array(let value) = self { value } else { nil } }
    /// The members, if this is a dictionary.
    public var dictionary: [String: PropertyList]? { if case .dictionary(let value) = self { value } else { nil } }
}

extension PropertyList: CustomStringConvertible, CustomReflectable {
    /// The value on one line, in the style of JSON, with sorted keys: `{"born": 1815-12-10T00:00:00Z}`.
    ///
    /// Dates are in ISO 8601, or in seconds since 2001 if they are outside the years 1 to 9999. Data shows only its
    /// number of bytes.
    public var description: String {
        switch self {
        case .string(let value): JSON(value).description
        case .integer(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        case .real(let value): "\(value)"
        case .bool(let value): "\(value)"
        case .date(let value): value.iso8601 ?? "\(value.timeIntervalSinceReferenceDate) s since 2001"
        case .data(let value): "<\(ByteCount(value.count))>"
        case .array(let values): "[" + values.map(\.description).joined(separator: ", ") + "]"
        case .dictionary(let members):
            "{" + members.inOrder { $0.key < $1.key }.map { "\(JSON($0)): \($1)" }.joined(separator: ", ") + "}"
        }
    }
    public var customMirror: Mirror { Mirror(described: self) }
}

extension FormatFailure {
    /// - Parameter reason: the reason in plain words. It contains none of the content.
    static func propertyList(_ code: Code, _ reason: String) -> FormatFailure {
        FormatFailure("property-list", code, reason, sentence: "the property list was refused: \(reason)")
    }
}

/// Limits on the value that a property list expands to.
struct PropertyListLimits: Sendable {
    var depth = 512
    /// The maximum number of values. A shared value counts at each position that refers to it.
    var nodes = 5_000_000
    /// The maximum number of bytes of strings and data. A shared value counts at each position that refers to it.
    var bytes = 64 << 20

    var tooDeep: FormatFailure { .propertyList(.depth, "its containers are nested more than \(depth) deep") }
    var tooManyNodes: FormatFailure { .propertyList(.limit, "it stands for more than \(nodes) values") }

    /// The limits for a body of this many bytes. The limit on bytes is at least the size of the body.
    func allowing(bodyOf count: Int) -> PropertyListLimits {
        var limits = self
        limits.bytes = max(bytes, count)
        return limits
    }
}
