package import PatchbayJSON
public import PatchbayPlatform
import PatchbayRegistry

/// A property list: the value that an XML or a binary property list stands for.
///
/// ```swift
/// let settings = try await manager.get("settings.plist", as: PropertyList.self)
/// let name = settings["user"]?["name"]?.string
/// ```
public enum PropertyList: Sendable, Hashable {
    case string(String)
    case integer(Int64)
    /// An integer above the largest `Int64`; smaller ones are `integer`.
    case unsigned(UInt64)
    case real(Double)
    case bool(Bool)
    case date(Date)
    case data(Data)
    case array([PropertyList])
    case dictionary([String: PropertyList])
}

extension PropertyList {
    /// The member of a dictionary; nil where there is none or this is no dictionary.
    public subscript(key: String) -> PropertyList? { dictionary?[key] }

    /// The element of an array; nil where there is none or this is no array.
    public subscript(index: Int) -> PropertyList? {
        guard let array, array.indices.contains(index) else { return nil }
        return array[index]
    }

    /// The text, where it is one.
    public var string: String? { if case .string(let value) = self { value } else { nil } }

    /// The value of an integer, where an `Int` can hold it.
    public var int: Int? {
        switch self {
        case .integer(let value): Int(exactly: value)
        case .unsigned(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The value of a real number, or that of an integer as a `Double`.
    public var double: Double? {
        switch self {
        case .real(let value): value
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        default: nil
        }
    }

    /// The boolean, where it is one.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The date, where it is one.
    public var date: Date? { if case .date(let value) = self { value } else { nil } }
    /// The bytes, where it is such.
    public var data: Data? { if case .data(let value) = self { value } else { nil } }
    /// The elements, where it is an array.
    public var array: [PropertyList]? { if case .array(let value) = self { value } else { nil } }
    /// The members, where it is a dictionary.
    public var dictionary: [String: PropertyList]? { if case .dictionary(let value) = self { value } else { nil } }
}

extension PropertyList: CustomStringConvertible, CustomReflectable {
    /// On one line, as JSON has it, keys in order; dates by ISO 8601, those outside the years 1 to 9999 as seconds, and of bytes how many:
    /// `{"born": 1815-12-10T00:00:00Z}`.
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
            "{" + members.sorted { $0.key < $1.key }.map { "\(JSON($0)): \($1)" }.joined(separator: ", ") + "}"
        }
    }
    public var customMirror: Mirror { Mirror(described: self) }
}

package struct PropertyListFailure: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: String, Sendable {
        case format, malformed
        /// A kind of value that only archives have: a set, a UID, null.
        case unsupported
        case depth
        /// Shared objects stand for more values than may be walked.
        case size
    }

    package let code: Code
    /// The reason in plain words, without any of the content.
    package let reason: String

    package init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    package var description: String { "the property list was refused: \(reason)" }

    static func depth(_ limit: Int) -> PropertyListFailure {
        PropertyListFailure(.depth, "its containers are nested more than \(limit) deep")
    }
}

extension PropertyListFailure: FormatFault {
    package var formatFailure: FormatFailure {
        let code: FormatFailure.Code =
            switch code {
            case .format: .wrongFormat
            case .unsupported: .unsupported
            case .depth: .depth
            case .size: .limit
            default: .malformed
            }
        return FormatFailure(self, "property-list", code, reason)
    }
}

/// How large a value a property list may stand for.
struct PropertyListLimits: Sendable {
    var depth = 512
    /// How many values there may be, a shared one counted wherever it is used.
    var nodes = 5_000_000
    /// How many bytes of strings and data there may be, counted in the same way.
    var bytes = 64 << 20

    /// The limits for a body of so many bytes, which itself is never too large.
    func allowing(bodyOf count: Int) -> PropertyListLimits {
        var limits = self
        limits.bytes = max(bytes, count)
        return limits
    }
}
