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
