extension JSON {
    /// How types are decoded from JSON and encoded to it, where JSON has no type for what they hold.
    public struct CodingOptions: Sendable {
        /// How the names of coding keys and the keys of objects correspond.
        #if hasAttribute(nonexhaustive)
            @nonexhaustive
        #endif
        public enum Keys: String, Sendable, CaseIterable {
            /// They are the same.
            case asIs
            /// `someName` in code is `some_name` in JSON. The keys of a dictionary are left alone.
            case snakeCase
        }

        /// How a `Date` is written.
        #if hasAttribute(nonexhaustive)
            @nonexhaustive
        #endif
        public enum Dates: String, Sendable, CaseIterable {
            /// As `Date` itself does: a number of seconds since 2001-01-01T00:00:00Z.
            case deferred
            /// A string such as `2026-01-31T23:59:59Z`, to the second.
            case iso8601
            /// A number of seconds since 1970-01-01T00:00:00Z.
            case secondsSince1970
            /// A number of milliseconds since 1970-01-01T00:00:00Z.
            case millisecondsSince1970
        }

        /// How coding keys are spelt in the document.
        public var keys: Keys
        /// How dates are written.
        public var dates: Dates
        package var data = DataStrategy.base64
        package var nonConformingFloats = FloatStrategy.error
        /// Whose values are made of what is encoded; nil for JSON.
        package var form: (any EncodedForm.Type)?
        package var nilMembers = NilMembers.leftOut
        /// Handed to every coder as its `userInfo`.
        public var userInfo: [CodingUserInfoKey: any Sendable]

        /// Options with these values. `CodingOptions()` does the same as a new `JSONDecoder` and a new `JSONEncoder`; a `Data` is
        /// a string in Base64 there.
        public init(keys: Keys = .asIs, dates: Dates = .deferred, userInfo: [CodingUserInfoKey: any Sendable] = [:]) {
            self.keys = keys
            self.dates = dates
            self.userInfo = userInfo
        }
    }

    /// What becomes of an optional member that is nil.
    package enum NilMembers: Sendable {
        case leftOut, null
        /// Kept as `EncodingNode.Content.kept(nil)`, for a form that decides later.
        case kept
    }

    package enum DataStrategy: String, Sendable, CaseIterable {
        /// A string in Base64 (RFC 4648 §4), padded.
        case base64
        /// As `Data` itself does: an array of numbers from 0 to 255.
        case deferred
    }

    /// What becomes of infinity and NaN, which JSON has no numbers for.
    package enum FloatStrategy: Sendable, Hashable {
        case error
        /// These strings stand for them.
        case convert(positiveInfinity: String, negativeInfinity: String, nan: String)
    }
}
