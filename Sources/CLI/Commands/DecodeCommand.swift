import Patchbay
import PatchbayPlatform

/// `decode`: serializes the bytes of a file as if they were the body of a response.
struct DecodeCommand {
    let arguments: DecodeArguments
    let registry: SerializerRegistry
    let printer: Printer

    func run() throws(CommandFailure) -> ExitCode {
        let decision = registry.explain(
            contentType: arguments.contentType, status: arguments.status, host: arguments.host)
        printer.explain(decision)
        guard !arguments.isRaw else {
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
            // A body over the limit has not been read to its end.
            let body = bytes.count <= limit ? ResponseBody(bytes) : nil
            var report = Report(decision, error)
            if let body { report.show(body) }
            try printer.print(report, body)
            printer.console.complain(error.description)
            return .serialization
        }
        try printer.print(Report(decision, serialized), serialized.value)
        return .done
    }
}
