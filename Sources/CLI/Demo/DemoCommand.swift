import Patchbay

/// `demo`: starts a server on this machine, fetches each of its answers through a session manager, prints the table.
struct DemoCommand: Sendable {
    private let registry: SerializerRegistry
    private let printer: Printer

    /// What the demo lays over the manifest: one of the two names of this machine has a table of its own.
    private static let overlay = """
        { "manifestVersion": 1,
          "hosts": { "localhost": { "plugins": [
            { "id": "demo-localhost", "factory": "text", "match": { "types": ["@json"] } } ] } } }
        """

    init(_ registry: SerializerRegistry, _ printer: Printer) throws(ManifestFailure) {
        self.registry = try registry.overlaid(by: ManifestSource(name: "the demo's overlay", Self.overlay))
        self.printer = printer
    }

    /// Answers at a port, whose URL it prints, until the task is cancelled.
    static func serve(at port: UInt16, _ console: Console) async throws(CommandFailure) -> ExitCode {
        let origin = try DemoOrigin(DemoAnswer.all, port: port)
        defer { origin.stop() }
        try console.print("http://127.0.0.1:\(origin.port)")
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
        return .interrupted
    }

    func run() async throws(CommandFailure) -> ExitCode {
        let origin = try DemoOrigin(DemoAnswer.all)
        defer { origin.stop() }
        let manager = SessionManager(registry: registry)
        var rows: [(DemoAnswer, Report)] = []
        for answer in DemoAnswer.all {
            let request = HTTPRequest(answer.method, "http://\(answer.host):\(origin.port)\(answer.path)")
            do {
                let reply = try await manager.send(request)
                printer.explain(reply.decision)
                rows.append((answer, Report(reply)))
            } catch {
                guard error.code != .cancelled else { throw CommandFailure(.interrupted, error.description) }
                printer.explain(error.decision)
                rows.append((answer, Report(error)))
            }
        }
        try show(rows)
        return .done
    }

    private func show(_ rows: [(DemoAnswer, Report)]) throws(CommandFailure) {
        guard printer.format == .text else {
            let documents = rows.map { JSON.object([("name", JSON($0.name))] + $1.members) }
            return try printer.print(["rows": .array(documents)])
        }
        var table = TextTable("RESPONSE", "STATUS", "CONTENT-TYPE", "ENTRY", "OUTCOME", "VALUE OR REASON")
        for (answer, report) in rows {
            table.add(
                answer.name, report.status.map(String.init) ?? "-", report.mediaType,
                report.entry ?? "-", report.outcome.rawValue, report.summary)
        }
        try printer.console.print(table.description)
    }
}
