import Patchbay

/// How much of a table some decisions have shown: entries that were chosen, host sections that applied, policies that had a say.
struct CaseCoverage {
    struct Part {
        let name: String
        let all: [String]
        let missing: [String]

        var covered: Int { all.count - missing.count }
        /// Whole percent, rounded down; of nothing all is covered.
        var percent: Int { all.isEmpty ? 100 : covered * 100 / all.count }
    }

    let parts: [Part]

    init(_ decisions: [Decision], of registry: SerializerRegistry) {
        func part(_ name: String, _ all: [String], _ shown: Set<String>) -> Part {
            Part(name: name, all: all, missing: all.filter { !shown.contains($0) })
        }
        let entries = registry.everyRoute.filter { $0.availability == .available }.map(\.id)
        let hosts = registry.effectiveManifest["hosts"]?.object?.map(\.key) ?? []
        parts = [
            part("entries", entries, Set(decisions.compactMap { $0.answer.entry })),
            part("host sections", hosts, Set(decisions.compactMap(\.hostSection))),
            part("policies", Self.policies, Set(decisions.flatMap(Self.shown))),
        ]
    }

    /// Those that decide about a response without a body.
    private static let policies = ["noMatch", "missingContentType", "invalidContentType", "acceptableStatus", "empty"]

    private static func shown(by decision: Decision) -> [String] {
        var shown = decision.endingPolicy.map { [$0] } ?? []
        if !decision.isAcceptable { shown.append("acceptableStatus") }
        if decision.outcome == .empty { shown.append("empty") }
        return shown
    }

    func isUnder(_ percent: Int) -> Bool { parts.contains { $0.percent < percent } }

    /// `entries 8 of 9 (88 %), host sections 0 of 0 (100 %), policies 3 of 5 (60 %)`
    var line: String {
        parts.map { "\($0.name) \($0.covered) of \($0.all.count) (\($0.percent) %)" }.joined(separator: ", ")
    }

    var json: JSON {
        .object(
            zip(["entries", "hosts", "policies"], parts).map { key, part in
                (
                    key,
                    [
                        "covered": JSON(part.covered), "all": JSON(part.all.count), "percent": JSON(part.percent),
                        "missing": .array(part.missing.map { JSON($0) }),
                    ]
                )
            })
    }
}
