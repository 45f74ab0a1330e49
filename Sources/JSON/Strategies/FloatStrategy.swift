extension JSON {
    /// What becomes of infinity and NaN, which JSON has no numbers for.
    public enum FloatStrategy: Sendable, Hashable {
        case error
        /// These strings stand for them.
        case convert(positiveInfinity: String, negativeInfinity: String, nan: String)
    }
}
