// Named values, from literals and `Encodable` types.

public import PatchbayJSON
public import PatchbayPlatform
import PatchbayRegistry

/// The parameters of a request. A `ParameterSerializer` writes them as a query, a form, JSON or a property list.
///
///     try await manager.get("search", parameters: ["q": "tea", "tags": ["a", "b"], "page": 2])
///
/// The members of an object keep their order. If a literal has a name twice, the last value is used. A set has an order
/// only if a serializer sorts the set.
public indirect enum Parameters: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int128)
    case number(Double)
    /// A number with more digits than a `Double` can hold.
    case decimal(Decimal)
    case string(String)
    case data(Data)
    case date(Date)
    case array([Parameters])
    case set([Parameters])
    case object([Member])

    /// One named value of an object.
    public struct Member: Sendable, Hashable {
        /// The key, not yet encoded.
        public var name: String
        /// The value of the member.
        public var value: Parameters
        /// Whether the value is an optional that is nil: forms write null for it, other formats leave the member out.
        package var isLeftOut = false

        /// A named value.
        public init(_ name: String, _ value: Parameters) {
            self.name = name
            self.value = value
        }
    }

    package static let maximumDepth = 512
    static let tooDeep = ParametersFailure("more than \(maximumDepth) values lie inside each other")

    /// The value of a JSON document.
    /// - Throws: `ParametersFailure` if more than 512 objects and arrays lie inside each other. Only a document that
    ///   was parsed with a higher limit can have so many.
    public init(_ json: JSON) throws {
        guard let content = json.content(inside: 0) else { throw Self.tooDeep }
        self.init(EncodingNode(content)) { _ in nil }
    }

    /// The encoded value. Dates and bytes keep their types. Members of a dictionary are sorted by name, and elements of a
    /// set by their text.
    /// - Parameters:
    ///   - value: the value; its members become the parameters.
    ///   - keepingNil: whether an optional member that is nil becomes `null`. By default it is left out, as in JSON.
    /// - Throws: `EncodingError`, for example for a value that encodes nothing, or the error that the value throws.
    public init(encoding value: some Encodable, keepingNil: Bool = false) throws {
        self.init(try EncodingNode.tree(of: value)) { keepingNil ? Member($0, .null) : nil }
    }

    /// The encoded value. The format decides how an optional member that is nil is written.
    package init(encodingMarked value: some Encodable) throws {
        self.init(try EncodingNode.tree(of: value)) { name in
            var member = Member(name, .null)
            member.isLeftOut = true
            return member
        }
    }

    /// The encoded values as the members of an object; nil becomes null.
    /// - Throws: `EncodingError`, or the error that a value throws.
    public init(encoding pairs: ParameterPairs) throws {
        self.init(
            members: try pairs.map { name, value in
                (name, try value.map { try Parameters(encodingMarked: $0) } ?? .null)
            })
    }

    /// An object. If a name occurs twice, the last value is used, at the position of the first.
    init(members: some Sequence<(String, Parameters)>) {
        var kept: [Member] = []
        var places: [String: Int] = [:]
        for (name, value) in members {
            if let place = places[name] {
                kept[place].value = value
            } else {
                places[name] = kept.count
                kept.append(Member(name, value))
            }
        }
        self = .object(kept)
    }
}

extension Parameters: CustomStringConvertible, CustomReflectable {
    /// The names of an object, the number of elements of an array, or the kind of any other value: `{user, password}`.
    public var description: String {
        switch self {
        case .null: "null"
        case .bool: "a bool"
        case .integer, .number, .decimal: "a number"
        case .string: "a string"
        case .data(let data): "\(ByteCount(data.count))"
        case .date: "a date"
        case .array(let values), .set(let values): "[\(values.count) values]"
        case .object(let members): "{" + members.map(\.description).joined(separator: ", ") + "}"
        }
    }
    public var customMirror: Mirror { Mirror(described: self) }
}

extension Parameters.Member: CustomStringConvertible, CustomReflectable {
    /// The name.
    public var description: String { Redaction.name(name) }
    public var customMirror: Mirror { Mirror(described: self) }
}

extension Parameters: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByStringInterpolation {
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(stringLiteral value: String) { self = .string(value) }
}

extension Parameters: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    public init(integerLiteral value: Int64) { self = .integer(Int128(value)) }
    public init(floatLiteral value: Double) { self = .number(value) }
}

extension Parameters: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    public init(arrayLiteral elements: Parameters...) { self = .array(elements) }

    public init(dictionaryLiteral members: (String, Parameters)...) {
        self.init(members: members)
    }
}

/// The reason that parameters cannot be written in the requested format.
public struct ParametersFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason in plain words; it shows no value.
    public let reason: String
    public var description: String { reason }

    /// An error for a request serializer of your own. The reason must not show values.
    public init(_ reason: String) { self.reason = reason }
}

extension ParametersFailure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}

/// Parameters by name, in their order: variables, optionals and literals side by side.
///
/// Each value encodes itself; nil is null. If a name occurs twice, the last value is used, at the position of the
/// first.
public typealias ParameterPairs = KeyValuePairs<String, (any Encodable)?>
