import Patchbay
import PatchbayPlatform
import PatchbayTools

/// The changes that one edit made, or that several edits made together: one change for each kind, as an example.
struct ChangeGroup {
    private struct Kind: Hashable {
        let aspect: RegistryChange.Aspect
        let form: BodyForm?
        let inside: [String]
        let before: String?
        let after: String?
    }

    private var reports: [ChangeReport] = []

    /// The lines of a comparison: each edit with its own changes, then each set of edits with their common changes.
    ///
    /// A new or removed section stands for itself only if nothing in it is an edit.
    /// - Parameters:
    ///   - places: the place of each entry of the second table.
    ///   - log: the logged responses, and how many they are; nil without a log.
    static func lines(
        of comparison: RegistryComparison, _ places: [String: String], _ log: (counts: ComparedTraffic, all: Int)? = nil
    ) -> [String] {
        let edits = comparison.edits
        var groups: [[Int]: ChangeGroup] = [:]
        for (index, change) in comparison.changes.enumerated() {
            var report = ChangeReport(change: change, comparison: comparison, places: places)
            report.seen = log.flatMap { log in log.counts.count(of: index).map { ($0, log.all) } }
            groups[change.causes, default: ChangeGroup()].reports.append(report)
        }
        let several = groups.filter { $0.key.count != 1 }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        let shared = Set(several.flatMap(\.key))
        var lines: [String] = []
        for (number, edit) in edits.enumerated() {
            if let group = groups[[number]] {
                lines += [edit.text] + group.lines
            } else if shared.contains(number) {
                lines.append("\(edit.text); only with other edits, below")
            } else if !edit.isSection || !edits.contains(where: { $0.host == edit.host && !$0.isSection }) {
                lines.append("\(edit.text); no changed answer comes from it")
            }
        }
        for (causes, group) in several {
            let most = 12
            let more = causes.count > most ? ["and \(causes.count - most) more"] : []
            let names = causes.prefix(most).map { edits[$0].name } + more
            lines += ["several edits: " + names.joined(separator: "; ")] + group.lines
        }
        return lines
    }

    private var lines: [String] {
        // The changes whose responses a log counts.
        let counted = reports.filter { $0.seen != nil }
        var kinds = reports.filter { $0.seen == nil }.grouped { report in
            let change = report.change
            return Kind(
                aspect: change.aspect, form: change.form, inside: change.inside,
                before: change.before.answer?.steps.first?.entry.id, after: change.after.answer?.steps.first?.entry.id)
        }
        let occurred = RegistryChange.Aspect.allCases.flatMap { aspect in
            counted.filter { $0.change.aspect == aspect && $0.responses > 0 }.inOrder { $0.responses > $1.responses }
        }
        var lines = occurred.map { "  \($0.line)" }
        while let kind = kinds.first {
            if let (line, rest) = Self.whole(kinds) {
                kinds = rest
                lines.append(line)
            } else {
                kinds.removeFirst()
                let example = kind.dropFirst().reduce(kind[0]) { $1.isPlainer(than: $0) ? $1 : $0 }
                lines.append(Self.line(example, kind.count - 1, kind))
            }
        }
        let absent = counted.count - occurred.count
        if absent > 0 { lines.append("  never occurred: \(absent) \("change".plural(absent))") }
        return lines
    }

    /// The line of the kinds that lead to the same entry as the first one, or away from it, and the other kinds; nil if
    /// they are not of every type.
    private static func whole(_ kinds: [[ChangeReport]]) -> (line: String, rest: [[ChangeReport]])? {
        for side in [\RegistryChange.after, \.before] {
            func isMeant(_ kind: [ChangeReport]) -> Bool { kind[0].hasSame(side, as: kinds[0][0]) }
            let all = kinds.filter(isMeant).flatMap(\.self)
            if let (report, count) = ChangeReport.ofEveryType(all, side) {
                return (line(report, all.count - count, all), kinds.filter { !isMeant($0) })
            }
        }
        return nil
    }

