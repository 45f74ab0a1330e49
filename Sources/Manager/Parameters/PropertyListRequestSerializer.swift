public import PatchbayPlatform

/// Writes parameters as a property list; for methods that have no body, into the query as `form` does.
///
/// Null and sets have no property list and fail the request. Without parameters there is neither a body nor a `Content-Type`.
public struct PropertyListRequestSerializer: RequestSerializer {
    /// XML, or binary.
    public var format = PropertyListDecoder.PropertyListFormat.xml
    /// What writes the query of the methods that have no body, and says which those are.
    public var form = FormRequestSerializer()

    /// Property lists in XML.
    public init() {}

    /// Puts the parameters into the body, or into the query of a method that has none.
    public func serialize(_ parameters: Parameters?, into request: inout SessionRequest) throws {
        if form.isForQuery(request.method) { return try form.serialize(parameters, into: &request) }
        guard let parameters else { return }
        guard !parameters.hasNull else { throw ParametersFailure("a property list has no null") }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        try request.fill(with: .data(try encoder.encode(parameters), type: "application/x-plist"))
    }
}

extension RequestSerializer where Self == PropertyListRequestSerializer {
    /// An XML property list.
    public static var propertyList: PropertyListRequestSerializer { PropertyListRequestSerializer() }
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
