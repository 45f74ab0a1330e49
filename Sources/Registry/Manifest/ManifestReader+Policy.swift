import PatchbayJSON

extension ManifestReader {
    /// Reads a policy; what it does not say is as the library has it.
    mutating func policy(_ json: JSON, at pointer: String) -> Policy {
        var policy = Policy()
        guard let members = members(of: json, at: pointer, allowing: .policy) else { return policy }
        policy.noMatch = fallback("noMatch", of: members) ?? policy.noMatch
        policy.missingContentType = fallback("missingContentType", of: members) ?? policy.missingContentType
        policy.invalidContentType = fallback("invalidContentType", of: members) ?? policy.invalidContentType
        policy.acceptableStatus = acceptableStatus(members) ?? policy.acceptableStatus
        policy.empty = emptyBody(members, policy.empty)
        policy.maximumBodyBytes = limit(members) ?? policy.maximumBodyBytes
        policy.accept = choice("accept", of: members, as: Policy.Accept.self) ?? policy.accept
        return policy
    }

    private mutating func fallback(_ key: String, of members: Members) -> Policy.Fallback? {
        guard let word = string(key, of: members) else { return nil }
        let pointer = members.pointer(to: key)
        switch word {
        case "raw": return .raw
        case "error": return .error
        case "sniff" where key != "noMatch":
            report(
                .notYetSupported, at: pointer, "\"sniff\" is not yet supported; write \"raw\", \"error\" or an entry id"
            )
            return nil
        default:
            guard ManifestEntry.isValidID(word), !ManifestEntry.reservedIDs.contains(word) else {
                report(
                    .invalidValue, at: pointer, "\(Quoted(word)) is neither \"raw\" nor \"error\" nor an entry id",
                    suggestion: Spelling.nearest(to: word, in: ["raw", "error"]))
                return nil
            }
            return .entry(word)
        }
    }

    private mutating func acceptableStatus(_ members: Members) -> StatusSet? {
        guard let value = value("acceptableStatus", of: members) else { return nil }
        guard let word = value.string else { return statuses("acceptableStatus", of: members) }
        if word == "any" { return .any }
        let notation = (try? StatusRange(word)) == nil ? "\"any\"" : "[\(Quoted(word))]"
        report(
            .invalidValue, at: members.pointer(to: "acceptableStatus"),
            "\(Quoted(word)) is neither \"any\" nor a list of statuses; write \(notation)")
        return nil
    }

    private mutating func emptyBody(_ members: Members, _ standard: Policy.EmptyBody) -> Policy.EmptyBody {
        var rule = standard
        guard let empty = value("empty", of: members),
            let empty = self.members(
                of: empty, at: members.pointer(to: "empty"), allowing: .empty)
        else { return rule }
        if let methods = strings("methods", of: empty, orEmpty: true) { rule.methods = methods.map(\.text) }
        rule.status = statuses("status", of: empty, orEmpty: true) ?? rule.status
        rule.otherwise = choice("otherwise", of: empty, as: Policy.EmptyBody.Otherwise.self) ?? rule.otherwise
        return rule
    }
}
