extension JSON {
    /// How a `Data` is written.
    public enum DataStrategy: String, Sendable, Hashable, Codable, CaseIterable {
        /// A string in Base64 (RFC 4648 §4), padded.
        case base64
        /// As `Data` itself does: an array of numbers from 0 to 255.
        case deferred
    }
}
