/// The entries of one host, filed under what they match.
///
/// A look-up reads four lists: those of the essence, the suffix, the top-level type, and of what matches any type. Each is in
/// the order of the manifest, so that the first entry is found by looking at four heads, whatever the number of entries.
struct RouteTable: Sendable {
    /// An entry, and what else must hold where the name of the list does not say all.
    struct Filed: Sendable {
        let position: Int
        /// The range to match, where it names parameters or two things at once.
        let range: MediaRange?
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
                always.append(Filed(position: position, range: nil))
                typeless.append(Filed(position: position, range: nil))
                continue
            }
            for range in ranges { file(range, position) }
        }
    }

    func entry(_ id: String) -> RegistryEntry? { positions[id].map { entries[$0] } }

    func position(_ id: String) -> Int? { positions[id] }

    private mutating func file(_ range: MediaRange, _ position: Int) {
        for kind in range.alternatives {
            let filed = Filed(position: position, range: range.parameters.isEmpty ? nil : range)
            switch kind {
            case .exact(let essence): byEssence[essence, default: []].append(filed)
            case .suffix(let suffix): bySuffix[suffix, default: []].append(filed)
            case .topLevel(let type): byTopLevel[type, default: []].append(filed)
            case .topLevelSuffix(_, let suffix):
                bySuffix[suffix, default: []].append(Filed(position: position, range: range))
            case .any: always.append(filed)
            case .group: always.append(Filed(position: position, range: range))
            }
        }
    }

    /// The positions of the entries that cover a type, in order; nil for a type that is missing or invalid.
    func positions(covering mediaType: MediaType?) -> Positions {
        guard let mediaType else { return Positions(mediaType, [], [], [], typeless) }
        return Positions(
            mediaType, byEssence[mediaType.essence] ?? [],
            bySuffix.isEmpty ? [] : mediaType.suffix.flatMap { bySuffix[$0] } ?? [],
            byTopLevel.isEmpty ? [] : byTopLevel[mediaType.type] ?? [], always)
    }

    /// Four lists in order, read as one.
    struct Positions: Sequence, IteratorProtocol {
        private let mediaType: MediaType?
        private var first, second, third, fourth: ArraySlice<Filed>

        fileprivate init(
            _ mediaType: MediaType?, _ first: [Filed], _ second: [Filed], _ third: [Filed], _ fourth: [Filed]
        ) {
            self.mediaType = mediaType
            self.first = first[...]
            self.second = second[...]
            self.third = third[...]
            self.fourth = fourth[...]
        }

        mutating func next() -> Int? {
            while true {
                let heads = (first.first, second.first, third.first, fourth.first)
                let position = Swift.min(
                    Swift.min(heads.0?.position ?? .max, heads.1?.position ?? .max),
                    Swift.min(heads.2?.position ?? .max, heads.3?.position ?? .max))
                guard position < .max else { return nil }
                // Every list is moved past the position, also where an earlier one matched.
                let matches = (
                    drop(position, from: &first), drop(position, from: &second), drop(position, from: &third),
                    drop(position, from: &fourth)
                )
                if matches.0 || matches.1 || matches.2 || matches.3 { return position }
            }
        }

        /// Takes everything filed for the position off the list; whether any of it matches.
        private func drop(_ position: Int, from list: inout ArraySlice<Filed>) -> Bool {
            var matches = false
            while let head = list.first, head.position == position {
                matches = matches || head.range.map { range in mediaType.map(range.matches) ?? false } ?? true
                list = list.dropFirst()
            }
            return matches
        }
    }
}
