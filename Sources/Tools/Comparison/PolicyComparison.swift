import PatchbayJSON
import PatchbayRegistry

/// The policies of one host, and the Accept of its requests, in two registries.
///
/// The fallbacks of responses that no entry covers are not compared by this type: the comparison of entries includes
/// them.
struct PolicyComparison {
    typealias Answered = RegistryChange.Answered

    let classes: RegistryClasses
    let host: HostClass

    private var policies: [SerializerRegistry.Policy] { host.sections.map(\.policy) }

    var changes: [RegistryChange] {
        acceptable + empty
            + change(.limits) { Answered(words: "\(ByteCount($0.maximumBodyBytes))", json: JSON($0.maximumBodyBytes)) }
            + change(.requestContentType) { Self.answer("\($0.requestContentType)") }
            + change(.cache) { Self.answer($0.cache.rawValue) } + accept
    }

    /// The change of one answer of the policies; empty for none.
    private func change(
        _ aspect: RegistryChange.Aspect, _ answer: (SerializerRegistry.Policy) -> Answered
    ) -> [RegistryChange] {
        let answers = policies.map(answer)
        return answers[0] == answers[1] ? [] : [RegistryChange(aspect, answers[0], answers[1])]
    }

    private var acceptable: [RegistryChange] {
        let sets = policies.map { Statuses($0.acceptableStatus) }
        let parts = [sets[0].subtracting(sets[1]), sets[1].subtracting(sets[0])].filter { !$0.isEmpty }
        return parts.flatMap { statuses in
            change(.acceptableStatus) { policy in
                let isAcceptable = policy.acceptableStatus.contains(statuses.witness)
                let words = isAcceptable ? "a success, whose body a typed call reads as its type" : "a failure"
                return Answered(words: words, json: JSON(isAcceptable))
            }.map { $0.with(statuses: statuses) }
        }
    }

    private var empty: [RegistryChange] {
        let named = Set(policies.flatMap(\.empty.methods)).sorted()
        // A method that no policy names.
        var other = "GET"
        while named.contains(other) { other += "-OTHER" }
        return ([nil] + named.map(Optional.some)).flatMap { method in
            Statuses.classes(of: policies.map(\.empty.status)).flatMap { statuses in
                change(.empty) { Self.answer($0.empty, method ?? other, statuses.witness) }
                    .map { $0.with(statuses: statuses, methods: [method]) }
            }
        }.folded(\.statuses, Statuses()) { $0 = $0.union($1) }.folded(\.methods, [], +=)
    }

    private static func answer(_ text: String) -> Answered { Answered(words: text, json: JSON(text)) }

    private static func answer(
        _ rule: SerializerRegistry.Policy.EmptyBody, _ method: String, _ status: Int
    ) -> Answered {
        if rule.isExpected(method: method, status: status) {
            return Answered(words: "no bytes are expected", json: "expected")
        }
        return switch rule.otherwise {
        case .empty: Answered(words: "no bytes are empty", json: "empty")
        case .error: Answered(words: "no bytes are an error", json: "error")
        }
    }

    var accept: [RegistryChange] {
        classes.capabilities.enumerated().compactMap { index, capability in
            let answers = classes.sides.map { side in
                let field = side.accept(for: host.witness?.host, at: host.url, producing: capability.wanted)
                return Answered(words: field ?? "none", json: field.map { JSON($0) } ?? .null)
            }
            return answers[0] == answers[1]
                ? nil : RegistryChange(.accept, answers[0], answers[1]).with(capabilities: [index])
        }.folded(\.capabilities, [], +=)
    }
}

extension RegistryChange {
    fileprivate func with(
        statuses: Statuses = Statuses(), methods: [String?] = [], capabilities: [Int] = []
    ) -> RegistryChange {
        var change = self
        (change.statuses, change.methods, change.capabilities) = (statuses, methods, capabilities)
        return change
    }
}
