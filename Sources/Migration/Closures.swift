// Interceptors, observers and serializers made of closures, as in Alamofire.

public import PatchbayManager
public import PatchbayRegistry

/// An interceptor made of closures. The interceptor does not sign; to sign, write a type that implements
/// `RequestInterceptor.sign`.
public struct ClosureInterceptor: RequestInterceptor, NeverSigningInterceptor {
    private let change: @Sendable (SessionRequest) async throws -> SessionRequest
    private let decide: @Sendable (SessionRequest, SessionError) async -> RetryDecision

    /// An interceptor of two closures. Without `adapt` the interceptor changes nothing; without `retry` it retries
    /// nothing.
    public init(
        adapt: @escaping @Sendable (SessionRequest) async throws -> SessionRequest = { $0 },
        retry: @escaping @Sendable (SessionRequest, SessionError) async -> RetryDecision = { _, _ in .doNotRetry }
    ) {
        change = adapt
        decide = retry
    }

    public func adapt(_ request: SessionRequest) async throws -> SessionRequest { try await change(request) }

    public func retry(_ request: SessionRequest, after error: SessionError) async -> RetryDecision {
        await decide(request, error)
    }
}

/// An observer made of a closure.
public struct ClosureObserver: SessionObserver {
    private let body: @Sendable (SessionEvent) async -> Void

    /// - Parameter body: called with each event in order, one at a time.
    public init(_ body: @escaping @Sendable (SessionEvent) async -> Void) {
        self.body = body
    }

    /// Passes the event to the closure.
    public func observe(_ event: SessionEvent) async { await body(event) }
}

/// A serializer made of a closure.
///
/// ```swift
/// try factories.register("count") {
///     ClosureResponseSerializer { body, _ in body.count }
/// }
/// ```
public struct ClosureResponseSerializer<Output: Sendable>: ResponseSerializer {
    public let acceptsEmptyBody: Bool
    private let make: @Sendable (ResponseBody, ResponseHead) throws -> Output

    /// - Parameters:
    ///   - acceptsEmptyBody: whether the closure is also called for an empty body.
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

/// An unwrapping serializer made of a closure: a preprocessor whose inner body the entries after its entry read.
public struct ClosureUnwrappingSerializer: UnwrappingSerializer {
    private let make: @Sendable (ResponseBody, ResponseHead) throws -> (ResponseBody, MediaType)

    /// - Parameter unwrap: returns the inner bytes and their media type, or throws. The closure is not called for an
    ///   empty body.
    public init(_ unwrap: @escaping @Sendable (ResponseBody, ResponseHead) throws -> (ResponseBody, MediaType)) {
        make = unwrap
    }

    public func unwrap(_ body: ResponseBody, _ head: ResponseHead) throws -> (ResponseBody, MediaType) {
        try make(body, head)
    }
}

extension ClosureResponseSerializer: NeverDecliningSerializer {}
extension ClosureUnwrappingSerializer: NeverDecliningSerializer {}
