import PatchbayJSON
package import PatchbayRegistry

/// The form of a request body.
package enum BodyForm: String, Sendable, Hashable, CaseIterable {
    case value = "whole values"
    /// Elements, one by one.
    case elements
}

/// The entries that a registry asks in turn about one class of responses or of request bodies, and the result after the
/// last entry.
///
/// The next entry is asked if the serializer of the previous entry declines, or fails with `"onFailure": "next"`.
package struct Answer: Sendable {
    /// An entry that takes the class.
    package struct Step: Sendable {
        package let entry: RegistryEntry
        /// The serializer of the entry that reads or writes.
        let serializer: any Serializer
        /// For responses: the lower one of the limits of the entry and of the policy.
        package let limit: Int?
        /// Whether the code of the serializer decides what it takes.
        package let mayDecline: Bool
        /// Whether the serializer unwraps the body, so that the entries after it are asked about the inner body.
        package let mayUnwrap: Bool
    }

    package private(set) var steps: [Step] = []
    /// The result after the last of the `steps`: `raw`, `bytes`, `text` or the code of an error; nil if the last entry
    /// always ends the look-up.
    package private(set) var ending: String?
    /// The answer if every entry declines that has no types and whose code can decline. Empty for a response with a
    /// media type, and without such an entry. The policies for a missing and for an invalid type apply only if no entry
    /// was asked.
    package private(set) var ifAllDecline: [Answer] = []

    /// Asks a registry without code about a response. If the last entry can decline, the registry is asked again without
    /// this entry.
    init(
        _ registry: SerializerRegistry, _ head: ResponseHead, _ wanted: WantedValue, excluding ids: Set<String> = []
    ) {
        let section = registry.section(for: head.host, at: head.url)
        var declined = ids
        while true {
            let plan = registry.decision(
                for: head, producing: wanted, override: LookupOverride(excluding: declined)
            ).plan
            for serializer in plan.candidates where !steps.contains(where: { $0.entry.id == serializer.name }) {
                guard let entry = section.table.entry(serializer.name) ?? registry.compiled.entries[serializer.name]
                else { continue }
                steps.append(
                    Step(
                        entry: entry, serializer: serializer.serializer,
                        limit: BodyLimit(section.policy).capped(by: serializer).bytes,
                        mayDecline: serializer.mayDecline, mayUnwrap: serializer.unwrapping != nil))
            }
            guard plan.isClosed else {
                ending = plan.ending.word
                break
            }
            guard let last = plan.candidates.last, last.mayDecline, declined.insert(last.name).inserted else { break }
        }
        let declining = steps.filter { $0.mayDecline && $0.entry.coverage.ranges == nil }.map(\.entry.id)
        guard head.contentType.mediaType == nil, ids.isEmpty, !declining.isEmpty else { return }
        ifAllDecline = [Answer(registry, head, wanted, excluding: Set(declining))]
    }

    /// The writers among the entries that cover a media type. A writer of elements can decline whole values.
    init(writers entries: [RegistryEntry], _ form: BodyForm) {
        for entry in entries {
            guard let writer = entry.writer, form == .value || writer.elements != nil else { continue }
            let isSure =
                form == .elements || writer.elements == nil && writer.serializer is any NeverDecliningSerializer
            steps.append(
                Step(
                    entry: entry, serializer: writer.serializer, limit: nil, mayDecline: !isSure, mayUnwrap: false))
            if isSure { return }
        }
        ending = "noWriter"
    }
}

extension Answer.Step {
    /// The settings in which this entry differs from that of another answer: each by its key, and in words.
    ///
    /// Limits that differ only in the limit of the policy are reported with the policy.
    func differences(from other: Self) -> [(key: String, words: String)] {
        var differences: [(key: String, words: String)] = []
        func note(_ key: String, _ words: @autoclosure () -> String, if isDifferent: Bool) {
            if isDifferent { differences.append((key, words())) }
        }
        note("factory", "factory \(entry.factory)", if: entry.factory != other.entry.factory)
        note("options", "options \(entry.options.serialized())", if: entry.options != other.entry.options)
        if let limit {
            let isOwn = entry.maximumBodyBytes != other.entry.maximumBodyBytes
            note("limits", "at most \(ByteCount(limit))", if: limit != other.limit && isOwn)
            let rule = entry.onFailure
            note("onFailure", "on failure \(rule.rawValue)", if: rule != other.entry.onFailure)
            note("factory", "makes \(entry.output ?? "")", if: entry.output != other.entry.output)
        }
        guard entry.isReplaced || other.entry.isReplaced else { return differences }
        let (printed, otherPrinted) = (String(canonical: serializer), String(canonical: other.serializer))
        note("", entry.isReplaced ? "replaced by \(printed)" : "not replaced in code", if: printed != otherPrinted)
        return differences
    }
}

extension Answer {
    /// Where two answers part: the first entries that differ, nil for an answer without one.
    struct Parting: Sendable, Hashable {
        let before: String?
        let after: String?
        /// The keys whose values differ, if it is one entry.
        var keys: [String] = []
    }

    /// Nil if both answers give every response, or every body, of the class the same result.
    func parting(from after: Answer) -> Parting? {
        for (old, new) in zip(steps, after.steps) {
            guard old.entry.id == new.entry.id else { return Parting(before: old.entry.id, after: new.entry.id) }
            let keys = old.differences(from: new).map(\.key)
            if !keys.isEmpty { return Parting(before: old.entry.id, after: new.entry.id, keys: keys) }
        }
        let count = min(steps.count, after.steps.count)
        if steps.count != after.steps.count || ending != after.ending {
            return Parting(
                before: steps.dropFirst(count).first?.entry.id, after: after.steps.dropFirst(count).first?.entry.id)
        }
        return zip(ifAllDecline, after.ifAllDecline).lazy.compactMap { $0.parting(from: $1) }.first
    }

    /// `javascript-json, then text`, with the differences from another answer and the choices of code.
    package func description(besides other: Answer? = nil) -> String {
        var parts = steps.map { step in
            let twin = other?.steps.first { $0.entry.id == step.entry.id }
            var notes = twin.map { step.differences(from: $0).map(\.words) } ?? []
            if step.mayDecline { notes.append("may decline") }
            if step.mayUnwrap { notes.append("may unwrap") }
            if step.entry.serializer?.keepsBytes == true { notes.append("the bytes") }
            if let need = step.entry.need { notes.append("needs \(need.build)") }
            return step.entry.id + (notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))")
        }
        if let endingWords { parts.append(endingWords) }
        let text = parts.joined(separator: ", then ")
        guard let rest = ifAllDecline.first else { return text }
        return "\(text), and if all decline \(rest.description(besides: other?.ifAllDecline.first))"
    }

    /// The result after the last entry, in words; nil like `ending`.
    package var endingWords: String? {
        switch ending {
        case nil: nil
        case "raw", "bytes": "the bytes"
        case "text": "the bytes as text"
        case let code?: "error \(code)"
        }
    }
}

extension LookupPlan.Ending {
    /// `raw`, `bytes`, `text`, or the code of the error.
    package var word: String {
        switch self {
        case .raw: "raw"
        case .bytes: "bytes"
        case .text: "text"
        case .failure(let failure): failure.rawValue
        }
    }
}
