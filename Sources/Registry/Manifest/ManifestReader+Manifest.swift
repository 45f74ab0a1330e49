import PatchbayJSON

extension ManifestReader {
    package static let version = 1
    package static let maximumEntries = 1000

    /// Checks everything in a manifest that needs neither the other layers nor the factories.
    mutating func check(_ json: JSON) {
        guard let manifest = members(of: json, at: "", allowing: ManifestKeys.manifest) else { return }
        _ = string("$schema", of: manifest)
        checkVersion(manifest)
        _ = bool("inherit", of: manifest)
        if let json = value("policy", of: manifest) { _ = policy(json, at: "/policy") }
        if let json = value("aliases", of: manifest) { _ = aliases(json, at: "/aliases") }
        var ids: [String: String] = [:]
        readEntries(manifest, &ids)
        if let hosts = value("hosts", of: manifest) { readHosts(hosts, &ids) }
        if ids.count > Self.maximumEntries {
            report(
                .tooManyEntries, at: "", "the manifest has \(ids.count) entries, and \(Self.maximumEntries) are allowed"
            )
        }
    }

    /// Reads the aliases, without the faulty ones.
    mutating func aliases(_ json: JSON, at pointer: String) -> [String: MediaType] {
        guard let object = expect(json.object, "an object", json, at: pointer) else { return [:] }
        var aliases: [String: MediaType] = [:]
        for (name, value) in object {
            let pointer = pointer + "/" + JSONPointer.escaped(name)
            let isName = essence(name, at: pointer) != nil
            if value.isNull && isOverlay { continue }
            guard let text = text(value, at: pointer), let target = essence(text, at: pointer), isName else { continue }
            aliases[name] = target
        }
        return aliases
    }

    /// A media type written as a plain, canonical `type/subtype`.
    private mutating func essence(_ text: String, at pointer: String) -> MediaType? {
        guard let type = MediaType(parsing: text), !text.contains("*") else {
            report(.invalidAlias, at: pointer, "\(Quoted(text)) is no media type of the form type/subtype")
            return nil
        }
        guard type.essence == text else {
            report(
                .invalidAlias, at: pointer, "\(Quoted(text)) is not a plain type/subtype in lower case",
                suggestion: type.essence)
            return nil
        }
        return type
    }

    private mutating func checkVersion(_ manifest: Members) {
        guard let version = value("manifestVersion", of: manifest) else {
            if !manifest.has("manifestVersion") {
                report(
                    .missingKey, at: "",
                    "a manifest needs the key \"manifestVersion\"; this build reads \(Self.version)")
            }
            return
        }
        guard expect(version.kind == .number, "the number \(Self.version)", version, at: "/manifestVersion"),
            version.int != Self.version
        else { return }
        report(
            .unsupportedVersion, at: "/manifestVersion",
            "this is a manifest of version \(version), and this build reads version \(Self.version)")
    }

    /// Reads `plugins` and `order`.
    private mutating func readEntries(_ members: Members, _ ids: inout [String: String]) {
        for (json, pointer) in list("plugins", of: members, orEmpty: true) ?? [] {
            guard let id = entry(json, at: pointer).id else { continue }
            if let first = ids[id] {
                let advice =
                    first.hasPrefix("/plugins/") && !pointer.hasPrefix("/plugins/")
                    ? ManifestEntry.adviceToLeaveOut(json).map { "; \($0)" } : nil
                report(
                    .duplicateID, at: pointer + "/id",
                    "the id \(Quoted(id)) is taken by the entry at \(first)\(advice ?? "; give one of them another")")
            } else {
                ids[id] = pointer
            }
        }
        if acts("order", in: members) { _ = self.ids("order", of: members) }
    }

