package import PatchbayPlatform

/// The entries of one host, indexed by their types.
///
/// A look-up reads four lists: of the entries for the essence, for the suffix, for the top-level type, and for any
/// type. Each list is in the order of the manifest, so the first entry is found by comparing the heads of four lists,
/// whatever the number of entries. The lists of an essence that an entry names are found in one step.
///
/// A class of constants, so that a look-up copies nothing of it.
package final class RouteTable: Sendable {
    /// An entry in a list, with the conditions that the list does not imply.
    struct Filed: Sendable {
        let position: Int
        /// The range to match, if the list does not imply all its conditions; otherwise empty.
        let ranges: [MediaRange]

        func matches(_ mediaType: MediaType?) -> Bool {
            guard !ranges.isEmpty else { return true }
            guard let mediaType else { return false }
            return ranges.allSatisfy { $0.matches(mediaType) }
        }
    }

    /// The entries in the order in which they are considered.
    package let entries: [RegistryEntry]
    private let positions: [String: Int]
    private let lists: Lists
    /// The lists for each essence that an entry names.
    private let named: [String: ListsOfType]
    /// The entries that cover a response whose type is missing or invalid.
    private let typeless: [Filed]

    init(_ entries: [RegistryEntry]) {
        var lists = Lists()
        var typeless: [Filed] = []
        for (position, entry) in entries.enumerated() where entry.availability != .switchedOff {
            if let ranges = entry.coverage.ranges {
                for range in ranges { lists.file(range, position) }
            } else {
                lists.always.append(Filed(position: position, ranges: []))
                typeless.append(Filed(position: position, ranges: []))
            }
        }
        self.entries = entries
        self.lists = lists
        self.typeless = typeless
        var named: [String: ListsOfType] = [:]
        for (essence, list) in lists.byEssence {
            guard let mediaType = MediaType(parsing: essence) else { continue }
            named[essence] = lists.lists(for: mediaType, named: list)
        }
        self.named = named
        positions = Dictionary(entries.enumerated().map { ($1.id, $0) }) { first, _ in first }
    }

    package func entry(_ id: String) -> RegistryEntry? { positions[id].map { entries[$0] } }

    func position(_ id: String) -> Int? { positions[id] }

    /// The positions of the entries that cover a type, in order. Pass nil for a missing or invalid type.
    package func positions(covering mediaType: consuming MediaType?) -> Positions {
        guard let mediaType else { return Positions(mediaType: nil, first: Reading(typeless)) }
        let ofType = named[mediaType.essence] ?? lists.lists(for: mediaType, named: nil)
        return Positions(
            mediaType: mediaType, first: Reading(ofType.essence), second: Reading(ofType.suffix),
            third: Reading(ofType.topLevel), fourth: Reading(lists.always.isEmpty ? nil : lists.always))
    }

    /// The lists for one type: of the entries that name it, for its suffix and for its top-level type. Nil for a list
    /// without an entry.
    private typealias ListsOfType = (essence: [Filed]?, suffix: [Filed]?, topLevel: [Filed]?)

    /// The lists for a type, merged while they are read.
    package struct Positions {
        fileprivate let mediaType: MediaType?
        fileprivate var first: Reading
        fileprivate var second = Reading(nil)
        fileprivate var third = Reading(nil)
        fileprivate var fourth = Reading(nil)

        package mutating func next() -> Int? {
            while true {
                let position = min(min(first.position, second.position), min(third.position, fourth.position))
                guard position < .max else { return nil }
                // Every list must skip `position`, even if an earlier list has a match.
                let matches = (
                    first.pass(position, mediaType), second.pass(position, mediaType),
                    third.pass(position, mediaType), fourth.pass(position, mediaType)
                )
                if matches.0 || matches.1 || matches.2 || matches.3 { return position }
            }
        }
    }

    private struct Lists: Sendable {
        var byEssence: [String: [Filed]] = [:]
        var bySuffix: [String: [Filed]] = [:]
        var byTopLevel: [String: [Filed]] = [:]
        var always: [Filed] = []

        /// - Parameter essence: the entries that name the type.
        func lists(for mediaType: MediaType, named essence: [Filed]?) -> ListsOfType {
            (
                essence: essence, suffix: bySuffix.isEmpty ? nil : mediaType.suffix.flatMap { bySuffix[$0] },
                topLevel: byTopLevel.isEmpty ? nil : byTopLevel[mediaType.type]
            )
        }

        mutating func file(_ range: MediaRange, _ position: Int) {
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
    }

    /// A list, and the number of its elements that were read.
    fileprivate struct Reading {
        private let list: [Filed]?
        private var read = 0
        /// The position of the next unread element; the largest integer after the last element.
        private(set) var position: Int

        init(_ list: [Filed]?) {
            self.list = list
            position = list?.first?.position ?? .max
        }

        /// Reads all elements at the position, and returns whether any of them matches.
        mutating func pass(_ position: Int, _ mediaType: MediaType?) -> Bool {
            guard self.position == position, let list else { return false }
            var matches = false
            while self.position == position {
                matches = matches || list[read].matches(mediaType)
                read += 1
                self.position = read < list.count ? list[read].position : .max
            }
            return matches
        }
    }
}

/// The sections of a registry, to find the one that applies to a host, or to a path of it.
package struct HostSections: Sendable {
    /// The section for hosts that no pattern matches.
    package let general: HostSection
    /// The sections of exact patterns by host name, with and without a port and a path, narrowest first.
    private let exact: [String: [HostSection]]
    /// The wildcards, narrowest first.
    private let wildcards: [HostSection]
    /// The number of segments of the longest path of a section.
    private let longestPath: Int
    /// Every section. The section for hosts that no pattern matches comes first.
    package let all: [HostSection]

    package init(general: HostSection, _ sections: [HostSection]) {
        self.general = general
        all = [general] + sections
        let named = sections.compactMap { section in section.pattern.map { (pattern: $0, section: section) } }
        var exact: [String: [HostSection]] = [:]
        var wildcards: [HostSection] = []
        for (pattern, section) in named.inOrder(by: { $0.pattern.specificity > $1.pattern.specificity }) {
            if pattern.isWildcard {
                wildcards.append(section)
            } else {
                exact[pattern.host.name, default: []].append(section)
            }
        }
        self.exact = exact
        self.wildcards = wildcards
        longestPath = named.map(\.pattern.path.count).max() ?? 0
    }

    /// The section of the narrowest host, and there of the longest path.
    ///
    /// - Parameter url: the URL of the host; nil for no path. It is only read if the host has a section with a path.
    package func section(for host: CanonicalHost?, at url: @autoclosure () -> URL? = nil) -> HostSection {
        guard let host, !(exact.isEmpty && wildcards.isEmpty) else { return general }
        var path: [[UInt8]]?
        if let named = exact[host.plainName], let section = first(of: named, for: host, url, &path) { return section }
        return first(of: wildcards, for: host, url, &path) ?? general
    }

    private func first(
        of sections: [HostSection], for host: CanonicalHost, _ url: () -> URL?, _ path: inout [[UInt8]]?
    ) -> HostSection? {
        for section in sections {
            guard let pattern = section.pattern, pattern.host.matches(host) else { continue }
            guard !pattern.path.isEmpty else { return section }
            let segments = path ?? url().map { SectionKey.segments(of: $0, atMost: longestPath) } ?? []
            path = segments
            if segments.starts(with: pattern.path) { return section }
        }
        return nil
    }
}

/// The policy and the compiled table of one host, or of a path of it.
///
/// A class of constants, so that a decision keeps only a reference to its section.
package final class HostSection: Sendable {
    /// The key of the section; nil for the hosts that have no section.
    package let pattern: SectionKey?
    package let policy: SerializerRegistry.Policy
    package let table: RouteTable
    let accept: AcceptHeader

    package init(pattern: SectionKey?, policy: SerializerRegistry.Policy, entries: [RegistryEntry]) {
        self.pattern = pattern
        self.policy = policy
        table = RouteTable(entries)
        accept = AcceptHeader(entries, policy)
    }

    package var name: String? { pattern?.canonical }
}
