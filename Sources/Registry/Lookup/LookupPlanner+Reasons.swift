extension LookupPlanner {
    /// Every entry that was considered for a plan of this planner, in order, with its verdict. Entries that are switched
    /// off are left out.
    func considered(for plan: LookupPlan) -> [ConsideredEntry] {
        var rows: [ConsideredEntry]
        switch using {
        case .serializer(let serializer)?:
            let candidate = BoundSerializer(serializer)
            let isChosen = plan.first != nil
            rows = [
                ConsideredEntry(
                    id: candidate.name, verdict: isChosen ? .chosen : .unfit,
                    reason: isChosen ? "the request brought it" : mismatch(candidate))
            ]
        case .entry(let id)?:
            guard let entry = entry(id) else {
                return [ConsideredEntry(id: id, verdict: .unknown, reason: "there is no entry of this id")]
            }
            rows = [considered(entry, as: .named, plan)]
        case nil where plan.ending == .bytes: return []
        case nil: rows = matched(plan)
        }
        guard let last = plan.endingPolicy else { return rows }
        for rule in policies(afterCandidates: rows.contains { $0.verdict == .chosen }) {
            guard case .entry(let id) = rule.fallback else { break }
            if !rows.contains(where: { $0.id == id && $0.verdict == .chosen }), let entry = policyEntry(id) {
                rows.append(considered(entry, as: .policy(rule.key), plan))
            }
            if rule.key == last { break }
        }
        return rows
    }

    /// The entries of the table up to the one that closes the plan.
    private func matched(_ plan: LookupPlan) -> [ConsideredEntry] {
        var rows: [ConsideredEntry] = []
        var waiting: [ConsideredEntry] = []
        for entry in section.table.entries.dropFirst(unwrapping?.start ?? 0) where entry.availability != .switchedOff {
            let row = considered(entry, plan.declined)
            guard row.verdict == .chosen, let serializer = entry.serializer else {
                rows.append(row)
                continue
            }
            if waits(serializer) {
                if plan.has(entry.id) {
                    waiting.append(row)
                } else if let other = plan.candidates.first(where: wanted.isYielded) {
                    rows.append(
                        ConsideredEntry(
                            id: entry.id, entry: entry, verdict: .behind,
                            reason: "it makes one value, and \(other.name) yields the elements"))
                }
                continue
            }
            if serializer.endsWait {
                rows += waiting
                waiting = []
            }
            guard plan.has(entry.id) else { return rows }
            rows.append(row)
            if plan.isClosed, plan.candidates.last?.entry == entry.id { return rows }
        }
        return rows + waiting
    }

    /// An entry that the request or a policy names.
    private func considered(_ entry: RegistryEntry, as role: Role, _ plan: LookupPlan) -> ConsideredEntry {
        let verdict: Verdict
        let named: String
        if case .policy(let key) = role {
            verdict = self.verdict(of: entry, plan.declined, checksType: false)
            named = "the policy's \(key.rawValue) names it"
        } else {
            verdict = entry.serializer.map { wanted.canCome(from: $0) ? .chosen : .unfit } ?? entry.absence
            named = "the request names it"
        }
        let reason = verdict == .chosen ? named : plan.declined[entry.id] ?? self.reason(verdict, of: entry)
        return ConsideredEntry(id: entry.id, entry: entry, verdict: verdict, reason: reason)
    }

    func reason(_ verdict: Verdict, of entry: RegistryEntry) -> String {
        switch verdict {
        case .chosen: "covers \(subject)" + (entry.serializer.map(addition) ?? "")
        case .oneSided: "it only writes requests"
        case .status: entry.coverage.statusGap(head.status)
        case .wish: "it is for elements or an array of them, not for \(wanted)"
        case .unfit: entry.serializer.map(mismatch) ?? "it declined"
        default: sharedReason(verdict, of: entry)
        }
    }

    /// The clause about an unusual use of the body: unwrapping it, keeping it, or making elements from it.
    private func addition(_ serializer: BoundSerializer) -> String {
        if serializer.unwrapping != nil { return ", and unwraps it" }
        if serializer.keepsBytes { return ", and gives its bytes" }
        guard wanted.isElements else { return "" }
        return wanted.isYielded(by: serializer) ? ", and yields its elements" : ", and makes one value of it"
    }

    private func mismatch(_ serializer: BoundSerializer) -> String {
        if serializer.serializer is DeclaredSerializer {
            return "its factory is only declared: whether it makes \(wanted) is known to its program alone"
        }
        let isDecoding =
            (serializer.decoding != nil && [.value, .elements].contains(wanted.kind))
            || (serializer.elementDecoding != nil && wanted.kind == .elements)
        let option = wanted.decodable.flatMap { _ in (serializer.serializer as? any DecodingByOption)?.decodingOption }
        return "it makes \(shownName(of: serializer.output)), not \(wanted)"
            + (isDecoding ? ", which is not Decodable" : "")
            + (option.map { "; its option \($0) has it decode any Decodable" } ?? "")
    }

    private var subject: String { "\(ShownType(head.contentType)) with status \(head.status)" }
}

