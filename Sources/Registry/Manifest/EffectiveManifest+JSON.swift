import PatchbayJSON

extension EffectiveManifest {
    /// The same as one manifest.
    ///
    /// - Parameter hidden: what entries hide without saying so, by their ids. One manifest has to say it.
    /// - Returns: the manifest that gives an equal registry wherever it is laid, and what a digest names: the same table by
    ///   whatever layers.
    func json(hiding hidden: [String: [String]]) -> (whole: JSON, digested: JSON) {
        let version = ("manifestVersion", JSON(ManifestReader.version))
        let content = content(hidden)
        return (.object([version, ("inherit", false)] + content), .object([version] + content))
    }

    private func content(_ hidden: [String: [String]]) -> [(String, JSON)] {
        var members: [(String, JSON)] = []
        if policy.json.count > 0 { members.append(("policy", policy.json.withoutNotes)) }
        if aliases.json.count > 0 { members.append(("aliases", aliases.json)) }
        members.append(("plugins", list(entries, hidden)))
        if !sections.isEmpty {
            members.append(("hosts", .object(sections.map { ($0.pattern.canonical, json(of: $0, hidden)) })))
        }
        return members
    }

    private func list(_ entries: [Entry], _ hidden: [String: [String]]) -> JSON {
        .array(
            entries.map { entry in
                let json = entry.value.json.withoutNotes
                guard let ids = hidden[entry.id] else { return json }
                let hides = (entry.value.strings("hides") ?? []) + ids
                return json.mergePatched(by: ["hides": .array(hides.map { JSON($0) })])
            })
    }

    private func json(of section: Section, _ hidden: [String: [String]]) -> JSON {
        var settings = settings(of: section)
        if !section.entries.isEmpty {
            settings.append(("plugins", list(section.entries, hidden)))
        }
        return .object(settings)
    }

    private func settings(of section: Section) -> [(String, JSON)] {
        let settings = section.settings.json.withoutNotes.object?.map { ($0.key, $0.value) } ?? []
        guard !section.mixed.isEmpty else { return settings }
        // An order leaves no trace but the table that came of it, which `use` can say in full.
        let use = JSON.array(ids(of: section).map { JSON($0) })
        return settings.filter { !["use", "inherit"].contains($0.0) } + [("use", use)]
    }
}

extension EffectiveManifest.Section {
    /// The ids of a list such as `use`, in its order; nil where there is no such list.
    package func strings(_ key: String) -> [String]? { settings.strings(key) }

    var inherits: Bool { settings.json["inherit"]?.bool ?? true }
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
