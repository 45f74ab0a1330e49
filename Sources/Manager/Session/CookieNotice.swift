import PatchbayPlatform
import PatchbayRegistry

/// A cookie that a jar does not have, or that a request was sent without, and the reason.
public struct CookieNotice: Sendable, Hashable {
    /// What became of a cookie.
    public enum Outcome: Sendable {
        /// A response set the cookie, and the jar did not take it.
        case refused
        /// The jar dropped the cookie to make room for one that a response set.
        case dropped
        /// The jar has the cookie, and the request was sent without it.
        case unsent
    }

    /// What became of the cookie.
    public let outcome: Outcome
    /// The name of the cookie, as the server wrote it; empty if the cookie has none.
    public let name: String
    /// The domain of the cookie. For a refused cookie, the host that set it.
    public let domain: String
    /// The reason: a clause without the value of the cookie.
    public let reason: String

    /// A notice, for a test of an observer.
    public init(_ outcome: Outcome, name: String, domain: String, reason: String) {
        self.outcome = outcome
        self.name = name
        self.domain = domain
        self.reason = reason
    }
}

extension CookieNotice: CustomStringConvertible, CustomReflectable {
    /// `the cookie a of example.com was refused: its Domain is a public suffix`
    public var description: String {
        let end =
            switch outcome {
            case .refused: "was refused"
            case .dropped: "was dropped"
            case .unsent: "was not sent"
            }
        return "the cookie \(name.isEmpty ? "" : Redaction.name(name) + " ")of \(domain) \(end): \(reason)"
    }
    public var customMirror: Mirror { Mirror(described: self) }
}
