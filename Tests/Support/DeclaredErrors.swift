#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What errors the sources declare, read from their text: so a table of errors knows which row it lacks.
public enum DeclaredErrors {
    /// The raw values of a set of codes, open or an enumeration, by its full name: `SessionError.Code`.
    public static func codes(of type: String) throws -> Set<String> {
        let scan = try scan.get()
        return try values(of: type, in: scan.codes[type] == nil ? scan.cases : scan.codes)
    }

    /// The names of the cases of an enumeration, by its full name.
    public static func cases(of type: String) throws -> Set<String> { try values(of: type, in: scan.get().cases) }

    /// The kinds of an error: its codes, its reasons or its cases; none where it is of one kind.
    public static func kinds(of type: String) throws -> Set<String> {
        let scan = try scan.get()
        for name in ["\(type).Code", "\(type).Reason", "\(type).Issue.Code"] {
            if let found = scan.codes[name] ?? scan.cases[name] { return found }
        }
        return scan.cases[type] ?? []
    }

    private static func values(of type: String, in all: [String: Set<String>]) throws -> Set<String> {
        guard let found = all[type] else { throw NoSuchType(type: type) }
        return found
    }

    static let scan = Result {
        var scan = DeclaredType.Scan()
        for (path, text) in try files() where !path.hasPrefix("CLI/") { scan.read(text) }
        return scan
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
