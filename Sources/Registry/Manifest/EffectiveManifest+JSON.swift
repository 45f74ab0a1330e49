import PatchbayJSON

extension EffectiveManifest {
    /// The same as one manifest, which gives an equal registry wherever it is laid.
    var json: JSON { .object([("manifestVersion", JSON(ManifestReader.version)), ("inherit", false)] + content) }

    /// What a digest names: the same table by whatever layers.
    var digested: JSON { .object([("manifestVersion", JSON(ManifestReader.version))] + content) }

    private var content: [(String, JSON)] {
        var members: [(String, JSON)] = []
        if policy.json.count > 0 { members.append(("policy", policy.json.withoutNotes)) }
        if aliases.json.count > 0 { members.append(("aliases", aliases.json)) }
        members.append(("plugins", .array(entries.map(\.value.json.withoutNotes))))
        if !sections.isEmpty {
            members.append(("hosts", .object(sections.map { ($0.pattern.canonical, $0.json) })))
        }
        return members
    }

    /// The policy of a host: its own, merged over the global one.
    func policy(of section: Section) -> JSON {
        guard let own = section.settings.json["policy"], own.kind == .object else { return policy.json }
        return policy.json.mergePatched(by: own)
    }
}

extension EffectiveManifest.Section {
    /// The ids that `use` names, in its order; nil where there is no such list.
    var use: [String]? { settings.json["use"]?.array.map { $0.compactMap(\.string) } }

    var inherits: Bool { settings.json["inherit"]?.bool ?? true }

    /// What the section takes over from the global list.
    func inherited(from global: [RegistryEntry]) -> [RegistryEntry] {
        guard let use else { return inherits ? global : [] }
        let entries = Dictionary(global.map { ($0.id, $0) }) { first, _ in first }
        return use.compactMap { entries[$0] }
    }

    fileprivate var json: JSON {
        var members = settings.json.withoutNotes.object.map(Array.init)?.filter { $0.key != "plugins" } ?? []
        if !entries.isEmpty { members.append(("plugins", .array(entries.map(\.value.json.withoutNotes)))) }
        return .object(members.map { ($0.key, $0.value) })
    }
}

extension JSON {
    /// The value without members whose keys start with `x-`. What is in `options` belongs to a factory and stays.
    ///
    /// The depth is bounded by what a manifest may have.
    fileprivate var withoutNotes: JSON {
        if let array { return .array(array.map(\.withoutNotes)) }
        guard let object else { return self }
        return .object(
            object.filter { !$0.key.hasPrefix("x-") }.map { key, value in
                (key, key == "options" ? value : value.withoutNotes)
            })
    }
}
