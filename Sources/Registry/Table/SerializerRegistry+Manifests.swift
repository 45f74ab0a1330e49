public import PatchbayJSON
import PatchbayPlatform

extension SerializerRegistry {
    /// A table without an entry.
    static let ofNothing: SerializerRegistry = {
        do throws(ManifestFailure) {
            return try SerializerRegistry(sources: [], factories: SerializerFactories())
        } catch {
            fatalError("a table without an entry does not load: \(error)")
        }
    }()

    /// The registry of a table and of manifests over it. Each manifest overlays the earlier ones. A reload replaces
    /// these manifests, and keeps the table.
    package init(
        sources table: [ManifestSource], under manifests: [ManifestSource] = [], factories: SerializerFactories
    ) throws(ManifestFailure) {
        let all = table + manifests
        self = try RegistryRecipe(factories: factories).registry(with: all.map { $0.read() }, table: table.count)
    }

    /// This registry with one more manifest over it; a manifest with `"inherit": false` replaces everything. The
    /// factories stay, and so do the serializers from `adding` and `replacing`.
    ///
    /// - Throws: `ManifestFailure` with all faults of the manifest.
    public func overlaid(by manifest: ManifestSource) throws(ManifestFailure) -> SerializerRegistry {
        try compiled.recipe.registry(with: [manifest.read()])
    }

    /// This registry with these manifests instead of those over its built-in table. The factories stay, and so do the
    /// entries and serializers from `adding` and `replacing`.
    package func reloaded(_ manifests: [ManifestText.Reading]) throws(ManifestFailure) -> SerializerRegistry {
        try compiled.recipe.reloaded(manifests)
    }

    /// This registry with more factories. A factory replaces an earlier factory of its name, and optional entries whose
    /// factory was missing become available.
    ///
    /// Overlay a manifest that names a new factory after this call: `try registry.with(mine).overlaid(by: manifest)`.
    /// - Throws: `ManifestFailure` if a factory refuses the options of an entry.
    public func with(_ factories: SerializerFactories) throws(ManifestFailure) -> SerializerRegistry {
        var recipe = compiled.recipe
        recipe.add(factories)
        return try RegistryBuilder.registry(recipe, [])
    }

    /// The serializer that a factory makes from these options, as for an entry of a manifest.
    ///
    /// - Throws: `ManifestFailure` if there is no such factory, or if it refuses the options. The message of the
    ///   failure quotes the options.
    package func serializer(
        factory name: String, options: JSON = [:]
    ) throws(ManifestFailure) -> any ResponseSerializer {
        let factories = compiled.recipe.factories
        guard let recipe = factories.recipes[name] else {
            let unknown = factories.unknown(name)
            throw ManifestFailure(
                .unknownFactory, file: "factory", "the factory \(Quoted(name)) is not registered\(unknown.clause)",
                suggestion: unknown.suggestion)
        }
        let largest = compiled.sections.all.map(\.policy.maximumBodyBytes).max() ?? 0
        let context = FactoryContext(entryID: Attempt.request, maximumBodyBytes: largest)
        switch recipe.make(options, context) {
        case .success(let serializer):
            guard let reader = serializer as? any ResponseSerializer else {
                throw ManifestFailure(
                    .factoryFailed, file: "factory", "the serializer of the factory \(Quoted(name)) reads no responses")
            }
            return reader
        case .failure(let failure):
            throw ManifestFailure(
                OptionFault.all(of: failure, by: recipe, options, context, for: "the options").map { fault in
                    ManifestFailure.Issue(
                        fault.code, file: "options", pointer: fault.path, fault.message, suggestion: fault.suggestion)
                })
        }
    }
}

/// Entries and serializers in code. Later manifests can change the entries.
extension SerializerRegistry {
    /// This registry with one more entry, whose serializer is given here.
    ///
    ///     let registry = try SerializerRegistry.standard.adding("cbor", CBOR(), types: ["application/cbor"])
    ///
    /// - Parameters:
    ///   - id: the id of the entry, which must be new.
    ///   - serializer: reads, writes, or does both.
    ///   - types: media ranges such as `text/csv`, `image/*`, `+json` or `@xml`, of responses and request bodies; nil
    ///     for every type, and for responses without a type.
    ///   - status: statuses such as `200`, `4XX` or `500-503`; nil for any. Statuses do not apply to requests.
    ///   - onFailure: what follows a failure of the serializer: an error, the next entry, or the raw bytes.
    ///   - other: the id of the entry of the same list that follows the new entry; nil puts the new entry first.
    ///   - host: a key of `hosts`, such as `api.example.com` or `api.example.com/export`, whose section gets the entry;
    ///     nil for the global list.
    /// - Throws: `ManifestFailure` if the id is taken, or if one of the other arguments is invalid or unknown.
    public func adding(
        _ id: String, _ serializer: some Serializer, types: [String]? = nil, status: [String]? = nil,
        onFailure: FailureRule = .error, before other: String? = nil, host: String? = nil
    ) throws(ManifestFailure) -> SerializerRegistry {
        // Optional, because the table can be printed and loaded in a program without the serializer.
        let members: [(String, JSON)] = [("factory", JSON(RegistryRecipe.factoryInCode)), ("optional", true)]
        return try adding(id, members, types, status, onFailure, before: other, host: host, serializer)
    }

