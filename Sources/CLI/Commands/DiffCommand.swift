import Patchbay
import PatchbayTools

/// `diff`: prints the differences between the answers of two tables, by the edits that made them.
struct DiffCommand {
    static let builtIn = "built-in"

    let names: (before: String, after: String)
    let before: SerializerRegistry
    let after: SerializerRegistry
    let printer: Printer

    /// Reads both tables. Prints all their faults, and returns nil if there are any.
    init?(_ before: String, _ after: String, _ options: CommonOptions, _ printer: Printer) throws(CommandFailure) {
        var tables: [SerializerRegistry] = []
        var earlier: ManifestChoice?
        for name in [before, after] {
            let choice = try ManifestChoice(options, over: name == Self.builtIn ? nil : name)
                .readingInput(after: earlier)
            earlier = choice
            do throws(ManifestFailure) {
                tables.append(choice.paths.isEmpty ? .ofCommands : try choice.registry())
            } catch {
                printer.console.note(error.description)
            }
        }
        guard tables.count == 2 else { return nil }
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
        switch printer.format {
        case .text where comparison.isSame:
            try printer.console.print("\(names.before) and \(names.after) answer every question alike")
        case .text:
            try printer.console.print(ChangeGroup.lines(of: comparison, after.places).joined(separator: "\n"))
        case .json:
            let changes = comparison.changes.map { ChangeReport(change: $0, comparison: comparison).json }
            try printer.print([
                "before": JSON(names.before), "after": JSON(names.after), "same": JSON(comparison.isSame),
                "changes": .array(changes), "edits": .array(comparison.edits.map(\.json)),
            ])
        }
        return comparison.isSame ? .done : .different
    }
}
