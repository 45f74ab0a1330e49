public import PatchbayJSON
public import PatchbayPlatform

extension SerializerRegistry {
    /// A table without an entry.
    static let ofNothing: SerializerRegistry = {
        do throws(ManifestFailure) {
            return try SerializerRegistry(sources: [], factories: SerializerFactories())
        } catch {
            fatalError("a table without an entry does not load: \(error)")
        }
    }()

    /// Reads manifests, each overlaying those before it; one that says `"inherit": false` is the whole table, and nothing lies
    /// under it.
    ///
    /// - Throws: `ManifestFailure` with everything that is wrong with any of them.
    public init(manifests: [URL], factories: SerializerFactories) throws(ManifestFailure) {
        try self.init(files: ManifestSource.readings(of: manifests), factories: factories)
    }

    /// The same of files that were read, or could not be.
    package init(
        files: [ManifestSource.Reading], factories: SerializerFactories
    ) throws(ManifestFailure) {
        self = try RegistryRecipe(factories: factories).registry(under: files)
    }

    /// Builds a registry from manifests, each overlaying those before it. None at all gives bytes and text only.
    public init(sources: [ManifestSource], factories: SerializerFactories) throws(ManifestFailure) {
        self = try RegistryRecipe(factories: factories).registry(under: sources)
    }

    /// This registry with one more manifest over it, or, where that says `"inherit": false`, in its place, with the same
    /// factories and replaced serializers.
    ///
    /// - Parameter factories: more factories; where a name is taken already, these count.
    public func overlaid(
        by url: URL, factories: SerializerFactories? = nil
    ) throws(ManifestFailure) -> SerializerRegistry {
        try overlaid(by: ManifestSource(contentsOf: url), factories: factories)
    }

    /// This registry with one more manifest over it, as `overlaid(by:factories:)` for a file has it.
    public func overlaid(
        by source: ManifestSource, factories: SerializerFactories? = nil
    ) throws(ManifestFailure) -> SerializerRegistry {
        try overlaid(by: [source], factories: factories)
    }

    /// This registry with several manifests over it, each over those before it.
    /// - Throws: `ManifestFailure` with what is wrong with any of them.
    package func overlaid(
        by sources: [ManifestSource], factories: SerializerFactories? = nil
    ) throws(ManifestFailure) -> SerializerRegistry {
        try overlaid(by: sources.map { .success($0) }, factories: factories)
    }

    /// The same of files that were read, or could not be.
    package func overlaid(
        by files: [ManifestSource.Reading], factories: SerializerFactories? = nil
    ) throws(ManifestFailure) -> SerializerRegistry {
        var recipe = compiled.recipe
        if let factories { recipe.add(factories) }
        return try recipe.registry(under: files)
    }

    /// The serializer that one of the factories makes of these options, which are those of an entry in a manifest: for
    /// `replacing(_:with:)`, for `reply.serialize(with:)`, or for a serializer of your own that hands bodies on.
    ///
    /// - Throws: `ManifestFailure` where there is no factory of the name, or it refuses the options, whose text it quotes.
    public func serializer(
        factory name: String, options: JSON = [:]
    ) throws(ManifestFailure) -> any ResponseSerializer {
        let factories = compiled.recipe.factories
        guard let recipe = factories.recipe(named: name) else {
            throw ManifestFailure(
                .unknownFactory, file: "factory", "the factory \(Quoted(name)) is not registered",
                suggestion: Spelling.nearest(to: name, in: factories.names))
        }
        let largest = compiled.sections.all.map(\.policy.maximumBodyBytes).max() ?? 0
        switch recipe.make(options, FactoryContext(entryID: Attempt.request, maximumBodyBytes: largest)) {
        case .success(let serializer): return serializer
        case .failure(let failure):
            throw ManifestFailure(
                OptionFault.all(of: failure, by: name, for: "the options").map { fault in
                    ManifestFailure.Issue(
                        fault.code, file: "options", pointer: fault.path, fault.message, suggestion: fault.suggestion)
                })
        }
    }

    /// This registry with these files over it in place of those of an earlier reload. Its factories stay, and what code has added
    /// and replaced.
    package func reloaded(_ files: [ManifestSource.Reading]) throws(ManifestFailure) -> SerializerRegistry {
        try compiled.recipe.beforeReload.registry(under: files, areReloaded: true)
    }

    /// This registry with one more entry, before the others of its list, as an overlay would add it.
    ///
    /// - Parameters:
    ///   - id: the id of the entry, which must be new.
    ///   - factory: the name of a registered factory.
    ///   - match: what the entry covers; everything, by default.
    ///   - options: what the factory reads.
    ///   - host: a host pattern, whose section gets the entry; nil for the global list.
    public func adding(
        id: String, factory: String, match: EntryMatch = EntryMatch(), options: JSON = [:],
        onFailure: FailureRule = .error, host: String? = nil
    ) throws(ManifestFailure) -> SerializerRegistry {
        let name = "adding(\(id))"
        let list = host.map { "/hosts/\(JSONPointer.escaped($0))/plugins" } ?? "/plugins"
        guard compiled.entries[id] == nil else {
            throw ManifestFailure(.duplicateID, file: name, pointer: list + "/0/id", "the id \(Quoted(id)) is taken")
        }
        let entry: JSON = [
            "id": JSON(id), "factory": JSON(factory), "match": match.json, "options": options,
            "onFailure": JSON(onFailure.rawValue),
        ]
        let section: JSON = ["plugins": [entry]]
        let lists = host.map { host in ("hosts", JSON.object([(host, section)])) } ?? ("plugins", [entry])
        var issues: [ManifestFailure.Issue] = []
        var recipe = compiled.recipe
        let json = JSON.object([("manifestVersion", JSON(ManifestReader.version)), lists])
        recipe.layers.append(ManifestLayer(name: name, json: json, &issues))
        return try RegistryBuilder.registry(recipe, issues)
    }

    /// This registry with a serializer of code in the place of the one that an entry's factory made.
    ///
    /// - Parameters:
    ///   - id: the entry, whose match, limits and failure rule stay.
    ///   - host: a host pattern, for whose hosts alone this holds; nil for all that have no replacement of their own.
    public func replacing(
        _ id: String, with serializer: some ResponseSerializer, host: String? = nil
    ) throws(ManifestFailure) -> SerializerRegistry {
        let name = "replacing(\(id))"
        guard compiled.entries[id] != nil else {
            throw ManifestFailure(
                .unknownEntry, file: name, "there is no entry \(Quoted(id))",
                suggestion: Spelling.nearest(to: id, in: compiled.entries.keys.sorted()))
        }
        var pattern: HostPattern?
        if let host {
            do throws(PatternFailure) {
                pattern = try HostPattern(pattern: host)
            } catch {
                throw ManifestFailure(.invalidHost, file: name, error.reason, suggestion: error.suggestion)
            }
        }
        var recipe = compiled.recipe
        recipe.replacements.removeAll { $0.id == id && $0.host == pattern }
        recipe.replacements.append(.init(id: id, host: pattern, serializer: serializer))
        return try RegistryBuilder.registry(recipe, [])
    }
}

extension EntryMatch {
    fileprivate var json: JSON {
        var members: [(String, JSON)] = []
        if let types { members.append(("types", .array(types.map { JSON($0) }))) }
        if let status { members.append(("status", .array(status.map { JSON($0) }))) }
        if let wanted { members.append(("wanted", JSON(wanted.rawValue))) }
        return .object(members)
    }
}
