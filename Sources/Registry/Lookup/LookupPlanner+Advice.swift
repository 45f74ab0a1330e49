extension LookupPlanner {
    /// The id of the first entry that makes the wanted value, whose types are not those of this response.
    ///
    /// Nil where none does, where the request chose for itself, and where the type has a serializer of its own: then the body is
    /// what the type says. Text does not count, because much that is not text is sent as `text/html` or `text/plain`.
    var makerOfOtherTypes: String? {
        guard wanted.kind == .value || wanted.kind == .elements, isAcceptable, override.using == nil, unwrapping == nil
        else { return nil }
        let mediaType = registry.compiled.matched(head.contentType)
        var maker: String?
        for entry in section.table.entries
        where entry.coverage.status.contains(head.status) && entry.coverage.coversWish(wanted)
            && entry.availability != .switchedOff && !override.excludes(entry.id)
        {
            if entry.serializer?.unwrapping != nil { continue }
            if entry.coverage.coversType(mediaType), entry.serializer?.output != String.self { return nil }
            guard maker == nil, let serializer = entry.serializer, serializer.declineReason(head) == nil else {
                continue
            }
            if wanted.canCome(from: serializer) { maker = entry.id }
        }
        return maker
    }

    /// How a request, the section of a host or a policy has the entry read such a response.
    func ways(to id: String) -> String {
        let using = "using: .entry(\"\(id)\")"
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
