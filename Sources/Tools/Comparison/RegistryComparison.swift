// The comparison of two registries, for `patchbay diff`. Responses are split into classes that no entry distinguishes,
// both registries decide about one response of each class, and `Edits` finds the edit that made them answer otherwise.

package import PatchbayJSON
package import PatchbayRegistry

/// The differences between the answers of two registries. Both registries decide about one response and one request
/// body of every class.
///
/// Two things are not compared: requests that change the choice of the entry (`using:`, `excluding:`, their own
/// acceptable statuses), and the values that a serializer makes of bytes.
package struct RegistryComparison: Sendable {
    package let classes: RegistryClasses
    /// Every change: first of reading entries, then of writing entries, of policies and of Accept. Neighbouring classes
    /// with equal answers and one cause are one change.
    package let changes: [RegistryChange]
    /// The edits between the manifests of the two registries.
    package let edits: [Edit]

    /// Compares both registries.
    /// - Parameter onlyAccept: whether only the Accept of requests is compared, without its causes. No registry then decides about a
    ///   response.
    /// - Throws: `ComparisonFailure` if there are more classes than the limit.
    package init(
        _ before: SerializerRegistry, _ after: SerializerRegistry, onlyAccept: Bool = false
    ) throws(ComparisonFailure) {
        classes = try RegistryClasses([before, after])
        let edits = Edits(before, after)
        var entries = EntryComparison(classes)
        var found: [RegistryChange] = []
        for (index, host) in classes.hosts.enumerated() {
            let policies = PolicyComparison(classes: classes, host: host)
            var changes = onlyAccept ? policies.accept : policies.changes
            if !onlyAccept {
                let groups = classes.groups(of: host)
                changes += try entries.changes(of: host, groups) + entries.writerChanges(host: host, groups)
            }
            for var change in changes {
                change.hosts = [index]
                if !onlyAccept { change.causes = edits.causes(of: change, host.sections, classes.types) }
                found.append(change)
            }
        }
        found = found.folded(\.hosts, [], +=)
        changes = RegistryChange.Aspect.allCases.flatMap { aspect in found.filter { $0.aspect == aspect } }
        self.edits = edits.all
    }

    package var isSame: Bool { changes.isEmpty }
}

/// One difference between the answers of two registries, and the classes for which the answers differ.
package struct RegistryChange: Sendable, Hashable {
    package enum Aspect: String, Sendable, CaseIterable {
        /// The entries that are asked, in order, with their settings, and the result after the last entry.
        case entries
        /// The entries that are asked to write the body of a request, in order, with their options.
        case writers
        case acceptableStatus
        /// The value of an empty body.
        case empty
        case limits
        /// The media type of a request body, if the request names none.
        case requestContentType
        /// Which responses a cache stores and reuses.
        case cache
        case accept
    }

    /// One registry's answer. Answers in equal words are one change, so the words leave out equal settings.
    package struct Answered: Sendable, Hashable {
        package let words: String
        /// The value of a policy or of Accept.
        package var json = JSON.null
        /// The entries that are asked.
        package var answer: Answer?

        package static func == (left: Self, right: Self) -> Bool { left.words == right.words }
        package func hash(into hasher: inout Hasher) { hasher.combine(words) }
    }

    package let aspect: Aspect
    package let before: Answered
    package let after: Answered
    /// Where two answers about entries part.
    private(set) var parting: Answer.Parting?
    /// The entries that unwrapped the body, outermost first; empty for the received body.
    package var inside: [String] = []
    /// Indices in `classes.types.all`; empty if the aspect does not depend on types.
    package var types: [Int] = []
    /// Indices in `classes.capabilities`; empty if the aspect does not depend on calls.
    package var capabilities: [Int] = []
    package var statuses = Statuses()
    /// Methods; nil means all methods that no policy names.
    package var methods: [String?] = []
    /// The form of the bodies; nil if the aspect does not depend on a form.
    package var form: BodyForm?
    /// Indices in `classes.hosts`.
    package var hosts: [Int] = []
    /// Indices in `edits` of the comparison: the edit that made the change, or those of which one did.
    package var causes: [Int] = []

    init(_ aspect: Aspect, _ before: Answered, _ after: Answered) {
        (self.aspect, self.before, self.after) = (aspect, before, after)
    }

    /// Nil if both answers are the same.
    init?(_ aspect: Aspect, _ before: Answer, _ after: Answer) {
        guard let parting = before.parting(from: after) else { return nil }
        func answered(_ answer: Answer, besides other: Answer) -> Answered {
            Answered(words: answer.description(besides: other), answer: answer)
        }
        self.init(aspect, answered(before, besides: after), answered(after, besides: before))
        self.parting = parting
    }
}

extension RegistryChange {
    /// The limits for bodies of both registries; nil if the change is about something else.
    package var limits: (before: Int, after: Int)? {
        func limit(_ answered: Answered, _ id: String?) -> Int? {
            aspect == .limits ? answered.json.int : answered.answer?.steps.first { $0.entry.id == id }?.limit
        }
        guard aspect == .limits || parting?.keys.contains("limits") == true,
            let old = limit(before, parting?.before), let new = limit(after, parting?.after)
        else { return nil }
        return (old, new)
    }
}

extension [RegistryChange] {
    /// Joins the changes that differ in one part only.
    func folded<Part>(
        _ part: WritableKeyPath<RegistryChange, Part>, _ none: Part, _ join: (inout Part, Part) -> Void
    ) -> [RegistryChange] {
        grouped { change in
            var key = change
            key[keyPath: part] = none
            return key
        }.map { changes in
            changes.dropFirst().reduce(into: changes[0]) { join(&$0[keyPath: part], $1[keyPath: part]) }
        }
    }
}

/// The reason that registries are not compared: there are more classes than the limit, and comparing a part of them
/// would prove nothing.
package struct ComparisonFailure: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    /// The limit for combinations of parameters of one media type. Each combination is one class.
    package static let mostParameters = 4096
    /// The limit for classes of media types, and for classes of hosts.
    package static let mostClasses = 100_000
    /// The limit for answers of each registry, which take most of the time.
    package static let mostAnswers = 10_000_000

    package init(_ description: String) { self.description = description }
}
