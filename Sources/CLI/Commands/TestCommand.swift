import Patchbay

/// `test`: asks the table about every case of some files, or writes the cases that say what it does.
struct TestCommand {
    let arguments: TestArguments
    let registry: SerializerRegistry
    let printer: Printer

    func run() throws(CommandFailure) -> ExitCode {
        if let file = arguments.written { return try write(to: file) }
        var cases: [(file: String, testCase: TableCase)] = []
        var faults: [String] = []
        for file in arguments.files {
            do throws(CommandFailure) {
                cases += try CaseFile.read(file).map { (file, $0) }
            } catch {
                faults.append(error.message)
            }
        }
        guard faults.isEmpty else { throw CommandFailure(.file, faults.joined(separator: "\n")) }
        let capabilities = Capability.all(of: [registry])
        let results = cases.map { CaseResult($0.testCase, of: $0.file, registry, capabilities) }
        let report = CaseReport(
            results: results, coverage: CaseCoverage(results.compactMap(\.decision), of: registry),
            failUnder: arguments.failUnder)
        switch arguments.format {
        case .text: try printer.console.print(report.text)
        case .json: try printer.print(report.json)
        case .junit: try printer.console.print(report.junit)
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
