import Patchbay
import PatchbayTools

/// The results of cases, as text or as one JSON document.
struct CaseReport {
    let results: [CaseResult]
    let coverage: CaseCoverage
    /// The least coverage in percent that passes; nil accepts any coverage.
    let failUnder: Int?
    /// What a build needs to have the factories of the entries that the cases reach, a line an entry.
    let needs: [String]

    private var failed: [CaseResult] { results.filter { !$0.hasPassed } }
    private var isUnder: Bool { failUnder.map(coverage.isUnder) ?? false }
    var hasPassed: Bool { failed.isEmpty && !isUnder }

    var text: String {
        var lines: [String] = []
        for result in failed {
            let faults = result.faults.joined(separator: "; ")
            lines.append("\(result.placed.place): failed: \(result.placed.testCase.name): \(faults)")
            lines += result.lines.map { "  " + $0 }
        }
        lines += needs
        lines.append("\(results.count - failed.count) passed, \(failed.count) failed; \(coverage.line)")
        if isUnder, let failUnder {
            for part in coverage.parts where part.percent < failUnder {
                lines.append(
                    "under \(failUnder) %: \(part.name) without a case: \(part.missing.joined(separator: ", "))")
            }
        }
        return lines.joined(separator: "\n")
    }

    var json: JSON {
        [
            "passed": JSON(results.count - failed.count), "failed": JSON(failed.count),
            "cases": .array(results.map(\.json)), "needs": .list(needs), "coverage": coverage.json,
            "failUnder": JSON(orNull: failUnder), "underCoverage": JSON(isUnder),
        ]
    }
}

/// The part of a table that some cases use: entries chosen to read or to write, sections of hosts, and policies that
/// decided about a response.
struct CaseCoverage {
    struct Part {
        let name: String
        let all: [String]
        let missing: [String]

        var covered: Int { all.count - missing.count }
        /// Whole percent, rounded down; an empty total counts as covered.
        var percent: Int { all.isEmpty ? 100 : covered * 100 / all.count }

        var json: JSON {
            ["covered": JSON(covered), "all": JSON(all.count), "percent": JSON(percent), "missing": .list(missing)]
        }
    }

    let parts: [Part]

    init(_ results: [CaseResult], of registry: SerializerRegistry) {
        let decisions = results.compactMap(\.decision)
        let responses = results.filter { !$0.isOfRequest }.compactMap(\.decision)
        let requests = results.filter(\.isOfRequest).compactMap(\.decision)
        func part(_ name: String, _ all: [String], _ shown: Set<String>) -> Part {
            Part(name: name, all: all, missing: all.filter { !shown.contains($0) })
        }
        let entries = registry.everyEntry.filter { $0.availability == .available }.map(\.id)
        let hosts = registry.effectiveManifest["hosts"]?.object?.map(\.key) ?? []
        parts = [
            part(
                "entries", entries, Set(responses.compactMap { $0.answer.entry } + requests.compactMap(\.entry))),
            part("host sections", hosts, Set(decisions.compactMap(\.hostSection))),
            part("policies", Self.policies, Set(responses.flatMap(Self.shown))),
        ]
    }

    /// The policies that can decide about a response before its body is read.
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

    var json: JSON { .object(zip(["entries", "hosts", "policies"], parts).map { ($0, $1.json) }) }
}
