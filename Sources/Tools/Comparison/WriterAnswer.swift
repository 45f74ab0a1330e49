package import PatchbayJSON
import PatchbayRegistry

/// The entries that a registry considers, in order, for writing the bodies of one class of media types and hosts.
///
/// The next entry is considered if the previous entry declines the value. The code of an entry decides which values it
/// declines.
package struct WriterAnswer: Sendable {
    /// The form of a body.
    package enum Form: String, Sendable, Hashable, CaseIterable {
        case value = "whole values"
        /// Elements, one by one.
        case elements
    }

    fileprivate struct Candidate: Sendable {
        let entry: RegistryEntry
        let mayDecline: Bool
    }

    private let candidates: [Candidate]

    init(_ entries: [RegistryEntry], _ form: Form) {
        var candidates: [Candidate] = []
        for entry in entries {
            guard let writer = entry.writer, form == .value || writer.elements != nil else { continue }
            let mayDecline = form == .value && writer.mayDecline
            candidates.append(Candidate(entry: entry, mayDecline: mayDecline))
            if !mayDecline { break }
        }
        self.candidates = candidates
    }

    /// Whether every entry can decline.
    private var isOpen: Bool { candidates.last?.mayDecline ?? true }

    /// Whether the same entries, with the same options, write every body of the class.
    func isSame(as other: WriterAnswer) -> Bool {
        candidates.count == other.candidates.count && isOpen == other.isOpen
            && zip(candidates, other.candidates).allSatisfy {
                $0.entry.id == $1.entry.id && $0.differences(from: $1).isEmpty
            }
    }

    /// `ndjson (may decline), then json`, with the differences from another answer.
    package func description(besides other: WriterAnswer? = nil) -> String {
        let parts = candidates.map { candidate in
            let twin = other?.candidates.first { $0.entry.id == candidate.entry.id }
            let notes =
                (twin.map { candidate.differences(from: $0) } ?? []) + (candidate.mayDecline ? ["may decline"] : [])
            return candidate.entry.id + (notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))")
        }
        return (parts + (isOpen ? ["error noWriter"] : [])).joined(separator: ", then ")
    }

    package var json: JSON {
        [
            "entries": .array(
                candidates.map {
                    [
                        "entry": JSON($0.entry.id), "factory": JSON($0.entry.factory), "options": $0.entry.options,
                        "mayDecline": JSON($0.mayDecline),
                    ]
                }), "otherwise": isOpen ? "noWriter" : nil,
        ]
    }
}

extension WriterAnswer.Candidate {
    fileprivate func differences(from other: Self) -> [String] {
        var differences: [String] = []
        if entry.factory != other.entry.factory { differences.append("factory \(entry.factory)") }
        if entry.options != other.entry.options { differences.append("options \(entry.options.serialized())") }
        if entry.isReplaced || other.entry.isReplaced, printed != other.printed {
            differences.append(entry.isReplaced ? "replaced by \(printed)" : "not replaced in code")
        }
        return differences
    }

    private var printed: String { entry.writer.map { String(reflecting: $0.serializer) } ?? "" }
}

extension BoundWriter {
    /// Whether the code of this writer decides which whole values it takes.
    fileprivate var mayDecline: Bool { elements != nil || !(serializer is any NeverDecliningSerializer) }
}

extension RegistryClasses {
    /// The writers of bodies of one class of media types; nil if the class has no media type.
    package func writers(of side: Int, host: HostClass, type: Int, _ form: WriterAnswer.Form) -> WriterAnswer? {
        let contentType = types.all[type].contentType
        guard contentType.mediaType != nil else { return nil }
        let table = host.sections[side].table
        var positions = table.positions(covering: sides[side].compiled.matched(contentType))
        var entries: [RegistryEntry] = []
        while let position = positions.next() { entries.append(table.entries[position]) }
        return WriterAnswer(entries, form)
    }

    /// The classes of bodies for one host that the two registries write with different entries.
    func writerChanges(host index: Int, _ groups: [Group]) -> [RegistryChange] {
        WriterAnswer.Form.allCases.flatMap { form in
            var found: [(pair: [RegistryChange.Answered], types: [Int])] = []
            for group in groups {
                guard let type = group.types.first,
                    let before = writers(of: 0, host: hosts[index], type: type, form),
                    let after = writers(of: 1, host: hosts[index], type: type, form), !before.isSame(as: after)
                else { continue }
                let pair = [(before, after), (after, before)].map {
                    RegistryChange.Answered(words: $0.description(besides: $1), json: $0.json)
                }
                if let known = found.firstIndex(where: { $0.pair == pair }) {
                    found[known].types += group.types
                } else {
                    found.append((pair, group.types))
                }
            }
            return found.map { pair, types in
                RegistryChange(
                    aspect: .writers, inside: [], before: pair[0], after: pair[1], types: types, capabilities: [],
                    statuses: Statuses(), methods: [], form: form, hosts: [index])
            }
        }
    }
}
