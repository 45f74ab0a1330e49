package import PatchbayJSON
package import PatchbayRegistry

/// The entries that a registry considers for one class of responses, in order, and the result after the last entry.
///
/// The next entry is considered if the serializer of the previous entry declines the response, or fails with
/// `"onFailure": "next"`.
package struct Answer: Sendable {
    /// An entry that takes responses of the class, with its settings.
    package struct Candidate: Sendable {
        package let entry: String
        package let factory: String
        package let options: JSON
        /// The limit of the entry itself; nil for none.
        package let ownLimit: Int?
        /// The lower one of `ownLimit` and the limit of the policy.
        package let limit: Int
        package let onFailure: FailureRule
        package let output: String
        /// Whether the code of the serializer decides which responses it takes.
        package let mayDecline: Bool
        /// Whether the serializer unwraps the body, so that the entries after it are considered for the inner body.
        package let mayUnwrap: Bool
        /// What a build needs to have the factory; nil if every build has it.
        let need: String?
        /// The printed form of the serializer that replaces the entry's own in code; nil if code does not replace it.
        let replacement: String?
        let serializer: BoundSerializer
    }

    package private(set) var candidates: [Candidate] = []
    /// The result after the last of the `candidates`; nil if the last candidate always ends the decision.
    private(set) var ending: LookupPlan.Ending?
    /// The answer if every `Candidate` declines whose entry has no types and whose code can decline. Empty for a
    /// response with a media type, and without such a candidate. The policies for a missing and for an invalid type
    /// apply only if no entry was considered.
    private(set) var ifAllDecline: [Answer] = []

    /// The answer of a decision of a registry without code.
    package init(_ decision: Decision) {
        self.init(decision.planner, decision.plan)
        let declining = candidates.filter {
            $0.mayDecline && decision.section.table.entry($0.entry)?.coverage.ranges == nil
        }
        guard decision.head.contentType.mediaType == nil, !declining.isEmpty else { return }
        let planner = decision.planner.excluding(Set(declining.map(\.entry)))
        ifAllDecline = [Answer(planner, planner.plan())]
    }

    /// Collects the candidates of a `LookupPlan`. If the last candidate of a plan closes the plan and can decline, the
    /// candidates of the plan without this candidate follow.
    private init(_ planner: LookupPlanner, _ plan: LookupPlan) {
        var plan = plan
        var declined = planner.override.excluding
        while true {
            for serializer in plan.candidates
            where !candidates.contains(where: { $0.entry == serializer.name }) {
                candidates.append(Candidate(serializer, planner))
            }
            guard plan.isClosed else {
                ending = plan.ending
                return
            }
            guard let last = plan.candidates.last, last.mayDecline, declined.insert(last.name).inserted else {
                return
            }
            plan = planner.excluding(declined).plan()
        }
    }

    /// Whether both answers give every response of the class the same result.
    func isSame(as other: Answer) -> Bool {
        ending == other.ending && candidates.count == other.candidates.count
            && zip(candidates, other.candidates).allSatisfy { $0.isSame(as: $1) }
            && ifAllDecline.count == other.ifAllDecline.count
            && zip(ifAllDecline, other.ifAllDecline).allSatisfy { $0.isSame(as: $1) }
    }
}

extension Answer.Candidate {
    init(_ serializer: BoundSerializer, _ planner: LookupPlanner) {
        let id = serializer.name
        let found = planner.section.table.entry(id) ?? planner.registry.compiled.entries[id]
        entry = id
        factory = found?.factory ?? ""
        options = found?.options ?? [:]
        ownLimit = serializer.maximumBodyBytes
        limit = BodyLimit(planner.section.policy).capped(by: serializer).bytes
        onFailure = serializer.onFailure
        output = "\(serializer.output)"
        mayDecline = serializer.mayDecline
        mayUnwrap = serializer.unwrapping != nil
        need = found?.need?.build
        replacement = found?.replacement
        self.serializer = serializer
    }

    func isSame(as other: Self) -> Bool { entry == other.entry && differences(from: other).isEmpty }

    private var printed: String { String(reflecting: serializer.serializer) }

    /// The settings in which this candidate differs from another candidate.
    ///
    /// Limits that differ only in the limit of the policy are reported with the policy.
    fileprivate func differences(from other: Self) -> [String] {
        var differences: [String] = []
        if factory != other.factory { differences.append("factory \(factory)") }
        if options != other.options { differences.append("options \(options.serialized())") }
        if limit != other.limit && ownLimit != other.ownLimit { differences.append("at most \(ByteCount(limit))") }
        if onFailure != other.onFailure { differences.append("on failure \(onFailure.rawValue)") }
        if output != other.output { differences.append("makes \(output)") }
        // A replacement that only writes does not change the reading serializer.
        if replacement != other.replacement, printed != other.printed {
            differences.append(replacement.map { "replaced by \($0)" } ?? "not replaced in code")
        }
        return differences
    }
}

extension Answer {
    /// `javascript-json, then text`, with the differences from another answer and the choices of code.
    func description(besides other: Answer?) -> String {
        var parts = candidates.map { candidate in
            let twin = other?.candidates.first { $0.entry == candidate.entry }
            var notes = twin.map { candidate.differences(from: $0) } ?? []
            if candidate.mayDecline { notes.append("may decline") }
            if candidate.mayUnwrap { notes.append("may unwrap") }
            if let need = candidate.need { notes.append("needs \(need)") }
            return candidate.entry + (notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))")
        }
        if let ending { parts.append(ending.words) }
        let text = parts.joined(separator: ", then ")
        guard let rest = ifAllDecline.first else { return text }
        return "\(text), and if all decline \(rest.description(besides: other?.ifAllDecline.first))"
    }

    /// The result after the last candidate, in words; nil like `ending`.
    package var endingWords: String? { ending?.words }

    /// The whole answer, with every field of every candidate.
    package var json: JSON {
        var members: [(String, JSON)] = [
            ("entries", .array(candidates.map(\.json))), ("otherwise", ending.map { JSON($0.word) } ?? .null),
        ]
        if let rest = ifAllDecline.first { members.append(("ifAllDecline", rest.json)) }
        return .object(members)
    }
}

extension Answer.Candidate {
    fileprivate var json: JSON {
        [
            "entry": JSON(entry), "factory": JSON(factory), "options": options, "maxBodyBytes": JSON(limit),
            "onFailure": JSON(onFailure.rawValue), "makes": JSON(output), "mayDecline": JSON(mayDecline),
            "mayUnwrap": JSON(mayUnwrap),
        ]
    }
}

extension LookupPlan.Ending {
    /// The word in the documents of the command line: `raw`, `text`, `bytes`, or the code of the error.
    package var word: String {
        switch self {
        case .raw: "raw"
        case .bytes: "bytes"
        case .text: "text"
        case .failure(let failure): failure.rawValue
        }
    }

    fileprivate var words: String {
        switch self {
        case .raw, .bytes: "the bytes"
        case .text: "the bytes as text"
        case .failure(let failure): "error \(failure.rawValue)"
        }
    }
}

extension LookupPlanner {
    /// This planner without some entries.
    func excluding(_ ids: Set<String>) -> LookupPlanner {
        LookupPlanner(
            registry: registry, section: section, head: head, isAcceptable: isAcceptable, wanted: wanted,
            override: LookupOverride(
                using: override.using, excluding: override.excluding.union(ids),
                acceptableStatus: override.acceptableStatus), unwrapping: unwrapping)
    }
}
