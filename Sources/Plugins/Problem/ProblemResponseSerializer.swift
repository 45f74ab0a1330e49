import PatchbayJSON
public import PatchbayRegistry

/// Reads the problem details of RFC 9457, `application/problem+json`, and makes any `Decodable` from them as well.
public struct ProblemResponseSerializer: DecodingSerializer, NeverDecliningSerializer {
    /// Reads the JSON.
    public var json: JSONResponseSerializer

    /// - Parameter json: how the document is parsed.
    public init(json: JSONResponseSerializer = JSONResponseSerializer()) {
        self.json = json
    }

    /// - Throws: `JSON.ParseFailure`, or `NotAProblem` where the JSON is no object.
    public func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Problem {
        let value = try json.serialize(body, head)
        guard value.kind == .object else { throw NotAProblem() }
        return Problem(value)
    }

    public func decode<Value: Decodable & Sendable>(
        _ type: Value.Type, from body: ResponseBody, _ head: ResponseHead
    ) throws -> Value {
        try json.decode(type, from: body, head)
    }
}

/// The JSON of a problem is something else than an object.
public struct NotAProblem: Error, Sendable, Hashable, CustomStringConvertible {
    public var description: String { "problem details are a JSON object, and this is none" }
}

/// Makes the serializer for `"factory": "problem-json"`.
struct ProblemFactory: SerializerFactory {
    static let name = "problem-json"

    func makeSerializer(_ options: JSONOptions, _ context: FactoryContext) throws -> any ResponseSerializer {
        ProblemResponseSerializer(json: options.serializer)
    }
}
