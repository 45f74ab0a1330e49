package import PatchbayJSON

/// One thing that two registries answer differently, and for which questions.
package struct RegistryChange: Sendable {
    package enum Aspect: String, Sendable, CaseIterable {
        /// The entries that are asked, in order, what they are told, and what comes behind them.
        case entries
        /// Whether a status is acceptable.
        case acceptableStatus
        /// What no bytes are.
        case empty
        /// The cap of the policy.
        case limits
        /// The Accept that a request sends.
        case accept
    }

    /// One registry's answer. Answers in the same words are one change: what they do not name is what does not differ.
    package struct Answered: Sendable, Hashable {
        /// A few words.
        package let words: String
        /// The whole of it.
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
    package internal(set) var hosts: [Int]
}
