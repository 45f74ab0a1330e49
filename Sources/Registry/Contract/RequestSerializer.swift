public import PatchbayPlatform

/// The serializer of an entry: it reads responses (`ResponseSerializer`), writes the bodies of requests
/// (`RequestSerializer`), or does both.
///
/// Conform to one or both of these protocols. A serializer is stateless: one instance serves every call of its entry,
/// on many threads at the same time.
public protocol Serializer: Sendable {}

/// Turns a value into the bytes of a request's body.
///
/// The registry considers the entries in the order of the table. The value is written by the first entry that covers the
/// media type of the body and does not decline the value. Writing is part of the call: it runs on a concurrent
/// executor, never on the caller's actor.
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
    /// The reason to pass this value to the next entry; nil to write it. The default is nil.
    ///
    /// The reason appears in the description of a `noWriter` error and in `written`, so it must not quote the value.
    /// - Parameters:
    ///   - value: the value of the body, of any `Encodable` type.
    ///   - type: the media type of the body, with its parameters.
    func declineReason(writing value: some Encodable, as type: MediaType) -> String?

    /// Writes the whole value.
    ///
    /// - Parameters:
    ///   - value: the value of the body, of any `Encodable` type.
    ///   - type: the media type of the body, with its parameters. Write text in its charset, or throw.
    /// - Returns: the bytes of the whole body.
    /// - Throws: an error of any type. The call fails with code `writing`, nothing is sent, and no other entry is
    ///   tried. The description of the call's error shows this error by the rules for errors of
    ///   `ResponseSerializer.serialize`.
    func write(_ value: some Encodable, as type: MediaType) throws -> Data
}

extension RequestSerializer {
    public func declineReason(writing value: some Encodable, as type: MediaType) -> String? { nil }
}

/// A serializer that writes elements one by one, such as lines or rows.
///
/// The serializer writes the content of `RequestContent.elements(_:in:)`, one element at a time, as the content is
/// sent. `write` and `declineReason` have defaults: `write` writes each element of a value that encodes as an array,
/// and `declineReason` declines all other values.
public protocol ElementWritingSerializer: RequestSerializer {
    /// Writes one element with its framing, such as the line feed after a line.
    ///
    /// The elements, written one after the other, must give the same bytes as `write` gives for the array.
    /// - Parameters:
    ///   - value: the element, of any `Encodable` type.
    ///   - position: the number of elements before this element in the same body, from 0.
    ///   - type: the media type of the body, with its parameters.
    /// - Throws: an error of any type. The call fails with code `writing`. Earlier elements can have been sent already;
    ///   the exchange then ends so that the server sees an incomplete body.
    func writeElement(_ value: some Encodable, at position: Int, as type: MediaType) throws -> Data
}