    /// This registry with one more entry. One of the registered factories makes its serializer.
    ///
    /// - Parameters:
    ///   - id: the id of the entry, which must be new.
    ///   - factory: the name of the factory.
    ///   - types: media ranges such as `text/csv`, `image/*`, `+json` or `@xml`, of responses and request bodies; nil
    ///     for every type, and for responses without a type.
    ///   - status: statuses such as `200`, `4XX` or `500-503`; nil for any. Statuses do not apply to requests.
    ///   - options: the options for the factory.
    ///   - onFailure: what follows a failure of the serializer: an error, the next entry, or the raw bytes.
    ///   - other: the id of the entry of the same list that follows the new entry; nil puts the new entry first.
    ///   - host: a key of `hosts`, such as `api.example.com` or `api.example.com/export`, whose section gets the entry;
    ///     nil for the global list.
    /// - Throws: `ManifestFailure` if the id is taken, or if one of the other arguments is invalid or unknown.
    public func adding(
        _ id: String, factory: String, types: [String]? = nil, status: [String]? = nil, options: JSON = [:],
        onFailure: FailureRule = .error, before other: String? = nil, host: String? = nil
    ) throws(ManifestFailure) -> SerializerRegistry {
        let members: [(String, JSON)] = [("factory", JSON(factory)), ("options", options)]
        return try adding(id, members, types, status, onFailure, before: other, host: host)
    }

    private func adding(
        _ id: String, _ members: [(String, JSON)], _ types: [String]?, _ status: [String]?, _ onFailure: FailureRule,
        before other: String?, host: String?, _ serializer: (any Serializer)? = nil
    ) throws(ManifestFailure) -> SerializerRegistry {
        let name = "adding(\(id))"
        let list = host.map { "/hosts/\(JSONPointer.escaped($0))/plugins" } ?? "/plugins"
        guard compiled.entries[id] == nil else {
            throw ManifestFailure(.duplicateID, file: name, pointer: list + "/0/id", "the id \(Quoted(id)) is taken")
        }
        var match: [(String, JSON)] = []
        if let types { match.append(("types", .array(types.map { JSON($0) }))) }
        if let status { match.append(("status", .array(status.map { JSON($0) }))) }
        var entry = [("id", JSON(id))] + members
        entry += [("match", .object(match)), ("onFailure", JSON(onFailure.rawValue))]
        if let other { entry.append(("place", ["before": JSON(other)])) }
        let plugins: JSON = [.object(entry)]
        let lists = host.map { host in ("hosts", JSON.object([(host, ["plugins": plugins])])) } ?? ("plugins", plugins)
        var issues: [ManifestFailure.Issue] = []
        var recipe = compiled.recipe
        // Drops replacements of an earlier entry with this id.
        recipe.replacements.removeAll { $0.id == id }
        if let serializer { recipe.replace(id, host: nil, with: serializer) }
        let json = JSON.object([("manifestVersion", JSON(ManifestReader.version)), lists])
        recipe.layers.append(ManifestLayer(name: name, json: json, &issues))
        return try RegistryBuilder.registry(recipe, issues)
    }

    /// This registry with another serializer for an entry. The entry keeps its match, limits and failure rule.
    ///
    /// Only the directions that the serializer has are replaced: a serializer that only reads leaves the writing
    /// unchanged, and one that only writes leaves the reading unchanged. `"reads": false` and `"writes": false` of the
    /// manifest still apply.
    ///
    /// - Parameters:
    ///   - id: the id of the entry.
    ///   - serializer: reads, writes, or does both; it replaces only these directions of the entry.
    ///   - host: a host pattern without a path: only its hosts get the serializer, whatever their section. Nil for every
    ///     host. If several replacements match a host, the narrowest pattern with a reader gives the reader, and the
    ///     narrowest with a writer gives the writer.
    /// - Throws: `ManifestFailure` if there is no entry of that id, or if the pattern is invalid.
    public func replacing(
        _ id: String, with serializer: some Serializer, host: String? = nil
    ) throws(ManifestFailure) -> SerializerRegistry {
        let name = "replacing(\(id))"
        guard compiled.entries[id] != nil else {
            throw ManifestFailure(
                .unknownEntry, file: name, "there is no entry \(Quoted(id))",
                suggestion: Spelling.nearest(to: id, in: compiled.entries.keys.inOrder()))
        }
        var pattern: HostPattern?
        if let host {
            do throws(PatternFailure) {
                pattern = try HostPattern(pattern: host).plain
            } catch {
                throw ManifestFailure(.invalidHost, file: name, error.reason, suggestion: error.suggestion)
            }
        }
        var recipe = compiled.recipe
        recipe.replace(id, host: pattern, with: serializer)
        return try RegistryBuilder.registry(recipe, [])
    }
}
