import Patchbay
import PatchbayTools

/// `diff`: prints the differences between the answers of two tables.
struct DiffCommand {
    let names: (before: String, after: String)
    let before: SerializerRegistry
    let after: SerializerRegistry
    let printer: Printer

    /// Reads both tables. Prints all their faults, and returns nil if there are any.
    init?(_ before: String, _ after: String, _ options: CommonOptions, _ printer: Printer) {
        var tables: [SerializerRegistry] = []
        for name in [before, after] {
            do throws(ManifestFailure) {
                tables.append(try ManifestChoice.table(name, options))
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
        let changes = comparison.changes.map { ChangeReport(change: $0, classes: comparison.classes) }
        switch printer.format {
        case .text where changes.isEmpty:
            try printer.console.print("\(names.before) and \(names.after) answer every question alike")
        case .text: try printer.console.print(changes.map(\.line).joined(separator: "\n"))
        case .json:
            try printer.print([
                "before": JSON(names.before), "after": JSON(names.after), "same": JSON(changes.isEmpty),
                "changes": .array(changes.map(\.json)),
            ])
        }
        return comparison.isSame ? .done : .different
    }
}
