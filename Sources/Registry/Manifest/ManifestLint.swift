/// Finds entries that an earlier one hides, so that they never serialize anything.
///
/// Within one list of one file that is an error. Across files, or of a global entry by a host section, it is what overlays and
/// host sections are for: a note. So it is where the earlier entry says that it is meant.
struct ManifestLint {
    private let layers: [ManifestLayer]
    private(set) var issues: [ManifestFailure.Issue] = []
    private(set) var notes: [ManifestFailure.Issue] = []
    /// What entries hide of earlier manifests without saying so, by their ids: in one file they would have to say it.
    private(set) var unsaid: [String: [String]] = [:]

    init(_ layers: [ManifestLayer]) { self.layers = layers }

    /// Checks a list, and what it hides of the one that follows it.
    mutating func check(_ list: [RegistryBuilder.Built], before following: [RegistryBuilder.Built] = []) {
        var earlier = ShadowedEntries()
        for built in list {
            if let hider = earlier.hider(of: built.entry) { report(built, hiddenBy: hider) }
            earlier.add(built)
        }
        guard !list.isEmpty else { return }
        for built in following {
            if let hider = earlier.hider(of: built.entry) {
                let host = hider.entry.hostSection.map { " for the host \(Quoted($0))" } ?? ""
                note(built, "is hidden\(host) by \(name(hider))")
            }
        }
    }

    private mutating func report(_ built: RegistryBuilder.Built, hiddenBy hider: RegistryBuilder.Built) {
        let layers = Set((built.origins + hider.origins).map(\.layer))
        guard layers.count == 1, let layer = layers.first, let origin = built.origins.first,
            !hider.hides.contains(built.entry.id)
        else {
            if !hider.hides.contains(built.entry.id) { unsaid[hider.entry.id, default: []].append(built.entry.id) }
            return note(built, "is hidden by \(name(hider))")
        }
        issues.append(
            self.layers[layer].issue(
                .hiddenEntry, origin.pointer,
                "the entry \(Quoted(built.entry.id)) is never reached: \(name(hider)) comes first and covers all of it")
        )
    }

    private mutating func note(_ built: RegistryBuilder.Built, _ what: String) {
        notes.append(
            ManifestFailure.Issue(
                .hiddenEntry, file: built.entry.file, pointer: built.entry.pointer,
                "the entry \(Quoted(built.entry.id)) \(what)"))
    }

    private func name(_ built: RegistryBuilder.Built) -> String {
        "\(Quoted(built.entry.id)) at \(built.entry.pointer) of \(built.entry.file)"
    }
}
