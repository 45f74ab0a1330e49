import PatchbayJSON
import PatchbayPlatform

/// Turns manifests and factories into a registry, or into the list of all faults.
struct RegistryBuilder {
    struct Built {
        let entry: RegistryEntry
        let settings: ManifestEntry
        let value: LayeredJSON
        /// A type that the entry covers, to look up the entries that hide it.
        let example: MediaType?
    }

    struct Part {
        let pattern: SectionKey?
        let policy: SerializerRegistry.Policy
        var entries: [RegistryEntry]
    }

    private(set) var recipe: RegistryRecipe
    let manifest: EffectiveManifest
    let aliases: [String: MediaType]
    /// The policy for hosts without a section.
    private let policy: SerializerRegistry.Policy
    private let policies: [SerializerRegistry.Policy]
    private let largestBody: Int
    /// The serializers that the factories made, for reuse in the next registry.
    private var made: [String: RegistryRecipe.Made] = [:]
    private var issues: [ManifestFailure.Issue]
    private var notes: [ManifestFailure.Issue]

    /// Builds the registry.
    ///
    /// - Parameter issues: the faults found while the layers were read. All other checks run even if there are such
    ///   faults, but not beside a thousand of them: merged objects are read again, with their faults.
    static func registry(
        _ recipe: RegistryRecipe, _ issues: [ManifestFailure.Issue]
    ) throws(ManifestFailure) -> SerializerRegistry {
        guard issues.count < ReferenceCheck.maximumIssues, !issues.contains(where: { $0.kind == .tooManyEntries })
        else { throw ManifestFailure(issues) }
        var builder = RegistryBuilder(recipe, issues)
        let compiled = builder.compile()
        guard builder.issues.isEmpty else {
            let files = recipe.layers.map(\.source.name)
            throw ManifestFailure(builder.issues.inReadingOrder(of: files))
        }
        return SerializerRegistry(compiled)
    }

    private init(_ recipe: RegistryRecipe, _ issues: [ManifestFailure.Issue]) {
        self.recipe = recipe
        let manifest = EffectiveManifest(recipe.layers)
        self.manifest = manifest
        self.issues = issues + manifest.issues
        notes = manifest.notes
        // The faults of the layers are reported; a faulty key has its default here.
        var reader = ManifestReader.ofMerged
        aliases = reader.aliases(manifest.aliases.json, at: "")
        let global = reader.policy(manifest.policy.json, at: "")
        func policy(
            _ section: EffectiveManifest.Section, over general: SerializerRegistry.Policy
        ) -> SerializerRegistry.Policy {
            section.settings.json["policy"].map { reader.policy($0, at: "", over: general) } ?? general
        }
        func ofHost(_ section: EffectiveManifest.Section) -> SerializerRegistry.Policy {
            var general = global
            // `requestContentType` is the only policy key that a section gets from the section it extends, because this
            // key belongs to the extended entries.
            if let other = manifest.section(extendedBy: section) {
                general.requestContentType = policy(other, over: global).requestContentType
            }
            return policy(section, over: general)
        }
        policies = manifest.sections.map { section in
            manifest.hostSection(under: section).map { policy(section, over: ofHost($0)) } ?? ofHost(section)
        }
        largestBody = policies.map(\.maximumBodyBytes).reduce(global.maximumBodyBytes, max)
        self.policy = global
    }

    private mutating func compile() -> CompiledRegistry {
        checkAliases()
        let global = manifest.entries.compactMap { built($0, section: nil) }
        let own = manifest.sections.map { section in
            section.entries.compactMap { built($0, section: section.pattern.canonical) }
        }
        var check = ReferenceCheck(recipe.layers, manifest)
        check.run()
        issues += check.issues
        var lint = ManifestLint(recipe.layers)
        lint.check(global)
        for (section, entries) in zip(manifest.sections, own) {
            let ids = Set(manifest.ids(of: section))
            lint.check(entries, before: global.filter { ids.contains($0.entry.id) })
        }
        issues += lint.issues
        notes += lint.notes + unusedFactories() + ineffectiveOptions(global + own.flatMap(\.self))
        recipe.made = made
        return compiled(global.map(\.entry), own.flatMap(\.self).map(\.entry), hidden: lint.unsaid)
    }

