/// An instant of the clock that also counts while the system sleeps, as `ContinuousClock` does.
///
/// `ContinuousClock.Instant` is a type of a library with a stable ABI, so the compiler does not know its size: copying a
/// value that holds one costs calls at run time. A twentieth of a small request was spent in them (`scripts/pins`).
package struct Moment: BitwiseCopyable, Sendable, Hashable {
    private let time: Duration

    package static var now: Moment {
        var time = timespec()
        // Cannot fail: the clock is known, and the pointer is valid.
        clock_gettime(clock, &time)
        return Moment(
            time: Duration(
                secondsComponent: Int64(time.tv_sec), attosecondsComponent: Int64(time.tv_nsec) * 1_000_000_000))
    }

    #if os(Linux)
        private static var clock: clockid_t { CLOCK_BOOTTIME }
    #else
        private static var clock: clockid_t { CLOCK_MONOTONIC_RAW }
    #endif

    /// The instant for a clock that sleeps.
    package var instant: ContinuousClock.Instant { .now + Moment.now.duration(to: self) }

    package func duration(to end: Moment) -> Duration { end.time - time }

    package static func - (end: Moment, start: Moment) -> Duration { end.time - start.time }

    package static func + (moment: Moment, duration: Duration) -> Moment { Moment(time: moment.time + duration) }
}

extension Moment: Comparable {
    package static func < (one: Moment, other: Moment) -> Bool { one.time < other.time }
}
