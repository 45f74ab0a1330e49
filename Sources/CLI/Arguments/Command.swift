import Patchbay

/// What one invocation of `patchbay` asks for.
enum Command: Equatable, Sendable {
    case get(GetArguments, CommonOptions)
    case decode(DecodeArguments, CommonOptions)
    case explain(ExplainArguments, CommonOptions)
    case routes(host: String?, CommonOptions)
    /// A strict check fails on warnings, too.
    case check(manifests: [String], isStrict: Bool = false, CommonOptions)
    case manifest(CommonOptions)
    /// With a port the demo's server only answers, at that port; 0 is any free one.
    case demo(port: UInt16?, CommonOptions)
    /// Help for one command, or for all of them.
    case help(Name?)
    case version

    enum Name: String, CaseIterable, Sendable {
        case get, decode, explain, routes, check, manifest, demo
    }

    /// Reads the words after the program's name; touches nothing but them.
    init(_ words: [String]) throws(UsageError) {
        guard let first = words.first else { throw UsageError("a command is missing: \(Self.names)") }
        switch first {
        case "--help", "-h", "help":
            self = .help(words.dropFirst().first.flatMap(Name.init))
            return
        case "--version":
            self = .version
            return
        default: break
        }
        guard !first.hasPrefix("-") else { throw UsageError("the command comes before its options: \(Self.names)") }
        guard let name = Name(rawValue: first) else {
            let nearest = Spelling.nearest(to: first, in: Name.allCases.map(\.rawValue))
            let hint = nearest.map { "did you mean \($0)?" } ?? "the commands are \(Self.names)"
            throw UsageError("unknown command '\(Secrets.masked(first))'; \(hint)")
        }
        let scanned = try ScannedWords(words.dropFirst(), options: name.options + CommandOption.common)
        guard !scanned.has("--help") else {
            self = .help(name)
            return
        }
        let common = try CommonOptions(scanned)
        switch name {
        case .get: self = .get(try GetArguments(scanned), common)
        case .decode: self = .decode(try DecodeArguments(scanned), common)
        case .explain: self = .explain(try ExplainArguments(scanned), common)
        case .routes:
            try scanned.noOperands()
            self = .routes(host: try DecodeArguments.host(scanned), common)
        case .check:
            self = .check(manifests: scanned.operands, isStrict: scanned.has("--strict"), common)
        case .manifest:
            try scanned.noOperands()
            self = .manifest(common)
        case .demo:
            try scanned.noOperands()
            self = .demo(port: try Self.port(scanned), common)
        }
    }

    private static func port(_ scanned: ScannedWords) throws(UsageError) -> UInt16? {
        guard let text = try scanned.one("--serve") else { return nil }
        guard let port = UInt16(text) else { throw UsageError("--serve: '\(text)' is not a port; write 0 to 65535") }
        return port
    }

    private static let names = Name.allCases.map(\.rawValue).joined(separator: ", ")
}
