import Patchbay
import PatchbayPlatform

struct CheckFinding {
    enum Level: String {
        case error, warning, note
    }

    let level: Level
    let code: String
    let file: String?
    let pointer: String
    let line: Int?
    /// What is wrong, and with what in the file.
    let message: String

    init(_ issue: ManifestFailure.Issue) {
        level = .error
        code = issue.code
        file = issue.file
        pointer = issue.pointer
        line = issue.line
        let hint = issue.suggestion.map { "; did you mean \"\($0)\"?" } ?? ""
        message = Self.placed(issue.message + hint, at: issue.pointer)
    }

    init(note: ManifestFailure.Issue) {
        level = note.isWarning ? .warning : .note
        code = note.code
        file = note.kind == .unusedFactory || note.code == "changedAccept" ? nil : note.file
        pointer = note.pointer
        line = note.line
        message = Self.placed(note.message, at: note.pointer)
    }

    private static func placed(_ message: String, at pointer: String) -> String {
        pointer.isEmpty ? message : "\(pointer): \(message)"
    }

    // MARK: SARIF

    /// One run of one tool (SARIF 2.1.0, section 3.13).
    static func sarif(_ findings: [CheckFinding]) -> JSON {
        let rules = Set(findings.map(\.code)).sorted().map { JSON.object([("id", JSON($0))]) }
        return [
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [
                [
                    "tool": [
                        "driver": ["name": "patchbay", "version": JSON(Program.version), "rules": .array(rules)]
                    ],
                    "results": .array(findings.map(\.sarif)),
                ]
            ],
        ]
    }

    private var sarif: JSON {
        [
            "ruleId": JSON(code), "level": JSON(level.rawValue), "message": ["text": JSON(message)],
            "locations": .array(file.map { [location(in: $0)] } ?? []),
        ]
    }

    private func location(in file: String) -> JSON {
        // A URI reference (section 3.4.3): relative where the path is.
        let uri = URL(filePath: file).relativeString
        var place: [(String, JSON)] = [("artifactLocation", ["uri": JSON(uri)])]
        if let line { place.append(("region", ["startLine": JSON(line)])) }
        var location: [(String, JSON)] = [("physicalLocation", .object(place))]
        if !pointer.isEmpty { location.append(("logicalLocations", [["fullyQualifiedName": JSON(pointer)]])) }
        return .object(location)
    }

    // MARK: GitHub

    /// A workflow command: `::error file=Plugins.json,line=3,title=unknownKey::what is wrong`.
    var workflowCommand: String {
        var properties = file.map { ["file=" + Self.escaped($0, isProperty: true)] } ?? []
        if let line { properties.append("line=\(line)") }
        properties.append("title=" + code)
        let name = level == .note ? "notice" : level.rawValue
        return "::\(name) \(properties.joined(separator: ","))::" + Self.escaped(message, isProperty: false)
    }

    /// What ends a command or one of its properties is percent-encoded, and nothing else.
    private static func escaped(_ text: String, isProperty: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "%": result += "%25"
            case "\r": result += "%0D"
            case "\n": result += "%0A"
            case ":" where isProperty: result += "%3A"
            case "," where isProperty: result += "%2C"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
