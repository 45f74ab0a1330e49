#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What errors the sources declare, read from their text: so a table of errors knows which row it lacks.
public enum DeclaredErrors {
    /// The raw values of an open set of codes, in the declaration of the type and its extensions.
    public static func codes(of type: String) throws -> Set<String> {
        let pattern = /static let \w+ = [\w.]+\(rawValue: "(\w+)"\)/
        return Set(try texts(of: type).flatMap { $0.matches(of: pattern).map { String($0.1) } })
    }

    /// The names of the cases of all enumerations in the declaration of the type and its extensions.
    public static func cases(of type: String) throws -> Set<String> {
        let pattern = /(?m)^\s*case ([a-z]\w*(?:\([^)]*\))?(?:, [a-z]\w*(?:\([^)]*\))?)*)$/
        return Set(
            try texts(of: type).flatMap { text in
                text.matches(of: pattern).flatMap { match in
                    match.1.replacing(/\([^)]*\)/, with: "").split(separator: ", ").map(String.init)
                }
            })
    }

    /// The declaration of the type and its extensions, wherever they stand.
    private static func texts(of type: String) throws -> [String] {
        let head = /^( *)(?:public |package )*(?:struct|enum|extension) ([\w.]+)/
        let own = try files().flatMap { _, text -> [String] in
            var blocks: [String] = []
            var open: (lines: [Substring], end: String)?
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                if open == nil, !line.hasSuffix("{}"), let found = line.firstMatch(of: head),
                    found.2.split(separator: ".").contains(Substring(type))
                {
                    open = ([], found.1 + "}")
                }
                open?.lines.append(line)
                if let block = open, line == block.end {
                    blocks.append(block.lines.joined(separator: "\n"))
                    open = nil
                }
            }
            return blocks
        }
        guard own.contains(where: { !$0.hasPrefix("extension") }) else { throw NoSuchType(type: type) }
        return own
    }

    static func files() throws -> [(path: String, text: String)] {
        let folder = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/Sources"
        return try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }.sorted()
            .map { ($0, String(decoding: try Data(contentsOf: URL(filePath: folder + "/" + $0)), as: UTF8.self)) }
    }

    struct NoSuchType: Error {
        let type: String
    }
}
