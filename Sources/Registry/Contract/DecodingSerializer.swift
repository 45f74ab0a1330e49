/// A serializer that can also make any `Decodable` value from a body: what typed calls ask for.
public protocol DecodingSerializer<Output>: ResponseSerializer {
    /// Decodes one value of the type, or throws `DecodingError` or an error of the format.
    func decode<Value: Decodable & Sendable>(
        _ type: Value.Type, from body: ResponseBody, _ head: ResponseHead
    ) throws -> Value
}

/// A serializer whose factory makes a decoding one instead where the options of the entry say so: for the reason that it gives when it
/// is asked for a `Decodable`.
package protocol DecodingByOption: ResponseSerializer {
    /// The option, as a manifest has it.
    var decodingOption: String { get }
}
