/// Puts the parameters of a request into it: into its query, or into its content.
///
/// Called once a request, after its modifier and before it is checked, also where there are no parameters. A serializer sets
/// `encodedQuery` or `content`; the media type of the content is sent unless the request or the manager sets `Content-Type`.
/// What it throws fails the request before anything is sent, with code `invalidRequest` and the error as the cause.
public protocol RequestSerializer: Sendable {
    /// Writes the parameters into the request, as its body or into its query. What it throws fails the request before it is sent.
    func serialize(_ parameters: Parameters?, into request: inout SessionRequest) throws
}

extension RequestSerializer {
    /// The serializer with other settings, in place: `request.serializer = .alamofireForm.with { $0.rules.arrays = .noBrackets }`.
    public func with(_ change: (inout Self) throws -> Void) rethrows -> Self {
        var serializer = self
        try change(&serializer)
        return serializer
    }
}

extension SessionRequest {
    /// Sets the content that parameters became.
    /// - Throws: `ParametersFailure` where the request has content of its own.
    mutating func fill(with made: RequestContent) throws {
        guard content == nil else { throw ParametersFailure("the request has content already") }
        content = made
    }
}
