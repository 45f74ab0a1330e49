import Patchbay
import PatchbayTools

/// Cases that describe a table: one for each class of responses or request bodies with the same answer.
struct WrittenCases {
    /// The largest number of cases: a longer file is not useful.
    private static let most = 50_000

    private let registry: SerializerRegistry
    private let classes: RegistryClasses

    static func of(_ registry: SerializerRegistry) throws(CommandFailure) -> [FileCase] {
        let classes: RegistryClasses
        do throws(ComparisonFailure) {
            classes = try RegistryClasses([registry])
        } catch {
            throw CommandFailure(.manifest, "the classes of this table cannot be written: \(error)")
        }
        return try WrittenCases(registry: registry, classes: classes).all()
    }

    private func all() throws(CommandFailure) -> [FileCase] {
        var cases: [FileCase] = []
        var known: Set<RegistryClasses.Key> = []
        for host in classes.hosts {
            for (index, group) in classes.groups(of: host).enumerated() {
                // Answers that a host shares with all other hosts are written once, in a case for any host.
                guard known.insert(group.key).inserted || index == 0, let type = group.types.first else { continue }
                cases += responses(classes.types.all[type], host, group.statuses.map(\.witness)).map(FileCase.response)
                cases += requests(classes.types.all[type], host).map(FileCase.request)
            }
            cases.append(.request(request(nil, host)))
            if let type = classes.types.all.first(where: { $0.contentType.mediaType != nil }) {
                for method in policy(of: host).empty.methods
                where host.witness == nil || !registry.policy(for: nil).empty.methods.contains(method) {
                    cases.append(.response(response(type, host, 200, method: method, .anything)))
                }
            }
            guard cases.count <= Self.most else {
                throw CommandFailure(.manifest, "this table has more than \(Self.most) classes, which are not written")
            }
        }
        return cases
    }

    private func policy(of host: HostClass) -> SerializerRegistry.Policy {
        registry.policy(for: host.witness?.host, at: host.url)
    }

    /// The cases of one group of types: for any value, then for typed calls. Equal answers are written once.
    private func responses(_ type: TypeClasses.Class, _ host: HostClass, _ statuses: [Int]) -> [TableCase] {
        func each(_ capabilities: some Sequence<Capability>, _ statuses: [Int]) -> [TableCase] {
            capabilities.flatMap { capability in statuses.map { response(type, host, $0, capability) } }
                .once { Decision.CaseAnswer(entry: $0.entry, outcome: $0.outcome, limit: $0.limit ?? 0) }
        }
        let acceptable = statuses.filter(policy(of: host).acceptableStatus.contains)
        return each([.anything], statuses) + each(classes.capabilities.dropFirst(), acceptable)
    }

    /// The cases of one group of types that an entry writes: a whole value, and elements.
    private func requests(_ type: TypeClasses.Class, _ host: HostClass) -> [WritingCase] {
        guard type.contentType.mediaType != nil else { return [] }
        return [false, true].map { request(type, host, inElements: $0) }.filter { $0.entry != nil }
    }

    /// - Parameter type: nil for `requestContentType` of the policy.
    private func request(_ type: TypeClasses.Class?, _ host: HostClass, inElements: Bool = false) -> WritingCase {
        let place = host.witness.map { "\($0)" }
        let value: JSON = inElements ? [[:]] : [:]
        let written = WrittenBody(
            value, inElements: inElements, as: type?.contentType.mediaType, host: place, isWritten: false, registry)
        let title = [
            "writing \(inElements ? "elements" : "an object")", type?.field ?? "the type of the policy",
            place ?? host.names.first ?? "any host",
        ]
        return WritingCase(
            name: title.joined(separator: ", "), host: place, write: value, inElements: inElements,
            contentType: type?.field, entry: written.lookup.writer?.entry)
    }

    private func response(
        _ type: TypeClasses.Class, _ host: HostClass, _ status: Int, method: String = "GET", _ capability: Capability
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
