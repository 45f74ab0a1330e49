/// Finds what a manifest takes from those under it, or a host section from that of a wildcard, and its author may not have meant.
///
/// Asks registries about responses, that of the lower layers and the whole, so that what it says is what happens.
struct LayerLint {
    /// Who takes, and from whom, whether that is worth a warning or not.
    private struct Taking: Hashable {
        enum Taker: Hashable {
            case entry(String)
            case section(String)
        }

        let taker: Taker
        let loser: String
    }

    private let registry: SerializerRegistry
    private let layers: [ManifestLayer]
    private let manifest: EffectiveManifest
    private let hides: [String: Set<String>]
    private var takings: Set<Taking> = []
    private var reported: Set<String> = []
    private var found: [(layer: Int, note: ManifestNote)] = []

    init(_ registry: SerializerRegistry) {
        self.registry = registry
        layers = registry.compiled.recipe.layers
        let manifest = EffectiveManifest(layers)
        self.manifest = manifest
        let entries = manifest.entries + manifest.sections.flatMap(\.entries)
        hides = Dictionary(entries.map { ($0.id, Set($0.value.strings("hides") ?? [])) }) { first, _ in first }
    }

    /// Layer by layer, each from top to bottom.
    var warnings: [ManifestNote] {
        found.enumerated().sorted { left, right in
            (left.element.layer, left.element.note.line ?? 0, left.offset)
                < (right.element.layer, right.element.note.line ?? 0, right.offset)
        }.map(\.element.note)
    }

    mutating func run() {
        for count in layers.inForce.indices.dropFirst() {
            var recipe = registry.compiled.recipe
            recipe.layers = Array(layers.prefix(count))
            // What is right with the layers above may be wrong without them, and then there is nothing to compare with.
            if let before = try? RegistryBuilder.registry(recipe, []) { compare(with: before) }
        }
        for section in sections where section.pattern != nil { compareWithWildcard(section) }
        checkHides()
    }

    private var sections: [HostSection] { registry.compiled.sections.all }

    // MARK: Layers

    private mutating func compare(with before: SerializerRegistry) {
        let statuses = statuses(of: [before, registry])
        for section in before.compiled.sections.all {
            guard let after = sections.first(where: { $0.pattern == section.pattern }) else { continue }
            // What becomes of global entries is found in the section of all other hosts.
            for entry in section.table.entries where entry.hostSection == section.name && entry.makesValues {
                for witness in Witness.all(of: entry.coverage, statuses: statuses)
                where before.decision(about: witness, in: section).entryID == entry.id {
                    let now = registry.decision(about: witness, in: after)
                    if now.entryID != entry.id { judge(entry, witness, now, after) }
                }
            }
        }
    }

    private mutating func judge(_ entry: RegistryEntry, _ witness: Witness, _ now: Decision, _ section: HostSection) {
        // One that is gone, or switched off, is so because a manifest says it.
        guard let loser = section.table.entry(entry.id), loser.serializer != nil else { return }
        let taker = now.entryID.flatMap(section.table.entry)
        if let taker { takings.insert(Taking(taker: .entry(taker.id), loser: loser.id)) }
        let isTakerMeant = taker.map { isMeant(loser.id, by: $0.id) } ?? false
        if !witness.isCovered(by: loser.coverage) {
            takings.insert(Taking(taker: .entry(loser.id), loser: loser.id))
            guard !isTakerMeant, !isMeant(loser.id, by: loser.id), let value = value(of: loser.id) else { return }
            warn(
                .narrowedEntry, value.origin(of: "/match", in: layers), "\(loser.id) \(section.name ?? "")",
                "the entry \(Quoted(loser.id)) no longer covers all that it did", witness, loser.id, now, section)
        } else if let taker, taker.hostSection == section.name, taker.isGreedy(over: loser, witness) {
            guard !isTakerMeant, let value = value(of: taker.id), let origin = value.origins.last,
                !isOrdered(value, with: loser.id)
            else { return }
            warn(
                .takenResponse, origin, "\(taker.id) \(loser.id) \(section.name ?? "")",
                "the entry \(Quoted(taker.id)) takes responses from \(Quoted(loser.id))", witness, loser.id, now,
                section)
        }
    }

    // MARK: Wildcards

    /// Compares a section with the one that would apply without it, where that is of a wildcard.
    private mutating func compareWithWildcard(_ section: HostSection) {
        guard let pattern = section.pattern, let host = CanonicalHost(pattern.example) else { return }
        let others = sections.filter { $0.pattern != pattern && $0.pattern?.matches(host) == true }
        guard let wildcard = others.max(by: { $0.specificity < $1.specificity }), wildcard.pattern?.isWildcard == true,
            let own = manifest.sections.first(where: { $0.pattern == pattern }), let origin = own.settings.origins.last
        else { return }
        let statuses = statuses(of: [registry])
        let meant = Set((own.strings("without") ?? []) + (own.strings("hides") ?? []))
        for entry in wildcard.table.entries where entry.hostSection != nil && entry.makesValues {
            for witness in Witness.all(of: entry.coverage, statuses: statuses)
            where registry.decision(about: witness, in: wildcard).entryID == entry.id {
                let now = registry.decision(about: witness, in: section)
                guard now.entryID != entry.id else { continue }
                takings.insert(Taking(taker: .section(pattern.canonical), loser: entry.id))
                // An entry of the section's own is there instead.
                let isReplaced = now.entryID.flatMap(section.table.entry)?.hostSection == section.name
                guard !isReplaced, !meant.contains(entry.id) else { continue }
                warn(
                    .droppedEntry, origin, "\(pattern) \(entry.id)",
                    "the section does without the entry \(Quoted(entry.id)) of \(Quoted(entry.hostSection ?? "")), whose section "
                        + "does not apply here", witness, entry.id, now, section)
            }
        }
    }

