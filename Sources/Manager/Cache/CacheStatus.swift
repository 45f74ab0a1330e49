/// How a cache handled a request, in the words of RFC 9211.
public struct CacheStatus: Sendable, Hashable {
    /// The reason that the request was sent.
    enum Forward: String, Sendable {
        /// The cache does not answer such requests.
        case bypass
        case method
        case miss
        /// There are answers of this URL, but to requests with other fields.
        case varyMiss = "vary-miss"
        /// The stored answer is not fresh, or must be validated.
        case stale
        /// The request asked for an answer from the server.
        case request
    }

    /// Nil if a stored answer was used without a request.
    var forward: Forward?
    /// Whether the server said that the stored answer is still good (status 304).
    var isValidated = false
    /// Whether the answer is stored now.
    var isStored = false
    /// Whether the call waited for an equal request of another call, and has its answer.
    var isCollapsed = false
    /// For how many seconds the answer that was used is still fresh. Negative for a stale answer.
    var timeToLive: Int?

    /// The reason that the answer is not stored, or that a stale one was used.
    var detail: String?

    /// Whether the value was made of a stored answer, and nothing was sent by this call.
    public var isHit: Bool { forward == nil || isCollapsed }
}

extension CacheStatus: CustomStringConvertible {
    /// `hit; ttl=376`, `fwd=stale; fwd-status=304; stored; ttl=600` or `fwd=miss; detail="no-store"`
    public var description: String {
        var parts = [forward.map { "fwd=\($0.rawValue)" } ?? "hit"]
        if isValidated { parts.append("fwd-status=304") }
        if isStored { parts.append("stored") }
        if isCollapsed { parts.append("collapsed") }
        if let timeToLive { parts.append("ttl=\(timeToLive)") }
        if let detail { parts.append("detail=\"\(detail)\"") }
        return parts.joined(separator: "; ")
    }
}
