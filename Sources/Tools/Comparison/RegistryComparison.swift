// What two registries answer differently, for `patchbay diff`: responses are put into classes that no entry tells apart, and both
// registries are asked about one of each.

package import PatchbayJSON
package import PatchbayRegistry

/// What two registries answer differently, found by asking both about one response and one request body of every class.
///
/// Requests that override the look-up (`using:`, `excluding:`, acceptable statuses of their own) are not compared, nor what a
/// serializer makes of its bytes.
package struct RegistryComparison: Sendable {
    package let classes: RegistryClasses
    /// Every change: first of entries that read, then of entries that write, of policies and of Accept. Questions with equal answers are one
    /// change where they form a block.
    package let changes: [RegistryChange]

    /// Asks both registries.
    /// - Throws: `ComparisonFailure` where there are more classes than are looked at.
    package init(_ before: SerializerRegistry, _ after: SerializerRegistry) throws(ComparisonFailure) {
        classes = try RegistryClasses([before, after])
        var fold = ChangeFold()
        var budget = ComparisonFailure.mostAnswers
        var known: [RegistryClasses.Key: EntryComparison.Result] = [:]
        for host in classes.hosts.indices {
            let groups = classes.groups(of: classes.hosts[host])
            var entries = EntryComparison(classes, host, groups, known: known, budget: budget)
            // Else it would be copied when the other one grows.
            known = [:]
            fold.add(try entries.changes())
            fold.add(classes.writerChanges(host: host, groups))
            fold.add(PolicyComparison(classes, host).changes)
            (known, budget) = (entries.known, entries.budget)
        }
        changes = RegistryChange.Aspect.allCases.flatMap { aspect in fold.changes.filter { $0.aspect == aspect } }
    }

    /// What requests to each host say in Accept, and no more: no registry is asked about a response.
    /// - Throws: `ComparisonFailure` where there are more classes than are looked at.
    package static func ofAccept(
        _ before: SerializerRegistry, _ after: SerializerRegistry
    ) throws(ComparisonFailure) -> RegistryComparison {
        let classes = try RegistryClasses([before, after])
        var fold = ChangeFold()
        for host in classes.hosts.indices { fold.add(PolicyComparison(classes, host).accept) }
        return RegistryComparison(classes: classes, changes: fold.changes)
    }

    private init(classes: RegistryClasses, changes: [RegistryChange]) {
        self.classes = classes
        self.changes = changes
    }

    package var isSame: Bool { changes.isEmpty }
}

/// Puts equal answers of neighbours together: statuses, then types, then what is wanted, then hosts.
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

    /// Adds the changes of one host; what other hosts have too becomes one change.
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

/// One thing that two registries answer differently, and for which questions.
package struct RegistryChange: Sendable {
    package enum Aspect: String, Sendable, CaseIterable {
        /// The entries that are asked, in order, what they are told, and what comes behind them.
        case entries
        /// The entries that are asked to write the body of a request, in order, with their options.
        case writers
        /// Whether a status is acceptable.
        case acceptableStatus
        /// What no bytes are.
        case empty
        /// The cap of the policy.
        case limits
        /// The media type of a body if the request names none.
        case requestContentType
        /// The Accept that a request sends.
        case accept
    }

    /// One registry's answer. Answers in the same words are one change: what they do not name is what does not differ.
    package struct Answered: Sendable, Hashable {
        package let words: String
        package let json: JSON

        package static func == (left: Self, right: Self) -> Bool { left.words == right.words }
        package func hash(into hasher: inout Hasher) { hasher.combine(words) }
    }

    package let aspect: Aspect
    /// The entries that have unwrapped the body in question, outermost first; empty for what was received.
    package let inside: [String]
    package let before: Answered
    package let after: Answered
    /// Positions in the lists of the classes. Empty where the aspect does not depend on them.
    package let types: [Int]
    package let capabilities: [Int]
    package let statuses: Statuses
    /// Methods; nil stands for those that no policy names.
    package let methods: [String?]
    /// The form of the bodies; nil if the aspect does not depend on it.
    package var form: WriterAnswer.Form?
    package internal(set) var hosts: [Int]
}
