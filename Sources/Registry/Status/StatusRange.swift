/// Statuses in the notation of OpenAPI: `"200"`, the class `"2XX"`, or the range `"500-503"`.
///
/// 600 and above, which no standard defines, count as `5XX` (RFC 9110, section 15).
public struct StatusRange: Sendable, Hashable {
    /// The first status in it.
    public let lowerBound: Int
    /// The last status in it.
    public let upperBound: Int

    /// Every status that a response can have.
    package static let all = StatusRange(100, 999)

    package static let successful = StatusRange(200, 299)

    /// Reads the notation.
    /// - Throws: `PatternError`, which says what is wrong and shows the nearest valid spelling.
    public init(_ notation: String) throws(PatternError) {
        try PatternError.checkLength(of: notation)
        let bytes = Array(notation.utf8)
        if bytes.count == 3, bytes[1...].allSatisfy({ $0 | 0x20 == UInt8(ascii: "x") }) {
            self = try Self.statusClass(bytes[0], in: notation)
            return
        }
        let bounds = notation.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let lower = try Self.status(bounds.first ?? "", in: notation)
        let upper = bounds.count == 2 ? try Self.status(bounds[1], in: notation) : lower
        guard lower <= upper else {
            throw PatternError("the range \"\(notation)\" is empty", suggestion: "\(upper)-\(lower)")
        }
        self.init(lower, upper)
    }

    private init(_ lowerBound: Int, _ upperBound: Int) {
        self.lowerBound = lowerBound
        self.upperBound = upperBound
    }

    /// Whether the status is in it.
    public func contains(_ status: Int) -> Bool {
        self == .all || (lowerBound <= status && status <= upperBound)
    }

    private static func statusClass(_ digit: UInt8, in notation: String) throws(PatternError) -> StatusRange {
        guard (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(digit) else { throw unreadable(notation) }
        let hundred = Int(digit - UInt8(ascii: "0"))
        guard hundred <= 5 else { throw tooHigh(notation) }
        guard notation.hasSuffix("XX") else {
            throw PatternError("\"\(notation)\" is no status", suggestion: "\(hundred)XX")
        }
        return StatusRange(hundred * 100, hundred == 5 ? all.upperBound : hundred * 100 + 99)
    }

    private static func status(_ text: Substring, in notation: String) throws(PatternError) -> Int {
        guard text.utf8.count == 3, text.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
            let status = Int(text), status >= all.lowerBound
        else { throw unreadable(notation) }
        guard status < 600 else { throw tooHigh(notation) }
        return status
    }

    private static func unreadable(_ notation: String) -> PatternError {
        PatternError("\"\(notation)\" is no status; write \"200\", \"2XX\" or \"500-503\"")
    }

    private static func tooHigh(_ notation: String) -> PatternError {
        PatternError("\"\(notation)\" is beyond 599; statuses of 600 and above count as 5XX", suggestion: "5XX")
    }
}

extension StatusRange: CustomStringConvertible {
    /// The notation in canonical spelling.
    public var description: String {
        if self == .all { return "any" }
        if lowerBound == upperBound { return "\(lowerBound)" }
        let isClass = lowerBound % 100 == 0 && upperBound == (lowerBound == 500 ? Self.all.upperBound : lowerBound + 99)
        return isClass ? "\(lowerBound / 100)XX" : "\(lowerBound)-\(upperBound)"
    }
}
