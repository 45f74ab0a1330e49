import Patchbay

/// `check`: reads manifests, a later one over the earlier ones, and says what is wrong or worth knowing.
struct CheckCommand {
    let choice: ManifestChoice
    /// Whether warnings count as errors.
    var isStrict = false
    let printer: Printer

    func run() throws(CommandFailure) -> ExitCode {
        let registry: SerializerRegistry
        do {
            registry = try choice.registry()
        } catch {
            if printer.format == .json { try printer.print(document(issues: error.issues)) }
            printer.console.note(error.description)
            return .manifest
        }
        let notes = registry.notes + registry.lint()
        switch printer.format {
        case .text: try printer.console.print(text(registry, notes))
        case .json: try printer.print(document(registry, notes))
        }
        return isStrict && notes.contains(where: \.isWarning) ? .manifest : .done
    }

    private func text(_ registry: SerializerRegistry, _ notes: [ManifestNote]) -> String {
        let counts = [
            Self.count(Self.entries(registry), "entry", "entries"),
            Self.count(Self.hosts(registry), "host section", "host sections"),
            "no errors",
        ]
        let summary =
            "\(names(registry).joined(separator: " + ")): \(counts.joined(separator: ", ")); digest \(registry.digest)"
        let lines = notes.map { "\($0.isWarning ? "warning" : "note"): \($0)" }
        return ([summary] + lines).joined(separator: "\n")
    }

    /// What is checked. Under a file that is the whole table nothing counts.
    private func names(_ registry: SerializerRegistry?) -> [String] {
        guard let registry else { return (choice.isBare ? [] : [Self.builtIn]) + choice.paths }
        let names = registry.manifestNames.map {
            $0 == SerializerRegistry.standard.manifestNames.first ? Self.builtIn : $0
        }
        return names.isEmpty ? ["nothing"] : names
    }

    private static let builtIn = "the built-in table"

    private func document(
        _ registry: SerializerRegistry? = nil, _ notes: [ManifestNote] = [], issues: [ManifestFailure.Issue] = []
    ) -> JSON {
        [
            "manifests": .array(names(registry).map { JSON($0) }),
            "entries": registry.map { JSON(Self.entries($0)) } ?? .null,
            "hosts": registry.map { JSON(Self.hosts($0)) } ?? .null,
            "digest": registry.map { JSON($0.digest) } ?? .null,
            "issues": .array(issues.map(Self.json)),
            "warnings": .array(notes.filter(\.isWarning).map(Self.json)),
            "notes": .array(notes.filter { !$0.isWarning }.map(Self.json)),
        ]
    }

    private static func json(_ issue: ManifestFailure.Issue) -> JSON {
        [
            "code": JSON(issue.code.rawValue), "file": JSON(issue.file), "pointer": JSON(issue.pointer),
            "line": issue.line.map { JSON($0) } ?? .null, "message": JSON(issue.message),
            "suggestion": issue.suggestion.map { JSON($0) } ?? .null,
        ]
    }

    private static func json(_ note: ManifestNote) -> JSON {
        [
            "code": JSON(note.code.rawValue), "file": JSON(note.file), "pointer": JSON(note.pointer),
            "line": note.line.map { JSON($0) } ?? .null, "message": JSON(note.message),
        ]
    }

    private static func entries(_ registry: SerializerRegistry) -> Int {
        registry.effectiveManifest["plugins"]?.count ?? 0
    }

    private static func hosts(_ registry: SerializerRegistry) -> Int {
        registry.effectiveManifest["hosts"]?.count ?? 0
    }

    private static func count(_ count: Int, _ one: String, _ many: String) -> String {
        "\(count) \(count == 1 ? one : many)"
    }
}
