import Patchbay
import PatchbayPlatform

/// `decode`: serializes the bytes of a file as the body of a response.
struct DecodeCommand {
    let arguments: DecodeArguments
    let registry: SerializerRegistry
    let printer: Printer

    func run() throws(CommandFailure) -> ExitCode {
        let decision = registry.explain(
            contentType: arguments.contentType, status: arguments.status, host: arguments.host)
        guard !arguments.isRaw else {
            printer.explain(decision)
            try printer.console.copy(arguments.file)
            return .done
        }
        let limit = decision.bodyLimit
        let bytes = try InputFile.read(arguments.file, limit: limit)
        let serialized: SerializationResult<any Sendable>
        do throws(LookupFailure) {
            guard bytes.count <= limit else { throw decision.tooLarge(received: bytes.count) }
            serialized = try decision.serialize(ResponseBody(bytes))
        } catch {
            // A body over the limit was not read to its end.
            let body = bytes.count <= limit ? ResponseBody(bytes) : nil
            var report = Report(decision, error)
            if let body { report.show(body) }
            printer.explain(error.decision.ended(.error, by: error.entry, after: error.attempts))
            try printer.print(report, body)
            printer.console.complain(error.description)
            return .serialization
        }
        printer.explain(
            (serialized.unwrapped ?? decision).ended(
                serialized.outcome, by: serialized.entry, after: serialized.attempts))
        try printer.print(Report(decision, serialized), serialized.value)
        return .done
    }
}

/// The arguments of `decode`: bytes, and the response that contains them.
struct DecodeArguments: Equatable, Sendable {
    /// A path, or `-` for standard input.
    var file: String
    var contentType: String?
    var status = 200
    var host: String?
    /// Whether the bytes are written instead of a value.
    var isRaw = false

    static let response = [CommandOption.contentType, .status, .host]

    init(_ words: ScannedWords) throws(UsageError) {
        file = try words.operand("the file")
        contentType = try words.one(.contentType)
        status = try words.one(.status) ?? 200
        host = try words.one(.host)
        isRaw = words.has(.raw)
    }
}

extension CommandOption {
    static let contentType = CommandOption(
        "--content-type", takes: "TYPE", help: "the Content-Type of the response (default: none)")
    static let status = CommandOption(
        "--status", takes: "CODE", help: "the status of the response (default: 200)", read: number(in: 100...999),
        or: "is not a status code; write a number from 100 to 999")
    static let host = CommandOption(
        "--host", takes: "HOST", help: "the host that answered, with or without a port and a path (default: none)",
        read: { text throws(UsageError) in
            guard Endpoint(text) == nil else { return text }
            let hint =
                Endpoint.nearest(to: text).map { "did you mean \"\($0)\"?" }
                ?? "write a name or an address, with or without a port and a path"
            throw UsageError("--host: '\(Redaction.masked(text))' is not a host; \(hint)")
        })
}
