import PatchbayJSON

extension ManifestReader {
    static let version = 1
    static let maximumEntries = 1000

    /// Reads a whole manifest, and judges everything that can be without the other layers and the factories.
    mutating func read(_ json: JSON) {
        guard let manifest = members(of: json, at: "", allowing: .manifest) else { return }
        _ = string("$schema", of: manifest)
        checkVersion(manifest)
        _ = bool("inherit", of: manifest)
        readPolicy(of: manifest)
        readAliases(of: manifest)
        var ids: [String: String] = [:]
        readEntries(manifest, &ids)
        checkOrder(manifest)
        if let hosts = value("hosts", of: manifest) { readHosts(hosts, &ids) }
        if ids.count > Self.maximumEntries {
            report(
                .tooManyEntries, at: "", "the manifest has \(ids.count) entries, and \(Self.maximumEntries) are allowed"
            )
        }
    }

    /// Reads the aliases, from essence to essence.
    private mutating func readAliases(of manifest: Members) {
        let pointer = manifest.pointer(to: "aliases")
        guard let json = value("aliases", of: manifest) else { return }
        guard let object = json.object else {
            return report(.wrongType, at: pointer, "expected an object, found \(Self.article(json.kind))")
        }
        var patch = Patch<[String: MediaType]>()
        for (name, value) in object {
            let pointer = pointer + "/" + JSONPointer.escaped(name)
            let isName = essence(name, at: pointer) != nil
            patch.set(name, nil)
            if value.isNull && isOverlay { continue }
            guard let text = text(value, at: pointer), let target = essence(text, at: pointer), isName else { continue }
            patch.set(name) { $0[name] = target }
        }
        values.aliases[pointer] = patch
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

    private mutating func readEntries(_ members: Members, _ ids: inout [String: String]) {
        guard let list = list("plugins", of: members, orEmpty: true) else { return }
        for (json, pointer) in list {
            guard let id = readEntry(json, at: pointer) else { continue }
            if let first = ids[id] {
                report(.duplicateID, at: pointer + "/id", "the id \(Quoted(id)) is taken by the entry at \(first)")
            } else {
                ids[id] = pointer
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

    private mutating func readHosts(_ json: JSON, _ ids: inout [String: String]) {
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
            readSection(section, at: pointer, &ids)
        }
    }

    private mutating func readSection(_ json: JSON, at pointer: String, _ ids: inout [String: String]) {
        guard let section = members(of: json, at: pointer, allowing: .section) else { return }
        readEntries(section, &ids)
        checkOrder(section)
        if let pattern = string("extends", of: section) { checkExtended(pattern, at: section.pointer(to: "extends")) }
        for key in ["without", "use", "hides"] { _ = self.ids(key, of: section) }
        _ = bool("inherit", of: section)
        readPolicy(of: section)
    }
}
