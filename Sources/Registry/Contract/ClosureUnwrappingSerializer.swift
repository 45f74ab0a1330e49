/// An unwrapping serializer made of a closure: a preprocessor of your own, for the entries behind its entry.
public struct ClosureUnwrappingSerializer: UnwrappingSerializer {
    private let make: @Sendable (ResponseBody, ResponseHead) throws -> (ResponseBody, MediaType)

    /// - Parameter unwrap: gives the bytes inside and their media type, or throws. It is not called for a body of no bytes.
    public init(_ unwrap: @escaping @Sendable (ResponseBody, ResponseHead) throws -> (ResponseBody, MediaType)) {
        make = unwrap
    }

    public func unwrap(_ body: ResponseBody, _ head: ResponseHead) throws -> (ResponseBody, MediaType) {
        try make(body, head)
    }
}
