// The protocols that a serializer of your own conforms to, for whole bodies and for elements, and the factories that are registered under
// a name.

/// Turns the bytes of one response into a value.
///
/// This is the whole contract of a serializer for a content type of your own. A serializer is a stateless, `Sendable` recipe: one instance
/// serves every response of its entry, on many threads at once. When `serialize` is called, the registry has matched media type, status
/// and host, and the manager has applied the entry's size limit and kept empty bodies away. It runs on a bounded concurrent executor, never
/// on the transport's thread.
///
/// ```swift
/// struct CSVSerializer: ResponseSerializer {
///     func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> [[String]] {
///         try body.text(head.mediaType).split(separator: "\n").map { line in
///             line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
///         }
///     }
/// }
/// ```
public protocol ResponseSerializer<Output>: Serializer {
    /// The type of the values.
    associatedtype Output: Sendable

    /// Whether `serialize` gets bodies of zero bytes. The default is false: the outcome of such a body is `empty`.
    var acceptsEmptyBody: Bool { get }

    /// The reason why this response goes to the next entry; nil to take it. The default is nil.
    func declineReason(_ head: ResponseHead) -> String?

    /// Makes the value.
    ///
    /// - Throws: an error of any type. The call fails with it, and the decision names the entry. Sentences, logs and events show the reason
    ///   of a `FormatFailure`, which must hold nothing out of the body. Of an error of another type of yours they show the type, and the
    ///   case of an enumeration; `cause` of the call's error is the error itself.
    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Output
}

extension ResponseSerializer {
    public var acceptsEmptyBody: Bool { false }
    public func declineReason(_ head: ResponseHead) -> String? { nil }
}

/// A serializer that also decodes a body as any `Decodable` type: typed calls ask for it.
public protocol DecodingSerializer<Output>: ResponseSerializer {
    /// Decodes one value.
    ///
    /// - Throws: `DecodingError` or an error of the format. Of a `DecodingError` only the kind and the coding path are shown, never its
    ///   `debugDescription`.
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

/// A serializer that unwraps a body: from encryption, an envelope or a prefix.
///
/// When its entry is chosen, the look-up continues with the entries behind it, over the bytes inside and with their media type. The
/// serializers there see a head with that type in place of the received Content-Type. Each entry unwraps once in a look-up. A typed call
/// goes through it whatever the type is, and Accept is derived as if it were not there.
public protocol UnwrappingSerializer: ResponseSerializer where Output == ResponseBody {
    /// The bytes inside and their media type.
    ///
    /// - Throws: an error of any type, to which the `onFailure` of the entry applies. It is shown as an error of `serialize`.
    func unwrap(_ body: ResponseBody, _ head: ResponseHead) throws -> (ResponseBody, MediaType)
}

extension UnwrappingSerializer {
    /// The bytes inside, without their media type.
    public func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> ResponseBody {
        try unwrap(body, head).0
    }
}

/// A serializer that takes whatever its entry covers: it leaves `declineReason` as the contract has it, or declines every response
/// alike because a library is missing. It also writes every value, unless it writes elements.
///
/// Of any other serializer it is not known, before there is a response or a value, what it declines.
package protocol NeverDecliningSerializer: Serializer {}
