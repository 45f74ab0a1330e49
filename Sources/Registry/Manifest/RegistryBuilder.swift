import PatchbayJSON

/// Turns manifests and factories into a registry, or into the list of everything that is wrong.
struct RegistryBuilder {
    /// An entry, and where it came from.
    struct Built {
        let entry: RegistryEntry
        let origins: [LayeredJSON.Origin]
    }

    /// A host section before it is compiled.
    struct Part {
        let pattern: HostPattern?
        let policy: Policy
        /// Its own entries, then those it takes over from the global list.
        var entries: [RegistryEntry]
    }

    let recipe: RegistryRecipe
    let manifest: EffectiveManifest
    let aliases: [String: MediaType]
    let largestBody: Int
    var issues: [ManifestFailure.Issue]
    var notes: [ManifestNote] = []

    /// Builds the registry.
    ///
    /// - Parameter issues: what was found when the layers were read. Where there is any, the rest is checked all the same.
    static func registry(
        _ recipe: RegistryRecipe, _ issues: [ManifestFailure.Issue]
    ) throws(ManifestFailure) -> SerializerRegistry {
        guard !issues.contains(where: { $0.code == .tooManyEntries }) else { throw ManifestFailure(issues) }
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
        self.issues = issues
        let manifest = EffectiveManifest(recipe.layers)
        self.manifest = manifest
        var reader = ManifestReader(isOverlay: true)
        aliases = reader.aliases(manifest.aliases.json, at: "")
        let policies = [manifest.policy.json] + manifest.sections.map { manifest.policy(of: $0) }
        largestBody = policies.map { reader.policy($0, at: "").maximumBodyBytes }.max() ?? .max
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
            let inherited = Set(section.inherited(from: global.map(\.entry)).map(\.id))
            lint.check(entries, before: global.filter { inherited.contains($0.entry.id) })
        }
        issues += lint.issues
        notes += lint.notes + unusedFactories()
        return compiled(global.map(\.entry), own.map { $0.map(\.entry) })
    }

    private func compiled(_ global: [RegistryEntry], _ own: [[RegistryEntry]]) -> CompiledRegistry {
        var reader = ManifestReader(isOverlay: true)
        let general = Part(pattern: nil, policy: reader.policy(manifest.policy.json, at: ""), entries: global)
        var parts: [Part] = []
        for (section, entries) in zip(manifest.sections, own) {
            let policy = reader.policy(manifest.policy(of: section), at: "")
            parts.append(
                Part(pattern: section.pattern, policy: policy, entries: entries + section.inherited(from: global)))
        }
        let all = Dictionary((global + own.flatMap(\.self)).map { ($0.id, $0) }) { first, _ in first }
        let replacing = SerializerReplacement(recipe.replacements)
        let sections = replacing.applied(to: general, parts)
        return CompiledRegistry(
            recipe: recipe, sections: sections, entries: all.mapValues { replacing.applied(to: $0) },
            aliases: aliases, effectiveManifest: manifest.json, notes: notes)
    }

    private mutating func checkAliases() {
        for (name, target) in aliases.sorted(by: { $0.key < $1.key }) {
            guard let next = aliases[target.essence] else { continue }
            report(
                .aliasChain, manifest.aliases, "\(PointerStep(name))",
                "\(Quoted(target.essence)) is an alias itself, and aliases are followed one step only",
                suggestion: next.essence == name ? nil : next.essence)
        }
    }

    private func unusedFactories() -> [ManifestNote] {
        let lists = [manifest.entries] + manifest.sections.map(\.entries)
        let used = Set(lists.flatMap(\.self).compactMap { $0.value.json["factory"]?.string })
        return recipe.factories.names.filter { !used.contains($0) }.map { name in
            ManifestNote(
                code: .unusedFactory, file: "factories", pointer: "",
                message: "no entry uses the factory \(Quoted(name))")
        }
    }

    // MARK: Reports

    mutating func report(
        _ code: ManifestFailure.Issue.Code, _ value: LayeredJSON, _ path: String, _ message: String,
        suggestion: String? = nil
    ) {
        issues.append(recipe.layers.issue(code, value, path, message, suggestion: suggestion))
    }
}
