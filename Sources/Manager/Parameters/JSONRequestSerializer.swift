public import PatchbayJSON
import PatchbayPlatform

/// Writes parameters as a JSON body (RFC 8259); for methods that have none, into the query as `form` does.
///
/// Sets, infinity and NaN have no JSON and fail the request. Without parameters there is neither a body nor a `Content-Type`.
public struct JSONRequestSerializer: RequestSerializer {
    /// How dates, bytes, keys and numbers are written.
    public var options = JSON.EncodeOptions()
    /// One member a line.
    public var isPretty = false
    /// Members by the bytes of their names; else as given.
    public var sortsKeys = false
    /// What writes the query of the methods that have no body, and says which those are.
    public var form = FormRequestSerializer()

    /// Compact JSON, members as given.
    public init() {}

    /// Puts the parameters into the body, or into the query of a method that has none.
    public func serialize(_ parameters: Parameters?, into request: inout SessionRequest) throws {
        if form.isForQuery(request.method) { return try form.serialize(parameters, into: &request) }
        guard let parameters else { return }
        let json = try JSON(encoding: parameters, options: options)
        let text = json.serialized(pretty: isPretty, sortedKeys: sortsKeys)
        try request.fill(with: .data(Data(text.utf8), type: "application/json"))
    }
}

extension RequestSerializer where Self == JSONRequestSerializer {
    /// Compact JSON, members as given.
    public static var json: JSONRequestSerializer { JSONRequestSerializer() }
}
