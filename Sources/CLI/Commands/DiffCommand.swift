import Patchbay
import PatchbayTools

/// `diff`: prints the differences between the answers of two tables, by the edits that made them.
struct DiffCommand {
    static let builtIn = "built-in"

    let names: (before: String, after: String)
    let before: SerializerRegistry
    let after: SerializerRegistry
    let printer: Printer
    /// The logs whose responses are counted for each change.
    var traffic: [String] = []

    /// Reads both tables. Prints all their faults, and returns nil if there are any.
    init?(_ before: String, _ after: String, _ options: CommonOptions, _ printer: Printer) throws(CommandFailure) {
        var (tables, faults): ([SerializerRegistry], [ManifestFailure.Issue]) = ([], [])
        var earlier: ManifestChoice?
        for name in [before, after] {
            let choice = try ManifestChoice(options, over: name == Self.builtIn ? nil : name)
                .readingInput(after: earlier)
            earlier = choice
            do throws(ManifestFailure) {
                tables.append(choice.paths.isEmpty ? .ofCommands : try choice.registry())
            } catch {
                faults += error.issues
            }
        }
        guard faults.isEmpty else {
            printer.console.note(ManifestFailure(faults))
            return nil
        }
        names = (before, after)
        self.before = tables[0]
        self.after = tables[1]
        self.printer = printer
    }

    func run() throws(CommandFailure) -> ExitCode {
        let comparison: RegistryComparison
        do throws(ComparisonFailure) {
            comparison = try RegistryComparison(before, after)
        } catch {
            throw CommandFailure(.manifest, "\(names.before) and \(names.after) cannot be compared: \(error)")
        }
        let log = try traffic.isEmpty ? nil : logged(comparison)
        switch printer.format {
        case .text:
            var lines = ["\(names.before) and \(names.after) answer every question alike"]
            if !comparison.isSame {
                lines = ChangeGroup.lines(of: comparison, after.places, log.map { ($0.counts, $0.reader.responses) })
            }
            if let (counts, reader) = log {
                let unused = zip(Self.sides, [names.before, names.after]).map { (counts.unused(of: $0), $1) }
                let words = unused.filter { !$0.0.isEmpty }.map { "\($0.joined(separator: ", ")) (\($1))" }
                let untold = comparison.changes.indices.count { counts.count(of: $0) == nil }
                if untold > 0 {
                    lines.append("without a count, because the log does not tell: \(untold) \("change".plural(untold))")
                }
                lines.append("nothing used: \(words.isEmpty ? "none of the entries" : words.joined(separator: "; "))")
                lines += reader.lines
            }
            try printer.console.print(lines.joined(separator: "\n"))
        case .json:
            let changes = comparison.changes.enumerated().map { index, change in
                let json = ChangeReport(change: change, comparison: comparison).json
                guard let log else { return json }
                let count = log.counts.count(of: index)
                let members = [("responses", count?.responses), ("between", count?.between)]
                return json.adding(members.map { ($0, JSON(orNull: $1)) })
            }
            let document: JSON = [
                "before": JSON(names.before), "after": JSON(names.after), "same": JSON(comparison.isSame),
                "changes": .array(changes), "edits": .array(comparison.edits.map(\.json)),
            ]
            guard let (counts, reader) = log else {
                try printer.print(document)
                break
            }
            let unused = Self.sides.map { JSON.list(counts.unused(of: $0)) }
            let members = reader.members + [("unused", ["before": unused[0], "after": unused[1]])]
            try printer.print(document.adding([("traffic", .object(members))]))
        }
        return comparison.isSame ? .done : .different
    }
    private static let sides = 0...1

    /// The responses of the logs, counted for each change.
    private func logged(
        _ comparison: RegistryComparison
    ) throws(CommandFailure) -> (counts: ComparedTraffic, reader: TrafficReader) {
        var counts = ComparedTraffic(comparison)
        var reader = TrafficReader([before, after], limits: counts.limits)
        try reader.read(traffic) { line, kind throws(TrafficReader.Fault) in try counts.count(line, kind) }
        return (counts, reader)
    }
}
