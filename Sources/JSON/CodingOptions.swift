extension JSON {
    /// How types are decoded from JSON and encoded to it, for data that JSON has no type for.
    public struct CodingOptions: Sendable {
        /// The relation between coding keys and the keys of objects.
        #if hasAttribute(nonexhaustive)
            @nonexhaustive
        #endif
        public enum Keys: String, Sendable, CaseIterable {
            /// Coding keys are equal to keys.
            case asIs
            /// `someName` in code is `some_name` in JSON. The keys of dictionaries are unchanged.
            case snakeCase
        }

        /// The form of a `Date` in JSON.
        #if hasAttribute(nonexhaustive)
            @nonexhaustive
        #endif
        public enum Dates: String, Sendable, CaseIterable {
            /// The form of `Date` itself: a number of seconds since 2001-01-01T00:00:00Z.
            case deferred
            /// A string such as `2026-01-31T23:59:59Z`, with whole seconds.
            case iso8601
            /// A number of seconds since 1970-01-01T00:00:00Z.
            case secondsSince1970
            /// A number of milliseconds since 1970-01-01T00:00:00Z.
            case millisecondsSince1970
        }

        /// The spelling of coding keys in the document.
        public var keys: Keys
        /// The form of dates.
        public var dates: Dates
        package var data = DataStrategy.base64
        package var nonConformingFloats = FloatStrategy.error
        /// Whether values that JSON has no type for stay as they are, for other formats; see `EncodingNode.tree`.
        var keepsTypes = false
        /// The `userInfo` of every coder.
        public var userInfo: [CodingUserInfoKey: any Sendable]

        /// Options with these values. `CodingOptions()` has the behaviour of a new `JSONDecoder` and a new
        /// `JSONEncoder`: a `Data` is a string in Base64.
        public init(keys: Keys = .asIs, dates: Dates = .deferred, userInfo: [CodingUserInfoKey: any Sendable] = [:]) {
            self.keys = keys
            self.dates = dates
            self.userInfo = userInfo
        }
    }

    package enum DataStrategy: String, Sendable, CaseIterable {
        /// A string in Base64 (RFC 4648 §4), padded.
        case base64
        /// The form of `Data` itself: an array of numbers from 0 to 255.
        case deferred
    }

    /// The form of infinity and NaN, which JSON has no numbers for.
    package enum FloatStrategy: Sendable, Hashable {
        case error
        /// Strings that mean infinity and NaN.
        case convert(positiveInfinity: String, negativeInfinity: String, nan: String)
    }
}
