// What Alamofire's `response` hands over: one value with the request, the head, the bytes, the timeline and the result.

public import PatchbayManager
public import PatchbayRegistry

/// What one call came to, value or error, together with what was sent and received.
///
/// The value that `SessionManager.response` gives instead of throwing.
public struct Response<Value: Sendable, Failure: Error>: Sendable {
    /// The request of the last exchange; nil where none could be made.
    public let request: RequestHead?
    /// Nil where no response arrived.
    public let head: ResponseHead?
    /// The bytes that arrived, after content decoding; nil where no response did.
    public let body: ResponseBody?
    /// When the steps of the call were over, also where it failed; nil where there was no call.
    public let timeline: CallTimeline?
    /// The value, or why there is none.
    public let result: Result<Value, Failure>

    /// The value; nil where the call failed.
    public var value: Value? { try? result.get() }

    /// The error; nil where the call gave a value.
    public var error: Failure? {
        if case .failure(let error) = result { error } else { nil }
    }

    /// The same response with another value.
    public func map<Other: Sendable>(_ transform: (Value) -> Other) -> Response<Other, Failure> {
        with(result.map(transform))
    }

    /// The same response with another value, or with what `transform` throws.
    public func tryMap<Other: Sendable>(_ transform: (Value) throws -> Other) -> Response<Other, any Error> {
        with(result.mapError { $0 }.flatMap { value in Result { try transform(value) } })
    }

    /// The same response with another error.
    public func mapError<Other: Error>(_ transform: (Failure) -> Other) -> Response<Value, Other> {
        with(result.mapError(transform))
    }

    /// The same response with another error, or with what `transform` throws.
    public func tryMapError<Other: Error>(_ transform: (Failure) throws -> Other) -> Response<Value, any Error> {
        with(result.mapError { error in Result<any Error, any Error> { try transform(error) }.either })
    }

    private func with<NewValue, NewFailure>(_ result: Result<NewValue, NewFailure>) -> Response<NewValue, NewFailure> {
        Response<NewValue, NewFailure>(request: request, head: head, body: body, timeline: timeline, result: result)
    }
}

extension Result where Success == Failure {
    /// The error that was made, or the one that was thrown instead.
    fileprivate var either: Failure {
        switch self {
        case .success(let error), .failure(let error): error
        }
    }
}
