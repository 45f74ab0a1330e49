extension JSON {
    /// How `JSON(encoding:)` writes what JSON has no type for.
    public struct EncodeOptions: Sendable {
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

        /// Options with these values; as they stand, they encode as a `JSONEncoder` does that nobody has set up.
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
}
