import PatchbayRegistry

/// A set of statuses from 100 to 999, one bit each.
package struct Statuses: Sendable, Hashable {
    private static let first = 100
    private static let count = 900
    private var words = [UInt64](repeating: 0, count: (count + 63) / 64)

    package init() {}

    /// The statuses in a set of the registry.
    init(_ set: StatusSet) {
        for range in set.ranges { insert(range) }
    }

    static let all = Statuses(.any)

    private mutating func insert(_ range: ClosedRange<Int>) {
        guard let low = Self.place(range.lowerBound), let high = Self.place(range.upperBound) else { return }
        for index in low / 64...high / 64 {
            let above = index == low / 64 ? UInt64.max << UInt64(low % 64) : .max
            let below = index == high / 64 ? UInt64.max >> UInt64(63 - high % 64) : .max
            words[index] |= above & below
        }
    }

    package func contains(_ status: Int) -> Bool {
        guard let place = Self.place(status) else { return false }
        return words[place / 64] >> UInt64(place % 64) & 1 == 1
    }

    package var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    mutating func formUnion(_ other: Statuses) { for index in words.indices { words[index] |= other.words[index] } }

    func intersection(_ other: Statuses) -> Statuses {
        var both = self
        for index in words.indices { both.words[index] &= other.words[index] }
        return both
    }

    func subtracting(_ other: Statuses) -> Statuses {
        var rest = self
        for index in words.indices { rest.words[index] &= ~other.words[index] }
        return rest
    }

    /// One of the statuses, a well-known one if possible; 0 for the empty set.
    package var witness: Int {
        Self.known.first(where: contains) ?? (Self.first..<Self.first + Self.count).first(where: contains) ?? 0
    }

    private static let known = [200, 404, 500, 201, 204, 304, 301, 302, 400, 401, 403, 422, 503]

    package var ranges: [ClosedRange<Int>] {
        (Self.first..<Self.first + Self.count).reduce(into: []) { runs, status in
            guard contains(status) else { return }
            if let last = runs.last, last.upperBound == status - 1 {
                runs[runs.count - 1] = last.lowerBound...status
            } else {
                runs.append(status...status)
            }
        }
    }

    /// Every status, split into classes that none of the sets distinguishes.
    static func classes(of sets: [StatusSet]) -> [Statuses] {
        Set(sets.flatMap(\.members)).map { Statuses(StatusSet(members: [$0])) }.reduce([all]) { classes, set in
            classes.flatMap { [$0.intersection(set), $0.subtracting(set)] }.filter { !$0.isEmpty }
        }.sorted { $0.witness < $1.witness }
    }

    private static func place(_ status: Int) -> Int? {
        (first..<first + count).contains(status) ? status - first : nil
    }
}

extension Statuses: CustomStringConvertible {
    /// The notation of manifests if possible: `2XX, 404`, and `any` for all.
    package var description: String {
        if self == Self.all { return "any" }
        return ranges.flatMap(Self.notations).joined(separator: ", ")
    }

    private static func notations(_ run: ClosedRange<Int>) -> [String] {
        var notations: [String] = []
        var start = run.lowerBound
        while start <= run.upperBound {
            let last = start >= 500 ? 999 : start / 100 * 100 + 99
            let end = min(run.upperBound, last)
            let isWhole = end == last && (start % 100 == 0 && start <= 500)
            notations.append(isWhole ? "\(start / 100)XX" : start == end ? "\(start)" : "\(start)-\(end)")
            start = end + 1
        }
        return notations
    }
}
