import Patchbay
import PatchbayTools

/// `test`: compares the decisions of the table with every case of some files, or writes cases that describe the table.
struct TestCommand {
    let arguments: TestArguments
    let registry: SerializerRegistry
    let printer: Printer

    func run() throws(CommandFailure) -> ExitCode {
        if let file = arguments.written { return try write(to: file) }
        var cases: [PlacedCase] = []
        var faults: [String] = []
        for file in arguments.files {
            do throws(CommandFailure) {
                cases += try CaseFile.read(file, &faults)
            } catch {
                faults.append("patchbay: \(error.message)")
            }
        }
        guard faults.isEmpty else {
            printer.console.note(faults.joined(separator: "\n"))
            return .file
        }
        var table = CaseTable(registry)
        let results = cases.map { CaseResult($0, &table) }
        let report = CaseReport(
            results: results, coverage: CaseCoverage(results, of: registry), failUnder: arguments.failUnder,
            needs: registry.needs(of: results.compactMap { $0.decision?.entryID }))
        switch printer.format {
        case .text: try printer.console.print(report.text)
        case .json: try printer.print(report.json)
        }
        return report.hasPassed ? .done : .different
    }

    private func write(to file: String) throws(CommandFailure) -> ExitCode {
        let cases = try WrittenCases.of(registry)
        let document: JSON = ["cases": .array(cases.map(\.json))]
        guard file != "-" else {
            try printer.print(document)
            return .done
        }
        try OutputFile.writeOrFail(document.serialized(pretty: true) + "\n", to: file)
        try printer.console.print("\(file): \(cases.count) cases")
        return .done
    }
}

struct TestArguments: Equatable, Sendable {
    var files: [String] = []
    var written: String?
    var failUnder: Int?

    init(_ words: ScannedWords) throws(UsageError) {
        files = words.operands
        written = try words.one(.casesFile)
        failUnder = try words.one(.failUnder)
        if written != nil {
            try words.noOperands()
        } else if files.isEmpty {
            throw UsageError("the file of cases is missing")
        }
    }
}

extension CommandOption {
    static let casesFile = CommandOption(
        "--write", takes: "FILE",
        help: "write a file of cases, one for each class of responses and bodies that the table tells apart "
            + "(- standard output)")
    static let failUnder = CommandOption(
        "--fail-under", takes: "PERCENT",
        help: "end with 1 where the cases show less of the entries, the host sections or the policies",
        read: number(in: 0...100), or: "is not a percentage; write 0 to 100")
}
