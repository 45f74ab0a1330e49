public import PatchbayJSON
import PatchbayPlatform

/// A list of statuses and ranges. A status is in the set if any member contains it.
///
///     request.acceptableStatus = [200, 404]
///     request.acceptableStatus = ["2XX", 404, "500-503"]
///     request.acceptableStatus = StatusSet(200...first)
///
/// An invalid literal, such as `99` or `"abc"`, ends the program with a sentence. Values that are only known at run
/// time go through an initialiser that throws.
public struct StatusSet: Sendable, Hashable {
    package let members: [StatusRange]

    /// The statuses as ranges, in the order written. A response has a status from 100 to 999; 600 and above belong to
    /// `5XX`.
    public var ranges: [ClosedRange<Int>] { members.map { $0.lowerBound...$0.upperBound } }

    /// Every status.
    public static let any = StatusSet(members: [.all])

    package static let none = StatusSet(members: [])

    /// 200 to 299.
    public static let successful = StatusSet(members: [.successful])

    /// Reads a list of notations such as `["204", "4XX"]`.
    /// - Throws: `FormatFailure`, also for an empty list, which would match nothing.
    public init(parsing notations: [String]) throws(FormatFailure) {
        do throws(PatternFailure) { try self.init(notations: notations) } catch { throw error.formatFailure }
    }

    /// Like `init(parsing:)`, but the error has the suggestion as a property.
    package init(notations: [String]) throws(PatternFailure) {
        guard !notations.isEmpty else { throw PatternFailure("an empty list of statuses matches no response") }
        var members: [StatusRange] = []
        for notation in notations { members.append(try StatusRange(notation)) }
        self.init(members: members)
    }

    /// The statuses of a range between 100 and 999. A range that reaches 599 gets all statuses up to 999, because 600
    /// and above count as `5XX`.
    public init(_ range: ClosedRange<Int>) { self.init(members: StatusRange(range).map { [$0] } ?? []) }

    package init(members: [StatusRange]) { self.members = members }

    /// Whether the status is in one of the ranges.
    public func contains(_ status: Int) -> Bool {
        members.contains { $0.contains(status) }
    }

    /// Whether every status of `other` is in this set.
    package func covers(_ other: StatusSet) -> Bool {
        let merged = merged
        return other.members.allSatisfy { range in
            merged.contains { $0.lowerBound <= range.lowerBound && range.upperBound <= $0.upperBound }
        }
    }

    package func overlaps(_ other: StatusSet) -> Bool {
        members.contains { range in
            other.members.contains { range.lowerBound <= $0.upperBound && $0.lowerBound <= range.upperBound }
        }
    }

    /// The statuses of this set as sorted ranges that neither overlap nor touch.
    private var merged: [ClosedRange<Int>] {
        let rising = ranges.inOrder { $0.lowerBound < $1.lowerBound }
        return rising.reduce(into: []) { merged, range in
            guard let last = merged.last, range.lowerBound <= last.upperBound + 1 else { return merged.append(range) }
            merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
        }
    }
}

extension StatusSet: CustomStringConvertible {
    /// The notations, separated by commas; `any` for every status.
    public var description: String { members.map(\.description).joined(separator: ", ") }
}

/// An invalid literal ends the program with a sentence. Text that is only known at run time goes through
/// `init(parsing:)`, which throws.
extension StatusSet: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    /// One status, as in `404`.
    public init(integerLiteral status: Int) { self.init(literal: "\(status)") }

    /// One notation, as in `"2XX"` or `"500-503"`.
    public init(stringLiteral notation: String) { self.init(literal: notation) }

    /// Several statuses and notations, as in `["2XX", 404, "500-503"]`.
    public init(arrayLiteral sets: StatusSet...) {
        guard !sets.isEmpty else { Self.refuse(PatternFailure("an empty list of statuses matches no response")) }
        self.init(members: sets.flatMap(\.members))
    }

    private init(literal notation: String) {
        do throws(PatternFailure) {
            try self.init(notations: [notation])
        } catch {
            Self.refuse(error)
        }
    }

    /// Ends the program with the description of the error, in every build: the literal is a mistake in the program.
    private static func refuse(_ error: PatternFailure) -> Never {
        fatalError("a literal of StatusSet: \(error)")
    }
}

