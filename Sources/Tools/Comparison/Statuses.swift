package import PatchbayRegistry

/// A set of statuses from 100 to 999, one bit each.
package struct Statuses: Sendable, Hashable {
    private static let range = 100...999
    private var words = SIMD16<UInt64>()

    package init() {}
    private init(words: SIMD16<UInt64>) { self.words = words }

    /// The statuses in a set of the registry.
    package init(_ set: StatusSet) {
        for range in set.ranges where range.overlaps(Self.range) {
            for status in range.clamped(to: Self.range) { words[status / 64] |= 1 << UInt64(status % 64) }
        }
    }

    static let all = Statuses(.any)

    package func contains(_ status: Int) -> Bool {
        Self.range.contains(status) && words[status / 64] >> UInt64(status % 64) & 1 == 1
    }

    package var isEmpty: Bool { words == SIMD16() }

    package func union(_ other: Statuses) -> Statuses { Statuses(words: words | other.words) }
    package func intersection(_ other: Statuses) -> Statuses { Statuses(words: words & other.words) }
    func subtracting(_ other: Statuses) -> Statuses { Statuses(words: words & ~other.words) }

    /// One of the statuses, a well-known one if possible; 0 for the empty set.
    package var witness: Int {
        if let known = Self.known.first(where: contains) { return known }
        let word = words.indices.first { words[$0] != 0 }
        return word.map { $0 * 64 + words[$0].trailingZeroBitCount } ?? 0
    }

    private static let known = [200, 404, 500, 201, 204, 304, 301, 302, 400, 401, 403, 422, 503]

    package var ranges: [ClosedRange<Int>] {
        Self.range.reduce(into: []) { runs, status in
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
        let members = Set(sets.flatMap(\.members)).map { Statuses(StatusSet(members: [$0])) }
        let classes = members.reduce([all]) { classes, set in
            classes.flatMap { [$0.intersection(set), $0.subtracting(set)] }.filter { !$0.isEmpty }
        }
        return classes.map { ($0, $0.witness) }.sorted { $0.1 < $1.1 }.map(\.0)
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
