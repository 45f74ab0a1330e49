/// Literals are read while the program runs. One that is no notation ends it, with a sentence: what comes from outside of the
/// program goes through `init(_:)`, which throws.
extension StatusSet: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    /// One status, as in `404`.
    public init(integerLiteral status: Int) { self.init(literal: "\(status)") }

    /// One notation, as in `"2XX"` or `"500-503"`.
    public init(stringLiteral notation: String) { self.init(literal: notation) }

    /// Several of any kind, as in `["2XX", 404, 500..<504]`.
    public init(arrayLiteral sets: StatusSet...) {
        guard !sets.isEmpty else { Self.refuse(PatternError("an empty list of statuses matches no response")) }
        self.init(ranges: sets.flatMap(\.ranges))
    }

    private init(literal notation: String) {
        do throws(PatternError) {
            try self.init([notation])
        } catch {
            Self.refuse(error)
        }
    }

    /// Ends the program, in every build with the sentence: literals are written by whoever wrote the program.
    private static func refuse(_ error: PatternError) -> Never {
        fatalError("a literal of StatusSet: \(error)")
    }

    /// One end of a range of statuses that is written as a literal.
    ///
    /// A type of its own, so that a range of variables is a `Range` and goes through the initialiser that throws.
    public struct Bound: ExpressibleByIntegerLiteral {
        private let status: Int

        public init(integerLiteral status: Int) { self.status = status }

        /// The statuses from the first up to the last, without it. Disfavoured: elsewhere `200..<300` stays a range of integers.
        @_disfavoredOverload
        public static func ..< (lower: Bound, upper: Bound) -> StatusSet {
            lower...Bound(integerLiteral: upper.status &- 1)
        }

        /// The statuses from the first to the last.
        @_disfavoredOverload
        public static func ... (lower: Bound, upper: Bound) -> StatusSet {
            StatusSet(literal: "\(lower.status)-\(upper.status)")
        }
    }
}
