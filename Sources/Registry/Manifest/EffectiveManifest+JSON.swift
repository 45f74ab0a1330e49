import PatchbayJSON
import PatchbayPlatform

extension EffectiveManifest {
    /// The combined content as one manifest.
    ///
    /// - Parameter hidden: for each entry id, the ids of the entries that it hides without `hides`. In a single
    ///   manifest, the entry needs them in `hides`.
    /// - Returns: the manifest, which gives an equal registry over any other manifest, and the part of it that the
    ///   digest covers. That part is equal for equal tables, whatever their layers are.
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
        var members = section.settings.json.withoutNotes.object?.map { ($0.key, $0.value) } ?? []
        if let place = members.firstIndex(where: { $0.0 == "without" }) {
            members[place].1 = .array(section.without.inOrder().map { JSON($0) })
        }
        if !section.mixed.isEmpty || hostSection(under: section)?.mixed.isEmpty == false {
            // The merged settings have no `order`. `use` lists the resulting table in full.
            members.removeAll { ["use", "inherit"].contains($0.0) }
            members.append(("use", .array(ids(of: section).map { JSON($0) })))
        }
        if !section.entries.isEmpty { members.append(("plugins", list(section.entries, hidden))) }
        return .object(members)
    }
}

extension EffectiveManifest.Section {
    /// The ids of a list such as `use`, in order; nil if there is no such list.
    package func strings(_ key: String) -> [String]? { settings.strings(key) }

    /// The ids of the extended and the global entries that the section leaves out.
    var without: Set<String> { Set(strings("without") ?? []) }

    var inherits: Bool { settings.json["inherit"]?.bool ?? true }
}

extension JSON {
    /// The value without members whose keys start with `x-`. `options` are kept, because they belong to the factory.
    ///
    /// The limits of a manifest bound the recursion.
    fileprivate var withoutNotes: JSON {
        if let array { return .array(array.map(\.withoutNotes)) }
        guard let object else { return self }
        return .object(
            object.filter { !$0.key.hasPrefix("x-") }.map { key, value in
                (key, key == "options" ? value : value.withoutNotes)
            })
    }
}
