import Patchbay
import PatchbayTools

struct ExplainCommand {
    let arguments: ExplainArguments
    let registry: SerializerRegistry
    let printer: Printer

    func run() throws(CommandFailure) -> ExitCode {
        if let writing = arguments.writing {
            return try ExplainWriting(question: writing, host: arguments.host, registry: registry, printer: printer)
                .run()
        }
        let decision = registry.explain(
            contentType: arguments.contentType, status: arguments.status, host: arguments.host, method: arguments.method
        )
        let needs = registry.needs(of: [decision.entryID].compactMap(\.self))
        printer.explain(decision)
        switch printer.format {
        case .text:
            let lines = needs + accepts(decision).map { "Accept, \($0.call): \($0.field ?? "none")" }
            try printer.console.print(([heading(decision), decision.description] + lines).joined(separator: "\n"))
        case .json:
            let fields = accepts(decision).map { ($0.call, $0.field.map { JSON($0) } ?? .null) }
            let more: [(String, JSON)] = [
                ("accept", .object(fields)), ("needs", .array(needs.map { JSON($0) })),
            ]
            try printer.print(.object(Report(decision).members + more))
        }
        return .done
    }

    /// The Accept of requests to the host, by the type of call; nil for no Accept.
    private func accepts(_ decision: Decision) -> [(call: String, field: String?)] {
        [Capability.anything, .decodable].map { call in
            (call.name, registry.accept(for: decision.head.host, at: decision.head.url, producing: call.wanted))
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
    /// The body of a request to explain; nil to explain a response.
    var writing: Writing?

    struct Writing: Equatable, Sendable {
        /// Nil for `requestContentType` of the host's policy.
        var type: MediaType?
        /// The value to write; if nil, only the entry is looked up.
        var body: JSON?
        var inElements: Bool
    }

    static let options =
        DecodeArguments.response + [
            .factory, CommandOption("--method", takes: "METHOD", help: "the method of the request (default: GET)"),
            CommandOption(
                "--write",
                help:
                    "ask which entry writes the body of a request of this Content-Type (default: the policy's) to this host"
            ),
            CommandOption(
                "--body", takes: "JSON",
                help:
                    "with --write: the value to write, without the options keys and dates of json; also prints its bytes"
            ),
            CommandOption("--elements", help: "with --write: write elements one by one; --body is their array"),
        ]

    init(_ words: ScannedWords) throws(UsageError) {
        try words.noOperands()
        contentType = try words.one("--content-type")
        status = try DecodeArguments.status(words)
        host = try DecodeArguments.host(words)
        method = try words.one("--method") ?? "GET"
        if words.has("--write") {
            writing = try Writing(words)
        } else if let option = ["--body", "--elements"].first(where: words.has) {
            throw UsageError("\(option) needs --write: responses have no body here")
        }
    }
}

extension ExplainArguments.Writing {
    init(_ words: ScannedWords) throws(UsageError) {
        if let option = ["--status", "--method"].first(where: words.has) {
            throw UsageError("--write and \(option) are both given; the method and the status play no part in writing")
        }
        if let text = try words.one("--content-type") {
            guard let type = MediaType(parsing: text) else {
                throw UsageError("--content-type: '\(text)' is not a media type")
            }
            self.type = type
        }
        inElements = words.has("--elements")
        guard let text = try words.one("--body") else { return }
        do {
            body = try JSON(parsing: text)
        } catch {
            throw UsageError("--body is not JSON: \(error)")
        }
        guard !inElements || body?.array != nil else { throw UsageError("--elements: --body is not an array") }
    }
}
