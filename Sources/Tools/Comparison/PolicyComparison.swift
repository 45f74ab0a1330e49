import PatchbayJSON
import PatchbayRegistry

/// The policies of one host, and the Accept of its requests, in two registries.
///
/// The fallbacks of responses that no entry covers are not compared by this type: the comparison of entries includes
/// them.
struct PolicyComparison {
    let classes: RegistryClasses
    /// The index of the host among the hosts of the classes.
    let index: Int

    private var host: HostClass { classes.hosts[index] }
    private var policies: [SerializerRegistry.Policy] { host.sections.map(\.policy) }

    var changes: [RegistryChange] { acceptable + empty + limits + requestContentType + accept }

    private var acceptable: [RegistryChange] {
        let sets = policies.map { Statuses($0.acceptableStatus) }
        return [(0, 1), (1, 0)].compactMap { has, lacks in
            let statuses = sets[has].subtracting(sets[lacks])
            guard !statuses.isEmpty else { return nil }
            func word(_ side: Int) -> RegistryChange.Answered {
                .init(words: side == has ? "acceptable" : "not acceptable", json: JSON(side == has))
            }
            return change(.acceptableStatus, word(0), word(1), statuses: statuses)
        }
    }

    private var empty: [RegistryChange] {
        let named = Set(policies.flatMap(\.empty.methods)).sorted()
        // A method that no policy names.
        var other = "GET"
        while named.contains(other) { other += "-OTHER" }
        var found: [(pair: [RegistryChange.Answered], methods: [String?], statuses: Statuses)] = []
        for method in [nil] + named.map(Optional.some) {
            var byPair: [(pair: [RegistryChange.Answered], statuses: Statuses)] = []
            for statuses in Statuses.classes(of: policies.map(\.empty.status)) {
                let pair = policies.map { Self.answer($0.empty, method ?? other, statuses.witness) }
                guard pair[0] != pair[1] else { continue }
                if let known = byPair.firstIndex(where: { $0.pair == pair }) {
                    byPair[known].statuses.formUnion(statuses)
                } else {
                    byPair.append((pair, statuses))
                }
            }
            for (pair, statuses) in byPair {
                if let known = found.firstIndex(where: { $0.pair == pair && $0.statuses == statuses }) {
                    found[known].methods.append(method)
                } else {
                    found.append((pair, [method], statuses))
                }
            }
        }
        return found.map { change(.empty, $0.pair[0], $0.pair[1], statuses: $0.statuses, methods: $0.methods) }
    }

    private static func answer(_ rule: SerializerRegistry.Policy.EmptyBody, _ method: String, _ status: Int)
        -> RegistryChange.Answered
    {
        if rule.isExpected(method: method, status: status) {
            return .init(words: "no bytes are expected", json: "expected")
        }
        return switch rule.otherwise {
        case .empty: .init(words: "no bytes are empty", json: "empty")
        case .error: .init(words: "no bytes are an error", json: "error")
        }
    }

    private var limits: [RegistryChange] {
        let caps = policies.map(\.maximumBodyBytes)
        guard caps[0] != caps[1] else { return [] }
        let answers = caps.map { RegistryChange.Answered(words: "\(ByteCount($0))", json: JSON($0)) }
        return [change(.limits, answers[0], answers[1])]
    }

    private var requestContentType: [RegistryChange] {
        let types = policies.map(\.requestContentType)
        guard types[0] != types[1] else { return [] }
        let answers = types.map { RegistryChange.Answered(words: "\($0)", json: JSON("\($0)")) }
        return [change(.requestContentType, answers[0], answers[1])]
    }

    var accept: [RegistryChange] {
        var found: [(pair: [String?], capabilities: [Int])] = []
        for (index, capability) in classes.capabilities.enumerated() {
            let pair = classes.sides.map {
                $0.accept(for: host.witness?.host, at: host.url, producing: capability.wanted)
            }
            guard pair[0] != pair[1] else { continue }
            if let known = found.firstIndex(where: { $0.pair == pair }) {
                found[known].capabilities.append(index)
            } else {
                found.append((pair, [index]))
            }
        }
        return found.map { pair, capabilities in
            let answers = pair.map {
                RegistryChange.Answered(words: $0 ?? "none", json: $0.map { JSON($0) } ?? .null)
            }
            return change(.accept, answers[0], answers[1], capabilities: capabilities)
        }
    }

    private func change(
        _ aspect: RegistryChange.Aspect, _ before: RegistryChange.Answered, _ after: RegistryChange.Answered,
        statuses: Statuses = Statuses(), methods: [String?] = [], capabilities: [Int] = []
    ) -> RegistryChange {
        RegistryChange(
            aspect: aspect, inside: [], before: before, after: after, types: [], capabilities: capabilities,
            statuses: statuses, methods: methods, hosts: [index])
    }
}
