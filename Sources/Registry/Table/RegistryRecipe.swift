import PatchbayJSON

/// What a registry is made of: manifests in the order in which they overlay each other, factories, and what code replaced.
package struct RegistryRecipe: Sendable {
    /// A serializer that code put in the place of an entry's own.
    struct Replacement: Sendable {
        let id: String
        /// The hosts of the replacement; nil for every host. The narrowest pattern wins.
        let host: HostPattern?
        let serializer: any Serializer
    }

    /// A serializer that a factory made, and what it was told.
    struct Made: Sendable {
        let factory: String
        /// As text: two numbers that are equal may be written so that a factory tells them apart.
        let options: String
        let maximumBodyBytes: Int
        let serializer: any Serializer
    }

    package var layers: [ManifestLayer] = []
    private(set) var factories: SerializerFactories
    var replacements: [Replacement] = []
    /// What the factories made for the registry before, by the ids of entries: a factory that would be told the same again is not
    /// run again.
    var made: [String: Made] = [:]

    /// The name that the table shows for the factory of an entry whose serializer was given in code.
    static let factoryInCode = "(code)"

    init(factories: SerializerFactories) { self.factories = factories }

    /// The serializer that code gave for an entry, for all hosts; the first, where a later one replaced one of its sides.
    func serializerInCode(of id: String) -> (any Serializer)? {
        replacements.first { $0.id == id && $0.host == nil }?.serializer
    }

    /// Replaces the sides of an entry that the serializer has, and drops earlier replacements that have no other side.
    mutating func replace(_ id: String, host: HostPattern?, with serializer: any Serializer) {
        let reads = serializer is any ResponseSerializer
        let writes = serializer is any RequestSerializer
        replacements.removeAll { before in
            before.id == id && before.host == host && (reads || !(before.serializer is any ResponseSerializer))
                && (writes || !(before.serializer is any RequestSerializer))
        }
        replacements.append(Replacement(id: id, host: host, serializer: serializer))
    }

    /// More factories; where a name is taken already, these count.
    mutating func add(_ others: SerializerFactories) {
        factories = factories.joined(with: others)
        made = made.filter { others.recipe(named: $0.value.factory) == nil }
    }

    /// The registry of these manifests in place of those over the standard table, and under the layers of code that came after them.
    /// Every factory runs again: it may read more than the manifest, and a reload is for all that has changed.
    func reloaded(_ manifests: [ManifestText.Reading]) throws(ManifestFailure) -> SerializerRegistry {
        var recipe = self
        let place = layers.firstIndex(where: \.isReloadable) ?? layers.endIndex
        recipe.layers.removeAll(where: \.isReloadable)
        recipe.made = [:]
        return try recipe.registry(with: manifests, at: place)
    }

    /// The registry of these manifests over the layers that are there, or from a place on. Where some can't be read, the failure also has
    /// the faults of the others.
    ///
    /// - Parameter table: how many of the manifests, from the first, no reload replaces.
    package func registry(
        with manifests: [ManifestText.Reading], at place: Int? = nil, table: Int = 0
    ) throws(ManifestFailure) -> SerializerRegistry {
        var recipe = self
        var next = place ?? layers.endIndex
        let under = layers.prefix(next).map(\.source.name)
        let over = layers.dropFirst(next).map(\.source.name)
        var issues: [ManifestFailure.Issue] = []
        for (index, manifest) in manifests.enumerated() {
            switch manifest {
            case .success(let text):
                guard var layer = ManifestLayer(text, isOverlay: next > 0 || index > 0, &issues) else { continue }
                layer.isReloadable = index >= table
                recipe.layers.insert(layer, at: next)
                next += 1
            case .failure(let failure): issues += failure.issues
            }
        }
        guard recipe.layers.count < layers.count + manifests.count else {
            return try RegistryBuilder.registry(recipe, issues)
        }
        do {
            _ = try RegistryBuilder.registry(recipe, issues)
        } catch {
            issues += error.issues.filter { Self.isSure($0.kind) }
        }
        let names = manifests.map { manifest in
            switch manifest {
            case .success(let text): text.name
            case .failure(let failure): failure.issues.first?.file ?? ""
            }
        }
        throw ManifestFailure(issues.inReadingOrder(of: under + names + over))
    }

    /// Whether such a fault is one whatever stands in a layer that could not be read.
    private static func isSure(_ code: ManifestFailure.Issue.Code?) -> Bool {
        [.unknownFactory, .unknownOption, .invalidOption, .factoryFailed].contains(code)
    }
}

/// Puts serializers of code in the place of those that factories made.
struct SerializerReplacement {
    /// In order; the narrowest is last.
    private let replacements: [RegistryRecipe.Replacement]

    init(_ replacements: [RegistryRecipe.Replacement]) {
        let hosts = Set(replacements.compactMap(\.host)).sorted {
            ($0.specificity, $0.canonical) < ($1.specificity, $1.canonical)
        }
        self.replacements = ([nil] + hosts).flatMap { host in replacements.filter { $0.host == host } }
    }

    /// The sections with the replacements: first the sections of the manifests, in order. Hosts with another set of replacements get a section
    /// of their own, otherwise equal to their section before.
    func applied(to general: RegistryBuilder.Part, _ parts: [RegistryBuilder.Part]) -> HostSections {
        let said = parts.compactMap(\.pattern)
        var patterns = said
        // Two patterns can overlap and neither cover the other: `a.example` and `*.example:8080`. With a section for each overlap, every
        // pattern that matches a host covers the narrowest section that matches it.
        for host in replacements.compactMap(\.host) {
            for pattern in [host] + patterns.compactMap({ $0.intersection(host) }) where !patterns.contains(pattern) {
                patterns.append(pattern)
            }
        }
        let more = patterns.dropFirst(said.count).map { pattern in
            let before = pattern.narrowestOther(parts, \.pattern) ?? general
            return RegistryBuilder.Part(pattern: pattern, policy: before.policy, entries: before.entries)
        }
        return HostSections(general: section(general), (parts + more).map(section))
    }

    func applied(to entry: RegistryEntry, host: HostPattern?) -> RegistryEntry {
        guard entry.availability != .switchedOff else { return entry }
        return replacements.filter { replacement in
            guard replacement.id == entry.id else { return false }
            guard let pattern = replacement.host else { return true }
            return host.map(pattern.covers) ?? false
        }.reduce(entry) { $0.replaced(by: $1.serializer) }
    }

    private func section(_ part: RegistryBuilder.Part) -> HostSection {
        let entries = part.entries.map { applied(to: $0, host: part.pattern) }
        return HostSection(pattern: part.pattern, policy: part.policy, entries: entries)
    }
}
