extension JSON {
    /// How a `Date` is written.
    public enum DateStrategy: String, Sendable, Hashable, Codable, CaseIterable {
        /// As `Date` itself does: a number of seconds since 2001-01-01T00:00:00Z.
        case deferred
        /// A string such as `2026-01-31T23:59:59Z`, to the second.
        case iso8601
        case secondsSince1970
        case millisecondsSince1970
    }
}
