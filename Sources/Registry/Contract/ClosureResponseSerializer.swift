/// A serializer made of a closure.
///
/// ```swift
/// try factories.register("count") { (_: NoOptions, _) in
///     ClosureResponseSerializer { body, _ in body.count }
/// }
/// ```
public struct ClosureResponseSerializer<Output: Sendable>: ResponseSerializer {
    public let acceptsEmptyBody: Bool
    private let make: @Sendable (ResponseBody, ResponseHead) throws -> Output

    /// - Parameters:
    ///   - acceptsEmptyBody: whether the closure is called for a body of no bytes, too.
    ///   - make: makes the value, or throws.
    public init(
        acceptsEmptyBody: Bool = false, _ make: @escaping @Sendable (ResponseBody, ResponseHead) throws -> Output
    ) {
        self.acceptsEmptyBody = acceptsEmptyBody
        self.make = make
    }

    public func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Output {
        try make(body, head)
    }
}
