/// Why registries are not compared: their classes are more than are looked at, and fewer would be a guess.
package struct ComparisonFailure: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    /// Combinations of parameters of one media type: entries that overlap on it name them, and each is one class.
    package static let mostParameters = 4096
    /// Classes of media types, and likewise of hosts.
    package static let mostClasses = 100_000
    /// Answers of each registry, which are what takes the time.
    package static let mostAnswers = 10_000_000

    package init(_ description: String) { self.description = description }
}