    private func compiled(
        _ global: [RegistryEntry], _ own: [RegistryEntry], hidden: [String: [String]]
    ) -> CompiledRegistry {
        let general = Part(pattern: nil, policy: policy, entries: global)
        let all = Dictionary((global + own).map { ($0.id, $0) }) { first, _ in first }
        let parts = zip(manifest.sections, policies).map { section, policy in
            Part(
                pattern: section.pattern, policy: policy, entries: manifest.ids(of: section).compactMap { all[$0] })
        }
        let replacing = recipe.replacements.fromWidest
        let sections = replacing.applied(to: general, parts)
        let json = manifest.json(hiding: hidden)
        return CompiledRegistry(
            recipe: recipe, sections: sections, entries: all.mapValues { replacing.applied(to: $0, host: nil) },
            aliases: aliases, effectiveManifest: json.whole,
            digest: CompiledRegistry.digest(json.digested, recipe.replacements.filter { all[$0.id] != nil }),
            notes: notes + unwritableTypes(in: sections))
    }

    // MARK: Entries

    /// The entry with its serializer; nil if it has a fault, which is reported.
    private mutating func built(_ item: EffectiveManifest.Entry, section: String?) -> Built? {
        guard !ManifestEntry.reservedIDs.contains(item.id) else { return nil }
        var reader = ManifestReader.ofMerged
        let entry = reader.entry(item.value.json, at: "")
        checkTypes(entry, item)
        guard let factory = entry.factory else {
            // An id of the global list is reported as that.
            let isGlobal = section != nil && manifest.entries.contains { $0.id == item.id }
            if item.value.json["factory"] == nil, !isGlobal { reportNoFactory(item) }
            return nil
        }
        var availability = RegistryEntry.Availability.switchedOff
        var serializer: (any Serializer)?
        let need = recipe.factories.needs[factory].map {
            RegistryEntry.Need(build: $0, isOptional: entry.isOptional)
        }
        if entry.isEnabled {
            let inCode = recipe.serializerInCode(of: item.id)
            if factory == RegistryRecipe.factoryInCode, let inCode {
                serializer = inCode
                availability = .available
            } else if let recipe = recipe.factories.recipes[factory] {
                serializer = made(recipe, entry, item)
                guard serializer != nil else { return nil }
                availability = .available
                if recipe.isDeclared {
                    note(
                        .declaredFactory, item,
                        "the options of the entry \(Quoted(item.id)) are not judged: its factory \(Quoted(factory)) is only declared"
                    )
                }
            } else if entry.isOptional {
                let reason = need.map { "needs \($0.build)" } ?? "is not in this build"
                availability = .unavailable("factory \(factory) \(reason)")
                if inCode == nil, need == nil {
                    note(
                        .unavailableEntry, item,
                        "the entry \(Quoted(item.id)) always declines: factory \(factory) is not in this build")
                }
            } else {
                let unknown = recipe.factories.unknown(factory)
                report(
                    .unknownFactory, item.value, "/factory",
                    "the factory \(Quoted(factory)) of the entry \(Quoted(item.id)) is not registered\(unknown.clause)",
                    suggestion: unknown.suggestion)
                return nil
            }
        }
        if let serializer { guard checkSides(of: serializer, entry, item) else { return nil } }
        // A faulty key has its default, so the entry would cover and hide more than its author meant.
        guard reader.faults.isEmpty else { return nil }
        let sides = RegistryEntry.Sides(read: entry.reads ?? true, write: entry.writes ?? true)
        let origin = item.value.first
        return Built(
            entry: RegistryEntry(
                id: item.id, factory: factory, options: entry.options, coverage: entry.coverage,
                maximumBodyBytes: entry.maximumBodyBytes, onFailure: entry.onFailure,
                serializer: serializer.flatMap(sides.reader).map {
                    BoundSerializer(
                        $0, entry: item.id, maximumBodyBytes: entry.maximumBodyBytes, onFailure: entry.onFailure)
                },
                writer: serializer.flatMap(sides.writer).map { BoundWriter($0, entry: item.id) }, sides: sides,
                availability: availability, need: need, hostSection: section,
                file: recipe.layers[origin.layer].source.name, pointer: origin.pointer,
                formatTypes: recipe.factories.recipes[factory]?.types ?? []),
            settings: entry, value: item.value, example: entry.coverage.example)
    }

