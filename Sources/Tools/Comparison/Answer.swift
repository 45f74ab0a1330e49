package import PatchbayJSON
package import PatchbayRegistry

/// Whom a registry turns to about one class of responses, in order, and what happens behind the last.
///
/// The next candidate's turn comes where the one before declines by its own code, or fails and says that the next one is asked.
package struct Answer: Sendable {
    /// An entry that takes responses of the class, with what it is told.
    package struct Candidate: Sendable {
        package let entry: String
        package let factory: String
        package let options: JSON
        /// What the entry itself says, and what that is under the cap of the policy.
        package let ownLimit: Int?
        package let limit: Int
        package let onFailure: FailureRule
        package let output: String
        /// Whether its code has a say in what it takes.
        package let mayDecline: Bool
        /// Whether it gives the look-up a body inside the one received.
        package let mayUnwrap: Bool
        /// The serializer that code put in its place, as far as it can be told.
        let replacement: String?
        let serializer: BoundSerializer
    }

    package private(set) var candidates: [Candidate] = []
    /// What happens where the last candidate does not end the matter; nil where it does.
    private(set) var ending: LookupPlan.Ending?
    /// The answer where everything that may decline does, if that is more than the same list without it: the policies for a
    /// missing and for an invalid type count only where nobody was asked.
    private(set) var ifAllDecline: [Answer] = []

    /// Asks about a decision of a registry in which no code has a say.
    package init(_ decision: Decision) {
        self.init(decision.planner, decision.plan)
        let declining = candidates.filter {
            $0.mayDecline && decision.section.table.entry($0.entry)?.coverage.ranges == nil
        }
        guard decision.head.contentType.mediaType == nil, !declining.isEmpty else { return }
        let planner = decision.planner.excluding(Set(declining.map(\.entry)))
        ifAllDecline = [Answer(planner, planner.plan())]
    }

    /// A plan, and for every candidate that ends it and may decline, the plan without that one.
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

    /// Whether no response of the class is answered otherwise.
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
        replacement = found?.replacement
        self.serializer = serializer
    }

    func isSame(as other: Self) -> Bool { entry == other.entry && differences(from: other).isEmpty }

    private var printed: String { String(reflecting: serializer.serializer) }

    /// What is told of it that is not so of another one.
    ///
    /// Limits that differ only as the cap of the policy does are the policy's.
    fileprivate func differences(from other: Self) -> [String] {
        var differences: [String] = []
        if factory != other.factory { differences.append("factory \(factory)") }
        if options != other.options { differences.append("options \(options.serialized())") }
        if limit != other.limit && ownLimit != other.ownLimit { differences.append("at most \(ByteCount(limit))") }
        if onFailure != other.onFailure { differences.append("on failure \(onFailure.rawValue)") }
        if output != other.output { differences.append("makes \(output)") }
        // A replacement that only writes leaves the serializer that reads as it was.
        if replacement != other.replacement, printed != other.printed {
            differences.append(replacement.map { "replaced by \($0)" } ?? "not replaced in code")
        }
        return differences
    }
}

extension Answer {
    /// `javascript-json, then text`, with what differs from another answer and what code decides.
    func description(besides other: Answer?) -> String {
        var parts = candidates.map { candidate in
            let twin = other?.candidates.first { $0.entry == candidate.entry }
            var notes = twin.map { candidate.differences(from: $0) } ?? []
            if candidate.mayDecline { notes.append("may decline") }
            if candidate.mayUnwrap { notes.append("may unwrap") }
            return candidate.entry + (notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))")
        }
        if let ending { parts.append(ending.words) }
        let text = parts.joined(separator: ", then ")
        guard let rest = ifAllDecline.first else { return text }
        return "\(text), and if all decline \(rest.description(besides: other?.ifAllDecline.first))"
    }

    /// What comes behind the last candidate, in words; nil where that one ends the matter.
    package var endingWords: String? { ending?.words }

    /// The whole of it, every field of every candidate.
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
    /// The word of the documents of the command line: `raw`, `text`, `bytes`, or the code of the failure.
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
    /// The same question without some entries.
    func excluding(_ ids: Set<String>) -> LookupPlanner {
        LookupPlanner(
            registry: registry, section: section, head: head, isAcceptable: isAcceptable, wanted: wanted,
            override: LookupOverride(
                using: override.using, excluding: override.excluding.union(ids),
                acceptableStatus: override.acceptableStatus), unwrapping: unwrapping)
    }
}
