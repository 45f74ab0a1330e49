// The protocols for a serializer of your own, for whole bodies and for elements, and the factories that manifests name.

/// Turns the bytes of one response into a value.
///
/// This is the whole contract of a serializer for a content type of your own. A serializer is stateless and `Sendable`:
/// one instance serves every response of its entry, on many threads at once. Before `serialize` is called, the registry
/// has matched media type, status and host, and the manager has applied the size limit and handled empty bodies.
/// `serialize` runs on a bounded concurrent executor, never on the thread of the transport. The call waits until it
/// returns: neither a timeout nor a cancellation interrupts it. A call that was cancelled meanwhile then fails as
/// cancelled, whatever `serialize` returned. `Task.isCancelled` is true in `serialize` once the task that awaits the
/// call is cancelled. Only the built-in serializers stop by themselves, between two elements, when the call is cancelled
/// or its total timeout passes. If `serialize` uses one of them, or decodes a `JSON`, it gets a `CancellationError` then.
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

    /// Whether `serialize` also gets empty bodies. By default an empty body is not serialized, and its outcome is
    /// `empty`.
    var acceptsEmptyBody: Bool { get }

    /// The reason to pass this response to the next entry; nil to read it. The default is nil.
    func declineReason(_ head: ResponseHead) -> String?

    /// Makes the value.
    ///
    /// - Throws: an error of any type. The call fails with this error, and the decision names the entry. Sentences,
    ///   logs and events show the reason of a `FormatFailure`, so the reason must not quote the body. Other errors are
    ///   shown by type, and by case if the type is an enumeration. `cause` of the call's error keeps the error itself.
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
/// If the entry of the serializer is chosen, the look-up continues with the unwrapped bytes and their media type: the
/// registry considers the entries after it. The serializers of these entries get a head with that media type as
/// `Content-Type`. Each entry unwraps only once for each response. Calls for values of every type go through an
/// unwrapping entry, and the media types of such an entry do not appear in Accept.
public protocol UnwrappingSerializer: ResponseSerializer where Output == ResponseBody {
    /// Returns the unwrapped bytes and their media type.
    ///
    /// - Throws: an error of any type, to which the `onFailure` of the entry applies. The error is shown like an error
    ///   of `serialize`.
    func unwrap(_ body: ResponseBody, _ head: ResponseHead) throws -> (ResponseBody, MediaType)
}

extension UnwrappingSerializer {
    /// Returns the unwrapped bytes without their media type.
    public func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> ResponseBody {
        try unwrap(body, head).0
    }
}

/// An unwrapping serializer that declines some bodies. The entries after its entry read such a body unchanged.
package protocol BodyDecliningSerializer: UnwrappingSerializer {
    /// The reason that the body is not unwrapped; nil if it is. `unwrap` returns a declined body unchanged.
    func declineReason(_ body: ResponseBody) -> String?
}

/// A serializer whose value is the body as it is. A stream without a type gets the pieces of the body as they arrive.
///
/// Its entry is there to keep responses from other entries, not to ask for them: its media types do not appear in
/// Accept.
package protocol BytesSerializer: NeverDecliningSerializer, ResponseSerializer where Output == ResponseBody {}

/// A serializer that reads every response that its entry covers, or declines all of them because a library is missing.
/// A serializer that writes also writes every value, unless it writes elements.
///
/// For all other serializers, only a response or a value shows whether they decline.
package protocol NeverDecliningSerializer: Serializer {}
