/// The entries of one host, filed under what they match.
///
/// A look-up reads four lists: those of the essence, the suffix, the top-level type, and of what matches any type. Each is in
/// the order of the manifest, so that the first entry is found by looking at four heads, whatever the number of entries.
struct RouteTable: Sendable {
    /// An entry, and what else must hold where the name of the list does not say all.
    struct Filed: Sendable {
        let position: Int
        /// The range to match, where it names parameters or two things at once; else none.
        let ranges: [MediaRange]
    }

    /// The entries in the order in which they are asked.
    let entries: [RegistryEntry]
    private let positions: [String: Int]
    private var byEssence: [String: [Filed]] = [:]
    private var bySuffix: [String: [Filed]] = [:]
    private var byTopLevel: [String: [Filed]] = [:]
    private var always: [Filed] = []
    /// The entries that cover a response whose type is missing or invalid.
    private var typeless: [Filed] = []

    init(_ entries: [RegistryEntry]) {
        self.entries = entries
        positions = Dictionary(entries.enumerated().map { ($1.id, $0) }) { first, _ in first }
        for (position, entry) in entries.enumerated() where entry.availability != .switchedOff {
            guard let ranges = entry.coverage.ranges else {
                always.append(Filed(position: position, ranges: []))
                typeless.append(Filed(position: position, ranges: []))
                continue
            }
            for range in ranges { file(range, position) }
        }
    }

    func entry(_ id: String) -> RegistryEntry? { positions[id].map { entries[$0] } }

    func position(_ id: String) -> Int? { positions[id] }

    private mutating func file(_ range: MediaRange, _ position: Int) {
        for kind in range.alternatives {
            let filed = Filed(position: position, ranges: range.parameters.isEmpty ? [] : [range])
            switch kind {
            case .exact(let essence): byEssence[essence, default: []].append(filed)
            case .suffix(let suffix): bySuffix[suffix, default: []].append(filed)
            case .topLevel(let type): byTopLevel[type, default: []].append(filed)
            case .topLevelSuffix(_, let suffix):
                bySuffix[suffix, default: []].append(Filed(position: position, ranges: [range]))
            case .any: always.append(filed)
            case .group: always.append(Filed(position: position, ranges: [range]))
            }
        }
    }

    /// Hands over the positions of the entries that cover a type, in order, until one is enough; nil stands for a type that is
    /// missing or invalid.
    func forEachPosition(covering mediaType: MediaType?, isEnough: (Int) -> Bool) {
        guard let mediaType else {
            for filed in typeless where isEnough(filed.position) { return }
            return
        }
        var first = Reading(byEssence[mediaType.essence] ?? [])
        var second = Reading(bySuffix.isEmpty ? [] : mediaType.suffix.flatMap { bySuffix[$0] } ?? [])
        var third = Reading(byTopLevel.isEmpty ? [] : byTopLevel[mediaType.type] ?? [])
        var fourth = Reading(always)
        while true {
            let position = min(min(first.position, second.position), min(third.position, fourth.position))
            guard position < .max else { return }
            // Every list is read past the position, also where an earlier one matched.
            let matches = (
                first.pass(position, mediaType), second.pass(position, mediaType), third.pass(position, mediaType),
                fourth.pass(position, mediaType)
            )
            if matches.0 || matches.1 || matches.2 || matches.3, isEnough(position) { return }
        }
    }

    /// A list, and how much of it has been read.
    private struct Reading {
        private let list: [Filed]
        private var read = 0

        init(_ list: [Filed]) { self.list = list }

        /// The position that comes next; the largest integer at the end.
        var position: Int { read < list.count ? list[read].position : .max }

        /// Reads everything filed for the position; whether any of it matches.
        mutating func pass(_ position: Int, _ mediaType: MediaType) -> Bool {
            var matches = false
            while read < list.count, list[read].position == position {
                matches = matches || list[read].ranges.allSatisfy { $0.matches(mediaType) }
                read += 1
            }
            return matches
        }
    }
}
