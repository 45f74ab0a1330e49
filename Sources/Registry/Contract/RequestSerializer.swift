public import PatchbayPlatform

/// The serializer of an entry: it reads responses (`ResponseSerializer`), writes the bodies of requests (`RequestSerializer`), or does both.
///
/// Its conformances say which. A serializer is a stateless, `Sendable` recipe: one instance serves every call of its entry, on many threads
/// at once.
public protocol Serializer: Sendable {}

/// Turns a value into the bytes of a request's body.
///
/// The registry asks the first entry whose types cover the media type of the body, that writes, and that does not decline the value. A
/// writer runs inside the call, on a concurrent executor, never on the caller's actor.
///
/// ```swift
/// struct CSVWriter: RequestSerializer {
///     func write(_ value: some Encodable, as type: MediaType) throws -> Data {
///         guard let rows = value as? [[String]] else {
///             throw FormatFailure("csv", .unsupported, "the value is not a list of rows")
///         }
///         return Data(rows.map { $0.joined(separator: ",") }.joined(separator: "\n").utf8)
///     }
/// }
/// ```
public protocol RequestSerializer: Serializer {
    /// The reason why this value goes to the next entry; nil to take it. The default is nil.
    func declineReason(writing value: some Encodable, as type: MediaType) -> String?

    /// Writes the value.
    ///
    /// - Parameter type: the media type of the body. Where it names a charset, the text is to be in it.
    /// - Throws: an error of any type. The call fails with code `writing`, nothing is sent, and no other entry is asked. Of the error as
    ///   much is shown as of one of `ResponseSerializer.serialize`.
    func write(_ value: some Encodable, as type: MediaType) throws -> Data
}

extension RequestSerializer {
    public func declineReason(writing value: some Encodable, as type: MediaType) -> String? { nil }
}

/// A serializer that writes values one by one, such as lines or rows.
///
/// It writes content made by `RequestContent.elements(_:in:)`, one element when it is its turn. `write` takes a value that encodes as an
/// array and writes each of its elements; every other value is declined. A conformance need not implement these two.
public protocol ElementWritingSerializer: RequestSerializer {
    /// Writes one element with all that frames it.
    ///
    /// - Parameters:
    ///   - position: how many elements were written before, in the same body.
    ///   - type: the media type of the body.
    /// - Throws: an error of any type. The elements before it may have been sent; the exchange is ended, and the server sees a body that was
    ///   cut off, never a whole one.
    func writeElement(_ value: some Encodable, at position: Int, as type: MediaType) throws -> Data
}
