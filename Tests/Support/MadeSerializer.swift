public import PatchbayRegistry

/// A serializer made of a closure.
public struct MadeSerializer<Output: Sendable>: ResponseSerializer {
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

/// An unwrapping serializer made of a closure: a preprocessor of your own, for the entries behind its entry.
public struct MadeUnwrapping: UnwrappingSerializer {
    private let make: @Sendable (ResponseBody, ResponseHead) throws -> (ResponseBody, MediaType)

    /// - Parameter unwrap: gives the bytes inside and their media type, or throws. It is not called for a body of no bytes.
    public init(_ unwrap: @escaping @Sendable (ResponseBody, ResponseHead) throws -> (ResponseBody, MediaType)) {
        make = unwrap
    }

    public func unwrap(_ body: ResponseBody, _ head: ResponseHead) throws -> (ResponseBody, MediaType) {
        try make(body, head)
    }
}

extension MadeSerializer: NeverDecliningSerializer {}
extension MadeUnwrapping: NeverDecliningSerializer {}
