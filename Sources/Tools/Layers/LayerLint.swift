import PatchbayJSON
package import PatchbayRegistry

/// Finds responses that a manifest takes from lower layers, or a host section from the section of a wildcard, perhaps
/// by accident.
///
/// The lint compares the decisions of the registry of the lower layers and of the full registry about one response of
/// each class, so its reports show real decisions.
struct LayerLint {
    /// The entry that takes responses, and the entry that loses them, whether or not a warning is reported.
    struct Taking: Hashable {
        enum Taker: Hashable {
            case entry(String)
            case section(String)
        }

        let taker: Taker
        let loser: String
    }

    let registry: SerializerRegistry
    let layers: [ManifestLayer]
    let manifest: EffectiveManifest
    let values: [String: LayeredJSON]
    let hides: [String: Set<String>]
    /// The registries of the lower layers, each with the number of its layers.
    let lower: [(registry: SerializerRegistry, count: Int)]
    let types: TypeClasses
    /// A status of each class that no entry distinguishes.
    let statuses: [Int]
    var takings: Set<Taking> = []
    var reported: Set<String> = []
    var found: [(layer: Int, note: ManifestFailure.Issue)] = []

    init(_ registry: SerializerRegistry) throws(ComparisonFailure) {
        self.registry = registry
        layers = registry.compiled.recipe.layers
        let manifest = EffectiveManifest(layers)
        self.manifest = manifest
        values = Dictionary(manifest.everyEntry.map { ($0.id, $0.value) }) { first, _ in first }
        hides = values.mapValues { Set($0.strings("hides") ?? []) }
        lower = layers.inForce.indices.dropFirst().compactMap { count in
            var recipe = registry.compiled.recipe
            recipe.layers = Array(recipe.layers.prefix(count))
            // A layer can be invalid without the layers above it; in this case nothing is compared.
            return (try? recipe.registry(with: [])).map { ($0, count) }
        }
        let registries = lower.map(\.registry) + [registry]
        types = try TypeClasses(registries)
        let sets = registries.flatMap { $0.compiled.entries.values.map(\.coverage.status) }
        // 200 comes first, because readers know it.
        statuses = [200] + Statuses.classes(of: sets).map(\.witness).filter { $0 != 200 }
    }

    /// The warnings, layer by layer, each layer from top to bottom.
    var warnings: [ManifestFailure.Issue] {
        found.enumerated().sorted { left, right in
            (left.element.layer, left.element.note.line ?? .max, left.offset)
                < (right.element.layer, right.element.note.line ?? .max, right.offset)
        }.map(\.element.note)
    }

    mutating func run() {
        for (before, count) in lower { compare(with: before, since: count) }
        for section in sections {
            checkReached(section)
            checkTypes(section)
        }
        for section in sections where section.pattern != nil { compareWithSectionAround(section) }
        checkHides()
    }

    var sections: [HostSection] { registry.compiled.sections.all }

    // MARK: Layers

    /// Compares with the result of the layers before `layer`.
    mutating func compare(with before: SerializerRegistry, since layer: Int) {
        for section in before.compiled.sections.all {
            guard let after = sections.first(where: { $0.pattern == section.pattern }) else { continue }
            // Faults of global entries are found in the section of all other hosts.
            for entry in section.table.entries where entry.hostSection == section.name && entry.makesValues {
                // An alias is explicit, so its effect is intended.
                for witness in taken(by: entry, in: section, of: before)
                where before.compiled.matched(witness.type.contentType)
                    == registry.compiled.matched(witness.type.contentType)
                {
                    let now = registry.decision(about: witness, in: after)
                    if now.entryID != entry.id { judge(entry, witness, now, after, since: layer) }
                }
            }
        }
    }

