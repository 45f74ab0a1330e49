extension Date {
    /// The years 1 to 9999: ISO 8601 has four digits for a year. For dates outside these years, Foundation's formatter
    /// writes another date or ends the process.
    package static let iso8601Years =
        Date(
            timeIntervalSinceReferenceDate: -63_114_076_800)..<Date(
            timeIntervalSinceReferenceDate: 252_423_993_600)

    /// `2026-01-31T23:59:59Z`, to the second; nil for a date outside the years 1 to 9999, and for NaN.
    package var iso8601: String? { Self.iso8601Years.contains(self) ? formatted(.iso8601) : nil }
}

/// Replaces a date without a text in an error: Foundation can end the process when it prints such a `Date`.
package struct DateWithoutText: Sendable, CustomStringConvertible {
    private let seconds: Double

    package init(_ date: Date) { seconds = date.timeIntervalSinceReferenceDate }

    package var description: String { "\(seconds) s since 2001" }
}