/// The advice in the sentence of a failure.
extension LookupPlanner {
    /// The first that holds: the reason of an entry for this media type but another status, parameter or wish; the ways
    /// to have an entry for other media types read the response; the reason of an entry that covers the response.
    func advice(for plan: LookupPlan) -> String {
        let rows = considered(for: plan)
        func declined(_ row: ConsideredEntry, _ remedy: String = "") -> String {
            ": \(row.id) declined, \(row.reason)\(remedy)"
        }
        for row in rows {
            switch row.verdict {
            case .wish: return declined(row, "; ask for an array or a stream")
            case .parameter: return declined(row)
            case .status where row.entry?.serializer.map(wanted.canCome) == true: return declined(row)
            default: continue
            }
        }
        if let maker = makerOfOtherTypes { return "; to have \(maker) read it, set \(ways(to: maker))" }
        return rows.first { isClose($0) }.map { declined($0) } ?? ""
    }

    private func isClose(_ row: ConsideredEntry) -> Bool {
        switch row.verdict {
        case .chosen, .type, .status: return false
        case .excluded, .unwrapped, .switchedOff, .unavailable, .oneSided:
            return using != nil || row.isNear && row.entry?.coverage.status.contains(head.status) != false
        default: return true
        }
    }

    /// The id of the first entry that makes the value of `wanted`, but from other media types than that of this
    /// response. An entry for JSON comes before the others, because most bodies with a wrong type are JSON.
    ///
    /// Nil if there is no such entry, if the request chose a serializer, if the status is not acceptable, or if the
    /// body was unwrapped. Also nil if the media type names a format, or if an entry covers it: then the media type is
    /// trusted. Entries that make text do not count as covering the media type, because many things are sent as
    /// `text/html` or `text/plain`.
    private var makerOfOtherTypes: String? {
        guard wanted.kind == .value || wanted.kind == .elements, isAcceptable, override.using == nil, unwrapping == nil
        else { return nil }
        let mediaType = registry.compiled.matched(head.contentType)
        if let mediaType, Self.namesFormat(mediaType) { return nil }
        var makers: [RegistryEntry] = []
        for entry in section.table.entries
        where entry.coverage.status.contains(head.status) && entry.coverage.coversWish(wanted)
            && entry.availability != .switchedOff && !override.excludes(entry.id)
        {
            if entry.serializer?.unwrapping != nil { continue }
            if entry.coverage.coversType(mediaType), entry.serializer?.output != String.self { return nil }
            if let serializer = entry.serializer, wanted.canCome(from: serializer) { makers.append(entry) }
        }
        return (makers.first { $0.coverage.coversType(.json) } ?? makers.first)?.id
    }

    /// Whether a media type says that its content has another format than the entries for other types read: a suffix,
    /// events, parts, or media.
    private static func namesFormat(_ mediaType: MediaType) -> Bool {
        mediaType.suffix != nil || mediaType.essence == "text/event-stream"
            || ["multipart", "image", "audio", "video", "font"].contains(mediaType.type)
    }

    /// The settings of a request, a host section or a policy that make the entry read such a response.
    private func ways(to id: String) -> String {
        let using = "request.using = .entry(\"\(id)\")"
        switch head.contentType {
        case .missing: return "\(using), or \"missingContentType\": \"\(id)\" in the policy"
        case .invalid: return "\(using), or \"invalidContentType\": \"\(id)\" in the policy"
        case .mediaType(let type):
            let entry = "an entry" + (head.host.map { " of the host \($0)" } ?? "")
            return
                "\(using), or \"types\": [\"\(ShownType(type))\"] in \(entry), or \"noMatch\": \"\(id)\" in the policy"
        }
    }
}
