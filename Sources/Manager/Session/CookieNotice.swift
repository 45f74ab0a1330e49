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
    public var description: String { sentence(with: []) }
    public var customMirror: Mirror { Mirror(described: self) }
}

extension CookieNotice {
    /// The sentence about this cookie and others of the same outcome, domain and reason.
    fileprivate func sentence(with others: [CookieNotice]) -> String {
        var names = ([self] + others).map { $0.name.isEmpty ? "" : Redaction.name($0.name) + " " }
        let last = names.removeLast()
        let start =
            names.isEmpty ? "the cookie " : "the cookies \(names.map { $0.dropLast() }.joined(separator: ", ")) and "
        let end =
            switch outcome {
            case .refused: "refused"
            case .dropped: "dropped"
            case .unsent: "not sent"
            }
        return "\(start)\(last)of \(domain) \(names.isEmpty ? "was" : "were") \(end): \(reason)"
    }
}

extension [CookieNotice] {
    /// A sentence for each refused cookie, and one for all cookies of a domain that were dropped, or not sent, for the
    /// same reason.
    package var sentences: [String] {
        var groups: [[CookieNotice]] = []
        var places: [CookieNotice: Int] = [:]
        for notice in self {
            let key = CookieNotice(notice.outcome, name: "", domain: notice.domain, reason: notice.reason)
            if notice.outcome != .refused, let place = places[key] {
                groups[place].append(notice)
            } else {
                places[key] = groups.count
                groups.append([notice])
            }
        }
        return groups.compactMap { group in group.first?.sentence(with: Array(group.dropFirst())) }
    }
}
