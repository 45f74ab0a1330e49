extension JSON {
    /// How types are decoded from JSON and encoded to it, where JSON has no type for what they hold.
    public struct CodingOptions: Sendable {
        /// How coding keys are spelt in the document.
        public var keys: KeyStrategy
        /// How dates are written.
        public var dates: DateStrategy
        /// How bytes are written.
        public var data: DataStrategy
        /// What stands for infinity and NaN.
        public var nonConformingFloats: FloatStrategy
        /// Handed to every coder as its `userInfo`.
        public var userInfo: [CodingUserInfoKey: any Sendable]

        /// Options with these values; as they stand, a `JSONDecoder` and a `JSONEncoder` do the same that nobody has set up, base64
        /// included.
        public init(
            keys: KeyStrategy = .asIs, dates: DateStrategy = .deferred, data: DataStrategy = .base64,
            nonConformingFloats: FloatStrategy = .error, userInfo: [CodingUserInfoKey: any Sendable] = [:]
        ) {
            self.keys = keys
            self.dates = dates
            self.data = data
            self.nonConformingFloats = nonConformingFloats
            self.userInfo = userInfo
        }
    }

    /// How the names of coding keys and the keys of objects correspond.
    public enum KeyStrategy: String, Sendable, Hashable, Codable, CaseIterable {
        /// They are the same.
        case asIs
        /// `someName` in code is `some_name` in JSON. The keys of a dictionary are left alone.
        case snakeCase
    }

    /// How a `Date` is written.
    public enum DateStrategy: String, Sendable, Hashable, Codable, CaseIterable {
        /// As `Date` itself does: a number of seconds since 2001-01-01T00:00:00Z.
        case deferred
        /// A string such as `2026-01-31T23:59:59Z`, to the second.
        case iso8601
        case secondsSince1970
        case millisecondsSince1970
    }

    /// How a `Data` is written.
    public enum DataStrategy: String, Sendable, Hashable, Codable, CaseIterable {
        /// A string in Base64 (RFC 4648 §4), padded.
        case base64
        /// As `Data` itself does: an array of numbers from 0 to 255.
        case deferred
    }

    /// What becomes of infinity and NaN, which JSON has no numbers for.
    public enum FloatStrategy: Sendable, Hashable {
        case error
        /// These strings stand for them.
        case convert(positiveInfinity: String, negativeInfinity: String, nan: String)
    }
}