    // MARK: Hides

    /// What is said to be hidden and is not.
    private mutating func checkHides() {
        let statuses = statuses(of: [registry])
        let owners: [EffectiveManifest.Section?] = [nil] + manifest.sections
        for section in owners {
            for item in section?.entries ?? manifest.entries {
                for (index, id) in (item.value.strings("hides") ?? []).enumerated()
                where !takings.contains(Taking(taker: .entry(item.id), loser: id))
                    && !takes(item, id, section?.pattern, statuses)
                {
                    reportNothing(item.value, index, "the entry \(Quoted(item.id)) takes nothing from \(Quoted(id))")
                }
            }
            guard let section else { continue }
            for (index, id) in (section.strings("hides") ?? []).enumerated()
            where !takings.contains(Taking(taker: .section(section.pattern.canonical), loser: id)) {
                reportNothing(section.settings, index, "the section does without nothing that \(Quoted(id)) gave")
            }
        }
    }

    /// Whether an entry takes from another one in the table as it is, whatever was before.
    private func takes(
        _ item: EffectiveManifest.Entry, _ id: String, _ pattern: HostPattern?, _ statuses: [Int]
    ) -> Bool {
        // Whether one that nothing lies under has become narrower, nobody can tell.
        guard id != item.id else { return item.value.origins.map(\.layer) == [layers.inForce.startIndex] }
        guard let section = sections.first(where: { $0.pattern == pattern }), let other = section.table.entry(id),
            let entry = section.table.entry(item.id)
        else { return false }
        return [entry, other].flatMap { Witness.all(of: $0.coverage, statuses: statuses) }.contains {
            $0.isCovered(by: other.coverage) && registry.decision(about: $0, in: section).entryID == item.id
        }
    }

    private mutating func reportNothing(_ value: LayeredJSON, _ index: Int, _ message: String) {
        let origin = value.origin(of: "/hides/\(index)", in: layers)
        found.append((origin.layer, layers[origin.layer].note(.hidesNothing, origin.pointer, message)))
    }

    // MARK: Reports

    private mutating func warn(
        _ code: ManifestNote.Code, _ origin: LayeredJSON.Origin, _ key: String, _ what: String, _ witness: Witness,
        _ loser: String, _ now: Decision, _ section: HostSection
    ) {
        guard reported.insert("\(code) \(key)").inserted else { return }
        let host = section.pattern?.example ?? "any host"
        let change = "\(witness), \(host): was \(loser), now \(now.entryID ?? now.outcome.rawValue)"
        found.append(
            (
                origin.layer,
                layers[origin.layer].note(
                    code, origin.pointer, "\(what) (\(change)); if that is meant, \"hides\": [\(Quoted(loser))] says so"
                )
            ))
    }

    private func value(of id: String) -> LayeredJSON? {
        (manifest.entries + manifest.sections.flatMap(\.entries)).first { $0.id == id }?.value
    }

    /// Whether an `order` has named the two, and so said what comes first.
    private func isOrdered(_ value: LayeredJSON, with id: String) -> Bool {
        value.origins.contains { origin in
            let list = String(
                origin.pointer.prefix(upTo: origin.pointer.lastIndex(of: "/") ?? origin.pointer.startIndex))
            guard list.hasSuffix("/order") else { return false }
            return layers[origin.layer].json.pointer(list)?.array?.contains { $0.string == id } ?? false
        }
    }

    private func isMeant(_ loser: String, by id: String) -> Bool { hides[id]?.contains(loser) ?? false }

    /// 200, and the first status of every range that an entry names.
    private func statuses(of registries: [SerializerRegistry]) -> [Int] {
        let entries = registries.flatMap { $0.compiled.entries.values }
        return [200] + Set(entries.flatMap(\.coverage.status.ranges).map(\.lowerBound)).subtracting([200]).sorted()
    }
}

extension SerializerRegistry {
    /// The decision of an untyped call about a response, by the table of a section. Entries that unwrap are left out: what comes of
    /// the body is decided by those behind them.
    fileprivate func decision(about witness: Witness, in section: HostSection) -> Decision {
        let unwrapping = section.table.entries.filter { $0.serializer?.unwrapping != nil }.map(\.id)
        let head = Self.head(contentType: witness.contentType, status: witness.status, host: section.pattern?.example)
        return Decision(
            LookupPlanner(
                registry: self, section: section, head: head, isAcceptable: true, wanted: .anything,
                override: LookupOverride(excluding: Set(unwrapping)), unwrapping: nil))
    }
}

extension HostSection {
    fileprivate var specificity: HostPattern.Specificity {
        pattern?.specificity ?? HostPattern.Specificity(isExact: false, labels: 0, hasPort: false)
    }
}

extension RegistryEntry {
    /// Whether it has the last word about a body.
    fileprivate var makesValues: Bool { serializer != nil && serializer?.unwrapping == nil }

    /// Whether taking a response from another entry may not be meant: not where this one asks for less than the other, which is what
    /// overlays are for, nor where the other one is tried still, for a value of the same type.
    fileprivate func isGreedy(over other: RegistryEntry, _ witness: Witness) -> Bool {
        if onFailure == .next, serializer?.output == other.serializer?.output { return false }
        if coverage.covers(other.coverage) { return true }
        guard let ranges = coverage.ranges else { return !other.coverage.covers(coverage) }
        guard let taken = witness.range else { return false }
        return ranges.contains { range in
            range.covers(taken) && !other.coverage.covers(Coverage(ranges: [range], status: coverage.status))
        }
    }
}
