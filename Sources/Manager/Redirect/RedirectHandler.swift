public import PatchbayRegistry

/// What becomes of the redirects of a call, within the policy that all of them are under.
///
/// The policy always comes first: it refuses what leads from `https` to `http`, drops credentials and a `Host` field for good on a
/// change of origin, and counts. A response whose redirect is not followed is the response of the call, with its body.
///
/// Both closures may take their time, to ask a person for one: they are called on threads kept for that, a few at once, where they
/// may block. The idle timeout stands still meanwhile; the total one does not, and a call that is cancelled does not wait for them.
public struct RedirectHandler: Sendable {
    /// Whether a redirect is followed; the same for all where nobody `asks`.
    let follows: @Sendable (ResponseHead) -> Bool
    /// Whether `follows` is code of the caller's, which may take its time.
    let asks: Bool
    /// Nil where nothing is changed.
    let change: (@Sendable (inout RedirectedRequest, ResponseHead) -> Void)?

    /// - Parameters:
    ///   - follows: whether the redirect is followed; nil: each is. Candidate when its head arrives.
    ///   - modify: changes the request that follows; nil: nothing does. Called when the response of the redirect is over.
    public init(
        follows: (@Sendable (ResponseHead) -> Bool)? = nil,
        modify: (@Sendable (inout RedirectedRequest, ResponseHead) -> Void)? = nil
    ) {
        self.init(follows ?? { _ in true }, asks: follows != nil, modify)
    }

    private init(
        _ follows: @escaping @Sendable (ResponseHead) -> Bool, asks: Bool,
        _ modify: (@Sendable (inout RedirectedRequest, ResponseHead) -> Void)?
    ) {
        (self.follows, self.asks, change) = (follows, asks, modify)
    }

    /// Follows every redirect, up to the limit of the configuration.
    public static let follow = RedirectHandler()
    /// Follows none: the response of the redirect is that of the call.
    public static let doNotFollow = RedirectHandler({ _ in false }, asks: false, nil)

    /// Follows every redirect with a changed request.
    public static func modify(
        _ change: @escaping @Sendable (inout RedirectedRequest, ResponseHead) -> Void
    ) -> RedirectHandler {
        RedirectHandler(modify: change)
    }
}
