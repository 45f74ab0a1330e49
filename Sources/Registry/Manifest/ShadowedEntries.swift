/// The entries of a list so far, to find those that hide another one.
struct ShadowedEntries {
    private var readers = FiledEntries()
    private var writers = FiledEntries()

    /// Adds an entry behind the others. One that never has the last word hides nothing.
    mutating func add(_ built: RegistryBuilder.Built) {
        if built.entry.serializer?.unwrapping != nil {
            // Behind one that unwraps, a response may arrive under any type, past every entry so far.
            readers = FiledEntries()
        } else if built.entry.serializer != nil, built.entry.onFailure == .error {
            readers.add(built)
        }
        if built.entry.writer != nil { writers.add(built) }
    }

    /// The first entries that hide this one, of each side that it has one; nil where a side is left.
    func hiders(of entry: RegistryEntry) -> [RegistryBuilder.Built]? {
        var hiders: [RegistryBuilder.Built] = []
        if let serializer = entry.serializer {
            guard let hider = hider(of: serializer, entry) else { return nil }
            hiders.append(hider)
        }
        if let writer = entry.writer {
            guard let hider = hider(of: writer, entry) else { return nil }
            if hiders.first?.entry.id != hider.entry.id { hiders.append(hider) }
        }
        return hiders.isEmpty ? nil : hiders
    }

    /// The first entry that covers all of what an entry reads, stops when it fails, makes values of the same type, and yields the elements
    /// that the other one does.
    private func hider(of serializer: BoundSerializer, _ entry: RegistryEntry) -> RegistryBuilder.Built? {
        readers.first(for: entry) { other in
            other.serializer?.makesAll(of: serializer) == true
                // What declared factories make is the same for sure where the factory is.
                && (serializer.output != DeclaredSerializer.Value.self || other.factory == entry.factory)
                && other.coverage.covers(entry.coverage)
        }
    }

    /// The first entry that covers all types that an entry writes, and that declines nothing of it.
    func hider(of writer: BoundWriter, _ entry: RegistryEntry) -> RegistryBuilder.Built? {
        writers.first(for: entry) { other in
            other.writer?.takesAll(of: writer) == true
                && (!(writer.serializer is DeclaredSerializer) || other.factory == entry.factory)
                && other.coverage.coversTypes(of: entry.coverage)
        }
    }

    /// The first entry that is asked before this one about everything that it writes, and may decline some of it.
    func writer(before writer: BoundWriter, _ entry: RegistryEntry) -> RegistryBuilder.Built? {
        writers.first(for: entry) { other in
            other.writer?.isOfSameKind(as: writer) == true && !(other.writer?.serializer is DeclaredSerializer)
                && other.coverage.coversTypes(of: entry.coverage)
        }
    }
}

/// Entries in order, filed under their types.
private struct FiledEntries {
    private var entries: [RegistryBuilder.Built] = []
    private var byEssence: [String: [Int]] = [:]
    /// Entries that cover more than single types.
    private var broad: [Int] = []

    mutating func add(_ built: RegistryBuilder.Built) {
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

    /// The first of the entries that may cover all types of another one, and for which something holds.
    func first(for entry: RegistryEntry, where holds: (RegistryEntry) -> Bool) -> RegistryBuilder.Built? {
        var positions = broad
        // What covers all of the entry covers the first of its types.
        if case .exact(let essence)? = entry.coverage.ranges?.first?.alternatives.first {
            positions += byEssence[essence] ?? []
            positions.sort()
        }
        return positions.lazy.map { entries[$0] }.first { holds($0.entry) }
    }
}

extension BoundSerializer {
    /// Whether it makes values of the type of another one's, and yields elements where that does.
    fileprivate func makesAll(of other: BoundSerializer) -> Bool {
        output == other.output && (other.element == nil || element != nil)
            && (other.elementDecoding == nil || elementDecoding != nil) && (other.lines == nil || lines != nil)
    }
}

extension BoundWriter {
    /// Whether both write whole values, or both write elements.
    fileprivate func isOfSameKind(as other: BoundWriter) -> Bool { (elements == nil) == (other.elements == nil) }

    /// Whether it declines no value that the other one takes: it is of the same type, or declines nothing at all.
    fileprivate func takesAll(of other: BoundWriter) -> Bool {
        type(of: serializer) == type(of: other.serializer)
            || elements == nil && other.elements == nil && serializer is any NeverDecliningSerializer
    }
}
