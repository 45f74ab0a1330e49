public import PatchbayPlatform

extension FormRules {
    /// How a bool is written.
    public enum BoolRule: Sendable {
        /// `1` and `0`.
        case numeric
        /// `true` and `false`.
        case literal
    }

    /// How a date is written.
    public enum DateRule: Sendable {
        /// Seconds since 2001-01-01T00:00:00Z, as `Date` encodes itself.
        case deferred
        case secondsSince1970
        case millisecondsSince1970
        /// `2026-01-31T23:59:59Z`, to the second.
        case iso8601
        case custom(@Sendable (Date) throws -> String)

        func text(of date: Date) throws -> String {
            switch self {
            case .deferred: NumberText.text(of: date.timeIntervalSinceReferenceDate)
            case .secondsSince1970: NumberText.text(of: date.timeIntervalSince1970)
            case .millisecondsSince1970: NumberText.text(of: date.timeIntervalSince1970 * 1000)
            case .iso8601: date.formatted(.iso8601)
            case .custom(let text): try text(date)
            }
        }
    }

    /// How bytes are written.
    public enum DataRule: Sendable {
        /// An array of numbers from 0 to 255.
        case deferred
        /// Base64 (RFC 4648, section 4), padded.
        case base64
        case custom(@Sendable (Data) throws -> String)
    }

    /// What becomes of null.
    public enum NullRule: Sendable {
        /// `name`, without `=`.
        case nameOnly
        /// `name=`
        case empty
        /// `name=null`
        case literal
        /// The pair is left out.
        case dropped
        case custom(@Sendable (String) -> String?)
    }

    /// How a space is written.
    public enum SpaceRule: Sendable {
        /// `%20`
        case percentEncoded
        /// `+`
        case plus
    }
}
