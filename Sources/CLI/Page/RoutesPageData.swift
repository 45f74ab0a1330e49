import Patchbay
import PatchbayTools

/// The data of the page: the classes of responses that a table distinguishes, and for each class the answer of the
/// table with its reasons.
struct RoutesPageData {
    private let registry: SerializerRegistry
    private let classes: RegistryClasses
    private var lines = Interned<String>()
    private var answers = Interned<JSON>()
    /// The entries that write whole values, and the entries that write elements, in words.
    private var writers = Interned<JSON>()
    /// For each group, runs of statuses with their answers.
    private var groups = Interned<JSON>()
    private var tables: [JSON] = []

    /// - Throws: `ComparisonFailure` if there are more classes than the limit, or if their data exceeds `mostBytes`.
    init(_ registry: SerializerRegistry, mostBytes: Int) throws(ComparisonFailure) {
        self.registry = registry
        classes = try RegistryClasses([registry])
        var size = 0
        for host in classes.hosts {
            var ofClass = [Int](repeating: 0, count: classes.types.all.count)
            var numbers: [Int] = []
            var ofWriters: [Int] = []
            for (number, group) in classes.groups(of: host).enumerated() {
                for type in group.types { ofClass[type] = number }
                let cells = group.statuses.map { statuses -> JSON in
                    let runs = statuses.ranges.map { JSON.array([JSON($0.lowerBound), JSON($0.upperBound)]) }
                    return [.array(runs), JSON(answer(host, group.types.first ?? 0, statuses.witness))]
                }
                numbers.append(groups.index(of: .array(cells)))
                ofWriters.append(writers.index(of: .list(written(host, group.types.first ?? 0))))
                size += cells.count * 8 + 4
            }
            size += ofClass.count * 4
            guard size <= mostBytes else { throw ComparisonFailure("it would have more than \(mostBytes) bytes") }
            let rows = registry.routes(host: host.witness?.host, at: host.url).map { JSON.list(Self.cells($0)) }
            tables.append([
                "rows": .array(rows), "classes": Self.list(ofClass), "groups": Self.list(numbers),
                "writers": Self.list(ofWriters),
            ])
        }
    }

    private static func list(_ numbers: [Int]) -> JSON { .array(numbers.map { JSON($0) }) }

    static func cells(_ route: RegistryEntry) -> [String] {
        [
            route.id, route.factory, route.types?.joined(separator: " ") ?? "any", route.coverage.status.description,
            route.output ?? "-", route.writes ?? "-", route.onFailure.rawValue,
            RoutesCommand.origin(of: route, RoutesCommand.remarks(on: route)),
        ]
    }

    /// The entries that write request bodies for a class of hosts and a class of media types, one text for each form of
    /// body. Empty if the class has no media type.
    private func written(_ host: HostClass, _ type: Int) -> [String] {
        BodyForm.allCases.compactMap { classes.writers(of: 0, host: host, type: type, $0)?.description() }
    }

    /// The target of the alias `essence`; `essence` itself if it is no alias.
    private func target(of essence: String) -> String {
        registry.effectiveManifest["aliases"]?[essence]?.string ?? essence
    }

    /// The answer for a class: the decision, and the results if the first entry declines or fails.
    private mutating func answer(_ host: HostClass, _ type: Int, _ status: Int) -> Int {
        let decision = classes.decision(of: 0, host: host, type: type, status: status, producing: .anything)
        let answer = classes.answer(of: 0, host: host, type: type, status: status, producing: .anything)
        // The group has other types and statuses, whose names the page inserts.
        let essence = decision.head.mediaType?.essence
        let target = essence.map(target)
        let reasons = decision.description.split(separator: "\n").map { line in
            var line = String(line).replacing("status \(status)", with: "status {status}")
            if let essence { line = line.replacing("covers \(essence) ", with: "covers {type} ") }
            if let target { line = line.replacing(" \(target) is outside ", with: " {target} is outside ") }
            return JSON(lines.index(of: line))
        }
        var then: [String] = []
        if decision.entryID != nil {
            for (number, step) in answer.steps.enumerated() {
                if number > 0 { then.append("then \(step.entry.id)") }
                if step.mayDecline { then.append("which may decline") }
                if step.mayUnwrap { then.append("which may unwrap") }
                if step.entry.onFailure != .error { then.append("on failure \(step.entry.onFailure.rawValue)") }
            }
            if let ending = answer.endingWords { then.append("then \(ending)") }
        }
        return answers.index(of: [
            "outcome": JSON(decision.outcome.rawValue), "entry": JSON(orNull: decision.entryID),
            "then": .list(then), "limit": JSON(decision.bodyLimit), "lines": .array(reasons),
        ])
    }

    var json: JSON {
        let types = classes.types.all.map { type -> JSON in
            let essence = type.contentType.mediaType?.essence ?? ""
            return [JSON(type.name), JSON(essence), JSON(target(of: essence))]
        }
        return [
            "types": .array(types), "hosts": .list(classes.hosts.map { $0.names.joined(separator: ", ") }),
            "tables": .array(tables),
            "groups": .array(groups.values), "answers": .array(answers.values), "lines": .list(lines.values),
            "writers": .array(writers.values),
        ]
    }
}

private struct Interned<Value: Hashable> {
    private(set) var values: [Value] = []
    private var indices: [Value: Int] = [:]

    mutating func index(of value: Value) -> Int {
        if let index = indices[value] { return index }
        indices[value] = values.count
        values.append(value)
        return values.count - 1
    }
}