/// Statuses in the notation of OpenAPI: `"200"`, the class `"2XX"`, or the range `"500-503"`.
///
/// 600 and above, which no standard defines, count as `5XX` (RFC 9110, section 15).
package struct StatusRange: Sendable, Hashable {
    package let lowerBound: Int
    package let upperBound: Int

    /// Every status that a response can have.
    package static let all = StatusRange(100, 999)

    package static let successful = StatusRange(200, 299)

    /// Reads the notation.
    /// - Throws: `PatternFailure` with the fault and the nearest valid spelling.
    package init(_ notation: String) throws(PatternFailure) {
        try PatternFailure.checkLength(of: notation)
        let bytes = Array(notation.utf8)
        if bytes.count == 3, bytes[1...].allSatisfy({ $0 | 0x20 == UInt8(ascii: "x") }) {
            self = try Self.statusClass(bytes[0], in: notation)
            return
        }
        let bounds = notation.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let lower = try Self.status(bounds.first ?? "", in: notation)
        let upper = bounds.count == 2 ? try Self.status(bounds[1], in: notation) : lower
        guard lower <= upper else {
            throw PatternFailure("the range \"\(notation)\" is empty", suggestion: "\(upper)-\(lower)")
        }
        self.init(lower, upper)
    }

    /// The statuses of a range between 100 and 999; nil if it has none. A range that reaches 599 is extended to 999.
    init?(_ range: ClosedRange<Int>) {
        let statuses = Self.all.lowerBound...Self.all.upperBound
        guard range.overlaps(statuses) else { return nil }
        let range = range.clamped(to: statuses)
        self.init(range.lowerBound, range.upperBound >= 599 ? statuses.upperBound : range.upperBound)
    }

    private init(_ lowerBound: Int, _ upperBound: Int) {
        self.lowerBound = lowerBound
        self.upperBound = upperBound
    }

    package func contains(_ status: Int) -> Bool {
        self == .all || (lowerBound <= status && status <= upperBound)
    }

    private static func statusClass(_ digit: UInt8, in notation: String) throws(PatternFailure) -> StatusRange {
        guard (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(digit) else { throw unreadable(notation) }
        let hundred = Int(digit - UInt8(ascii: "0"))
        guard hundred <= 5 else { throw tooHigh(notation) }
        guard notation.hasSuffix("XX") else {
            throw PatternFailure("\"\(notation)\" is no status", suggestion: "\(hundred)XX")
        }
        return StatusRange(hundred * 100, hundred == 5 ? all.upperBound : hundred * 100 + 99)
    }

    private static func status(_ text: Substring, in notation: String) throws(PatternFailure) -> Int {
        guard text.utf8.count == 3, let status = text.decimalNumber, status >= all.lowerBound else {
            throw unreadable(notation)
        }
        guard status < 600 else { throw tooHigh(notation) }
        return status
    }

    private static func unreadable(_ notation: String) -> PatternFailure {
        let meant = meant(by: notation).map { "\"\($0)\"" }.joined(separator: ", ")
        let advice = meant.isEmpty ? "\"200\", \"2XX\" or \"500-503\"" : meant
        return PatternFailure("\"\(notation)\" is no status; write \(advice)")
    }

    /// The notations for several classes, `4XX-5XX`, and for all statuses from one on, `>=500`, `>499` and `500+`.
    private static func meant(by notation: String) -> [String] {
        func classes(_ first: Int, _ last: Int) -> [String] { first > last ? [] : (first...last).map { "\($0)XX" } }
        if let found = notation.wholeMatch(of: /([1-5])[xX*]{2}(?:\s*-\s*([1-5])[xX*]{2})?/) {
            let first = Int(found.1) ?? 1
            return classes(first, found.2.flatMap { Int($0) } ?? first)
        }
        guard let found = notation.wholeMatch(of: /(>=?)?\s*([1-5][0-9]{2})(\+)?/),
            (found.1 == nil) != (found.3 == nil), let number = Int(found.2)
        else { return [] }
        let start = found.1 == ">" ? number + 1 : number
        return start % 100 == 0 ? classes(start / 100, 5) : ["\(start)-599"]
    }

    private static func tooHigh(_ notation: String) -> PatternFailure {
        PatternFailure("\"\(notation)\" is beyond 599; statuses of 600 and above count as 5XX", suggestion: "5XX")
    }
}

extension StatusRange: CustomStringConvertible {
    package var description: String {
        if self == .all { return "any" }
        if lowerBound == upperBound { return "\(lowerBound)" }
        let isClass = lowerBound % 100 == 0 && upperBound == (lowerBound == 500 ? Self.all.upperBound : lowerBound + 99)
        return isClass ? "\(lowerBound / 100)XX" : "\(lowerBound)-\(upperBound)"
    }
}
