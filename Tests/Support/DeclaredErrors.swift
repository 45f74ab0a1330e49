#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What errors the sources declare, read from their text: so a table of errors knows which row it lacks.
public enum DeclaredErrors {
    /// The raw values of an open set of codes, in the files of the type: `Type.swift` and `Type+Topic.swift`.
    public static func codes(of type: String) throws -> Set<String> {
        let pattern = /static let \w+ = [\w.]+\(rawValue: "(\w+)"\)/
        return Set(try texts(of: type).flatMap { $0.matches(of: pattern).map { String($0.1) } })
    }

    /// The names of the cases of all enumerations in the files of the type.
    public static func cases(of type: String) throws -> Set<String> {
        let pattern = /(?m)^\s*case ([a-z]\w*(?:\([^)]*\))?(?:, [a-z]\w*(?:\([^)]*\))?)*)$/
        return Set(
            try texts(of: type).flatMap { text in
                text.matches(of: pattern).flatMap { match in
                    match.1.replacing(/\([^)]*\)/, with: "").split(separator: ", ").map(String.init)
                }
            })
    }

    private static func texts(of type: String) throws -> [String] {
        let own = try files().filter { path, _ in
            let name = path.split(separator: "/").last ?? ""
            return name == "\(type).swift" || name.hasPrefix("\(type)+")
        }
        guard !own.isEmpty else { throw NoSuchType(type: type) }
        return own.map(\.text)
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
