import Patchbay

/// `check`: reads manifests, a later one over the earlier ones, and says what is wrong or worth knowing.
struct CheckCommand {
    let choice: ManifestChoice
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
        switch printer.format {
        case .text: try printer.console.print(text(registry))
        case .json: try printer.print(document(registry))
        }
        return .done
    }

    private func text(_ registry: SerializerRegistry) -> String {
        let counts = [
            Self.count(Self.entries(registry), "entry", "entries"),
            Self.count(Self.hosts(registry), "host section", "host sections"),
            "no errors",
        ]
        let summary = "\(names.joined(separator: " + ")): \(counts.joined(separator: ", ")); digest \(registry.digest)"
        return ([summary] + registry.notes.map { "note: \($0)" }).joined(separator: "\n")
    }

    private var names: [String] { choice.paths.isEmpty ? ["the built-in table"] : choice.paths }

    private func document(_ registry: SerializerRegistry? = nil, issues: [ManifestFailure.Issue] = []) -> JSON {
        [
            "manifests": .array(names.map { JSON($0) }),
            "entries": registry.map { JSON(Self.entries($0)) } ?? .null,
            "hosts": registry.map { JSON(Self.hosts($0)) } ?? .null,
            "digest": registry.map { JSON($0.digest) } ?? .null,
            "issues": .array(issues.map(Self.json)),
            "notes": .array((registry?.notes ?? []).map(Self.json)),
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
            "message": JSON(note.message),
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
