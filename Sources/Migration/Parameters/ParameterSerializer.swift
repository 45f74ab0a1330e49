// Parameters of any depth, as in AFNetworking and Alamofire, and the serializers that write them.

public import PatchbayJSON
public import PatchbayManager
public import PatchbayPlatform
import PatchbayRegistry

/// Puts the parameters of a request into its query or into its content.
///
/// Called once for each request, after its modifier and before it is checked, even without parameters. A serializer
/// sets `encodedQuery` or `content`; the media type of the content is sent unless the request or the manager sets
/// `Content-Type`. An error fails the request before anything is sent, with code `invalidRequest` and the error as the
/// cause.
public protocol ParameterSerializer: Sendable {
    /// Writes the parameters into the request, as its body or into its query.
    func serialize(_ parameters: Parameters?, into request: inout SessionRequest) throws
}

extension ParameterSerializer {
    /// Returns a copy of the serializer with other settings, as one expression:
    /// `request.serializer = .form.with { $0.rules.arrays = .noBrackets }`.
    public func with(_ change: (inout Self) throws -> Void) rethrows -> Self {
        var serializer = self
        try change(&serializer)
        return serializer
    }
}

extension SessionRequest {
    /// Sets the content that was made of parameters.
    /// - Throws: `ParametersFailure` if the request has content of its own.
    mutating func fill(with made: RequestContent) throws {
        guard content == nil else { throw ParametersFailure("the request has content already") }
        content = made
    }
}

/// Writes parameters as a JSON body (RFC 8259); for methods without a body, into the query as `form` does.
///
/// Sets, infinity and NaN cannot be written as JSON and fail the request. Without parameters there is neither a body
/// nor a `Content-Type`.
public struct JSONParameterSerializer: ParameterSerializer {
    /// The rules for writing dates, bytes, keys and numbers.
    public var options = JSON.CodingOptions()
    /// Whether each member is on a line of its own.
    public var isPretty = false
    /// Whether members are sorted by the bytes of their names; if false, they keep their order.
    public var sortsKeys = false
    /// Writes the query for methods without a body, and decides which methods have no body.
    public var form = FormParameterSerializer()

    /// Compact JSON, with members in their order.
    public init() {}

    /// Puts the parameters into the body, or into the query for a method without a body.
    public func serialize(_ parameters: Parameters?, into request: inout SessionRequest) throws {
        if form.isForQuery(request.method) { return try form.serialize(parameters, into: &request) }
        guard let parameters else { return }
        let json = try JSON(encoding: parameters, options: options)
        let text = json.serialized(pretty: isPretty, sortedKeys: sortsKeys)
        try request.fill(with: .data(Data(text.utf8), type: .json))
    }
}

extension ParameterSerializer where Self == JSONParameterSerializer {
    /// Compact JSON, with members in their order.
    public static var json: JSONParameterSerializer { JSONParameterSerializer() }
}

/// Writes parameters as a property list; for methods without a body, into the query as `form` does.
///
/// Null and sets cannot be written as a property list and fail the request. Without parameters there is neither a body
/// nor a `Content-Type`.
public struct PropertyListParameterSerializer: ParameterSerializer {
    /// XML, or binary.
    public var format = PropertyListDecoder.PropertyListFormat.xml
    /// Writes the query for methods without a body, and decides which methods have no body.
    public var form = FormParameterSerializer()

    /// Property lists in XML.
    public init() {}

    /// Puts the parameters into the body, or into the query for a method without a body.
    public func serialize(_ parameters: Parameters?, into request: inout SessionRequest) throws {
        if form.isForQuery(request.method) { return try form.serialize(parameters, into: &request) }
        guard let parameters else { return }
        guard !parameters.hasNull else { throw ParametersFailure("a property list has no null") }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        try request.fill(with: .data(try encoder.encode(parameters), type: "application/x-plist"))
    }
}

extension ParameterSerializer where Self == PropertyListParameterSerializer {
    /// An XML property list.
    public static var propertyList: PropertyListParameterSerializer { PropertyListParameterSerializer() }
}

extension Parameters {
    /// Whether there is a null anywhere in the value.
    fileprivate var hasNull: Bool {
        var open = [self]
        while let value = open.popLast() {
            switch value {
            case .null: return true
            case .array(let elements), .set(let elements): open += elements
            case .object(let members): open += members.filter { !$0.isLeftOut }.map(\.value)
            default: break
            }
        }
        return false
    }
}
