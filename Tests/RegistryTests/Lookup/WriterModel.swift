import PatchbayJSON
import PatchbayRegistry

/// The rules of "Who writes a request" in `Documentation/Manifest.md`, in the plainest way to say them.
struct WriterModel {
    enum Value: String, CaseIterable {
        case number, words, object, elements

        var subject: WriterLookup.Subject {
            switch self {
            case .number: .value(1)
            case .words: .value(["a", "b"])
            case .object: .value(["a": 1])
            case .elements: .elements(String.self)
            }
        }
    }

    struct Entry {
        let id: String
        let factory: String
        var types: [String]?
        var reads: Bool?
        var writes: Bool?
        var isEnabled = true
        /// What says nothing about requests.
        var rest: JSON = [:]

        func json(hiding ids: [String]) -> JSON {
            var members: [(String, JSON)] = [("id", JSON(id)), ("factory", JSON(factory))]
            let match: [(String, JSON)] = types.map { [("types", .array($0.map { JSON($0) }))] } ?? []
            members.append(("match", .object(match)))
            if let reads { members.append(("reads", JSON(reads))) }
            if let writes { members.append(("writes", JSON(writes))) }
            members += [("enabled", JSON(isEnabled)), ("optional", true)]
            // So that no entry is refused because it is never reached.
            members.append(("hides", .array(ids.filter { $0 != id }.map { JSON($0) })))
            return JSON.object(members).mergePatched(by: rest)
        }

        func writes(_ value: Value, as type: String) -> Bool {
            guard isEnabled, writes != false, types?.contains(where: { WriterModel.covers($0, type) }) ?? true else {
                return false
            }
            return switch factory {
            case "write", "clerk", "both": value != .elements
            case "choosy": value == .words || value == .object
            case "words": value == .words || value == .elements
            default: false
            }
        }
    }

    struct Section {
        let pattern: String
        var entries: [Entry] = []
        var extends: String?
        var without: [String] = []
        var use: [String]?
        var inherits = true
        var type: String?
    }

    var global: [Entry] = []
    var sections: [Section] = []
    var aliases: [String: String] = [:]
    var type: String?

    /// The same with every list in the other order.
    var reversed: WriterModel {
        var model = self
        model.global.reverse()
        for index in sections.indices { model.sections[index].entries.reverse() }
        return model
    }

    var manifest: JSON {
        let ids = (global + sections.flatMap(\.entries)).map(\.id)
        func policy(_ type: String?) -> JSON { .object(type.map { [("requestContentType", JSON($0))] } ?? []) }
        func plugins(_ entries: [Entry]) -> JSON { .array(entries.map { $0.json(hiding: ids) }) }
        let hosts = sections.map { section in
            var members: [(String, JSON)] = [
                ("plugins", plugins(section.entries)), ("policy", policy(section.type)),
            ]
            if let other = section.extends { members.append(("extends", JSON(other))) }
            members.append(("without", .array(section.without.map { JSON($0) })))
            if let use = section.use { members.append(("use", .array(use.map { JSON($0) }))) }
            if !section.inherits { members.append(("inherit", false)) }
            return (section.pattern, JSON.object(members))
        }
        return [
            "manifestVersion": 1, "policy": policy(type), "aliases": .object(aliases.map { ($0, JSON($1)) }),
            "plugins": plugins(global), "hosts": .object(hosts),
        ]
    }

    /// The entries that are asked, with the one that writes at the end, if one does.
    func answer(
        _ value: Value, as type: String?, for host: String?, excluding: Set<String> = []
    ) -> (asked: [String], writer: String?) {
        let section = section(for: host)
        let type = matched(type ?? standardType(section))
        var asked: [String] = []
        for entry in list(section) where entry.isEnabled {
            asked.append(entry.id)
            if !excluding.contains(entry.id), entry.writes(value, as: type) {
                return (asked, entry.id)
            }
        }
        return (asked, nil)
    }

    private func standardType(_ section: Section?) -> String {
        section?.type ?? sections.first { $0.pattern == section?.extends }?.type ?? type ?? "application/json"
    }

    private func section(for host: String?) -> Section? {
        guard var host = host?.lowercased() else { return nil }
        if host.hasSuffix(".") { host.removeLast() }
        return sections.compactMap { section in
            ExplainOracleTests.Section(pattern: section.pattern, entries: [], inherits: true).rank(host)
                .map { (section: section, rank: $0) }
        }.max { $0.rank.lexicographicallyPrecedes($1.rank) }?.section
    }

    private func list(_ section: Section?) -> [Entry] {
        guard let section else { return global }
        let other = sections.first { $0.pattern == section.extends }
        let extended = (other?.entries ?? []).filter { !section.without.contains($0.id) }
        let inherited = section.use.map { ids in ids.compactMap { id in global.first { $0.id == id } } }
        let all = inherited ?? (section.inherits ? global.filter { !section.without.contains($0.id) } : [])
        return section.entries + extended + all
    }

    private func matched(_ type: String) -> String {
        let parts = type.split(separator: ";", maxSplits: 1).map(String.init)
        guard let target = aliases[parts[0]] else { return type }
        return ([target] + parts.dropFirst()).joined(separator: ";")
    }

    /// Whether a media range covers a media type, both without quotes.
    static func covers(_ range: String, _ type: String) -> Bool {
        let (wanted, given) = (range.split(separator: ";"), type.split(separator: ";"))
        guard coversEssence(String(wanted[0]), String(given[0])) else { return false }
        func folded(_ parameter: Substring) -> String {
            parameter.hasPrefix("charset=") ? parameter.lowercased() : String(parameter)
        }
        return wanted.dropFirst().allSatisfy { given.dropFirst().map(folded).contains(folded($0)) }
    }

    private static func coversEssence(_ wanted: String, _ essence: String) -> Bool {
        let suffix = essence.split(separator: "+").dropFirst().last.map(String.init)
        switch wanted {
        case "*/*": return true
        case "@json": return suffix == "json" || ["application/json", "text/json"].contains(essence)
        case "@xml": return suffix == "xml" || ["application/xml", "text/xml"].contains(essence)
        case "@image": return essence.hasPrefix("image/")
        case "@zip-based": return suffix == "zip" || essence == "application/zip"
        case "@scriptable": return coversEssence("@xml", essence) || ["text/html", "application/pdf"].contains(essence)
        case let range where range.hasPrefix("+"): return suffix == String(range.dropFirst())
        case let range where range.contains("/*+"):
            let parts = range.split(separator: "*")
            return essence.hasPrefix(parts[0]) && suffix == String(parts[1].dropFirst())
        case let range where range.hasSuffix("/*"): return essence.hasPrefix(range.dropLast())
        case let range: return essence == range
        }
    }
}
