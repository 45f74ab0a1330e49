import PatchbayJSON
import PatchbayPlatform

/// The parts of a registry: manifests in the order in which they overlay each other, factories, and replacements in
/// code.
package struct RegistryRecipe: Sendable {
    /// A serializer from code that replaces the serializer of an entry.
    struct Replacement: Sendable {
        let id: String
        /// The hosts of the replacement; nil for every host. The narrowest pattern wins.
        let host: HostPattern?
        let serializer: any Serializer
    }

    /// A serializer of a factory, with the options and the context that the factory got.
    struct Made: Sendable {
        let factory: String
        /// The options as JSON text: equal numbers can be written differently, and a factory can tell them apart.
        let options: String
        let maximumBodyBytes: Int
        let serializer: any Serializer
    }

    package var layers: [ManifestLayer] = []
    private(set) var factories: SerializerFactories
    var replacements: [Replacement] = []
    /// The serializers of the previous registry, by entry id. A factory does not run again for equal options and
    /// context.
    var made: [String: Made] = [:]

    /// The factory name of an entry whose serializer was given in code.
    static let factoryInCode = "(code)"

    init(factories: SerializerFactories) { self.factories = factories }

    /// The serializer that code gave for an entry, for all hosts. If a later replacement covers only one direction,
    /// this is still the first serializer.
    func serializerInCode(of id: String) -> (any Serializer)? {
        replacements.first { $0.id == id && $0.host == nil }?.serializer
    }

    /// Replaces the directions (reading, writing) that the serializer has. An earlier replacement of the entry for the
    /// same host is dropped if it has no other direction.
    mutating func replace(_ id: String, host: HostPattern?, with serializer: any Serializer) {
        let reads = serializer is any ResponseSerializer
        let writes = serializer is any RequestSerializer
        replacements.removeAll { before in
            before.id == id && before.host == host && (reads || !(before.serializer is any ResponseSerializer))
                && (writes || !(before.serializer is any RequestSerializer))
        }
        replacements.append(Replacement(id: id, host: host, serializer: serializer))
    }

    /// Adds factories. They replace earlier factories of the same names.
    mutating func add(_ others: SerializerFactories) {
        factories = factories.joined(with: others)
        made = made.filter { others.recipes[$0.value.factory] == nil }
    }

    /// The registry after a reload: these manifests replace the manifests over the built-in table, and the layers of
    /// code stay. Every factory runs again, because it can read other data than the manifest and this data can have
    /// changed.
    func reloaded(_ manifests: [ManifestText.Reading]) throws(ManifestFailure) -> SerializerRegistry {
        var recipe = self
        let place = layers.firstIndex(where: \.isReloadable) ?? layers.endIndex
        recipe.layers.removeAll(where: \.isReloadable)
        recipe.made = [:]
        return try recipe.registry(with: manifests, at: place)
    }

    /// The registry with these manifests over the present layers, or inserted at a position among the layers. If some
    /// manifests can't be read, the failure also contains the faults of all other manifests.
    ///
    /// - Parameter table: the number of manifests, from the first, that no reload replaces.
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
        if place != nil { issues += recipe.layers.issuesOfTakenIDs }
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

    /// Whether a fault is certain although some layers can't be read: no content of these layers could remove the
    /// fault.
    private static func isSure(_ code: ManifestFailure.Issue.Code?) -> Bool {
        [.unknownFactory, .unknownOption, .invalidOption, .factoryFailed].contains(code)
    }
}

extension [RegistryRecipe.Replacement] {
    /// The replacements, from the widest host pattern to the narrowest.
    var fromWidest: Self {
        let hosts = Set(compactMap(\.host)).inOrder { ($0.specificity, $0.canonical) < ($1.specificity, $1.canonical) }
        return ([nil] + hosts).flatMap { host in filter { $0.host == host } }
    }

    /// The sections of the manifests, in order, with the replacements. After them comes a section for each further
    /// pattern whose hosts have other replacements. Apart from the replacements, it equals the section that would apply
    /// to these hosts without it.
    func applied(to general: RegistryBuilder.Part, _ parts: [RegistryBuilder.Part]) -> HostSections {
        let said = parts.compactMap(\.pattern)
        var patterns = said
        // Two patterns can overlap although neither covers the other: `a.example` and `*.example:8080`. Each overlap
        // gets a section, so every pattern that matches a host covers the narrowest section for this host. Paths of the
        // manifests get one, too: the narrowest host is looked up first.
        for host in compactMap(\.host) {
            for pattern in [SectionKey(host)] + patterns.compactMap({ $0.intersection(host) })
            where !patterns.contains(pattern) {
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
        return filter { replacement in
            guard replacement.id == entry.id else { return false }
            guard let pattern = replacement.host else { return true }
            return host.map(pattern.covers) ?? false
        }.reduce(entry) { $0.replaced(by: $1.serializer) }
    }

    private func section(_ part: RegistryBuilder.Part) -> HostSection {
        let entries = part.entries.map { applied(to: $0, host: part.pattern?.host) }
        return HostSection(pattern: part.pattern, policy: part.policy, entries: entries)
    }
}