    mutating func judge(
        _ entry: RegistryEntry, _ witness: Witness, _ now: Decision, _ section: HostSection, since layer: Int
    ) {
        // A manifest removes an entry or switches it off explicitly, so the change is intended.
        guard let loser = section.table.entry(entry.id), loser.serializer != nil else { return }
        let taker = now.entryID.flatMap(section.table.entry)
        if let taker { takings.insert(Taking(taker: .entry(taker.id), loser: loser.id)) }
        let isTakerMeant = taker.map { isMeant(loser.id, by: $0.id) } ?? false
        if !isCovered(witness, by: loser.coverage) {
            takings.insert(Taking(taker: .entry(loser.id), loser: loser.id))
            guard !isTakerMeant, !isMeant(loser.id, by: loser.id), let value = values[loser.id] else { return }
            let change = change(from: loser.id, to: now, witness, section)
            warn(
                .narrowedEntry, value.origin(of: "/match", in: layers), "\(loser.id) \(section.name ?? "")",
                "the entry \(Quoted(loser.id)) no longer covers all that it did (\(change)); "
                    + "if that is meant, \(Self.hides(loser.id)) says so")
        } else if let taker, taker.hostSection == section.name,
            taker.isGreedy(over: loser, registry.compiled.matched(witness.type.contentType))
        {
            guard !isTakerMeant, let value = values[taker.id], !isOrdered(value, with: loser.id),
                let cause = cause(value, values[loser.id], since: layer)
            else { return }
            let change = change(from: loser.id, to: now, witness, section)
            // Neither an order nor another entry has a place for "hides".
            let isInTaker = value.origins.contains {
                $0 == cause && layers.move($0) != cause || layers.placed($0) == cause
            }
            let remedy = isInTaker ? Self.hides(loser.id) : Self.hides(loser.id, in: taker.id)
            warn(
                .takenResponse, cause, "\(taker.id) \(loser.id) \(section.name ?? "")",
                "the entry \(Quoted(taker.id)) takes responses from \(Quoted(loser.id)) (\(change)); "
                    + "if that is meant, \(remedy) says so")
        }
    }

    /// The value in the layer that made one entry take responses from another entry: this layer added, moved or changed
    /// the taking entry, or moved the losing entry.
    func cause(_ taker: LayeredJSON, _ loser: LayeredJSON?, since layer: Int) -> LayeredJSON.Origin? {
        for origin in taker.origins.reversed() where origin.layer >= layer {
            let json = layers[origin.layer].json.pointer(origin.pointer)
            let isChanged = ["match", "enabled", "factory", "onFailure"].contains { json?[$0] != nil }
            if isChanged || origin == taker.first { return origin }
            if let move = layers.move(origin) { return move }
        }
        return loser?.origins.reversed().lazy.filter { $0.layer >= layer }.compactMap(layers.move).first
            ?? taker.origins.last
    }

    // MARK: Sections around another

    /// Compares a section with the section of the wildcard, or of the host without a port, that would apply without it.
    mutating func compareWithSectionAround(_ section: HostSection) {
        guard let pattern = section.pattern else { return }
        guard let around = pattern.narrowestOther(sections, \.pattern), let wider = around.pattern,
            wider.isWildcard || wider.path.isEmpty && pattern.path.isEmpty,
            let own = manifest.sections.first(where: { $0.pattern == pattern }), let origin = own.settings.origins.last
        else { return }
        checkSettings(own, section, around, origin)
        let meant = Set((own.strings("without") ?? []) + (own.strings("hides") ?? []))
        for entry in around.table.entries
        where entry.hostSection != nil && entry.writer != nil && section.table.entry(entry.id) == nil {
            takings.insert(Taking(taker: .section(pattern.canonical), loser: entry.id))
        }
        for entry in around.table.entries where entry.hostSection != nil && entry.makesValues {
            for witness in taken(by: entry, in: around, of: registry) {
                let now = registry.decision(about: witness, in: section)
                guard now.entryID != entry.id else { continue }
                takings.insert(Taking(taker: .section(pattern.canonical), loser: entry.id))
                // An entry of the section itself replaces the entry of the wider one.
                let isReplaced = now.entryID.flatMap(section.table.entry)?.hostSection == section.name
                guard !isReplaced, !meant.contains(entry.id) else { continue }
                let change = change(from: entry.id, to: now, witness, section)
                let remedy =
                    own.settings.json["extends"] == nil && wider.isWildcard && entry.hostSection == around.name
                    ? "\"extends\": \(Quoted(around.name ?? "")) asks the entries of that section here, too; " : ""
                warn(
                    .droppedEntry, origin, "\(pattern) \(entry.id)",
                    "the section does without the entry \(Quoted(entry.id)) of \(Quoted(entry.hostSection ?? "")), whose section "
                        + "does not apply here (\(change)); \(remedy)if that is meant, \(Self.hides(entry.id)) says so")
            }
        }
    }

    // MARK: Reports

