import PatchbayJSON

extension RegistryBuilder {
    /// The entry with its serializer; nil where something is wrong with it, which is reported.
    mutating func built(_ item: EffectiveManifest.Entry, section: String?) -> Built? {
        var reader = ManifestReader(isOverlay: true)
        guard let entry = reader.entry(item.value.json, at: "") else { return nil }
        checkTypes(entry, item)
        guard let factory = entry.factory else {
            if item.value.json["factory"] == nil {
                report(.missingKey, item.value, "/factory", "the entry \(Quoted(item.id)) needs the key \"factory\"")
            }
            return nil
        }
        var availability = Route.Availability.switchedOff
        var serializer: (any ResponseSerializer)?
        if entry.isEnabled {
            if let recipe = recipe.factories.recipe(named: factory) {
                serializer = made(recipe, entry, item)
                guard serializer != nil else { return nil }
                availability = .available
            } else if entry.isOptional {
                availability = .unavailable("factory \(factory) is not in this build")
                note(
                    .unavailableEntry, item,
                    "the entry \(Quoted(item.id)) always declines: factory \(factory) is not in this build")
            } else {
                let message = "the factory \(Quoted(factory)) of the entry \(Quoted(item.id)) is not registered"
                report(
                    .unknownFactory, item.value, "/factory", message,
                    suggestion: Spelling.nearest(to: factory, in: recipe.factories.names))
                return nil
            }
        }
        let origin = item.value.origins.first ?? .init(layer: 0, pointer: "")
        return Built(
            entry: RegistryEntry(
                id: item.id, factory: factory, coverage: entry.coverage, maximumBodyBytes: entry.maximumBodyBytes,
                onFailure: entry.onFailure, serializer: serializer.map(BoundSerializer.init),
                availability: availability,
                hostSection: section, file: recipe.layers[origin.layer].source.name, pointer: origin.pointer),
            origins: item.value.origins)
    }

    private mutating func made(
        _ recipe: SerializerRecipe, _ entry: ManifestEntry, _ item: EffectiveManifest.Entry
    ) -> (any ResponseSerializer)? {
        let limit = min(entry.maximumBodyBytes ?? .max, largestBody)
        switch recipe.make(entry.options, FactoryContext(entryID: entry.id, maximumBodyBytes: limit)) {
        case .success(let serializer): return serializer
        case .failure(.factory(let error)):
            report(
                .factoryFailed, item.value, "/options",
                "the factory \(Quoted(recipe.name)) refused the entry \(Quoted(item.id)): \(FailureReason(error))")
        case .failure(.options(let error as JSON.UnknownKeys)):
            for key in error.keys {
                let known =
                    key.known.isEmpty ? "no key is known here" : "known are \(QuotedList(key.known, quoted: false))"
                report(
                    .unknownOption, item.value, "/options" + key.pointer,
                    "the factory \(Quoted(recipe.name)) has no option \(Quoted(key.key)); \(known)",
                    suggestion: Spelling.nearest(to: key.key, in: key.known))
            }
        case .failure(.options(let error)):
            let path = (error as? DecodingError).map(FailureReason.path) ?? ""
            report(
                .invalidOption, item.value, "/options" + path,
                "the factory \(Quoted(recipe.name)) cannot read this option: \(FailureReason(error, isPlaced: false))")
        }
        return nil
    }

    /// An alias's source never reaches an entry, so that one that names it would never be chosen.
    private mutating func checkTypes(_ entry: ManifestEntry, _ item: EffectiveManifest.Entry) {
        for (index, range) in (entry.coverage.ranges ?? []).enumerated() {
            guard case .exact(let essence) = range.kind, let target = aliases[essence] else { continue }
            report(
                .aliasedType, item.value, "/match/types/\(index)",
                "\(Quoted(essence)) is an alias of \(Quoted(target.essence)), so it never matches",
                suggestion: target.essence)
        }
    }

    private mutating func note(_ code: ManifestNote.Code, _ item: EffectiveManifest.Entry, _ message: String) {
        let origin = item.value.origins.first ?? .init(layer: 0, pointer: "")
        notes.append(
            ManifestNote(
                code: code, file: recipe.layers[origin.layer].source.name, pointer: origin.pointer, message: message))
    }
}
