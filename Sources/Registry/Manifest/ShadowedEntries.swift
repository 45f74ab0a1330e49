/// Collects the entries of a list in order, and finds the collected entries that hide a later entry.
struct ShadowedEntries {
    private var readers = FiledEntries()
    private var writers = FiledEntries()

    /// Adds the next entry of the list. A reader without `"onFailure": "error"` hides nothing.
    mutating func add(_ built: RegistryBuilder.Built) {
        if built.entry.serializer?.unwrapping != nil {
            // An unwrapped body can have any type, and the entries before this one don't read it.
            readers = FiledEntries()
        } else if built.entry.serializer != nil, built.entry.onFailure == .error {
            readers.add(built)
        }
        if built.entry.writer != nil { writers.add(built) }
    }

    /// The entries that hide `entry`: the first one that hides its reading, and the first one that hides its writing.
    /// Nil if `entry` can still read or write.
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

    /// The first entry that covers all responses of an entry, has `"onFailure": "error"`, makes values of the same
    /// type, and yields the same elements.
    private func hider(of serializer: BoundSerializer, _ entry: RegistryEntry) -> RegistryBuilder.Built? {
        readers.first(for: entry) { other in
            other.serializer?.makesAll(of: serializer) == true
                // The output of a declared factory is unknown: two outputs are certainly equal only for the same
                // factory.
                && (serializer.output != DeclaredSerializer.Value.self || other.factory == entry.factory)
                && other.coverage.covers(entry.coverage)
        }
    }

    /// The first entry that covers all types of a writer and declines no value that the writer accepts.
    func hider(of writer: BoundWriter, _ entry: RegistryEntry) -> RegistryBuilder.Built? {
        writers.first(for: entry) { other in
            other.writer?.takesAll(of: writer) == true
                && (!(writer.serializer is DeclaredSerializer) || other.factory == entry.factory)
                && other.coverage.coversTypes(of: entry.coverage)
        }
    }

    /// The first entry that covers all types of a writer, but possibly declines some values.
    func writer(before writer: BoundWriter, _ entry: RegistryEntry) -> RegistryBuilder.Built? {
        writers.first(for: entry) { other in
            other.writer?.isOfSameKind(as: writer) == true && !(other.writer?.serializer is DeclaredSerializer)
                && other.coverage.coversTypes(of: entry.coverage)
        }
    }
}

/// Entries in order, indexed by their types.
private struct FiledEntries {
    private var entries: [RegistryBuilder.Built] = []
    private var byEssence: [String: [Int]] = [:]
    /// The positions of entries that cover more than single types.
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

    /// The first entry that possibly covers all types of `entry` and meets a condition.
    func first(for entry: RegistryEntry, where holds: (RegistryEntry) -> Bool) -> RegistryBuilder.Built? {
        var positions = broad
        // An entry that covers all types also covers the first one.
        if case .exact(let essence)? = entry.coverage.ranges?.first?.alternatives.first {
            positions += byEssence[essence] ?? []
            positions.sort()
        }
        return positions.lazy.map { entries[$0] }.first { holds($0.entry) }
    }
}

extension BoundSerializer {
    /// Whether this serializer makes values of the other serializer's type, and yields elements if the other one does.
    fileprivate func makesAll(of other: BoundSerializer) -> Bool {
        output == other.output && keepsBytes == other.keepsBytes && (other.element == nil || element != nil)
            && (other.elementDecoding == nil || elementDecoding != nil) && (other.lines == nil || lines != nil)
    }
}

extension BoundWriter {
    /// Whether both write whole values, or both write elements.
    fileprivate func isOfSameKind(as other: BoundWriter) -> Bool { (elements == nil) == (other.elements == nil) }

    /// Whether this writer declines no value that `other` accepts: both have the same type, or this writer declines
    /// nothing.
    fileprivate func takesAll(of other: BoundWriter) -> Bool {
        type(of: serializer) == type(of: other.serializer)
            || elements == nil && other.elements == nil && serializer is any NeverDecliningSerializer
    }
}
