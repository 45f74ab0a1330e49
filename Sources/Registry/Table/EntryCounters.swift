import PatchbayPlatform

/// Counts what the entries of registries do, for those who want to know which are worth their place.
///
///     let counters = EntryCounters()
///     manager.registry = manager.registry.counted(by: counters)
///     print(counters)
///
/// A registry counts that was made by `counted(by:)`, and so does what is made of it by overlays, reloads and replacements. Every
/// body that is serialized counts, long after its response too, and every stream that is read to its end, without its time; what asks
/// no entry (bytes, a file) does not.
///
/// While it is on, a body costs two looks at the clock, and what it costs to explain the decision about it: 1.2 microseconds
/// where the first entry takes the body and 5.4 where the tenth does, instead of 0.4, of a serializer that does nothing. A
/// registry that is not counted pays two comparisons a body, and a look-up nothing.
public final class EntryCounters: Sendable {
    /// What one entry of one registry has done.
    public struct Count: Sendable, Hashable {
        /// The digest of the registry.
        public let registry: String
        /// The id of the entry.
        public let entry: String
        /// How often it made the value, or unwrapped the body.
        public internal(set) var chosen = 0
        /// How often it was asked and did not take the body: because of what it covers, or for reasons of its own.
        public internal(set) var declined = 0
        /// How often its serializer threw, or the body was too large for it.
        public internal(set) var failed = 0
        /// The bytes of all bodies for which it was chosen or failed.
        public internal(set) var bytes = 0
        /// The time that its serializer took for them.
        public internal(set) var nanoseconds = 0

        /// Whether the registry has not chosen it once.
        public var isNeverChosen: Bool { chosen == 0 }
    }

    /// The counts of one registry, in the order of its table.
    private struct Table: Sendable {
        let digest: String
        var counts: [Count]
        let positions: [String: Int]

        init(_ registry: SerializerRegistry) {
            digest = registry.digest
            // Those of host sections come after the list for all hosts.
            let routes = registry.routes(host: nil).map(\.id)
            let others = Set(registry.compiled.entries.keys).subtracting(routes).sorted()
            let ids = (routes + others).filter { registry.compiled.entries[$0]?.availability != .switchedOff }
            counts = ids.map { Count(registry: registry.digest, entry: $0) }
            positions = Dictionary(ids.enumerated().map { ($1, $0) }) { first, _ in first }
        }
    }

    /// The latest registry last.
    private let tables = Guarded<[Table]>([])

    /// As many as a session manager can put back, and the one in force.
    private static let maximumTables = 9

    /// Nothing is counted yet.
    public init() {}

    /// What every entry has done, entries that were never asked among them: of the last nine registries that were given to
    /// `counted(by:)`, or had a body, the latest first, each in the order of its table.
    public var counts: [Count] { tables.withLock { $0.reversed().flatMap(\.counts) } }

    /// The entries that their registry has not chosen once.
    public var neverChosen: [Count] { counts.filter(\.isNeverChosen) }

    /// Begins a registry, whose entries stand in `counts` from now on.
    func add(_ registry: SerializerRegistry) {
        let table = Table(registry)
        tables.withLock { tables in
            guard !tables.contains(where: { $0.digest == table.digest }) else { return }
            if tables.count == Self.maximumTables { tables.removeFirst() }
            tables.append(table)
        }
    }

    func count(_ entry: String, of registry: SerializerRegistry, _ change: (inout Count) -> Void) {
        let isKnown = tables.withLock { tables in
            guard let index = tables.lastIndex(where: { $0.digest == registry.digest }) else { return false }
            if let position = tables[index].positions[entry] { change(&tables[index].counts[position]) }
            return true
        }
        guard !isKnown else { return }
        add(registry)
        count(entry, of: registry, change)
    }
}

extension EntryCounters: CustomStringConvertible, CustomReflectable {
    /// A line for each entry, those that were never chosen first.
    public var description: String {
        let counts = self.counts
        return (counts.filter(\.isNeverChosen) + counts.filter { !$0.isNeverChosen }).map(\.description)
            .joined(separator: "\n")
    }
    public var customMirror: Mirror { Mirror(self, children: ["counts": counts], displayStyle: .class) }
}

extension EntryCounters.Count: CustomStringConvertible, CustomReflectable {
    /// `0123456789abcdef json: chosen 3, declined 1, failed 0, 1,024 bytes in 52 µs`; `never chosen` stands out.
    public var description: String {
        let chosen = isNeverChosen ? "NEVER CHOSEN" : "chosen \(chosen)"
        return "\(registry) \(entry): \(chosen), declined \(declined), failed \(failed), \(ByteCount(bytes)) in "
            + "\(nanoseconds / 1_000) µs"
    }
    public var customMirror: Mirror { Mirror(described: self) }
}

extension SerializerRegistry {
    /// The same registry, whose entries are counted from now on, as are those of what is made of it.
    public func counted(by counters: EntryCounters) -> SerializerRegistry {
        var recipe = compiled.recipe
        recipe.counters = counters
        let counted = SerializerRegistry(CompiledRegistry(compiled, recipe: recipe))
        counters.add(counted)
        return counted
    }
}

extension Decision {
    /// One run of a candidate, while it is counted.
    ///
    /// A class of constants only, so that a body that nobody counts pays for no instant, whose layout is asked for at run time.
    final class CountedRun {
        private let counters: EntryCounters
        private let registry: SerializerRegistry
        private let entry: String
        private let bytes: Int
        private let start = ContinuousClock.now

        init(_ counters: EntryCounters, _ registry: SerializerRegistry, _ entry: String, _ bytes: Int) {
            self.counters = counters
            self.registry = registry
            self.entry = entry
            self.bytes = bytes
        }

        func end(_ keyPath: WritableKeyPath<EntryCounters.Count, Int>) {
            let time = (ContinuousClock.now - start).components
            let nanoseconds = Int(time.seconds) &* 1_000_000_000 &+ Int(time.attoseconds / 1_000_000_000)
            counters.count(entry, of: registry) { count in
                count[keyPath: keyPath] &+= 1
                count.bytes &+= bytes
                count.nanoseconds &+= nanoseconds
            }
        }
    }

    /// Nil where nobody counts, and for a serializer that the request brought.
    func countedRun(of candidate: BoundSerializer, over body: ResponseBody) -> CountedRun? {
        guard let counters = registry.compiled.recipe.counters, let entry = candidate.entry else { return nil }
        return CountedRun(counters, registry, entry, body.count)
    }

    /// Counts who declined, where anybody counts, once the value is made or has failed.
    func counted(
        _ make: () throws(LookupFailure) -> SerializationResult<any Sendable>
    ) throws(LookupFailure) -> SerializationResult<any Sendable> {
        guard let counters = registry.compiled.recipe.counters else { return try make() }
        func count(_ tried: [Candidate]) {
            for asked in tried where asked.verdict == .declined {
                counters.count(asked.entry, of: registry) { $0.declined &+= 1 }
            }
        }
        do throws(LookupFailure) {
            let made = try make()
            count((made.unwrapped ?? self).tried(after: made.attempts))
            return made
        } catch {
            count(error.tried)
            throw error
        }
    }
}
