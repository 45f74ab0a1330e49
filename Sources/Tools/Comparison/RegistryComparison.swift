// The comparison of two registries, for `patchbay diff`. Responses are split into classes that no entry distinguishes,
// and both registries decide about one response of each class.

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
    /// with equal answers are one change.
    package let changes: [RegistryChange]

    /// Compares both registries.
    /// - Throws: `ComparisonFailure` if there are more classes than the limit.
    package init(_ before: SerializerRegistry, _ after: SerializerRegistry) throws(ComparisonFailure) {
        classes = try RegistryClasses([before, after])
        var fold = ChangeFold()
        var budget = ComparisonFailure.mostAnswers
        var known: [RegistryClasses.Key: EntryComparison.Result] = [:]
        for host in classes.hosts.indices {
            let groups = classes.groups(of: classes.hosts[host])
            var entries = EntryComparison(classes, host, groups, known: known, budget: budget)
            // With this second reference, `entries` would copy the dictionary when it grows.
            known = [:]
            fold.add(try entries.changes())
            fold.add(classes.writerChanges(host: host, groups))
            fold.add(PolicyComparison(classes: classes, index: host).changes)
            (known, budget) = (entries.known, entries.budget)
        }
        changes = RegistryChange.Aspect.allCases.flatMap { aspect in fold.changes.filter { $0.aspect == aspect } }
    }

    /// Compares only the Accept of requests to each host. No registry decides about a response.
    /// - Throws: `ComparisonFailure` if there are more classes than the limit.
    package static func ofAccept(
        _ before: SerializerRegistry, _ after: SerializerRegistry
    ) throws(ComparisonFailure) -> RegistryComparison {
        let classes = try RegistryClasses([before, after])
        var fold = ChangeFold()
        for host in classes.hosts.indices { fold.add(PolicyComparison(classes: classes, index: host).accept) }
        return RegistryComparison(classes: classes, changes: fold.changes)
    }

    private init(classes: RegistryClasses, changes: [RegistryChange]) {
        self.classes = classes
        self.changes = changes
    }

    package var isSame: Bool { changes.isEmpty }
}

/// Joins neighbours with equal answers: statuses, then types, then capabilities, then hosts.
struct ChangeFold {
    private struct Key: Hashable {
        let aspect: RegistryChange.Aspect
        let inside: [String]
        let before: RegistryChange.Answered
        let after: RegistryChange.Answered
        let types: [Int]
        let capabilities: [Int]
        let statuses: Statuses
        let methods: [String?]
        let form: WriterAnswer.Form?
    }

    private(set) var changes: [RegistryChange] = []
    private var known: [Key: Int] = [:]

    /// Adds the changes of one host. A change of several hosts becomes one change.
    mutating func add(_ more: [RegistryChange]) {
        for change in more {
            let key = Key(
                aspect: change.aspect, inside: change.inside, before: change.before, after: change.after,
                types: change.types, capabilities: change.capabilities, statuses: change.statuses,
                methods: change.methods, form: change.form)
            if let index = known[key] {
                changes[index].hosts += change.hosts
            } else {
                known[key] = changes.count
                changes.append(change)
            }
        }
    }
}

/// One difference between the answers of two registries, and the classes for which the answers differ.
package struct RegistryChange: Sendable {
    package enum Aspect: String, Sendable, CaseIterable {
        /// The entries that are considered, in order, with their settings, and the result after the last entry.
        case entries
        /// The entries that are considered for writing the body of a request, in order, with their options.
        case writers
        /// Whether a status is acceptable.
        case acceptableStatus
        /// The value of an empty body.
        case empty
        /// The limits of the policy.
        case limits
        /// The media type of a request body, if the request names none.
        case requestContentType
        /// The Accept of a request.
        case accept
    }

    /// One registry's answer. Answers in equal words are one change, so the words leave out equal settings.
    package struct Answered: Sendable, Hashable {
        package let words: String
        package let json: JSON

        package static func == (left: Self, right: Self) -> Bool { left.words == right.words }
        package func hash(into hasher: inout Hasher) { hasher.combine(words) }
    }

    package let aspect: Aspect
    /// The entries that unwrapped the body, outermost first; empty for the received body.
    package let inside: [String]
    package let before: Answered
    package let after: Answered
    /// Indices in `classes.types.all`; empty if the aspect does not depend on types.
    package let types: [Int]
    /// Indices in `classes.capabilities`; empty if the aspect does not depend on calls.
    package let capabilities: [Int]
    package let statuses: Statuses
    /// Methods; nil means all methods that no policy names.
    package let methods: [String?]
    /// The form of the bodies; nil if the aspect does not depend on a form.
    package var form: WriterAnswer.Form?
    package internal(set) var hosts: [Int]
}
