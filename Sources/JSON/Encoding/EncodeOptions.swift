extension JSON {
    /// How `JSON(encoding:)` writes what JSON has no type for.
    public struct EncodeOptions: Sendable {
        public var keys: KeyStrategy
        public var dates: DateStrategy
        public var data: DataStrategy
        public var nonConformingFloats: FloatStrategy
        public var userInfo: [CodingUserInfoKey: any Sendable]

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
