// The protocols for a serializer of your own, for whole bodies and for elements, and the factories that manifests name.

/// Turns the bytes of one response into a value.
///
/// This is the whole contract of a serializer for a content type of your own. A serializer is stateless and `Sendable`:
/// one instance serves every response of its entry, on many threads at once. Before `serialize` is called, the registry
/// has matched media type, status and host, and the manager has applied the size limit and handled empty bodies. It
/// runs on a bounded concurrent executor, never on the thread of the transport.
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

    /// Whether `serialize` also gets empty bodies. By default it does not: the outcome of an empty body is `empty`.
    var acceptsEmptyBody: Bool { get }

    /// The reason to pass this response to the next entry; nil to read it. The default is nil.
    func declineReason(_ head: ResponseHead) -> String?

    /// Makes the value.
    ///
    /// - Throws: an error of any type. The call fails with it, and the decision names the entry. Sentences, logs and
    ///   events show the reason of a `FormatFailure`, so the reason must not quote the body. They show other errors by
    ///   type, and by case if they are enumerations. `cause` of the call's error keeps the error itself.
    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Output
}

extension ResponseSerializer {
    public var acceptsEmptyBody: Bool { false }
    public func declineReason(_ head: ResponseHead) -> String? { nil }
}

/// A serializer that also decodes bodies as any `Decodable` type, for typed calls.
public protocol DecodingSerializer<Output>: ResponseSerializer {
    /// Decodes one value.
    ///
    /// - Throws: `DecodingError` or an error of the format. Only the kind and the coding path of a `DecodingError` are
    ///   shown, never its `debugDescription`.
    func decode<Value: Decodable & Sendable>(
        _ type: Value.Type, from body: ResponseBody, _ head: ResponseHead
    ) throws -> Value
}

/// A serializer whose factory makes a decoding serializer instead if an option of the entry says so. The sentence of an
/// error names this option when a call wants a `Decodable`.
package protocol DecodingByOption: ResponseSerializer {
    /// The name and value of the option, as in a manifest.
    var decodingOption: String { get }
}

/// A serializer that unwraps a body: from encryption, an envelope or a prefix.
///
/// If its entry is chosen, the look-up continues with the entries after it, with the unwrapped bytes and their media
/// type. The serializers of these entries get a head with that type as `Content-Type`. An entry unwraps once in a
/// look-up. Typed calls pass through it for every type, and it has no effect on Accept.
public protocol UnwrappingSerializer: ResponseSerializer where Output == ResponseBody {
    /// The bytes inside and their media type.
    ///
    /// - Throws: an error of any type, to which the `onFailure` of the entry applies. It is shown like an error of
    ///   `serialize`.
    func unwrap(_ body: ResponseBody, _ head: ResponseHead) throws -> (ResponseBody, MediaType)
}

extension UnwrappingSerializer {
    /// The bytes inside, without their media type.
    public func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> ResponseBody {
        try unwrap(body, head).0
    }
}

/// A serializer that declines nothing that its entry covers, or declines every response because a library is missing.
/// It also writes every value, unless it writes elements.
///
/// For all other serializers, only a response or a value shows whether they decline.
package protocol NeverDecliningSerializer: Serializer {}
