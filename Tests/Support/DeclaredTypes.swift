#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The public types and those of the package that the sources declare, read from their text: so a table of types knows which row it
/// lacks.
///
/// `swift format` indents what a type holds deeper than the type, so the indentation says what is inside what.
public struct DeclaredType: Sendable {
    /// With the types around it: `JSON.ParseFailure`.
    public let name: String
    /// `struct`, `class`, `enum`, `actor` or `protocol`.
    public let kind: String
    /// Whether users see it; else the package alone does.
    public let isPublic: Bool
    /// What the declaration and all extensions name behind the colon.
    public internal(set) var conformances: Set<String> = []
    public internal(set) var hasPayloads = false

    /// Protocols of ours that a type names in the place of `Error`.
    private static let errorProtocols: Set = ["Error", "SafeToPrint", "FormatFault"]

    public var isError: Bool { kind != "protocol" && !conformances.isDisjoint(with: Self.errorProtocols) }

    /// Whether a value of the type can hold anything at all: not a protocol, and no enumeration whose cases are only names.
    public var canHold: Bool { kind != "protocol" && (kind != "enum" || hasPayloads) }

    /// All public ones but those of the command line.
    public static func all() throws -> [DeclaredType] { try scanned.get().filter(\.isPublic) }

    /// All that only the package sees but those of the command line.
    public static func inside() throws -> [DeclaredType] { try scanned.get().filter { !$0.isPublic } }

    private static let scanned = DeclaredErrors.scan.map { scan in
        scan.types.map { type in
            var type = type
            type.conformances.formUnion(scan.extensions[type.name] ?? [])
            return type
        }
    }

    struct Scan {
        private static let kinds: Set<Substring> = ["struct", "enum", "class", "actor", "protocol", "extension"]
        private static let modifiers: Set<Substring> = [
            "public", "package", "private", "fileprivate", "nonisolated", "indirect", "final",
        ]

        var types: [DeclaredType] = []
        /// What extensions add, by the full name of the type.
        var extensions: [String: Set<String>] = [:]
        /// The names of the cases, and the raw values of static constants, by the full name of the type; of those that are not
        /// public too.
        var cases: [String: Set<String>] = [:]
        var codes: [String: Set<String>] = [:]
        /// What the line at hand is inside of; the index is that of a public type or of one of the package.
        private var scopes: [(indentation: Int, name: String, index: Int?)] = []

        /// No regular expressions: a file is read line by line, and debug builds of those take a second for a few thousand.
        mutating func read(_ text: String) {
            scopes = []
            var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
            while let line = lines.popFirst() {
                let indentation = line.utf8.prefix { $0 == UInt8(ascii: " ") }.count
                let first = line.utf8.dropFirst(indentation).first
                guard let first, first != UInt8(ascii: "#"), first != UInt8(ascii: "/") else { continue }
                while let scope = scopes.last, indentation <= scope.indentation { scopes.removeLast() }
                var words = line.split(separator: " ")
                if let scope = scopes.last, indentation == scope.indentation + 4 {
                    if let index = scope.index { note(words, in: &types[index]) }
                    noteValues(of: scopes.map(\.name).joined(separator: "."), line, words)
                }
                let modifiers = words.prefix { Self.modifiers.contains($0) || $0.hasPrefix("@") }
                words.removeFirst(modifiers.count)
                guard let kind = words.first, Self.kinds.contains(kind), words.count > 1 else { continue }
                var head = words.dropFirst().joined(separator: " ")
                while !head.contains("{"), let next = lines.popFirst() { head += next }
                declare(kind, head, access: modifiers.first { $0 == "public" || $0 == "package" }, indentation)
            }
        }

        private func note(_ words: [Substring], in type: inout DeclaredType) {
            let words = words.first == "indirect" ? words.dropFirst() : words[...]
            guard words.first == "case", words.dropFirst().first?.first?.isLetter == true else { return }
            if words.contains(where: { $0.contains("(") }) { type.hasPayloads = true }
        }

        private mutating func noteValues(of name: String, _ line: Substring, _ words: [Substring]) {
            if words.contains("static"), let found = line.firstRange(of: "(rawValue: \"") {
                codes[name, default: []].insert(String(line[found.upperBound...].prefix { $0 != "\"" }))
            }
            let words = words.first == "indirect" ? words.dropFirst() : words[...]
            guard words.first == "case" else { return }
            var depth = 0
            let names = words.dropFirst().joined(separator: " ").filter { character in
                if character == "(" { depth += 1 }
                defer { if character == ")" { depth -= 1 } }
                return depth == 0
            }
            for item in names.split(separator: ",") {
                cases[name, default: []].insert(String(item.drop { $0 == " " }.prefix { $0.isLetter || $0.isNumber }))
            }
        }

        private mutating func declare(_ kind: Substring, _ head: String, access: Substring?, _ indentation: Int) {
            let own = head.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
            let name = (scopes.map(\.name) + [String(own)]).joined(separator: ".")
            var inherited = head.dropFirst(own.count)
            // The constraints of parameters are no conformances of the type.
            if inherited.first == "<" { inherited = inherited.drop { $0 != ">" } }
            let names = Set(
                inherited.prefix { $0 != "{" }.split { !($0.isLetter || $0.isNumber || $0 == ".") }.map(String.init))
            var index: Int?
            if kind == "extension" {
                extensions[name, default: []].formUnion(names)
            } else if let access {
                index = types.count
                types.append(
                    DeclaredType(name: name, kind: String(kind), isPublic: access == "public", conformances: names))
            }
            scopes.append((indentation, String(own), index))
        }
    }
}
