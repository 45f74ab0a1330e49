import Patchbay
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

    private var kinds: [(example: ChangeReport, count: Int)] = []
    private var known: [Kind: Int] = [:]

    /// The lines of a comparison: each edit with its own changes, then each set of edits with their common changes.
    ///
    /// A new or removed section stands for itself only if nothing in it is an edit.
    /// - Parameter places: the place of each entry of the second table.
    static func lines(of comparison: RegistryComparison, _ places: [String: String]) -> [String] {
        let edits = comparison.edits
        var groups: [[Int]: ChangeGroup] = [:]
        for change in comparison.changes {
            let report = ChangeReport(change: change, comparison: comparison, places: places)
            groups[change.causes, default: ChangeGroup()].add(report)
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

    private mutating func add(_ report: ChangeReport) {
        let change = report.change
        let kind = Kind(
            aspect: change.aspect, form: change.form, inside: change.inside,
            before: change.before.answer?.steps.first?.entry.id,
            after: change.after.answer?.steps.first?.entry.id)
        if let index = known[kind] {
            kinds[index].count += 1
            if report.isPlainer(than: kinds[index].example) { kinds[index].example = report }
        } else {
            known[kind] = kinds.count
            kinds.append((report, 1))
        }
    }

    private var lines: [String] {
        kinds.map { "  \($0.line)" + ($1 > 1 ? ", and \($1 - 1) like it" : "") }
    }
}

extension Edit {
    /// `Plugins.json:7: "options" of the entry json of a.example changed`
    var name: String { "\(place): \(subject) \(verb)" }

    /// The name, with the values of the key if they are short: `Plugins.json:7: "reads" of the entry json: was true, now
    /// false`.
    var text: String {
        let values = [before, after].compactMap(\.self).map { $0.serialized() }
        guard !values.isEmpty, values.allSatisfy({ $0.count <= 40 }) else { return name }
        return values.count == 2 ? "\(place): \(subject): was \(values[0]), now \(values[1])" : "\(name): \(values[0])"
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
            "edit": JSON(kind.rawValue), "host": host.map { JSON($0) } ?? .null,
            "entry": entry.map { JSON($0) } ?? .null, "key": path.isEmpty ? .null : JSON(path.joined(separator: "/")),
            "file": JSON(file), "line": line.map { JSON($0) } ?? .null,
        ]
    }
}
