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
    static let maximumIssues = 1000
    /// The keys of a policy that can name an entry.
    private static let fallbacks = ["noMatch", "missingContentType", "invalidContentType"]

    private(set) var issues: [ManifestFailure.Issue] = []

    init(_ layers: [ManifestLayer], _ manifest: EffectiveManifest) {
        self.layers = layers
        self.manifest = manifest
        globalIDs = manifest.entries.map(\.id)
        allIDs = manifest.everyEntry.map(\.id)
    }

    mutating func run() {
        checkUniqueness()
        checkPolicy(manifest.policy, at: "", ids: globalIDs)
        for entry in manifest.everyEntry {
            checkIDs("hides", entry.value, among: allIDs)
        }
        for section in manifest.sections {
            let host = manifest.hostSection(under: section)
            let extended = (host.map(manifest.leading) ?? manifest.section(extendedBy: section)?.entries ?? []).map(
                \.id)
            let ids = section.entries.map(\.id) + extended + globalIDs
            checkPolicy(section.settings, at: "/policy", ids: ids)
            if checkExtended(section) { checkLeftOut(section, over: host, among: extended + globalIDs) }
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
        var first: [String: LayeredJSON] = [:]
        for entry in manifest.everyEntry {
            guard let other = first.updateValue(entry.value, forKey: entry.id),
                other.first.layer != entry.value.first.layer
            else { continue }
            // The fault is reported in the later file, because its author could have chosen another id.
            let isLater = entry.value.first.layer > other.first.layer
            let (later, earlier) = isLater ? (entry.value, other) : (other, entry.value)
            let isOfHost = later.first.pointer.hasPrefix("/hosts/") && globalIDs.contains(entry.id)
            let advice =
                (isOfHost ? ManifestEntry.adviceToLeaveOut(later.json) : nil)
                ?? "an entry is changed in its own list, and another one here needs a new id"
                + (earlier.json["factory"]?.string.map { " and \"factory\": \(Quoted($0))" } ?? "")
            report(
                .duplicateID, later, "/id",
                "the id \(Quoted(entry.id)) is taken by an entry of another list in "
                    + "\(layers[earlier.first.layer].source.name); \(advice)")
        }
        guard allIDs.count > ManifestReader.maximumEntries, let last = layers.last else { return }
        issues.append(
            last.issue(
                .tooManyEntries, "",
                "with this manifest there are \(allIDs.count) entries, and \(ManifestReader.maximumEntries) are allowed"
            ))
    }

    private mutating func checkPolicy(_ value: LayeredJSON, at pointer: String, ids: [String]) {
        for key in Self.fallbacks {
            let path = "\(pointer)/\(key)"
            guard let id = value.json.pointer(path)?.string, ManifestEntry.isValidID(id) else { continue }
            guard !ManifestEntry.reservedIDs.contains(id), !ids.contains(id) else { continue }
            report(
                .unknownEntry, value, path, "there is no entry \(Quoted(id)) here",
                suggestion: Spelling.nearest(to: id, in: ids + ["raw", "error"]))
        }
    }

    /// Returns whether the section extends none, or one that there is.
    private mutating func checkExtended(_ section: EffectiveManifest.Section) -> Bool {
        guard section.pattern.path.isEmpty, let name = section.settings.json["extends"]?.string else { return true }
        guard let pattern = (try? HostPattern(pattern: name)).map({ SectionKey($0) }) else { return false }
        if pattern == section.pattern {
            report(.invalidValue, section.settings, "/extends", "a section cannot extend itself")
        } else if !pattern.isWildcard || manifest.section(pattern) == nil {
            let wildcards = manifest.sections.map(\.pattern).filter {
                $0.isWildcard && $0.path.isEmpty && $0 != section.pattern
            }
            let around = pattern.isWildcard ? nil : pattern.narrowestOther(wildcards) { $0 }?.canonical
            let near = around ?? Spelling.nearest(to: name, in: wildcards.map(\.canonical))
            let fault =
                pattern.isWildcard
                ? "there is no section of the hosts \(Quoted(name))"
                : "\(Quoted(name)) is one host, and what a section extends is that of a wildcard"
            let others =
                near == nil && !wildcards.isEmpty ? "; there are \(QuotedList(wildcards.map(\.canonical)))" : ""
            report(
                pattern.isWildcard ? .unknownHost : .invalidHost, section.settings, "/extends", fault + others,
                suggestion: near)
        } else {
            return true
        }
        return false
    }

    /// Checks the ids of `without`. None of them is named by `use` or by the policy of the host: the entry would be asked
    /// after all.
    /// - Parameter host: the section of the host, if the section has a path.
    private mutating func checkLeftOut(
        _ section: EffectiveManifest.Section, over host: EffectiveManifest.Section?, among known: [String]
    ) {
        let other = section.settings.json["extends"]?.string.map { " or in the section of \(Quoted($0))" }
        checkIDs(
            "without", section.settings, among: known,
            of: section.pattern.path.isEmpty
                ? "the global list\(other ?? ", and this section extends no other")" : "the table of its host")
        let without = section.strings("without") ?? []
        let leftOut = section.without.union(host?.without ?? [])
        for (index, id) in (section.strings("use") ?? []).enumerated() where leftOut.contains(id) {
            report(
                .conflictingKeys, section.settings, "/use/\(index)",
                "\"without\" leaves out the entry \(Quoted(id)), and \"use\" names it; write it in one of the two")
        }
        for key in Self.fallbacks {
            let own = section.settings.json.pointer("/policy/\(key)")
            let inherited = host?.settings.json.pointer("/policy/\(key)") ?? manifest.policy.json[key]
            guard let id = (own ?? inherited)?.string, leftOut.contains(id) else { continue }
            let index = without.firstIndex(of: id)
            // What the section of the host says is reported there.
            guard own != nil || index != nil else { continue }
            report(
                .conflictingKeys, section.settings, own == nil ? "/without/\(index ?? 0)" : "/policy/\(key)",
                "\"without\" leaves out the entry \(Quoted(id)), and \(Quoted(key)) of the policy"
                    + (own == nil
                        ? " of the \(host == nil ? "top level" : "host") names it; set another in the policy of the section"
                        : " names it"))
        }
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
                let isHost = (try? HostPattern(pattern: id))?.isWildcard == true
                let place =
                    isHost
                    ? "; \"extends\": \(Quoted(id)) in a section asks the entries of these hosts there"
                    : owner.map { " in \($0)" } ?? ""
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