    mutating func warn(
        _ code: ManifestFailure.Issue.Code, _ origin: LayeredJSON.Origin, _ key: String, _ message: String
    ) {
        if reported.insert("\(code) \(key)").inserted { report(code, origin, message) }
    }

    mutating func report(_ code: ManifestFailure.Issue.Code, _ origin: LayeredJSON.Origin, _ message: String) {
        var note = ManifestFailure.Issue(
            code, file: layers[origin.layer].source.name, pointer: origin.pointer, message)
        if found.count < ManifestLayer.maximumLines { note.line = layers[origin.layer].line(of: origin.pointer) }
        found.append((origin.layer, note))
    }

    func change(from loser: String, to now: Decision, _ witness: Witness, _ section: HostSection) -> String {
        "\(question(witness, section)): was \(loser), now \(now.entryID ?? now.outcome.rawValue)"
    }

    func question(_ witness: Witness, _ section: HostSection) -> String {
        "\(witness), \(section.pattern?.example ?? "any host")"
    }

    static func hides(_ loser: String) -> String { "\"hides\": [\(Quoted(loser))]" }

    static func hides(_ loser: String, in taker: String) -> String {
        "{ \"id\": \(Quoted(taker)), \(hides(loser)) }"
    }

    /// Whether an `order` names both entries, and so states which one is first.
    func isOrdered(_ value: LayeredJSON, with id: String) -> Bool {
        value.origins.contains { layers.order($0)?.array?.contains { $0.string == id } ?? false }
    }

    func isMeant(_ loser: String, by id: String) -> Bool { hides[id]?.contains(loser) ?? false }
}

extension SerializerRegistry {
    /// The decision of an untyped call about a response, by the table of a section. Unwrapping entries are left out:
    /// the entries after them decide about the inner body.
    func decision(about witness: Witness, in section: HostSection) -> Decision {
        let unwrapping = section.table.entries.filter { $0.serializer?.unwrapping != nil }.map(\.id)
        let head = Self.head(contentType: witness.type.field, status: witness.status, host: section.pattern?.example)
        return Decision(
            LookupPlanner(
                registry: self, section: section, head: head, isAcceptable: true, wanted: .anything,
                override: LookupOverride(excluding: Set(unwrapping)), unwrapping: nil))
    }
}

extension RegistryEntry {
    /// Whether the entry makes values from responses: it reads them, and does not unwrap them.
    var makesValues: Bool { serializer != nil && serializer?.unwrapping == nil }

    /// Whether this entry possibly takes a response with a media type from `other` by accident. There is no accident if
    /// `other` is still tried for a value of the same type, or if this entry is there to keep responses from others.
    /// There is no accident either if this entry covers less than `other`, which is the normal use of overlays. But an
    /// entry that takes all of a range that `other` names, and makes another type, counts as an accident.
    func isGreedy(over other: RegistryEntry, _ mediaType: MediaType?) -> Bool {
        let makesTheSame = serializer?.output == other.serializer?.output
        if onFailure == .next, makesTheSame { return false }
        if serializer?.keepsBytes == true { return false }
        if coverage.covers(other.coverage) { return true }
        guard let ranges = coverage.ranges else { return !other.coverage.covers(coverage) }
        guard let mediaType else { return false }
        let taken = other.coverage.parts.filter { $0.matches(mediaType) }
        return ranges.contains { range in
            guard taken.contains(where: range.covers) else { return false }
            return !other.coverage.covers(Coverage(ranges: [range], status: coverage.status))
                || (!makesTheSame && coverage.status.covers(other.coverage.status))
        }
    }
}

extension SerializerRegistry {
    /// Warnings about the responses that a manifest takes from the entries below it, and a host section from the
    /// section of a wildcard, each with an example. `"hides"` silences the warnings about intended cases.
    ///
    /// For tools, not for every start: the lint builds the registry of each lower layer again, and looks up examples of
    /// every entry in it. If there are more classes of types than the limit, the result is one note.
    package func lint() -> [ManifestFailure.Issue] {
        do throws(ComparisonFailure) {
            var lint = try LayerLint(self)
            lint.run()
            return lint.warnings
        } catch {
            let (file, reason) = (manifestNames.last ?? "", "layers are not checked: \(error)")
            return [ManifestFailure.Issue(.uncheckedLayers, file: file, pointer: "", reason)]
        }
    }
}
