/// Finds entries that earlier entries hide, so that they never read a response or write a request body.
///
/// A hidden entry is an error if both entries are in one list of one file. A hidden entry is only a note if the entries
/// are in two files, or if a host section hides a global entry, because overlays and host sections exist to hide
/// entries. A hidden entry that the earlier entry names in `hides` is only a note, too.
struct ManifestLint {
    private let layers: [ManifestLayer]
    private(set) var issues: [ManifestFailure.Issue] = []
    private(set) var notes: [ManifestFailure.Issue] = []
    /// For each id of an entry, the ids of the entries in other files that the entry hides without `hides`. If all
    /// entries were in one file, the entry would need these ids in `hides`.
    private(set) var unsaid: [String: [String]] = [:]

    init(_ layers: [ManifestLayer]) { self.layers = layers }

    /// Checks a list, and the entries of the following list that it hides.
    mutating func check(_ list: [RegistryBuilder.Built], before following: [RegistryBuilder.Built] = []) {
        var earlier = ShadowedEntries()
        for built in list {
            if let hiders = earlier.hiders(of: built.entry) {
                report(built, hiddenBy: hiders)
            } else if built.isMeantToWrite, let writer = built.entry.writer {
                checkWriting(built, writer, behind: earlier)
            }
            earlier.add(built)
        }
        guard !list.isEmpty else { return }
        for built in following {
            if let hiders = earlier.hiders(of: built.entry) { note(built, hiddenBy: hiders) }
        }
    }

    /// Notes an entry with `"writes": true` if an earlier writer covers all its types.
    private mutating func checkWriting(
        _ built: RegistryBuilder.Built, _ writer: BoundWriter, behind earlier: ShadowedEntries
    ) {
        if let hider = earlier.hider(of: writer, built.entry) {
            note(built, "is never asked to write: \(name(hider)) comes first and covers all its types")
        } else if let other = earlier.writer(before: writer, built.entry) {
            note(
                built,
                "writes only what \(Quoted(other.entry.id)) declines: \(name(other)) comes first and covers all its types"
            )
        }
    }

    private mutating func report(_ built: RegistryBuilder.Built, hiddenBy hiders: [RegistryBuilder.Built]) {
        let silent = hiders.filter { !$0.hides.contains(built.entry.id) }
        let layers = Set((built.origins + hiders.flatMap(\.origins)).map(\.layer))
        guard layers.count == 1, let layer = layers.first, let origin = built.origins.first, !silent.isEmpty else {
            for hider in silent { unsaid[hider.entry.id, default: []].append(built.entry.id) }
            return note(built, hiddenBy: hiders)
        }
        let names = hiders.map(name)
        let reason =
            if names.count > 1 {
                "is never reached: \(names[0]) comes first and covers all that it reads, and \(names[1]) all that it writes"
            } else if built.entry.serializer == nil {
                "is never asked to write: \(names[0]) comes first and covers all its types"
            } else {
                "is never reached: \(names[0]) comes first and covers all of it"
            }
        issues.append(
            self.layers[layer].issue(.hiddenEntry, origin.pointer, "the entry \(Quoted(built.entry.id)) \(reason)"))
    }

    private mutating func note(_ built: RegistryBuilder.Built, hiddenBy hiders: [RegistryBuilder.Built]) {
        let host =
            hiders.lazy.compactMap(\.entry.hostSection).first
            .map { built.entry.hostSection == nil ? " for the host \(Quoted($0))" : "" } ?? ""
        let names = hiders.map(name)
        if names.count > 1 {
            note(built, "is hidden\(host) by \(names[0]), which reads, and by \(names[1]), which writes")
        } else if built.entry.serializer == nil {
            note(built, "is never asked to write\(host): it is hidden by \(names[0])")
        } else {
            note(built, "is hidden\(host) by \(names[0])")
        }
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
