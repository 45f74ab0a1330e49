import Patchbay
import PatchbayTools

/// `check`: reads manifests, a later one over the earlier ones, and says what is wrong or worth knowing.
struct CheckCommand {
    let choice: ManifestChoice
    let format: CheckArguments.Format
    let isStrict: Bool
    let console: Console

    init(_ arguments: CheckArguments, _ options: CommonOptions, _ console: Console) throws {
        choice = try ManifestChoice(options, and: arguments.manifests).readingInput()
        format = arguments.format
        isStrict = arguments.isStrict
        self.console = console
    }

    func run() throws(CommandFailure) -> ExitCode {
        let registry: SerializerRegistry
        do {
            registry = try choice.registry()
        } catch {
            try tell(error)
            return .manifest
        }
        let notes = registry.notes + registry.lint() + acceptNotes(registry)
        let findings = notes.map { CheckFinding(note: $0) }
        switch format {
        case .text: try console.print(text(registry, notes))
        case .json: try print(document(registry, notes))
        case .sarif: try print(CheckFinding.sarif(findings))
        case .github:
            try console.print((findings.map(\.workflowCommand) + [summary(registry)]).joined(separator: "\n"))
        }
        return isStrict && notes.contains(where: \.isWarning) ? .manifest : .done
    }

    /// What becomes of Accept, host by host, against what lies under the manifests: of calls of any value, and of a `Decodable`.
    private func acceptNotes(_ registry: SerializerRegistry) -> [ManifestFailure.Issue] {
        guard let base = try? choice.base(), let comparison = try? RegistryComparison.ofAccept(base, registry) else {
            return []
        }
        let calls = [Capability.anything.name, Capability.decodable.name]
        return comparison.changes.compactMap { change in
            let names = change.capabilities.map { comparison.classes.capabilities[$0].name }
            guard names.contains(where: calls.contains) else { return nil }
            return ManifestFailure.Issue(
                "changedAccept", file: choice.names.joined(separator: " + "), pointer: "",
                ChangeReport(change, comparison.classes).line)
        }
    }

    private func tell(_ failure: ManifestFailure) throws(CommandFailure) {
        let findings = failure.issues.map { CheckFinding($0) }
        switch format {
        case .text: break
        case .json: try print(document(issues: failure.issues))
        case .sarif: try print(CheckFinding.sarif(findings))
        // These are what GitHub shows; the same faults once more would be noise.
        case .github: return try console.print(findings.map(\.workflowCommand).joined(separator: "\n"))
        }
        console.note(failure.description)
    }

    private func print(_ document: JSON) throws(CommandFailure) {
        try console.print(document.serialized(pretty: true))
    }

    private func text(_ registry: SerializerRegistry, _ notes: [ManifestFailure.Issue]) -> String {
        let lines = notes.map { "\($0.isWarning ? "warning" : "note"): \($0.text)" }
        return ([summary(registry)] + lines).joined(separator: "\n")
    }

    private func summary(_ registry: SerializerRegistry) -> String {
        let counts = [
            Self.count(Self.entries(registry), "entry", "entries"),
            Self.count(Self.hosts(registry), "host section", "host sections"),
            "no errors",
        ]
        return
            "\(names(registry).joined(separator: " + ")): \(counts.joined(separator: ", ")); digest \(registry.digest)"
    }

    /// What is checked. Under a file that is the whole table nothing counts.
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
            "manifests": .array(names(registry).map { JSON($0) }),
            "entries": registry.map { JSON(Self.entries($0)) } ?? .null,
            "hosts": registry.map { JSON(Self.hosts($0)) } ?? .null,
            "digest": registry.map { JSON($0.digest) } ?? .null,
            "issues": .array(issues.map { Self.json($0) }),
            "warnings": .array(notes.filter(\.isWarning).map { Self.json(note: $0) }),
            "notes": .array(notes.filter { !$0.isWarning }.map { Self.json(note: $0) }),
        ]
    }

    private static func json(_ issue: ManifestFailure.Issue) -> JSON {
        [
            "code": JSON(issue.code), "file": JSON(issue.file), "pointer": JSON(issue.pointer),
            "line": issue.line.map { JSON($0) } ?? .null, "message": JSON(issue.message),
            "suggestion": issue.suggestion.map { JSON($0) } ?? .null,
        ]
    }

    private static func json(note: ManifestFailure.Issue) -> JSON {
        [
            "code": JSON(note.code), "file": JSON(note.file), "pointer": JSON(note.pointer),
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

/// What `check` is told: the manifests, and what it cannot know of them.
struct CheckArguments: Equatable, Sendable {
    enum Format: String, CaseIterable, Sendable {
        case text, json
        /// For code scanning: SARIF 2.1.0.
        case sarif
        /// Workflow commands, which GitHub shows beside the lines that they name.
        case github
    }

    /// Paths, over those of the common options, the later over the earlier; `-` is standard input.
    var manifests: [String] = []
    var format = Format.text
    var isStrict = false

    static let options = [
        .factory,
        CommandOption("--strict", help: "end with 3 where there are warnings, too"),
        CommandOption(
            "--format", takes: Format.allCases.map(\.rawValue).joined(separator: "|"),
            help: "what to print on standard output (default: text)"),
    ]

    init() {}

    init(_ words: ScannedWords, _ common: CommonOptions) throws(UsageError) {
        manifests = words.operands
        guard (common.manifests + manifests).count(where: { $0 == "-" }) <= 1 else {
            throw UsageError("- is given twice; standard input can be read once")
        }
        isStrict = words.has("--strict")
        guard let name = try words.one("--format") else { return }
        guard let format = Format(rawValue: name) else {
            throw UsageError("--format: '\(name)' is not a format; write text, json, sarif or github")
        }
        self.format = format
    }
}
