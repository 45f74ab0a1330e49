/// How large a value a property list may stand for.
struct PropertyListLimits: Sendable {
    /// How deep arrays and dictionaries may be nested.
    var depth = 512
    /// How many values there may be, a shared one counted wherever it is used.
    var nodes = 5_000_000
    /// How many bytes of strings and data there may be, counted in the same way.
    var bytes = 64 << 20

    /// The limits for a body of so many bytes, which itself is never too large.
    func allowing(bodyOf count: Int) -> PropertyListLimits {
        var limits = self
        limits.bytes = max(bytes, count)
        return limits
    }
}
