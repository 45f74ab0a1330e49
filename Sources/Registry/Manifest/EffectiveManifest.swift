import PatchbayJSON
import PatchbayPlatform

/// The combined content of several manifests.
///
/// Entries merge by id within their list. A new id goes before the entries of earlier layers, and new ids keep their
/// own order; then `order` and `place` of the layer apply. Host sections merge by canonical key. The layers before
/// a whole table (`"inherit": false`) are ignored. Malformed parts are left out: the layers have reported them.
package struct EffectiveManifest: Sendable {
    package struct Entry: Sendable {
        package let id: String
        package var value: LayeredJSON
    }

    package struct Section: Sendable {
        package let pattern: SectionKey
        package var settings = LayeredJSON()
        package var entries: [Entry] = []
        /// The ids of the section's own and extended entries, if an `order` has mixed the two; otherwise empty.
        var mixed: [String] = []
    }

    package private(set) var policy = LayeredJSON()
    private(set) var aliases = LayeredJSON()
    package private(set) var entries: [Entry] = []
    package private(set) var sections: [Section] = []
    /// Faults of `place` and `order`. They are found while layers merge, because each `place` and `order` applies to
    /// the lists that its own layer and the earlier layers give.
    private(set) var issues: [ManifestFailure.Issue] = []
    /// Notes on lists that name entries of earlier layers in another order, without effect.
    private(set) var notes: [ManifestFailure.Issue] = []
    private let layers: [ManifestLayer]
    /// The places of the sections by their keys, and of those without a path.
    private var places: [SectionKey: Int] = [:]
    private var hosts: [Int] = []

    /// The entries of all lists.
    package var everyEntry: [Entry] { entries + sections.flatMap(\.entries) }

    package init(_ layers: [ManifestLayer]) {
        self.layers = layers
        for index in layers.inForce.indices { merge(layers[index].json, layer: index) }
        sections = sections.inOrder { $0.pattern.canonical < $1.pattern.canonical }
        indexSections()
    }

    private mutating func indexSections() {
        places = Dictionary(sections.enumerated().map { ($1.pattern, $0) }) { first, _ in first }
        hosts = sections.indices.filter { sections[$0].pattern.path.isEmpty }
    }

    func section(_ key: SectionKey) -> Section? { places[key].map { sections[$0] } }

    /// The section that a section extends; nil if it extends none.
    func section(extendedBy section: Section) -> Section? {
        guard section.pattern.path.isEmpty, let name = section.settings.json["extends"]?.string,
            let pattern = (try? HostPattern(pattern: name)).map({ SectionKey($0) }), pattern != section.pattern
        else { return nil }
        return self.section(pattern)
    }

    /// The section that applies to the hosts of a section with a path where the path differs, and that such a section
    /// extends; nil for a section without a path, and if there is none.
    func hostSection(under section: Section) -> Section? {
        guard !section.pattern.path.isEmpty else { return nil }
        if let same = self.section(SectionKey(section.pattern.host)) { return same }
        return section.pattern.narrowestOther(hosts) { sections[$0].pattern }.map { sections[$0] }
    }

    /// The extended entries of a section, without those that it leaves out: of a wildcard, its own; for a path, all of
    /// the host's section before the global list.
    func extended(by section: Section) -> [Entry] {
        let others = hostSection(under: section).map(leading) ?? self.section(extendedBy: section)?.entries ?? []
        let without = section.without
        return others.filter { !without.contains($0.id) }
    }

    /// The ids of a section's table, in the order in which entries are considered: the section's own entries, the
    /// extended entries, the entries of the global list, without those that it leaves out. Ids of `use` are in the order
    /// of `use`. Of a section with a path that says neither `use` nor `inherit`, those of the host's section count.
    func ids(of section: Section) -> [String] {
        let isSaid = section.settings.json["use"] != nil || section.settings.json["inherit"] != nil
        let host = hostSection(under: section)
        let other = isSaid ? section : host ?? section
        let use = other.strings("use")
        let without = section.without.union(host?.without ?? [])
        let rest = (use ?? (other.inherits ? entries.map(\.id) : [])).filter { !without.contains($0) }
        let used = Set(use ?? [])
        return leading(section).map(\.id).filter { !used.contains($0) } + rest
    }

    /// The entries before the global list: the section's own entries and the extended entries.
    func leading(_ section: Section) -> [Entry] {
        let all = section.entries + extended(by: section)
        guard !section.mixed.isEmpty else { return all }
        let mixed = Set(section.mixed)
        let byID = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
        // Entries newer than the `order`: the section's own go to the front, like all new entries; extended ones go to
        // the end.
        let new = all.filter { !mixed.contains($0.id) }
        let own = Set(section.entries.map(\.id))
        return new.filter { own.contains($0.id) } + section.mixed.compactMap { byID[$0] }
            + new.filter { !own.contains($0.id) }
    }

    // MARK: Laying a layer

    private mutating func merge(_ json: JSON, layer: Int) {
        Self.merge(json["policy"], into: &policy, .init(layer: layer, pointer: "/policy"))
        Self.merge(json["aliases"], into: &aliases, .init(layer: layer, pointer: "/aliases"))
        let root = LayeredJSON.Origin(layer: layer, pointer: "")
        let earlier = Set(entries.map(\.id))
        Self.merge(json["plugins"], into: &entries, root)
        let ids = entries.map(\.id)
        entries.sort(by: arranged(ids, own: Set(ids), earlier: earlier, json, root), json, root)
        guard let hosts = json["hosts"] else { return }
        if hosts.isNull {
            sections = []
            indexSections()
        }
        var earlierIDs: [SectionKey: Set<String>] = [:]
        for section in sections { earlierIDs[section.pattern] = Set(section.entries.map(\.id)) }
        var merged: [(section: JSON, pattern: SectionKey, origin: LayeredJSON.Origin)] = []
        for (name, section) in hosts.object ?? [] {
            guard let pattern = try? SectionKey(pattern: name) else { continue }
            merged.append((section, pattern, .init(layer: layer, pointer: "/hosts/" + JSONPointer.escaped(name))))
            merge(section, of: pattern, merged[merged.count - 1].origin)
        }
        // After all sections are merged: a section can order entries that it extends from another section of the same
        // layer.
        for (section, pattern, origin) in merged {
            arrange(pattern, earlier: earlierIDs[pattern] ?? [], section, origin)
        }
    }

    private mutating func merge(_ json: JSON, of pattern: SectionKey, _ origin: LayeredJSON.Origin) {
        let index = places[pattern]
        if json.isNull {
            if let index {
                sections.remove(at: index)
                indexSections()
            }
            return
        }
        guard json.kind == .object else { return }
        var section = index.map { sections[$0] } ?? Section(pattern: pattern)
        section.settings.merge(json.without("plugins", "order"), origin)
        // A layer that removes `extends` also removes the ids of the extended entries from `without`.
        if json["extends"]?.isNull == true, json["without"] == nil, !section.without.isEmpty {
            let ids = entries.map(\.id).filter(section.without.contains)
            section.settings.merge(["without": ids.isEmpty ? nil : .array(ids.map { JSON($0) })], origin)
        }
        Self.merge(json["plugins"], into: &section.entries, origin)
        if let index {
            sections[index] = section
        } else {
            places[pattern] = sections.count
            if pattern.path.isEmpty { hosts.append(sections.count) }
            sections.append(section)
        }
    }

    private static func merge(_ list: JSON?, into entries: inout [Entry], _ owner: LayeredJSON.Origin) {
        guard let list else { return }
        if list.isNull { entries = [] }
        var places = Dictionary(entries.enumerated().map { ($1.id, $0) }) { first, _ in first }
        var new: [Entry] = []
        for (index, patch) in (list.array ?? []).enumerated() {
            guard let id = patch["id"]?.string, ManifestEntry.isValidID(id) else { continue }
            let patch = patch.without("place")
            let origin = LayeredJSON.Origin(layer: owner.layer, pointer: "\(owner.pointer)/plugins/\(index)")
            if let place = places[id] {
                if entries.indices.contains(place) { entries[place].value.merge(patch, origin) }
            } else {
                places[id] = .max
                new.append(Entry(id: id, value: LayeredJSON(patch, origin)))
            }
        }
        entries = new + entries
    }

    private static func merge(_ patch: JSON?, into value: inout LayeredJSON, _ origin: LayeredJSON.Origin) {
        guard let patch else { return }
        if patch.isNull {
            value = LayeredJSON()
            value.touch(origin)
        }
        if patch.kind == .object { value.merge(patch, origin) }
    }

    // MARK: Order

    private mutating func arrange(
        _ pattern: SectionKey, earlier: Set<String>, _ json: JSON, _ origin: LayeredJSON.Origin
    ) {
        guard let index = places[pattern] else { return }
        let leading = leading(sections[index]).map(\.id)
        let own = Set(sections[index].entries.map(\.id))
        let ids = arranged(leading, own: own, earlier: earlier, json, origin)
        guard ids != leading else { return }
        sections[index].entries.sort(by: ids, json, origin)
        let plain = sections[index].entries.map(\.id) + extended(by: sections[index]).map(\.id)
        sections[index].mixed = ids == plain ? [] : ids
    }

    /// A list in the order that a layer gives it.
    /// - Parameters:
    ///   - own: the ids of the list itself, without the ids of extended entries.
    ///   - earlier: the own ids that the list had before this layer.
    ///   - owner: the object in the layer that contains the list.
    private mutating func arranged(
        _ ids: [String], own: Set<String>, earlier: Set<String>, _ owner: JSON, _ origin: LayeredJSON.Origin
    ) -> [String] {
        var places: [(id: String, place: ListArrangement.Said<EntryPlace>)] = []
        var named: [String] = []
        for (index, entry) in (owner["plugins"]?.array ?? []).enumerated() {
            guard let id = entry["id"]?.string, own.contains(id) else { continue }
            if let place = EntryPlace(entry["place"]) {
                places.append((id, (value: place, pointer: "\(origin.pointer)/plugins/\(index)/place")))
            } else if earlier.contains(id) {
                named.append(id)
            }
        }
        let order = (owner["order"]?.array ?? []).enumerated().compactMap { index, id in
            id.string.map { (value: $0, pointer: "\(origin.pointer)/order/\(index)") }
        }
        let lists = [entries] + sections.map(\.entries)
        let list = ListArrangement(ids, layers[origin.layer], order: order, places: places) { id in
            guard let place = lists.joined().first(where: { $0.id == id })?.value.first else { return nil }
            let isGlobal = !origin.pointer.isEmpty && lists[0].contains { $0.id == id }
            return "an entry of another list, at \(place.pointer) of \(layers[place.layer].source.name)"
                + (isGlobal ? ", whose entries \"use\" orders here" : "")
        }
        issues += list.faults
        if owner["order"] == nil { noteOrder(named, as: list.ids, origin) }
        if list.isOrderIdle {
            let reason = order.count > 1 ? "these entries have this order already" : "it has one id"
            notes.append(
                layers[origin.layer].issue(
                    .ineffectiveOrder, origin.pointer + "/order",
                    "the order moves nothing: \(reason); \"place\" moves one entry past others"))
        }
        return list.ids
    }

    private mutating func noteOrder(_ named: [String], as ids: [String], _ origin: LayeredJSON.Origin) {
        let names = Set(named)
        let standing = ids.filter(names.contains)
        let layer = layers[origin.layer]
        guard named.count > 1, standing != named, layer.json["inherit"] == nil else { return }
        notes.append(
            layer.issue(
                .ineffectiveOrder, origin.pointer + "/plugins",
                "the list names \(QuotedList(named, quoted: false)) in this order, and they stay in the order "
                    + "\(QuotedList(standing, quoted: false)); list them in the order of the table to end the warning; "
                    + "\"order\" changes that order, \"place\" moves one, and "
                    + "\"inherit\": false at the top level makes the manifest the whole table"))
    }
}

extension [EffectiveManifest.Entry] {
    /// Sorts the entries by `ids`, which can include ids of other entries. If `order` names an entry, that element of
    /// `order` becomes another origin of the entry.
    fileprivate mutating func sort(by ids: [String], _ owner: JSON, _ origin: LayeredJSON.Origin) {
        guard map(\.id) != ids else { return }
        var entries = Dictionary(map { ($0.id, $0) }) { first, _ in first }
        for (index, id) in (owner["order"]?.array ?? []).enumerated() {
            let place = LayeredJSON.Origin(layer: origin.layer, pointer: "\(origin.pointer)/order/\(index)")
            entries[id.string ?? ""]?.value.touch(place)
        }
        self = ids.compactMap { entries[$0] }
    }
}

extension JSON {
    /// The object without the given members.
    fileprivate func without(_ keys: String...) -> JSON {
        guard keys.contains(where: { self[$0] != nil }) else { return self }
        return mergePatched(by: .object(keys.map { ($0, .null) }))
    }
}
