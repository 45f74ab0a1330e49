import Patchbay

/// `explain`: the decision about a response, without its bytes.
struct ExplainCommand {
    let arguments: ExplainArguments
    let registry: SerializerRegistry
    let printer: Printer

    func run() throws(CommandFailure) -> ExitCode {
        let decision = registry.explain(
            contentType: arguments.contentType, status: arguments.status, host: arguments.host, method: arguments.method
        )
        printer.explain(decision)
        switch printer.format {
        case .text: try printer.console.print(heading(decision) + "\n" + decision.description)
        case .json: try printer.print(Report(decision).json)
        }
        return .done
    }

    private func heading(_ decision: Decision) -> String {
        let report = Report(decision)
        let type =
            switch decision.head.contentType {
            case .mediaType(let type): type.description
            case .missing: "no Content-Type"
            case .invalid: "an invalid Content-Type"
            }
        let entry = report.entry.map { " \($0)" } ?? ""
        return "\(type) with status \(arguments.status): \(report.outcome.rawValue)\(entry)"
    }
}
