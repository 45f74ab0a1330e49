/// Finds entries that earlier entries hide, so that they never read a response or write a request body.
///
/// A hidden entry is an error if both entries are in one list of one file. A hidden entry is only a note if the entries
/// are in two files, or if a host section hides a global entry, because overlays and host sections exist to hide
/// entries. A hidden entry that the earlier entry names in `hides` is only a note, too; in a host section it is none.
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
        guard !list.isEmpty else { return }
        let hiding = HidingEntries(list)
        for (position, built) in list.enumerated() {
            if let hiders = hiding.hiders(of: built, before: position) {
                report(built, hiddenBy: hiders)
            } else if built.settings.writes == true, let writer = built.entry.writer {
                checkWriting(built, writer, hiding, before: position)
            }
        }
        for built in following {
            if let hiders = hiding.hiders(of: built, before: list.count),
                hiders.contains(where: { !$0.settings.hides.contains(built.entry.id) })
            {
                note(built, hiddenBy: hiders)
            }
        }
    }

    /// Notes an entry with `"writes": true` if an earlier writer covers all its types.
    private mutating func checkWriting(
        _ built: RegistryBuilder.Built, _ writer: BoundWriter, _ hiding: HidingEntries, before position: Int
    ) {
        if let hider = hiding.hider(of: writer, built, before: position) {
            note(built, "is never asked to write: \(name(hider)) comes first and covers all its types")
        } else if let other = hiding.writer(like: writer, built, before: position) {
            note(
                built,
                "writes only what \(Quoted(other.entry.id)) declines: \(name(other)) comes first and covers all its types"
            )
        }
    }

    private mutating func report(_ built: RegistryBuilder.Built, hiddenBy hiders: [RegistryBuilder.Built]) {
        let silent = hiders.filter { !$0.settings.hides.contains(built.entry.id) }
        let layers = Set(([built] + hiders).flatMap(\.value.origins).map(\.layer))
        guard layers.count == 1, !silent.isEmpty else {
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
        let origin = built.value.first
        issues.append(
            self.layers[origin.layer].issue(
                .hiddenEntry, origin.pointer, "the entry \(Quoted(built.entry.id)) \(reason)"))
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

/// A list of entries, which finds those that hide a later entry by looking up one of the types of that entry.
private struct HidingEntries {
    private let list: [RegistryBuilder.Built]
    private let table: RouteTable

    init(_ list: [RegistryBuilder.Built]) {
        self.list = list
        table = RouteTable(list.map(\.entry))
    }

    /// The entries before a position that hide an entry: the first one that hides its reading, and the first one that
    /// hides its writing. Nil if it can still read or write.
    func hiders(of built: RegistryBuilder.Built, before end: Int) -> [RegistryBuilder.Built]? {
        var hiders: [RegistryBuilder.Built] = []
        if let serializer = built.entry.serializer {
            guard let hider = hider(of: serializer, built, before: end) else { return nil }
            hiders.append(hider)
        }
        if let writer = built.entry.writer {
            guard let hider = hider(of: writer, built, before: end) else { return nil }
            if hiders.first?.entry.id != hider.entry.id { hiders.append(hider) }
        }
        return hiders.isEmpty ? nil : hiders
    }

    /// The first entry that covers all responses of an entry, has `"onFailure": "error"`, makes values of the same
    /// type, and yields the same elements.
    private func hider(
        of serializer: BoundSerializer, _ built: RegistryBuilder.Built, before end: Int
    ) -> RegistryBuilder.Built? {
        // An unwrapped body can have any type, and the entries before the unwrapping one don't read it.
        let start = list[..<end].lastIndex { $0.entry.serializer?.unwrapping != nil } ?? -1
        return first(covering: built, before: end) { position, other in
            position > start && other.onFailure == .error && other.serializer?.makesAll(of: serializer) == true
                // The output of a declared factory is unknown: two outputs are certainly equal only for the same
                // factory.
                && (serializer.output != DeclaredSerializer.Value.self || other.factory == built.entry.factory)
                && other.coverage.covers(built.entry.coverage)
        }
    }

    /// The first entry that covers all types of a writer and declines no value that the writer accepts.
    func hider(of writer: BoundWriter, _ built: RegistryBuilder.Built, before end: Int) -> RegistryBuilder.Built? {
        first(covering: built, before: end) { _, other in
            other.writer?.takesAll(of: writer) == true
                && (!(writer.serializer is DeclaredSerializer) || other.factory == built.entry.factory)
                && other.coverage.coversTypes(of: built.entry.coverage)
        }
    }

    /// The first entry that covers all types of a writer, but possibly declines some values.
    func writer(like writer: BoundWriter, _ built: RegistryBuilder.Built, before end: Int) -> RegistryBuilder.Built? {
        first(covering: built, before: end) { _, other in
            other.writer?.isOfSameKind(as: writer) == true && !(other.writer?.serializer is DeclaredSerializer)
                && other.coverage.coversTypes(of: built.entry.coverage)
        }
    }

    /// The first entry that covers an example of the types of another entry and meets a condition.
    private func first(
        covering built: RegistryBuilder.Built, before end: Int, where holds: (Int, RegistryEntry) -> Bool
    ) -> RegistryBuilder.Built? {
        var positions = table.positions(covering: built.example)
        while let position = positions.next(), position < end {
            if holds(position, list[position].entry) { return list[position] }
        }
        return nil
    }
}

extension Coverage {
    /// A type that the coverage includes, whatever its other types are.
    var example: MediaType? {
        let range = ranges?.first
        let essence =
            switch range?.alternatives.first {
            case .exact(let essence): essence
            case .topLevel(let type): "\(type)/x"
            case .suffix(let suffix): "x/x+\(suffix)"
            case .topLevelSuffix(let type, let suffix): "\(type)/x+\(suffix)"
            case .any, .group, nil: "x/x"
            }
        return MediaType(parsing: (range?.parameters ?? []).reduce(into: essence) { $0 += ";\($1)" })
    }
}

extension BoundSerializer {
    /// Whether this serializer makes values of the other serializer's type, and yields elements if the other one does.
    fileprivate func makesAll(of other: BoundSerializer) -> Bool {
        output == other.output && keepsBytes == other.keepsBytes && (other.element == nil || element != nil)
            && (other.elementDecoding == nil || elementDecoding != nil) && (other.lines == nil || lines != nil)
    }
}

extension BoundWriter {
    /// Whether both write whole values, or both write elements.
    fileprivate func isOfSameKind(as other: BoundWriter) -> Bool { (elements == nil) == (other.elements == nil) }

    /// Whether this writer declines no value that `other` accepts: both have the same type, or this writer declines
    /// nothing.
    fileprivate func takesAll(of other: BoundWriter) -> Bool {
        type(of: serializer) == type(of: other.serializer)
            || elements == nil && other.elements == nil && serializer is any NeverDecliningSerializer
    }
}
