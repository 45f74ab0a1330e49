// The value that Alamofire's `response` gives: the request, the head, the bytes, the timeline and the result.

public import PatchbayManager
public import PatchbayRegistry

/// The outcome of one call, value or error, together with the request and the response.
///
/// `SessionManager.response` returns it instead of throwing.
public struct Response<Value: Sendable, Failure: Error>: Sendable {
    /// The request of the last exchange; nil if no request could be made.
    public let request: RequestHead?
    /// The head of the response; nil if no head arrived.
    public let head: ResponseHead?
    /// The bytes that arrived, after content decoding; nil if no response arrived.
    public let body: ResponseBody?
    /// The times at which the steps of the call ended, also for a failed call; nil if there was no call.
    public let timeline: CallTimeline?
    /// The value or the error.
    public let result: Result<Value, Failure>

    /// The value; nil if the call failed.
    public var value: Value? { try? result.get() }

    /// The error; nil if the call gave a value.
    public var error: Failure? {
        if case .failure(let error) = result { error } else { nil }
    }

    /// This response with another value.
    public func map<Other: Sendable>(_ transform: (Value) -> Other) -> Response<Other, Failure> {
        with(result.map(transform))
    }

    /// This response with another value, or with the error that `transform` throws.
    public func tryMap<Other: Sendable>(_ transform: (Value) throws -> Other) -> Response<Other, any Error> {
        with(result.mapError { $0 }.flatMap { value in Result { try transform(value) } })
    }

    /// This response with another error.
    public func mapError<Other: Error>(_ transform: (Failure) -> Other) -> Response<Value, Other> {
        with(result.mapError(transform))
    }

    /// This response with another error, or with the error that `transform` throws.
    public func tryMapError<Other: Error>(_ transform: (Failure) throws -> Other) -> Response<Value, any Error> {
        with(result.mapError { error -> any Error in do { return try transform(error) } catch { return error } })
    }

    private func with<NewValue, NewFailure>(_ result: Result<NewValue, NewFailure>) -> Response<NewValue, NewFailure> {
        Response<NewValue, NewFailure>(request: request, head: head, body: body, timeline: timeline, result: result)
    }
}
