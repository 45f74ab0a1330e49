import PatchbayJSON

extension ManifestReader {
    static let version = 1
    static let maximumEntries = 1000

    /// Checks a whole manifest: everything that can be judged without the other layers and the factories.
    mutating func check(_ json: JSON) {
        guard let manifest = members(of: json, at: "", allowing: .manifest) else { return }
        _ = string("$schema", of: manifest)
        checkVersion(manifest)
        _ = bool("inherit", of: manifest)
        if let policy = value("policy", of: manifest) { _ = self.policy(policy, at: "/policy") }
        if let aliases = value("aliases", of: manifest) { _ = self.aliases(aliases, at: "/aliases") }
        var ids: [String: String] = [:]
        checkEntries(manifest, &ids)
        checkOrder(manifest)
        if let hosts = value("hosts", of: manifest) { checkHosts(hosts, &ids) }
        if ids.count > Self.maximumEntries {
            report(
                .tooManyEntries, at: "", "the manifest has \(ids.count) entries, and \(Self.maximumEntries) are allowed"
            )
        }
    }

    /// The aliases, from essence to essence.
    mutating func aliases(_ json: JSON, at pointer: String) -> [String: MediaType] {
        guard let object = json.object else {
            report(.wrongType, at: pointer, "expected an object, found \(Self.article(json.kind))")
            return [:]
        }
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

    /// A media type that is written as a plain, canonical `type/subtype`.
    private mutating func essence(_ text: String, at pointer: String) -> MediaType? {
        guard let type = MediaType(text), !text.contains("*") else {
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
        guard version.kind == .number else {
            let found = Self.article(version.kind)
            return report(.wrongType, at: "/manifestVersion", "expected the number \(Self.version), found \(found)")
        }
        guard version.int != Self.version else { return }
        report(
            .unsupportedVersion, at: "/manifestVersion",
            "this is a manifest of version \(version), and this build reads version \(Self.version)")
    }

    private mutating func checkEntries(_ members: Members, _ ids: inout [String: String]) {
        guard let list = list("plugins", of: members, orEmpty: true) else { return }
        for (json, pointer) in list {
            guard let entry = entry(json, at: pointer) else { continue }
            if let first = ids[entry.id] {
                report(
                    .duplicateID, at: pointer + "/id", "the id \(Quoted(entry.id)) is taken by the entry at \(first)")
            } else {
                ids[entry.id] = pointer
            }
        }
    }

    private mutating func checkOrder(_ members: Members) {
        if acts("order", in: members) { _ = ids("order", of: members) }
    }

    private mutating func checkExtended(_ text: String, at pointer: String) {
        do throws(PatternError) {
            guard try !HostPattern(text).isWildcard else { return }
            report(
                .invalidHost, at: pointer,
                "\(Quoted(text)) is one host, and what a section extends is that of a wildcard, such as \"*.example.com\""
            )
        } catch {
            report(.invalidHost, at: pointer, error.reason, suggestion: error.suggestion)
        }
    }

    private mutating func checkHosts(_ json: JSON, _ ids: inout [String: String]) {
        guard let hosts = json.object else {
            return report(.wrongType, at: "/hosts", "expected an object, found \(Self.article(json.kind))")
        }
        guard hosts.count <= Self.maximumEntries else {
            return report(
                .tooManyEntries, at: "/hosts",
                "the manifest has \(hosts.count) host sections, and \(Self.maximumEntries) are allowed")
        }
        var patterns: [String: String] = [:]
        for (name, section) in hosts {
            let pointer = "/hosts/" + JSONPointer.escaped(name)
            do throws(PatternError) {
                let canonical = try HostPattern(name).canonical
                if let first = patterns[canonical] {
                    report(.duplicateHost, at: pointer, "the host \(Quoted(name)) is the same as the one at \(first)")
                }
                patterns[canonical] = pointer
            } catch {
                report(.invalidHost, at: pointer, error.reason, suggestion: error.suggestion)
            }
            if section.isNull && isOverlay { continue }
            checkSection(section, at: pointer, &ids)
        }
    }

    private mutating func checkSection(_ json: JSON, at pointer: String, _ ids: inout [String: String]) {
        guard let section = members(of: json, at: pointer, allowing: .section) else { return }
        checkEntries(section, &ids)
        checkOrder(section)
        if let pattern = string("extends", of: section) { checkExtended(pattern, at: section.pointer(to: "extends")) }
        for key in ["without", "use", "hides"] { _ = self.ids(key, of: section) }
        _ = bool("inherit", of: section)
        if let policy = value("policy", of: section) { _ = self.policy(policy, at: section.pointer(to: "policy")) }
    }
}