    /// The line of the example, with the number of other changes, and with their hosts that it does not name.
    private static func line(_ example: ChangeReport, _ others: Int, _ changes: [ChangeReport]) -> String {
        guard others > 0 else { return "  \(example.line)" }
        var named = Set(example.hosts)
        var hosts = changes.flatMap(\.hosts).filter { named.insert($0).inserted }
        if named.contains(ChangeReport.anyHost) { hosts = hosts.filter { $0 == ChangeReport.anyHost } }
        return "  \(example.line), and \(others) like it"
            + (hosts.isEmpty ? "" : ", also for \(ChangeReport.shown(hosts))")
    }
}

extension Edit {
    /// `Plugins.json:7: "options" of the entry json of a.example changed`
    var name: String { "\(place): \(subject) \(verb)" }

    /// The name, with the values of the key: `Plugins.json:7: "reads" of the entry json: was true, now false`. Of long
    /// objects and lists, only the members that differ.
    var text: String {
        if let before, let after { return "\(place): \(subject): \(Self.difference(before, after))" }
        return name + ((after ?? before).map { ": \(Self.shown($0))" } ?? "")
    }

    /// `was true, now false`; `"types" with "a/b", without "c/d"; "status" was added: ["404"]`.
    private static func difference(_ before: JSON?, _ after: JSON?) -> String {
        guard let before else { return "was added: \(after.map(shown) ?? "")" }
        guard let after else { return "was removed: \(shown(before))" }
        guard [before, after].contains(where: { $0.serialized().count > 40 }) else {
            return "was \(shown(before)), now \(shown(after))"
        }
        if let old = before.object, let new = after.object {
            let keys = old.map(\.key) + new.map(\.key).filter { before[$0] == nil }
            return keys.filter { before[$0] != after[$0] }
                .map { "\"\($0)\" \(difference(before[$0], after[$0]))" }.joined(separator: "; ")
        }
        guard let old = before.array, let new = after.array else { return "was \(shown(before)), now \(shown(after))" }
        func list(_ word: String, _ members: [JSON], without others: [JSON]) -> [String] {
            let members = members.filter { !others.contains($0) }.map(shown)
            return members.isEmpty ? [] : ["\(word) \(members.joined(separator: ", "))"]
        }
        let parts = list("with", new, without: old) + list("without", old, without: new)
        return parts.isEmpty ? "in another order" : parts.joined(separator: ", ")
    }

    private static func shown(_ value: JSON) -> String {
        let text = value.serialized()
        return text.count > 120 ? "\(text.prefix(120))…" : text
    }

    /// Whether a whole section was added or removed.
    fileprivate var isSection: Bool { entry == nil && path.isEmpty }

    private var place: String { line.map { "\(file):\($0)" } ?? file }

    private var verb: String {
        switch kind {
        case .added: path.isEmpty ? "is new" : "was added"
        case .removed: path.isEmpty ? "is gone" : "was removed"
        case .changed: "changed"
        case .moved: "moved"
        }
    }

    private var subject: String {
        let key = path.last.map { "\"\($0)\"" }
        let section = host.map { "the section \($0)" }
        if let entry { return [key, "the entry \(entry)"].compactMap(\.self).joined(separator: " of ") + inHost }
        switch path.first {
        case "policy": return "\(key ?? "") of the policy" + inHost
        case "aliases": return "the alias \(key ?? "")"
        default: return [key, section].compactMap(\.self).joined(separator: " of ")
        }
    }

    private var inHost: String { host.map { " of \($0)" } ?? "" }

    var json: JSON {
        [
            "edit": JSON(kind.rawValue), "host": JSON(orNull: host),
            "entry": JSON(orNull: entry), "key": path.isEmpty ? .null : JSON(path.joined(separator: "/")),
            "file": JSON(file), "line": JSON(orNull: line),
        ]
    }
}
