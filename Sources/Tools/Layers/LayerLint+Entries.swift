import PatchbayJSON
import PatchbayRegistry

/// The faults of single entries: an entry that is never considered, an entry that hides another entry without `hides`,
/// or a `hides` without effect.
extension LayerLint {
    /// Reports entries that never get a response of an untyped call, because earlier entries of lower layers or of their
    /// own layer take all responses that they cover.
    mutating func checkReached(_ section: HostSection) {
        var earlier: Set<String> = []
        for entry in section.table.entries {
            // Untyped calls never use an entry for elements.
            if entry.hostSection == section.name, entry.makesValues, !entry.coverage.isForElements, !earlier.isEmpty {
                checkReached(entry, behind: earlier, section)
            }
            if entry.serializer?.unwrapping != nil {
                // An inner body can have any type, so every entry after this entry can be considered.
                earlier = []
            } else if entry.serializer != nil, entry.onFailure != .next {
                earlier.insert(entry.id)
            }
        }
    }

    mutating func checkReached(_ entry: RegistryEntry, behind earlier: Set<String>, _ section: HostSection) {
        guard let value = values[entry.id] else { return }
        // An optional entry can stand behind one for the same types, as `xml-parser` does in the standard table.
        let isOptional = value.json["optional"]?.bool == true
        let parts = entry.coverage.ranges?.map { Coverage(ranges: [$0], status: entry.coverage.status) }
        var found: (taker: RegistryEntry, witness: Witness)?
        for witness in witnesses(of: entry.coverage, in: registry) {
            guard let id = registry.decision(about: witness, in: section).entryID, earlier.contains(id),
                let taker = section.table.entry(id)
            else { return }
            let isUnder = layer(of: taker) < layer(of: entry) || layer(of: taker) == layer(of: entry) && !isOptional
            if found == nil, isUnder, !isMeant(entry.id, by: id), !isOrdered(value, with: id),
                (parts ?? [entry.coverage]).contains(where: taker.coverage.covers)
            {
                found = (taker, witness)
            }
        }
        guard let (taker, witness) = found,
            !reported.contains(
                "\(ManifestFailure.Issue.Code.takenResponse) \(taker.id) \(entry.id) \(section.name ?? "")")
        else { return }
        let origin = value.origins.reversed().lazy.compactMap(layers.move).first ?? value.first
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

    func layer(of entry: RegistryEntry) -> Int { values[entry.id]?.first.layer ?? 0 }

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
                reportNothing(
                    section.settings, index,
                    "the section does without nothing that \(Quoted(id)) gave; an entry that takes its responses on purpose names it in its own \"hides\""
                )
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

    /// Reports a section that does without the `without` and the policy keys of a wildcard that would apply without it:
    /// an entry that the wildcard leaves out is asked again. Keys that the section says itself are meant.
    mutating func checkSettings(
        _ own: EffectiveManifest.Section, _ section: HostSection, _ wildcard: HostSection, _ origin: LayeredJSON.Origin
    ) {
        // A section with a path lies over that of its host.
        guard own.pattern.path.isEmpty, let general = manifest.sections.first(where: { $0.pattern == wildcard.pattern })
        else { return }
        let isSaid = own.settings.json["without"] != nil
        let back =
            (isSaid ? nil : general.strings("without"))?.filter { id in
                section.table.entry(id).map { $0.serializer != nil || $0.writer != nil } ?? false
            } ?? []
        let said = own.settings.json["policy"]
        let lost = (general.settings.json["policy"]?.object ?? []).filter { key, value in
            // `extends` brings this key, because it belongs to the extended entries.
            said?[key] == nil && value != manifest.policy.json[key] && !key.hasPrefix("x-")
                && !(key == "requestContentType" && own.settings.json["extends"] != nil)
        }.map(\.key).sorted()
        guard !back.isEmpty || !lost.isEmpty else { return }
        var parts: [String] = []
        if !back.isEmpty { parts.append("\"without\": [\(QuotedList(back))]") }
        if !lost.isEmpty { parts.append("the policy (\(QuotedList(lost)))") }
        let all = parts.joined(separator: " and ")
        warn(
            .droppedEntry, origin, "\(own.pattern)",
            "the section does without \(all) of \(Quoted(wildcard.name ?? "")), whose section does not apply here; "
                + "write \(all) here, too, or other values, such as \"without\": [], if that is meant")
    }
}
