/// The answer of one entry to a look-up: it is chosen, or the rule that excludes it.
enum Verdict: Sendable, Hashable {
    case chosen
    /// The request excludes the entry.
    case excluded
    /// The entry has unwrapped this body already.
    case unwrapped
    case switchedOff
    /// The factory of the entry is not in this build.
    case unavailable
    /// The entry only writes, and the look-up is for a reader; or it only reads, and the look-up is for a writer.
    case oneSided
    case type
    /// The entry is for the media type with other parameters.
    case parameter
    case status
    /// The entry is only for calls that want elements.
    case wish
    /// The serializer makes another type, or writes only whole values.
    case unfit
    /// The entry makes one value, and another entry yields the elements that the call wants.
    case behind
    /// The serializer declined.
    case declined
    /// The registry has no entry of the id.
    case unknown
}

/// A look-up in the table of one host: of the entry that reads a response, or of the entry that writes a body.
///
/// A serializer is asked once whether it declines, and its answer is kept. All other rules can be applied again, when
/// somebody reads the reasons.
protocol TableLookup {
    var registry: SerializerRegistry { get }
    var section: HostSection { get }
    /// The media type of the response or of the body.
    var contentType: ContentType { get }

    /// The rule that excludes an entry whatever the type is; nil if there is none.
    func refusal(of entry: RegistryEntry) -> Verdict?
    /// The verdict about an entry that covers the type, before its serializer is asked.
    func verdict(ofCovering entry: RegistryEntry) -> Verdict
    /// The reason of a verdict, in plain words.
    func reason(_ verdict: Verdict, of entry: RegistryEntry) -> String
}

struct ConsideredEntry {
    let id: String
    /// Nil for a serializer that the request brought, and for an unknown id.
    var entry: RegistryEntry?
    let verdict: Verdict
    let reason: String
    /// Whether the entry covers the media type with any parameters, or is named by the request or a policy.
    var isNear = true
}

extension TableLookup {
    var matchedType: MediaType? { registry.compiled.matched(contentType) }

    /// The verdict about an entry of the table.
    /// - Parameter declined: the reasons of the serializers that declined, by entry id.
    func verdict(of entry: RegistryEntry, _ declined: [String: String], checksType: Bool = true) -> Verdict {
        if let refusal = refusal(of: entry) { return refusal }
        if checksType {
            switch entry.coverage.fit(matchedType) {
            case .outside: return .type
            case .otherParameters: return .parameter
            case .covered: break
            }
        }
        let verdict = verdict(ofCovering: entry)
        return verdict == .chosen && declined[entry.id] != nil ? .declined : verdict
    }

    func considered(_ entry: RegistryEntry, _ declined: [String: String]) -> ConsideredEntry {
        let verdict = verdict(of: entry, declined)
        return ConsideredEntry(
            id: entry.id, entry: entry, verdict: verdict, reason: declined[entry.id] ?? reason(verdict, of: entry),
            isNear: entry.coverage.fit(matchedType) != .outside)
    }

    /// The reason of a verdict that is the same for reading and for writing.
    func sharedReason(_ verdict: Verdict, of entry: RegistryEntry) -> String {
        switch (verdict, entry.availability) {
        case (.excluded, _): "the request excludes it"
        case (.unwrapped, _): "it has unwrapped this body already"
        case (.switchedOff, _): "it is switched off"
        case (.unavailable, .unavailable(let reason)): reason
        case (.type, _), (.parameter, _):
            entry.coverage.typeGap(contentType, seenAs: matchedType)
        default: "it declined"
        }
    }

    /// The considered entries in the sentence of an error: those that cover the type, and the number of the rest.
    func asked(_ rows: [Decision.Candidate], _ words: (Decision.Candidate) -> String) -> String {
        entries(rows, words) + (bypassed ?? "")
    }

    private func entries(_ rows: [Decision.Candidate], _ words: (Decision.Candidate) -> String) -> String {
        let near = rows.filter(\.isNear)
        let rest = rows.count - near.count
        let subject = contentType.mediaType == nil ? "such a response" : "this type"
        switch (near.count, rest) {
        case (0, 0): return section.table.entries.isEmpty ? "there are no entries" : "no entry was asked"
        case (0, 1): return "the only entry, \(rows[0].entry), does not cover \(subject)"
        case (0, _): return "none of the \(rest) entries covers \(subject)"
        default:
            let type = contentType.mediaType.map { "\(ShownType($0))" } ?? subject
            let others = rest == 0 ? "" : ", and \(rest) that \(rest == 1 ? "does" : "do") not cover \(type)"
            return "asked: \(QuotedList(near.map(words), quoted: false))\(others)"
        }
    }

    /// The entries of a wider section of the host that cover the type, and that this section does not have; nil for none.
    private var bypassed: String? {
        guard let pattern = section.pattern else { return nil }
        return registry.compiled.sections.all.lazy.compactMap { wider -> String? in
            guard let place = wider.pattern, place != pattern, place.covers(pattern) else { return nil }
            let lost = wider.table.entries.filter { entry in
                entry.hostSection == wider.name && entry.availability == .available
                    && section.table.entry(entry.id) == nil && entry.coverage.fit(matchedType) != .outside
            }
            guard !lost.isEmpty else { return nil }
            let ids = QuotedList(lost.map(\.id), quoted: false)
            return "; not asked: \(ids) of \(place.canonical), whose section does not apply here"
        }.first
    }
}
