extension Duration {
    /// The duration limited to a century in either direction, so that a clock can wait for it.
    ///
    /// A `Duration` can hold more seconds than an `Int64`. Clocks and `components` trap on such values, and on sums
    /// that overflow. Every duration from a caller is limited here before it is added to an instant, slept for or taken
    /// apart.
    package var waitable: Duration {
        min(max(self, .seconds(-3_155_760_000 as Int64)), .seconds(3_155_760_000 as Int64))
    }
}

extension Task where Success == Never, Failure == Never {
    /// Sleeps for a duration that a caller gave, however long or short it is.
    package static func sleep(forGiven duration: Duration) async throws {
        try await sleep(for: duration.waitable)
    }
}