    /// Reports an entry without a factory. In an overlay, it was probably meant to change an entry below.
    private mutating func reportNoFactory(_ item: EffectiveManifest.Entry) {
        let known = manifest.everyEntry.filter { $0.value.json["factory"] != nil }.map(\.id)
        guard item.value.first.layer > recipe.layers.inForce.startIndex, !known.contains(item.id) else {
            return report(
                .missingKey, item.value, "/factory", "the entry \(Quoted(item.id)) needs the key \"factory\"")
        }
        report(
            .missingKey, item.value, "/factory",
            "there is no entry \(Quoted(item.id)) in the manifests below, and a new entry needs the key \"factory\"; "
                + "a manifest that has the entry goes before this one",
            suggestion: Spelling.nearest(to: item.id, in: known))
    }

    /// Checks that the serializer, with its replacements in code, can read and write as the manifest says, and that it
    /// reads or writes.
    private mutating func checkSides(
        of serializer: any Serializer, _ entry: ManifestEntry, _ item: EffectiveManifest.Entry
    ) -> Bool {
        let all = [serializer] + recipe.replacements.filter { $0.id == item.id }.map(\.serializer)
        let reads = all.contains { $0 is any ResponseSerializer }
        let writes = all.contains { $0 is any RequestSerializer }
        let name = "the serializer of the entry \(Quoted(item.id))"
        if !reads, !writes {
            report(.factoryFailed, item.value, "/factory", "\(name) neither reads responses nor writes requests")
        } else if entry.reads == true, !reads {
            report(.invalidValue, item.value, "/reads", "\(name) cannot read responses, it only writes requests")
        } else if entry.writes == true, !writes {
            report(.invalidValue, item.value, "/writes", "\(name) cannot write requests, it only reads responses")
        } else if !(reads && entry.reads != false), !(writes && entry.writes != false) {
            let reason =
                reads && writes
                ? "\"reads\" and \"writes\" are both false"
                : reads
                    ? "its serializer only reads, and \"reads\" is false"
                    : "its serializer only writes, and \"writes\" is false"
            report(
                .conflictingKeys, item.value, reads ? "/reads" : "/writes",
                "the entry \(Quoted(item.id)) neither reads nor writes: \(reason); \"enabled\": false switches an entry off"
            )
        } else {
            return true
        }
        return false
    }

    private mutating func made(
        _ recipe: SerializerRecipe, _ entry: ManifestEntry, _ item: EffectiveManifest.Entry
    ) -> (any Serializer)? {
        let limit = min(entry.maximumBodyBytes ?? .max, largestBody)
        let options = entry.options.serialized()
        if let before = self.recipe.made[item.id], before.factory == recipe.name, before.options == options,
            before.maximumBodyBytes == limit
        {
            made[item.id] = before
            return before.serializer
        }
        let context = FactoryContext(entryID: item.id, maximumBodyBytes: limit)
        switch recipe.make(entry.options, context) {
        case .success(let serializer):
            made[item.id] = .init(
                factory: recipe.name, options: options, maximumBodyBytes: limit, serializer: serializer)
            return serializer
        case .failure(let failure):
            let subject = "the entry \(Quoted(item.id))"
            for fault in OptionFault.all(of: failure, by: recipe, entry.options, context, for: subject) {
                report(fault.code, item.value, "/options" + fault.path, fault.message, suggestion: fault.suggestion)
            }
            return nil
        }
    }

    // MARK: Reports

    mutating func report(
        _ code: ManifestFailure.Issue.Code, _ value: LayeredJSON, _ path: String, _ message: String,
        suggestion: String? = nil
    ) {
        issues.append(recipe.layers.issue(code, value, path, message, suggestion: suggestion))
    }

    private mutating func note(_ code: ManifestFailure.Issue.Code, _ item: EffectiveManifest.Entry, _ message: String) {
        let origin = item.value.first
        notes.append(
            ManifestFailure.Issue(
                code, file: recipe.layers[origin.layer].source.name, pointer: origin.pointer, message))
    }
}
