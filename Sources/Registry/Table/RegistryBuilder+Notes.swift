import PatchbayJSON

extension RegistryBuilder {
    /// A note for each factory without an entry.
    func unusedFactories() -> [ManifestFailure.Issue] {
        let used = Set(manifest.everyEntry.compactMap { $0.value.json["factory"]?.string })
        // `raw` has no format: few tables need it.
        return recipe.factories.names.filter { !used.contains($0) && $0 != "raw" }.map { name in
            ManifestFailure.Issue(
                .unusedFactory, file: "factories", pointer: "",
                "no entry uses the factory \(Quoted(name))")
        }
    }

    /// A note for each entry whose options a manifest sets without effect, because code gave all serializers of the entry.
    func ineffectiveOptions(_ entries: [Built]) -> [ManifestFailure.Issue] {
        entries.filter { $0.settings.options != [:] }.compactMap { built in
            let code = recipe.replacements.filter { $0.id == built.entry.id && $0.host == nil }.map(\.serializer)
            guard !code.isEmpty,
                recipe.layers[built.value.origin(of: "/options", in: recipe.layers).layer].isReloadable,
                built.entry.serializer == nil || code.contains(where: { $0 is any ResponseSerializer }),
                built.entry.writer == nil || code.contains(where: { $0 is any RequestSerializer })
            else { return nil }
            let message =
                "the entry \(Quoted(built.entry.id)) has its serializer from code, so its options have no effect"
            return recipe.layers.issue(.ineffectiveOptions, built.value, "/options", message)
        }
    }

    /// A note for each section in which no entry writes `requestContentType`.
    func unwritableTypes(in sections: HostSections) -> [ManifestFailure.Issue] {
        let key = "requestContentType"
        var notes: [ManifestFailure.Issue] = []
        if manifest.policy.json[key]?.string != nil, let message = unwritableType(in: sections.general) {
            notes.append(recipe.layers.issue(.unwritableContentType, manifest.policy, "/\(key)", message))
        }
        for (said, section) in zip(manifest.sections, sections.all.dropFirst()) {
            let without = said.without
            let leftOut = sections.general.table.entries.filter { without.contains($0.id) }
            guard let message = unwritableType(in: section, leftOut) else { continue }
            let path = "/policy/\(key)"
            let isOwn = said.settings.json.pointer(path)?.string != nil
            notes.append(
                recipe.layers.issue(.unwritableContentType, said.settings, isOwn ? path : "", message))
        }
        return notes
    }

    /// The reason that no value can be sent to the hosts of a section without naming a media type; nil if a value can
    /// be sent.
    /// - Parameter leftOut: the entries of the global list that the section leaves out.
    private func unwritableType(in section: HostSection, _ leftOut: [RegistryEntry] = []) -> String? {
        let type = section.policy.requestContentType
        let matched = aliases.matched(type)
        let covering = section.table.entries.filter {
            $0.availability != .switchedOff && $0.coverage.coversType(matched)
        }
        guard !covering.contains(where: { $0.writer != nil }) else { return nil }
        let hosts = section.name.map { " for the host \(Quoted($0))" } ?? ""
        let silenced = covering.first { $0.serializer?.serializer is any RequestSerializer }
        let remedy =
            silenced.map { "remove \"writes\": false from the entry \(Quoted($0.id))" }
            ?? leftOut.first { $0.writer != nil && $0.coverage.coversType(matched) }
            .map { "take \(Quoted($0.id)) out of \"without\"" } ?? "add an entry that writes it"
        return
            "no entry writes \(Quoted(type.description))\(hosts): a value that is sent there without \"in:\" fails with noWriter; "
            + "\(remedy), or set another \"requestContentType\""
    }
}
