/// The entries of a list so far, to find the one that hides another: that covers all of it, stops when it fails, makes values of
/// the same type, and yields the elements that the other one does.
struct ShadowedEntries {
    private var entries: [RegistryBuilder.Built] = []
    private var byEssence: [String: [Int]] = [:]
    /// Entries that cover more than single types.
    private var broad: [Int] = []

    /// Adds an entry behind the others. One that never has the last word hides nothing.
    mutating func add(_ built: RegistryBuilder.Built) {
        // Behind one that unwraps, a response may arrive under any type, past every entry so far.
        guard built.entry.serializer?.unwrapping == nil else {
            self = ShadowedEntries()
            return
        }
        guard built.entry.serializer != nil, built.entry.onFailure == .error else { return }
        let position = entries.count
        entries.append(built)
        guard let ranges = built.entry.coverage.ranges else { return broad.append(position) }
        var isBroad = false
        for kind in ranges.flatMap(\.alternatives) {
            if case .exact(let essence) = kind {
                byEssence[essence, default: []].append(position)
            } else {
                isBroad = true
            }
        }
        if isBroad { broad.append(position) }
    }

    /// The first entry that hides this one; nil where none does.
    func hider(of entry: RegistryEntry) -> RegistryBuilder.Built? {
        guard let serializer = entry.serializer else { return nil }
        var positions = broad
        // What covers all of the entry covers the first of its types.
        if case .exact(let essence)? = entry.coverage.ranges?.first?.alternatives.first {
            positions += byEssence[essence] ?? []
            positions.sort()
        }
        return positions.lazy.map { entries[$0] }.first { other in
            other.entry.serializer?.makesAll(of: serializer) == true
                // What declared factories make is the same for sure where the factory is.
                && (serializer.output != DeclaredSerializer.Value.self || other.entry.factory == entry.factory)
                && other.entry.coverage.covers(entry.coverage)
        }
    }
}

extension BoundSerializer {
    /// Whether it makes values of the type of another one's, and yields elements where that does.
    fileprivate func makesAll(of other: BoundSerializer) -> Bool {
        output == other.output && (other.element == nil || element != nil)
            && (other.elementDecoding == nil || elementDecoding != nil) && (other.lines == nil || lines != nil)
    }
}

/// A response to an untyped call, only described, that an entry covers.
struct Witness {
    /// Nil for a response without one.
    let contentType: String?
    let status: Int
    /// The part of the entry's coverage that it stands for; nil where the entry has no types.
    let range: MediaRange?

    /// Responses that show what an entry covers: one or two for each kind of type that it names, each with every status.
    /// - Parameter statuses: those of interest, of which some may be outside.
    static func all(of coverage: Coverage, statuses: [Int]) -> [Witness] {
        guard coverage.coversWish(.anything) else { return [] }
        let statuses = statuses.filter(coverage.status.contains)
        return types(of: coverage).flatMap { type, range in
            statuses.map { Witness(contentType: type, status: $0, range: range) }
        }
    }

    /// What is covered by its name comes first, because that is what a reader knows.
    private static func types(of coverage: Coverage) -> [(String?, MediaRange?)] {
        guard let ranges = coverage.ranges else { return [(nil, nil), ("application/vnd.example", nil)] }
        var named: [(String?, MediaRange?)] = []
        var others: [(String?, MediaRange?)] = []
        for range in ranges {
            let parameters = range.parameters.map { ";\($0)" }.joined()
            for kind in range.alternatives {
                let part = try? MediaRange("\(kind)" + parameters)
                let types = examples(of: kind).map { ($0 + parameters, part) as (String?, MediaRange?) }
                if case .exact = kind { named += types } else { others += types }
            }
        }
        return named + others
    }

    private static func examples(of kind: MediaRange.Kind) -> [String] {
        switch kind {
        case .exact(let essence): [essence]
        case .topLevel("text"): ["text/plain", "text/vnd.example"]
        case .topLevel("image"): ["image/png", "image/vnd.example"]
        case .topLevel(let type): ["\(type)/vnd.example"]
        case .suffix(let suffix): ["application/vnd.example+\(suffix)"]
        case .topLevelSuffix(let type, let suffix): ["\(type)/vnd.example+\(suffix)"]
        case .any: ["application/octet-stream", "application/vnd.example"]
        // An alternative is no group.
        case .group: []
        }
    }

    func isCovered(by coverage: Coverage) -> Bool {
        coverage.status.contains(status) && coverage.coversWish(.anything)
            && coverage.coversType(contentType.flatMap { MediaType(parsing: $0) })
    }
}

extension Witness: CustomStringConvertible {
    /// `application/json, 200`
    var description: String { "\(contentType ?? "no Content-Type"), \(status)" }
}
