public import PatchbayRegistry

/// What becomes of the redirects of a call, within the policy that all of them are under.
///
/// The policy always comes first: it refuses what leads from `https` to `http`, drops credentials and a `Host` field for good on a
/// change of origin, and counts. A response whose redirect is not followed is the response of the call, with its body.
public struct RedirectHandler: Sendable {
    let follows: @Sendable (ResponseHead) -> Bool
    let change: @Sendable (inout RedirectedRequest, ResponseHead) -> Void

    /// - Parameters:
    ///   - follows: whether the redirect is followed. Asked on the transport's own thread: it must return quickly.
    ///   - modify: changes the request that follows.
    public init(
        follows: @escaping @Sendable (ResponseHead) -> Bool = { _ in true },
        modify: @escaping @Sendable (inout RedirectedRequest, ResponseHead) -> Void = { _, _ in }
    ) {
        self.follows = follows
        change = modify
    }

    public static let follow = RedirectHandler()
    public static let doNotFollow = RedirectHandler(follows: { _ in false })

    /// Follows every redirect with a changed request.
    public static func modify(
        _ change: @escaping @Sendable (inout RedirectedRequest, ResponseHead) -> Void
    ) -> RedirectHandler {
        RedirectHandler(modify: change)
    }
}
