import Patchbay
import PatchbayTools

extension CommandOption {
    static let strict = CommandOption("--strict", help: "end with 3 where there are warnings, too")
}

/// `check`: reads manifests, each layered over the manifests before it, and prints errors, warnings and notes.
struct CheckCommand {
    let choice: ManifestChoice
    let isStrict: Bool
    let printer: Printer

    init(_ manifests: [String], isStrict: Bool, _ options: CommonOptions, _ printer: Printer) throws {
        choice = try ManifestChoice(options, and: manifests, onlyManifests: false).readingInput()
        (self.isStrict, self.printer) = (isStrict, printer)
    }

    func run() throws(CommandFailure) -> ExitCode {
        let registry: SerializerRegistry
        do {
            registry = try choice.registry()
        } catch {
            if printer.format == .json { try printer.print(document(issues: error.issues)) }
            printer.console.note(error)
            return .manifest
        }
        let notes = registry.notes + registry.lint() + registry.factoryNotes + acceptNotes(registry)
        switch printer.format {
        case .text: try printer.console.print(text(registry, notes))
        case .json: try printer.print(document(registry, notes))
        }
        return isStrict && notes.contains(where: \.isWarning) ? .manifest : .done
    }

    /// The changes of Accept, host by host, compared with the lower layers: for calls for any value, and for calls for
    /// a `Decodable` type.
    private func acceptNotes(_ registry: SerializerRegistry) -> [ManifestFailure.Issue] {
        guard let base = try? choice.base(), let comparison = try? RegistryComparison(base, registry, onlyAccept: true)
        else { return [] }
        let calls = [Capability.anything.name, Capability.decodable.name]
        return comparison.changes.compactMap { change in
            let names = change.capabilities.map { comparison.classes.capabilities[$0].name }
            guard names.contains(where: calls.contains) else { return nil }
            return ManifestFailure.Issue(
                "changedAccept", file: choice.names.joined(separator: " + "), pointer: "",
                ChangeReport(change: change, comparison: comparison).line)
        }
    }

    private func text(_ registry: SerializerRegistry, _ notes: [ManifestFailure.Issue]) -> String {
        let (entries, hosts) = (Self.entries(registry), Self.hosts(registry))
        let summary =
            "\(names(registry).joined(separator: " + ")): \(entries) \(entries == 1 ? "entry" : "entries"), "
            + "\(hosts) \("host section".plural(hosts)), no errors; digest \(registry.digest)"
        let lines = notes.map { "\($0.isWarning ? "warning" : "note"): \($0)" }
        return ([summary] + lines).joined(separator: "\n")
    }

    /// The names of the layers that were checked. If a file is the whole table, the layers below it are left out.
    private func names(_ registry: SerializerRegistry?) -> [String] {
        guard let registry else { return (choice.isBare ? [] : [Self.builtIn]) + choice.names }
        let names = registry.manifestNames.map {
            $0 == SerializerRegistry.standard.manifestNames.first ? Self.builtIn : $0
        }
        return names.isEmpty ? ["nothing"] : names
    }

    private static let builtIn = "the built-in table"

    private func document(
        _ registry: SerializerRegistry? = nil, _ notes: [ManifestFailure.Issue] = [],
        issues: [ManifestFailure.Issue] = []
    ) -> JSON {
        [
            "manifests": .list(names(registry)),
            "entries": JSON(orNull: registry.map(Self.entries)), "hosts": JSON(orNull: registry.map(Self.hosts)),
            "digest": JSON(orNull: registry?.digest),
            "issues": .array(issues.map { Self.json($0).adding([("suggestion", JSON(orNull: $0.suggestion))]) }),
            "warnings": .array(notes.filter(\.isWarning).map(Self.json)),
            "notes": .array(notes.filter { !$0.isWarning }.map(Self.json)),
        ]
    }

    private static func json(_ finding: ManifestFailure.Issue) -> JSON {
        // No file is responsible for an unused factory or for a change of Accept.
        let hasFile = finding.kind != .unusedFactory && finding.code != "changedAccept"
        return [
            "code": JSON(finding.code), "file": hasFile ? JSON(finding.file) : .null,
            "pointer": JSON(finding.pointer), "line": JSON(orNull: finding.line), "message": JSON(finding.message),
        ]
    }

    private static func entries(_ registry: SerializerRegistry) -> Int {
        registry.effectiveManifest["plugins"]?.count ?? 0
    }

    private static func hosts(_ registry: SerializerRegistry) -> Int {
        registry.effectiveManifest["hosts"]?.count ?? 0
    }
}
