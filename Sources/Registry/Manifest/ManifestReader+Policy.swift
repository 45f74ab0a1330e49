import PatchbayJSON

extension ManifestReader {
    /// Reads the policy of an object, where it has one.
    mutating func readPolicy(of owner: Members) {
        let pointer = owner.pointer(to: "policy")
        guard let json = value("policy", of: owner) else {
            if owner.says("policy") { values.policies[pointer] = Patch(isRemoval: true) }
            return
        }
        guard let members = members(of: json, at: pointer, allowing: .policy) else { return }
        var patch = Patch<SerializerRegistry.Policy>()
        set(\.noMatch, "noMatch", of: members, in: &patch) { $0.fallback($1, of: $2) }
        set(\.missingContentType, "missingContentType", of: members, in: &patch) { $0.fallback($1, of: $2) }
        set(\.invalidContentType, "invalidContentType", of: members, in: &patch) { $0.fallback($1, of: $2) }
        set(\.acceptableStatus, "acceptableStatus", of: members, in: &patch) { $0.acceptableStatus($1, of: $2) }
        if let empty = self.members("empty", of: members, allowing: .empty, in: &patch) {
            set(\.empty.methods, "methods", of: empty, in: &patch) {
                $0.strings($1, of: $2, orEmpty: true)?.map(\.text)
            }
            set(\.empty.status, "status", of: empty, in: &patch) { $0.statuses($1, of: $2, orEmpty: true) }
            set(\.empty.otherwise, "otherwise", of: empty, in: &patch) {
                $0.choice($1, of: $2, as: SerializerRegistry.Policy.EmptyBody.Otherwise.self)
            }
        }
        if let limits = self.members("limits", of: members, allowing: .limits, in: &patch) {
            set(\.maximumBodyBytes, "maxBodyBytes", of: limits, in: &patch) { $0.byteCount($1, of: $2) }
        }
        set(\.accept, "accept", of: members, in: &patch) {
            $0.choice($1, of: $2, as: SerializerRegistry.Policy.Accept.self)
        }
        values.policies[pointer] = patch
    }

    private mutating func fallback(_ key: String, of members: Members) -> SerializerRegistry.Policy.Fallback? {
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

    private mutating func acceptableStatus(_ key: String, of members: Members) -> StatusSet? {
        guard let value = value(key, of: members) else { return nil }
        guard let word = value.string else { return statuses(key, of: members) }
        if word == "any" { return .any }
        let notation = (try? StatusRange(word)) == nil ? "\"any\"" : "[\(Quoted(word))]"
        report(
            .invalidValue, at: members.pointer(to: key),
            "\(Quoted(word)) is neither \"any\" nor a list of statuses; write \(notation)")
        return nil
    }
}