    private mutating func readHosts(_ json: JSON, _ ids: inout [String: String]) {
        guard let hosts = expect(json.object, "an object", json, at: "/hosts") else { return }
        guard hosts.count <= Self.maximumEntries else {
            return report(
                .tooManyEntries, at: "/hosts",
                "the manifest has \(hosts.count) host sections, and \(Self.maximumEntries) are allowed")
        }
        var patterns: [SectionKey: String] = [:]
        for (name, section) in hosts {
            let pointer = "/hosts/" + JSONPointer.escaped(name)
            do throws(PatternFailure) {
                let key = try SectionKey(pattern: name)
                if !key.path.isEmpty, let extends = section["extends"], !extends.isNull {
                    report(
                        .conflictingKeys, at: pointer + "/extends",
                        "a section with a path extends the section of its host, and no other")
                }
                if let first = patterns[key] {
                    report(.duplicateHost, at: pointer, "the host \(Quoted(name)) is the same as the one at \(first)")
                }
                patterns[key] = pointer
            } catch {
                report(.invalidHost, at: pointer, error.reason, suggestion: error.suggestion)
            }
            if section.isNull && isOverlay { continue }
            readSection(section, at: pointer, &ids)
        }
    }

    private mutating func readSection(_ json: JSON, at pointer: String, _ ids: inout [String: String]) {
        guard let section = members(of: json, at: pointer, allowing: ManifestKeys.section) else { return }
        readEntries(section, &ids)
        if let pattern = string("extends", of: section) {
            do throws(PatternFailure) {
                _ = try HostPattern(pattern: pattern)
            } catch {
                report(.invalidHost, at: section.pointer(to: "extends"), error.reason, suggestion: error.suggestion)
            }
        }
        for key in ["without", "use", "hides"] { _ = self.ids(key, of: section) }
        _ = bool("inherit", of: section)
        if let json = value("policy", of: section) { _ = policy(json, at: section.pointer(to: "policy")) }
    }
}

extension ManifestReader {
    typealias Policy = SerializerRegistry.Policy

    /// Reads a policy. A key that is absent or faulty has the value of `general`.
    mutating func policy(_ json: JSON, at pointer: String, over general: Policy = Policy()) -> Policy {
        var policy = general
        guard let members = members(of: json, at: pointer, allowing: ManifestKeys.policy) else { return policy }
        policy.noMatch = fallback("noMatch", of: members) ?? policy.noMatch
        policy.missingContentType = fallback("missingContentType", of: members) ?? policy.missingContentType
        policy.invalidContentType = fallback("invalidContentType", of: members) ?? policy.invalidContentType
        policy.acceptableStatus = acceptableStatus("acceptableStatus", of: members) ?? policy.acceptableStatus
        if let empty = self.members("empty", of: members, allowing: ManifestKeys.empty) {
            policy.empty.methods =
                strings("methods", of: empty, orEmpty: true)?.map(\.text) ?? policy.empty.methods
            policy.empty.status = statuses("status", of: empty, orEmpty: true) ?? policy.empty.status
            policy.empty.otherwise =
                choice("otherwise", of: empty, as: Policy.EmptyBody.Otherwise.self) ?? policy.empty.otherwise
        }
        if let limits = self.members("limits", of: members, allowing: ManifestKeys.limits) {
            policy.maximumBodyBytes = byteCount("maxBodyBytes", of: limits) ?? policy.maximumBodyBytes
        }
        policy.accept = choice("accept", of: members, as: Policy.Accept.self) ?? policy.accept
        policy.requestContentType = mediaType("requestContentType", of: members) ?? policy.requestContentType
        policy.cache = choice("cache", of: members, as: Policy.CacheRule.self) ?? policy.cache
        return policy
    }

    private mutating func mediaType(_ key: String, of members: Members) -> MediaType? {
        guard let text = string(key, of: members) else { return nil }
        // The parser of patterns refuses text that the parser of received types ignores.
        if case .exact? = try? MediaRange(text).kind, let type = MediaType(parsing: text) { return type }
        report(
            .invalidValue, at: members.pointer(to: key),
            "\(Quoted(text)) is not one media type, such as \"application/json\" or \"text/csv;charset=utf-8\"")
        return nil
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
