// `patchbay demo`: a server on this machine with a few responses, and the result of each.

import Patchbay
import PatchbayPlatform

extension CommandOption {
    static let serve = CommandOption(
        "--serve", takes: "PORT",
        help: "only answer, at this port of 127.0.0.1 (0: any that is free), until interrupted",
        read: { UInt16($0) }, or: "is not a port; write 0 to 65535")
    static let watch = CommandOption(
        "--watch", help: "go on when the table is printed, and print what each change of the manifests changes in it")
}

/// `demo`: starts a server on this machine, fetches each of its responses through a session manager, and prints a
/// table.
struct DemoCommand: Sendable {
    private let registry: SerializerRegistry
    private let printer: Printer

    /// The demo's overlay: one of the two host names of this machine has its own table.
    private static let overlay = ManifestSource.text(
        """
        { "manifestVersion": 1,
          "hosts": { "localhost": { "plugins": [
            { "id": "demo-localhost", "factory": "text", "match": { "types": ["@json"] } } ] } } }
        """, name: "the demo's overlay")

    init(_ registry: SerializerRegistry, _ printer: Printer) throws(ManifestFailure) {
        self.registry = try registry.overlaid(by: Self.overlay)
        self.printer = printer
    }

    /// Listens on a port until the task is cancelled, and prints the URL.
    static func serve(at port: UInt16, _ console: Console) async throws(CommandFailure) -> ExitCode {
        let origin = try DemoOrigin(DemoAnswer.served, port: port)
        defer { origin.stop() }
        try console.print("http://127.0.0.1:\(origin.port)")
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
        return .interrupted
    }

    func run() async throws(CommandFailure) -> ExitCode {
        let origin = try DemoOrigin(DemoAnswer.served)
        defer { origin.stop() }
        let manager = SessionManager(registry: registry)
        try show(await rows(manager, origin))
        try await showCalls(manager, "http://127.0.0.1:\(origin.port)")
        return .done
    }

    /// The value of the demo's typed call.
    private struct Person: Decodable, Sendable {
        let id: Int
        let name: String
    }

    /// Prints two other ways to call: a stream, and a call for a type of the program.
    private func showCalls(_ manager: SessionManager, _ base: String) async throws(CommandFailure) {
        guard printer.format == .text else { return }
        var lines = ["", "manager.stream(\"\(DemoAnswer.events.path)\"), element by element:"]
        do throws(SessionError) {
            for try await event in try await manager.stream(base + DemoAnswer.events.path) {
                lines.append("  " + PrintedValue(event).json.serialized())
            }
            let person = try await manager.get(base + "/json", as: Person.self)
            lines += [
                "", "manager.get(\"/json\", as: Person.self):", "  Person(id: \(person.id), name: \"\(person.name)\")",
            ]
        } catch {
            throw CommandFailure(ExitCode(error.code), error.description)
        }
        try printer.console.print(lines.joined(separator: "\n"))
    }

    /// Applies manifests and prints the table. Then, until the task is cancelled, prints the rows that each change of
    /// the files changes. Faults of the manifests are printed on standard error; only at the start do they end the
    /// command.
    func watch(_ manifests: [ManifestSource]) async throws -> ExitCode {
        let origin = try DemoOrigin(DemoAnswer.served)
        defer { origin.stop() }
        let manager = SessionManager(registry: registry)
        let manifests = [Self.overlay] + manifests
        try manager.reload(manifests)
        var digest = manager.registry.digest
        var shown = try await rows(manager, origin)
        try show(shown, of: digest)
        let names = manifests.compactMap { $0.file?.lastPathComponent }
        printer.console.note("watching \(names.joined(separator: ", ")), until interrupted")
        let (changes, continuation) = AsyncStream<Result<SerializerRegistry, ManifestFailure>>.makeStream()
        let watch = Task { await manager.watch(manifests) { continuation.yield($0) } }
        defer { watch.cancel() }
        var faulty: Set<String> = []
        for await change in changes {
            let registry: SerializerRegistry
            do throws(ManifestFailure) {
                registry = try change.get()
            } catch {
                faulty = Set(error.issues.map(\.file))
                printer.console.note("\(error.description)\nregistry \(digest) stays in force")
                continue
            }
            for note in registry.notes where note.isWarning { printer.console.note("warning: \(note)") }
            let mended = faulty.sorted().joined(separator: ", ")
            faulty = []
            guard registry.digest != digest else {
                if !mended.isEmpty {
                    printer.console.note("\(mended) is well again; registry \(digest) stays in force")
                }
                continue
            }
            digest = registry.digest
            let before = shown
            shown = try await rows(manager, origin)
            if printer.format == .text { try printer.console.print("\nregistry \(digest) is in force") }
            try show(zip(before, shown).filter { $0.isOther(than: $1) }.map(\.1), of: digest)
        }
        return .interrupted
    }

    private struct Row: Sendable {
        let answer: DemoAnswer
        let report: Report

        /// Whether the result or the entry differs from that of another row for the same response. The entries that
        /// were considered without being chosen are not compared.
        func isOther(than row: Row) -> Bool { facts != row.facts }

        private var facts: [JSON] {
            let members = Dictionary(uniqueKeysWithValues: report.members)
            return ["entry", "outcome", "type", "value"].compactMap { members[$0] } + [report.error["code"] ?? .null]
        }
    }

    private func rows(_ manager: SessionManager, _ origin: DemoOrigin) async throws(CommandFailure) -> [Row] {
        var rows: [Row] = []
        for answer in DemoAnswer.all {
            let request = SessionRequest("http://\(answer.host):\(origin.port)\(answer.path)", method: answer.method)
            do {
                let reply = try await manager.send(request)
                printer.explain(reply.decision)
                rows.append(Row(answer: answer, report: Report(reply)))
            } catch {
                guard error.code != .cancelled else { throw CommandFailure(.interrupted, error.description) }
                printer.explain(error.decision)
                rows.append(Row(answer: answer, report: Report(error)))
            }
        }
        return rows
    }

    /// - Parameter digest: the digest of the registry, if the command will show other registries, too.
    private func show(_ rows: [Row], of digest: String? = nil) throws(CommandFailure) {
        guard printer.format == .text else {
            let documents = rows.map { JSON.object([("name", JSON($0.answer.name))] + $0.report.members) }
            let registry = digest.map { [("digest", JSON($0))] } ?? []
            return try printer.print(.object(registry + [("rows", .array(documents))]))
        }
        guard !rows.isEmpty else { return try printer.console.print("no row differs") }
        var table = TextTable(
            "RESPONSE", "STATUS", "CONTENT-TYPE", "ENTRY", "OUTCOME", "VALUE OR REASON",
            droppable: ["STATUS", "OUTCOME", "CONTENT-TYPE"])
        for row in rows {
            table.add(
                row.answer.name, row.report.status.map(String.init) ?? "-", row.report.mediaType,
                row.report.entry ?? "-", row.report.outcome.rawValue, row.report.summary)
        }
        try printer.print(table)
    }
}
