import Patchbay
import PatchbayTools

/// The changes of one edit, or those that are of several edits: one change for each kind, as an example.
struct ChangeGroup {
    private struct Kind: Hashable {
        let aspect: RegistryChange.Aspect
        let form: BodyForm?
        let inside: [String]
        let before: String?
        let after: String?
    }

    /// One edit, or all edits that share changes in this group.
    private var edits: [Edit] = []
    private var kinds: [(example: ChangeReport, count: Int)] = []
    private var known: [Kind: Int] = [:]

    /// The groups in the order of their edits. The changes of several edits are the last group.
    static func all(of comparison: RegistryComparison) -> [ChangeGroup] {
        var groups: [Int: ChangeGroup] = [:]
        for change in comparison.changes {
            let number = change.causes.count == 1 ? change.causes[0] : comparison.edits.count
            groups[number, default: ChangeGroup()].add(ChangeReport(change: change, comparison: comparison))
        }
        return groups.sorted { $0.key < $1.key }.map(\.value)
    }

    private mutating func add(_ report: ChangeReport) {
        let change = report.change
        edits += change.causes.map { report.comparison.edits[$0] }.filter { !edits.contains($0) }
        let kind = Kind(
            aspect: change.aspect, form: change.form, inside: change.inside,
            before: change.before.answer?.steps.first?.entry.id,
            after: change.after.answer?.steps.first?.entry.id)
        if let index = known[kind] {
            kinds[index].count += 1
        } else {
            known[kind] = kinds.count
            kinds.append((report, 1))
        }
    }

    var lines: [String] {
        [heading] + kinds.map { "  \($0.line)" + ($1 > 1 ? ", and \($1 - 1) like it" : "") }
    }

    private var heading: String {
        let most = 8
        let shown = edits.prefix(most).map(\.text) + (edits.count > most ? ["and \(edits.count - most) more"] : [])
        return edits.count == 1 ? shown[0] : "several edits: " + shown.joined(separator: "; ")
    }
}

extension Edit {
    /// `Plugins.json:7: "options" of the entry json of a.example changed`
    var text: String {
        let place = line.map { "\(file):\($0)" } ?? file
        return "\(place): \(subject) \(verb)"
    }

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
