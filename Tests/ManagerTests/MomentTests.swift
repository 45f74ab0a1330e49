import PatchbayPlatform
import Testing

/// 36,525 days.
private let century: Int64 = 36_525 * 86_400 * 1_000_000_000

@Suite struct MomentTests {
    @Test(
        "a duration in nanoseconds is limited to a century",
        arguments: [
            (.zero, 0), (.nanoseconds(1), 1), (.nanoseconds(-1), -1), (.seconds(1.5), 1_500_000_000),
            (.seconds(Int64.max), century), (.seconds(Int64.min), -century), (.nanoseconds(Int64.max), century),
            (.nanoseconds(Int64.min), -century), (.nanoseconds(century - 1), century - 1),
            (Duration(secondsComponent: 0, attosecondsComponent: 999_999_999), 0),
        ] as [(Duration, Int64)])
    func nanoseconds(_ duration: Duration, _ expected: Int64) { #expect(duration.waitableNanoseconds == expected) }

    @Test("no sum of a moment and a duration overflows")
    func sums() {
        let now = Moment.now
        #expect(now.duration(to: now + .seconds(Int64.max)) == .nanoseconds(century))
        #expect(now.duration(to: now + .seconds(Int64.min)) == .nanoseconds(-century))
        #expect(now.duration(to: now + .milliseconds(3)) == .milliseconds(3))
        #expect(now + .milliseconds(3) - now == .milliseconds(3))
        #expect(now + .milliseconds(-3) < now)
        #expect(now.duration(to: .now) < .seconds(3_600))
    }
}
