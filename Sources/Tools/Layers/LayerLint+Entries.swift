import PatchbayRegistry

/// The faults of single entries: an entry that is never considered, an entry that hides another entry without `hides`,
/// or a `hides` without effect.
extension LayerLint {
    /// Reports new entries that never get a response, because earlier entries of lower layers take all responses that
    /// they cover.
    mutating func checkReached(_ section: HostSection) {
        var earlier: [RegistryEntry] = []
        var lowest = Int.max
        for entry in section.table.entries {
            let layer = layer(of: entry)
            // Untyped calls never use an entry for elements.
            if entry.hostSection == section.name, entry.makesValues, !entry.coverage.isForElements, lowest < layer {
                checkReached(entry, behind: earlier, section)
            }
            if entry.serializer?.unwrapping != nil {
                // An inner body can have any type, so every entry after this entry can be considered.
                earlier = []
                lowest = .max
            } else if entry.serializer != nil, entry.onFailure != .next {
                earlier.append(entry)
                lowest = min(lowest, layer)
            }
        }
    }

    mutating func checkReached(
        _ entry: RegistryEntry, behind earlier: [RegistryEntry], _ section: HostSection
    ) {
        let parts = entry.coverage.ranges?.map { Coverage(ranges: [$0], status: entry.coverage.status) }
        var takers: [RegistryEntry] = []
        for part in parts ?? [entry.coverage] {
            guard let taker = earlier.first(where: { $0.coverage.covers(part) }) else { return }
            takers.append(taker)
        }
        guard let value = values[entry.id],
            let taker = takers.first(where: {
                layer(of: $0) < layer(of: entry) && !isMeant(entry.id, by: $0.id) && !isOrdered(value, with: $0.id)
            }),
            !reported.contains(
                "\(ManifestFailure.Issue.Code.takenResponse) \(taker.id) \(entry.id) \(section.name ?? "")"),
            let origin = value.origins.reversed().lazy.compactMap(move).first ?? value.origins.first
        else { return }
        // A serializer can decline a covered response by its head.
        let witnesses = witnesses(of: entry.coverage, in: registry)
        guard let witness = witnesses.first(where: { isCovered($0, by: taker.coverage) }),
            witnesses.allSatisfy({ registry.decision(about: $0, in: section).entryID != entry.id })
        else { return }
        // `use` orders the own and the global entries.
        let remedy =
            taker.hostSection == nil && section.name != nil
            ? "\"use\"" : "\"place\": { \"before\": \(Quoted(taker.id)) }"
        warn(
            .unreachedEntry, origin, "\(entry.id) \(section.name ?? "")",
            "no untyped call reaches the entry \(Quoted(entry.id)) behind \(Quoted(taker.id)) (\(question(witness, section)): \(taker.id)); "
                + "\(remedy) changes that, and if it is meant, \(Self.hides(entry.id, in: taker.id)) says so")
    }

    /// Reports entries of a host without types, because they take all responses from the entries after them, for
    /// example images. `*/*` marks an intended entry of this kind.
    mutating func checkTypes(_ section: HostSection) {
        guard let pattern = section.pattern else { return }
        for (position, entry) in section.table.entries.enumerated()
        where entry.hostSection == section.name && entry.makesValues && entry.coverage.ranges == nil
            && !entry.coverage.isForElements && entry.coverage.status.covers(section.policy.acceptableStatus)
        {
            let behind = section.table.entries[(position + 1)...].filter { other in
                other.hostSection != section.name && other.makesValues && !isMeant(other.id, by: entry.id)
                    && !(entry.onFailure == .next && entry.serializer?.output == other.serializer?.output)
            }
            guard let taken = firstTaken(from: behind, by: entry, in: section), let value = values[entry.id]
            else { continue }
            let now = registry.decision(about: taken.witness, in: section)
            warn(
                .takenResponse, value.origin(of: "", in: layers), "\(entry.id) \(pattern)",
                "the entry \(Quoted(entry.id)) names no types and takes responses of every type from \(Quoted(pattern.canonical)) "
                    + "(\(change(from: taken.loser, to: now, taken.witness, section))); write its types in "
                    + "\"match\": { \"types\": […] }, or [\"*/*\"] there if that is meant")
        }
    }

    /// The first response that an entry takes from other entries. The first status is 200, which readers know.
    func firstTaken(
        from others: [RegistryEntry], by entry: RegistryEntry, in section: HostSection
    ) -> (loser: String, witness: Witness)? {
        for status in statuses {
            for other in others {
                for witness in witnesses(of: other.coverage, in: registry, statuses: [status])
                where registry.decision(about: witness, in: section).entryID == entry.id {
                    return (other.id, witness)
                }
            }
        }
        return nil
    }

    func layer(of entry: RegistryEntry) -> Int { values[entry.id]?.origins.first?.layer ?? 0 }

    /// Reports a `hides` without effect.
    mutating func checkHides() {
        let owners: [EffectiveManifest.Section?] = [nil] + manifest.sections
        for section in owners {
            let items = (section?.entries ?? manifest.entries).filter { hides[$0.id]?.isEmpty == false }
            let table = items.isEmpty ? nil : sections.first { $0.pattern == section?.pattern }
            for item in items {
                let entry = table?.table.entry(item.id)
                let covered = entry.map { types(of: $0.coverage, in: registry) } ?? []
                let taken = table.flatMap { table in entry.map { self.taken(by: $0, in: table, of: registry) } } ?? []
                for (index, id) in (item.value.strings("hides") ?? []).enumerated()
                where !takings.contains(Taking(taker: .entry(item.id), loser: id))
                    && !takes(item, id, table, taken) && !takesWriting(item.id, id, table, covered)
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

    /// Whether an entry takes responses from another entry in the present table, whatever an earlier layer did.
    /// - Parameter taken: the responses that the entry `item` takes.
    func takes(
        _ item: EffectiveManifest.Entry, _ id: String, _ section: HostSection?, _ taken: [Witness]
    ) -> Bool {
        // Without a lower layer, nothing shows whether an entry has become narrower.
        guard id != item.id else { return item.value.origins.map(\.layer) == [layers.inForce.startIndex] }
        guard let coverage = section?.table.entry(id)?.coverage else { return false }
        return taken.contains { isCovered($0, by: coverage) }
    }

    /// Whether both entries write a common type, and the entry `id` is considered first.
    /// - Parameter types: the types of the entry `id`.
    func takesWriting(
        _ id: String, _ loser: String, _ section: HostSection?, _ types: [TypeClasses.Class]
    ) -> Bool {
        guard let table = section?.table, let taker = table.entry(id), taker.writer != nil,
            let other = table.entry(loser), other.writer != nil,
            table.entries.first(where: { $0.id == id || $0.id == loser })?.id == id, id != loser
        else { return false }
        return types.contains { other.coverage.coversType(registry.compiled.matched($0.contentType)) }
    }

    mutating func reportNothing(_ value: LayeredJSON, _ index: Int, _ message: String) {
        report(.hidesNothing, value.origin(of: "/hides/\(index)", in: layers), message)
    }
}
