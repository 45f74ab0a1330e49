import Patchbay
import PatchbayTools

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
        case .text:
            let lines = accepts(decision).map { "Accept, \($0.call): \($0.field ?? "none")" }
            try printer.console.print(([heading(decision), decision.description] + lines).joined(separator: "\n"))
        case .json:
            let fields = accepts(decision).map { ($0.call, $0.field.map { JSON($0) } ?? .null) }
            try printer.print(.object(Report(decision).members + [("accept", .object(fields))]))
        }
        return .done
    }

    /// What requests to the host say in Accept; nil where they have no such field.
    private func accepts(_ decision: Decision) -> [(call: String, field: String?)] {
        [Capability.anything, .decodable].map { call in
            (call.name, registry.accept(for: decision.head.host, producing: call.wanted))
        }
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

struct ExplainArguments: Equatable, Sendable {
    var contentType: String?
    var status = 200
    var host: String?
    var method = "GET"

    static let options =
        DecodeArguments.response + [
            .factory, CommandOption("--method", takes: "METHOD", help: "the method of the request (default: GET)"),
        ]

    init(_ words: ScannedWords) throws(UsageError) {
        try words.noOperands()
        contentType = try words.one("--content-type")
        status = try DecodeArguments.status(words)
        host = try DecodeArguments.host(words)
        method = try words.one("--method") ?? "GET"
    }
}
