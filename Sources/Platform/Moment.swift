/// An instant of the clock that also counts while the system sleeps, as `ContinuousClock` does.
///
/// `ContinuousClock.Instant` is a type of a library with a stable ABI, so the compiler does not know its size: copying a
/// value that holds one costs calls at run time. A twentieth of a small request was spent in them (`scripts/pins`).
package struct Moment: BitwiseCopyable, Sendable, Hashable {
    /// Since the start of the clock. `Int64` holds 292 years.
    private let nanoseconds: Int64

    package static var now: Moment {
        var time = timespec()
        // Cannot fail: the clock is known, and the pointer is valid.
        clock_gettime(clock, &time)
        return Moment(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }

    #if os(Linux)
        private static var clock: clockid_t { CLOCK_BOOTTIME }
    #else
        private static var clock: clockid_t { CLOCK_MONOTONIC_RAW }
    #endif

    /// The instant for a clock that sleeps.
    package var instant: ContinuousClock.Instant { .now + Moment.now.duration(to: self) }

    package func duration(to end: Moment) -> Duration { .nanoseconds(end.nanoseconds &- nanoseconds) }

    package static func - (end: Moment, start: Moment) -> Duration { start.duration(to: end) }

    /// The moment after `duration.waitable`.
    package static func + (moment: Moment, duration: Duration) -> Moment {
        moment.advanced(byNanoseconds: duration.waitableNanoseconds)
    }

    /// Like `+`, without the division that takes a `Duration` apart.
    /// - Parameter count: `Duration.waitableNanoseconds`, with which no sum overflows.
    package func advanced(byNanoseconds count: Int64) -> Moment { Moment(nanoseconds: nanoseconds &+ count) }
}

extension Moment: Comparable {
    package static func < (one: Moment, other: Moment) -> Bool { one.nanoseconds < other.nanoseconds }
}

extension Duration {
    /// The whole nanoseconds, limited to a century in either direction: two centuries fit into an `Int64`.
    package var waitableNanoseconds: Int64 {
        let century: Int64 = 3_155_760_000_000_000_000
        return min(max(Int64(clamping: attoseconds / 1_000_000_000), -century), century)
    }
}
