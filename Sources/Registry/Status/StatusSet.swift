/// A list of statuses and ranges of them; a status is in the set when any member contains it.
///
///     request.acceptableStatus = [200, 404]
///     request.acceptableStatus = 200..<300
///     request.acceptableStatus = ["2XX", 404, 500...503]
///
/// A literal that is no status, such as `99` or `"abc"`, ends the program with a sentence that says so: it is a mistake in the code.
/// What is only known at run time goes through an initialiser that throws.
public struct StatusSet: Sendable, Hashable {
    /// The members, in the order written.
    public let ranges: [StatusRange]

    /// Every status.
    public static let any = StatusSet(ranges: [.all])

    /// No status.
    package static let none = StatusSet(ranges: [])

    /// 200 to 299.
    public static let successful = StatusSet(ranges: [.successful])

    /// Reads a list of notations such as `["204", "4XX"]`.
    /// - Throws: `PatternError`; an empty list, which would match nothing, is refused too.
    public init(_ notations: [String]) throws(PatternError) {
        guard !notations.isEmpty else { throw PatternError("an empty list of statuses matches no response") }
        var ranges: [StatusRange] = []
        for notation in notations { ranges.append(try StatusRange(notation)) }
        self.init(ranges: ranges)
    }

    /// The statuses of a range that is only known at run time.
    /// - Throws: `PatternError` where the range is empty, or goes beyond what statuses there are.
    public init(_ range: ClosedRange<Int>) throws(PatternError) {
        try self.init(["\(range.lowerBound)-\(range.upperBound)"])
    }

    /// The statuses of a range that is only known at run time, which does not include its end.
    /// - Throws: `PatternError` where the range is empty, or goes beyond what statuses there are.
    public init(_ range: Range<Int>) throws(PatternError) {
        guard let last = range.last else { throw PatternError("the range \"\(range)\" is empty") }
        try self.init(range.lowerBound...last)
    }

    init(ranges: [StatusRange]) { self.ranges = ranges }

    /// Whether the status is in one of its ranges.
    public func contains(_ status: Int) -> Bool {
        ranges.contains { $0.contains(status) }
    }

    /// Whether every status of the other set is in this one.
    public func covers(_ other: StatusSet) -> Bool {
        let merged = merged
        return other.ranges.allSatisfy { range in
            merged.contains { $0.lowerBound <= range.lowerBound && range.upperBound <= $0.upperBound }
        }
    }

    /// Whether any status is in both.
    package func overlaps(_ other: StatusSet) -> Bool {
        ranges.contains { range in
            other.ranges.contains { range.lowerBound <= $0.upperBound && $0.lowerBound <= range.upperBound }
        }
    }

    /// The same statuses as ranges that neither overlap nor touch, in rising order.
    private var merged: [ClosedRange<Int>] {
        let rising = ranges.map { $0.lowerBound...$0.upperBound }.sorted { $0.lowerBound < $1.lowerBound }
        return rising.reduce(into: []) { merged, range in
            guard let last = merged.last, range.lowerBound <= last.upperBound + 1 else { return merged.append(range) }
            merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
        }
    }
}

extension StatusSet: CustomStringConvertible {
    /// The notations, separated by commas; `any` for every status.
    public var description: String { ranges.map(\.description).joined(separator: ", ") }
}
