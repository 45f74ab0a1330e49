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
    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Output
}

extension ResponseSerializer {
    public var acceptsEmptyBody: Bool { false }
    public func declineReason(_ head: ResponseHead) -> String? { nil }
}
