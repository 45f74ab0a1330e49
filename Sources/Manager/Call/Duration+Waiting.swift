extension Duration {
    /// The same, as long as it can be waited for: within a century, which stands for "never", and below zero for "long ago".
    ///
    /// A `Duration` holds more seconds than an `Int64` does, and clocks and `components` end the process where one is handed such a
    /// value, or the sum of an instant and a duration becomes one. Every duration that a caller gives comes through here before it
    /// is added to an instant, slept for or taken apart.
    var waitable: Duration { min(max(self, .seconds(-3_155_760_000)), .seconds(3_155_760_000)) }
}

extension Task where Success == Never, Failure == Never {
    /// Sleeps for a duration that a caller gave, however long or short.
    static func sleep(forGiven duration: Duration) async throws {
        try await sleep(for: duration.waitable)
    }
}
