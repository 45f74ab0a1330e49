/// Checks what names something else in the effective manifest: ids in policies and in `use`, and ids that must be unique.
struct ReferenceCheck {
    private let layers: [ManifestLayer]
    private let manifest: EffectiveManifest
    private let globalIDs: [String]
    private(set) var issues: [ManifestFailure.Issue] = []

    init(_ layers: [ManifestLayer], _ manifest: EffectiveManifest) {
        self.layers = layers
        self.manifest = manifest
        globalIDs = manifest.entries.map(\.id)
    }

    mutating func run() {
        checkUniqueness()
        checkPolicy(manifest.policy, at: "", ids: globalIDs)
        for section in manifest.sections {
            checkPolicy(section.settings, at: "/policy", ids: section.entries.map(\.id) + globalIDs)
            checkUse(section)
            if section.use != nil && !section.inherits {
                report(
                    .conflictingKeys, section.settings, "/inherit",
                    "\"use\" picks from the global list and \"inherit\": false drops it; write one of the two")
            }
        }
    }

    /// Within one file the reader has checked this; here it is about an id in different lists of different files.
    private mutating func checkUniqueness() {
        var first: [String: Int] = [:]
        var count = 0
        for list in [manifest.entries] + manifest.sections.map(\.entries) {
            for entry in list {
                count += 1
                guard let layer = entry.value.origins.first?.layer else { continue }
                guard let other = first.updateValue(layer, forKey: entry.id), other != layer else { continue }
                // The later file is the one that had the choice.
                let place = layer > other ? entry : self.entry(entry.id, ofLayer: other) ?? entry
                report(
                    .duplicateID, place.value, "/id",
                    "the id \(Quoted(entry.id)) is taken by an entry of another list in \(layers[min(layer, other)].source.name)"
                )
            }
        }
        guard count > ManifestReader.maximumEntries, let last = layers.last else { return }
        issues.append(
            last.issue(
                .tooManyEntries, "",
                "with this manifest there are \(count) entries, and \(ManifestReader.maximumEntries) are allowed"))
    }

    private func entry(_ id: String, ofLayer layer: Int) -> EffectiveManifest.Entry? {
        ([manifest.entries] + manifest.sections.map(\.entries)).flatMap(\.self).first { entry in
            entry.id == id && entry.value.origins.first?.layer == layer
        }
    }

    private mutating func checkPolicy(_ value: LayeredJSON, at pointer: String, ids: [String]) {
        for key in ["noMatch", "missingContentType", "invalidContentType"] {
            let path = "\(pointer)/\(key)"
            guard let id = value.json.pointer(path)?.string, ManifestEntry.isValidID(id) else { continue }
            guard !ManifestEntry.reservedIDs.contains(id), !ids.contains(id) else { continue }
            report(
                .unknownEntry, value, path, "there is no entry \(Quoted(id)) here",
                suggestion: Spelling.nearest(to: id, in: ids + ["raw", "error"]))
        }
    }

    private mutating func checkUse(_ section: EffectiveManifest.Section) {
        var seen: Set<String> = []
        for (index, json) in (section.settings.json["use"]?.array ?? []).enumerated() {
            guard let id = json.string else { continue }
            if !globalIDs.contains(id) {
                report(
                    .unknownEntry, section.settings, "/use/\(index)",
                    "there is no entry \(Quoted(id)) in the global list",
                    suggestion: Spelling.nearest(to: id, in: globalIDs))
            } else if !seen.insert(id).inserted {
                report(.duplicateID, section.settings, "/use/\(index)", "the id \(Quoted(id)) is in the list twice")
            }
        }
    }

    private mutating func report(
        _ code: ManifestFailure.Issue.Code, _ value: LayeredJSON, _ path: String, _ message: String,
        suggestion: String? = nil
    ) {
        issues.append(layers.issue(code, value, path, message, suggestion: suggestion))
    }
}
