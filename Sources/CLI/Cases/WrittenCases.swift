import Patchbay
import PatchbayTools

/// Cases that describe a table: one for each class of responses or request bodies with the same answer.
enum WrittenCases {
    /// The largest number of cases: a longer file is not useful.
    private static let most = 50_000

    static func of(_ registry: SerializerRegistry) throws(CommandFailure) -> [FileCase] {
        let classes: RegistryClasses
        do throws(ComparisonFailure) {
            classes = try RegistryClasses([registry])
        } catch {
            throw CommandFailure(.manifest, "the classes of this table cannot be written: \(error)")
        }
        var cases: [FileCase] = []
        var known: Set<RegistryClasses.Key> = []
        for host in classes.hosts {
            for (index, group) in classes.groups(of: host).enumerated() {
                // Answers that a host shares with all other hosts are written once, in a case for any host.
                guard known.insert(group.key).inserted || index == 0, let type = group.types.first else { continue }
                cases += self.cases(registry, classes, host, type, group.statuses).map(FileCase.response)
                cases += writingCases(registry, classes.types.all[type], host).map(FileCase.request)
            }
            cases.append(.request(writingCase(registry, nil, host)))
            let methods = registry.policy(for: host.witness?.host, at: host.url).empty.methods
            if let type = classes.types.all.first(where: { $0.contentType.mediaType != nil }) {
                for method in methods
                where host.witness == nil || !registry.policy(for: nil).empty.methods.contains(method) {
                    cases.append(.response(testCase(registry, type, host, 200, method: method, .anything)))
                }
            }
            guard cases.count <= most else {
                throw CommandFailure(.manifest, "this table has more than \(most) classes, which are not written")
            }
        }
        return cases
    }

    /// The cases of one group of types: for any value, then for typed calls. Equal answers are written once.
    private static func cases(
        _ registry: SerializerRegistry, _ classes: RegistryClasses, _ host: HostClass, _ type: Int,
        _ statuses: [Statuses]
    ) -> [TableCase] {
        struct Kind: Hashable {
            let answer: Decision.CaseAnswer
            let isTyped: Bool
        }
        var cases: [TableCase] = []
        var known: Set<Kind> = []
        for capability in classes.capabilities {
            for status in statuses.map(\.witness) {
                let new = testCase(registry, classes.types.all[type], host, status, capability)
                let isTyped = new.makes != nil
                if isTyped, !registry.policy(for: host.witness?.host, at: host.url).acceptableStatus.contains(status) {
                    continue
                }
                let answer = Decision.CaseAnswer(entry: new.entry, outcome: new.outcome, limit: new.limit ?? 0)
                if known.insert(Kind(answer: answer, isTyped: isTyped)).inserted { cases.append(new) }
            }
        }
        return cases
    }

    /// The cases of one group of types that an entry writes: a whole value, and elements.
    private static func writingCases(
        _ registry: SerializerRegistry, _ type: TypeClasses.Class, _ host: HostClass
    ) -> [WritingCase] {
        guard type.contentType.mediaType != nil else { return [] }
        return [false, true].map { writingCase(registry, type, host, inElements: $0) }.filter { $0.entry != nil }
    }

    /// - Parameter type: nil for `requestContentType` of the policy.
    private static func writingCase(
        _ registry: SerializerRegistry, _ type: TypeClasses.Class?, _ host: HostClass, inElements: Bool = false
    ) -> WritingCase {
        let place = host.witness.map { "\($0)" }
        let value: JSON = inElements ? [[:]] : [:]
        let written = WrittenBody(
            value, inElements: inElements, as: type?.contentType.mediaType, host: place, isWritten: false, registry)
        let title =
            ["writing \(inElements ? "elements" : "an object")", type?.field ?? "the type of the policy"]
            + [place ?? host.names.first ?? "any host"]
        return WritingCase(
            name: title.joined(separator: ", "), host: place, write: value, inElements: inElements,
            contentType: type?.field, entry: written.lookup.writer?.entry)
    }

    private static func testCase(
        _ registry: SerializerRegistry, _ type: TypeClasses.Class, _ host: HostClass, _ status: Int,
        method: String = "GET",
        _ capability: Capability
    ) -> TableCase {
        let place = host.witness.map { "\($0)" }
        let answer = registry.explain(
            contentType: type.field, status: status, host: place, method: method, producing: capability.wanted
        ).answer
        let isTyped = capability.name != Capability.anything.name
        let title =
            [type.example, "\(status)"]
            + (method == "GET" ? [] : [method]) + [place ?? host.names.first ?? "any host", capability.name]
        return TableCase(
            name: title.joined(separator: ", "), host: place, method: method, status: status, contentType: type.field,
            makes: isTyped ? capability.name : nil, entry: answer.entry, outcome: answer.outcome, limit: answer.limit)
    }
}
