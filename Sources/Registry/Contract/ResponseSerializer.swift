// What a serializer is, whole bodies and element by element, and how a manifest comes by one: the protocols that handlers of others
// implement, and the factories that are registered under a name.

/// Turns the bytes of one response into a value.
///
/// This is the whole contract of a handler for a content type of your own. A serializer is a stateless, `Sendable` recipe:
/// one instance serves every response of its entry, on many threads at once. When `serialize` is called the registry has
/// already matched media type, status and host, and the manager has enforced the entry's size limit and kept empty bodies
/// away, so a serializer repeats none of that. It runs on a bounded concurrent executor, never on the transport's thread.
///
/// ```swift
/// struct CSVResponseSerializer: ResponseSerializer {
///     func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> [[String]] {
///         String(decoding: body.data, as: UTF8.self).split(separator: "\n").map { line in
///             line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
///         }
///     }
/// }
/// ```
public protocol ResponseSerializer<Output>: Sendable {
    /// The type of the values it makes.
    associatedtype Output: Sendable

    /// Whether a body of zero bytes is given to `serialize`. The default is false: such a body is the outcome *empty*.
    var acceptsEmptyBody: Bool { get }

    /// A check of your own, on the head alone: a reason to pass this response on to the next entry, or nil to take it.
    func declineReason(_ head: ResponseHead) -> String?

    /// Makes the value, or throws: any error will do, the manager wraps it once and names the entry.
    ///
    /// Sentences, logs and events show the reason of a `FormatFailure`, which holds nothing out of the body. Of an error of any other
    /// type of yours they show the type alone, and the case of an enumeration; whoever catches the call's error finds the error itself
    /// in it.
    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Output
}

extension ResponseSerializer {
    public var acceptsEmptyBody: Bool { false }
    public func declineReason(_ head: ResponseHead) -> String? { nil }
}

/// A serializer that can also make any `Decodable` value from a body: what typed calls ask for.
public protocol DecodingSerializer<Output>: ResponseSerializer {
    /// Decodes one value of the type, or throws `DecodingError` or an error of the format.
    ///
    /// Of a `DecodingError` the kind and the coding path are shown, never its `debugDescription` nor a foreign error below it.
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

/// A serializer that takes a body out of what it is wrapped in: encryption, an envelope, a prefix.
///
/// When its entry is chosen the look-up goes on with the entries behind it, over the bytes inside and under their media type.
/// The serializers there see a head with that type in place of the Content-Type received. Each entry unwraps once in a
/// look-up. A typed call goes through it whatever the type is, and Accept is derived as if it were not there.
public protocol UnwrappingSerializer: ResponseSerializer where Output == ResponseBody {
    /// The bytes inside and their media type, or any error: then the `onFailure` of the entry applies. What is shown of the error is
    /// what `serialize` says.
    func unwrap(_ body: ResponseBody, _ head: ResponseHead) throws -> (ResponseBody, MediaType)
}

extension UnwrappingSerializer {
    /// The bytes inside, for a caller that wants nothing more of them.
    public func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> ResponseBody {
        try unwrap(body, head).0
    }
}
