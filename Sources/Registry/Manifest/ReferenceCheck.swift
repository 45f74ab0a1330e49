import PatchbayJSON

/// Checks the references in the effective manifest: ids in policies, `use`, `without` and `hides`, and patterns in
/// `extends`. It also checks that ids are unique.
struct ReferenceCheck {
    private let layers: [ManifestLayer]
    private let manifest: EffectiveManifest
    private let globalIDs: [String]
    private let allIDs: [String]
    /// After this number of faults, lists of ids are not checked: each fault costs another reading of the text, to find
    /// its line.
    private static let maximumIssues = 1000

    private(set) var issues: [ManifestFailure.Issue] = []

    init(_ layers: [ManifestLayer], _ manifest: EffectiveManifest) {
        self.layers = layers
        self.manifest = manifest
        globalIDs = manifest.entries.map(\.id)
        allIDs = globalIDs + manifest.sections.flatMap(\.entries).map(\.id)
    }

    mutating func run() {
        checkUniqueness()
        checkPolicy(manifest.policy, at: "", ids: globalIDs)
        for entry in manifest.entries + manifest.sections.flatMap(\.entries) {
            checkIDs("hides", entry.value, among: allIDs)
        }
        for section in manifest.sections {
            let extended = manifest.extended(by: section).map(\.id)
            let ids = section.entries.map(\.id) + extended + globalIDs
            checkPolicy(section.settings, at: "/policy", ids: ids)
            checkExtended(section)
            checkIDs("use", section.settings, among: ids, of: "the global list")
            checkIDs("hides", section.settings, among: allIDs)
            if section.settings.json["use"] != nil && !section.inherits {
                report(
                    .conflictingKeys, section.settings, "/inherit",
                    "\"use\" picks from the global list and \"inherit\": false drops it; write one of the two")
            }
        }
    }

    /// Reports an id that lists of different files have in common. The reader has checked the ids within one file.
    private mutating func checkUniqueness() {
        var first: [String: Int] = [:]
        var count = 0
        for list in [manifest.entries] + manifest.sections.map(\.entries) {
            for entry in list {
                count += 1
                guard let layer = entry.value.origins.first?.layer else { continue }
                guard let other = first.updateValue(layer, forKey: entry.id), other != layer else { continue }
                // The fault is reported in the later file, because its author could have chosen another id.
                let (later, earlier) = layer > other ? (layer, other) : (other, layer)
                let place = self.entry(entry.id, ofLayer: later) ?? entry
                let factory = self.entry(entry.id, ofLayer: earlier)?.value.json["factory"]?.string
                report(
                    .duplicateID, place.value, "/id",
                    "the id \(Quoted(entry.id)) is taken by an entry of another list in \(layers[earlier].source.name); "
                        + "an entry is changed in its own list, and another one here needs a new id"
                        + (factory.map { " and \"factory\": \(Quoted($0))" } ?? ""))
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

    private mutating func checkExtended(_ section: EffectiveManifest.Section) {
        guard let name = section.settings.json["extends"]?.string else {
            guard section.strings("without") != nil else { return }
            return report(
                .conflictingKeys, section.settings, "/without",
                "\"without\" leaves out entries of what \"extends\" names, and this section extends nothing")
        }
        guard let pattern = try? HostPattern(pattern: name), pattern.isWildcard else { return }
        guard pattern != section.pattern else {
            return report(.invalidValue, section.settings, "/extends", "a section cannot extend itself")
        }
        guard let other = manifest.sections.first(where: { $0.pattern == pattern }) else {
            let wildcards = manifest.sections.map(\.pattern).filter { $0.isWildcard && $0 != section.pattern }
            return report(
                .unknownHost, section.settings, "/extends", "there is no section of the hosts \(Quoted(name))",
                suggestion: Spelling.nearest(to: name, in: wildcards.map(\.canonical)))
        }
        checkIDs("without", section.settings, among: other.entries.map(\.id), of: "the section of \(Quoted(name))")
    }

    /// Checks a list of ids: each must be known, and occur once.
    private mutating func checkIDs(
        _ key: String, _ value: LayeredJSON, among known: [String], of owner: String? = nil
    ) {
        guard let list = value.json[key]?.array, !list.isEmpty else { return }
        let all = Set(known)
        var seen: Set<String> = []
        for (index, json) in list.enumerated() where issues.count < Self.maximumIssues {
            guard let id = json.string else { continue }
            if !all.contains(id) {
                let place = owner.map { " in \($0)" } ?? ""
                report(
                    .unknownEntry, value, "/\(key)/\(index)", "there is no entry \(Quoted(id))\(place)",
                    suggestion: Spelling.nearest(to: id, in: known))
            } else if !seen.insert(id).inserted {
                report(.duplicateID, value, "/\(key)/\(index)", "the id \(Quoted(id)) is in the list twice")
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
