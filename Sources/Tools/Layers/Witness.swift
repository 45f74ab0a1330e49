import PatchbayPlatform
import PatchbayRegistry

/// A response to an untyped call, only described, that an entry covers.
struct Witness {
    /// Nil for a response without one.
    let contentType: String?
    let status: Int
    /// The part of the entry's coverage that it stands for; nil where the entry has no types.
    let range: MediaRange?

    /// Responses that show what an entry covers: one or two for each kind of type that it names, each with every status.
    /// - Parameter statuses: those of interest, of which some may be outside.
    static func all(of coverage: Coverage, statuses: [Int]) -> [Witness] {
        guard coverage.coversWish(.anything) else { return [] }
        let statuses = statuses.filter(coverage.status.contains)
        return types(of: coverage).flatMap { type, range in
            statuses.map { Witness(contentType: type, status: $0, range: range) }
        }
    }

    /// The media types among those that show what an entry covers.
    static func mediaTypes(of coverage: Coverage) -> [MediaType] {
        types(of: coverage).compactMap { type, _ in type.flatMap { MediaType(parsing: $0) } }
    }

    /// What is covered by its name comes first, because that is what a reader knows.
    private static func types(of coverage: Coverage) -> [(String?, MediaRange?)] {
        guard let ranges = coverage.ranges else { return [(nil, nil), ("application/vnd.example", nil)] }
        var named: [(String?, MediaRange?)] = []
        var others: [(String?, MediaRange?)] = []
        for range in ranges {
            let parameters = range.parameters.map { ";\($0)" }.joined()
            for kind in range.alternatives {
                let part = try? MediaRange("\(kind)" + parameters)
                let types = examples(of: kind).map { ($0 + parameters, part) as (String?, MediaRange?) }
                if case .exact = kind { named += types } else { others += types }
            }
        }
        return named + others
    }

    private static func examples(of kind: MediaRange.Kind) -> [String] {
        switch kind {
        case .exact(let essence): [essence]
        case .topLevel("text"): ["text/plain", "text/vnd.example"]
        case .topLevel("image"): ["image/png", "image/vnd.example"]
        case .topLevel(let type): ["\(type)/vnd.example"]
        case .suffix(let suffix): ["application/vnd.example+\(suffix)"]
        case .topLevelSuffix(let type, let suffix): ["\(type)/vnd.example+\(suffix)"]
        case .any: ["application/octet-stream", "application/vnd.example"]
        // An alternative is no group.
        case .group: []
        }
    }

    func isCovered(by coverage: Coverage) -> Bool {
        coverage.status.contains(status) && coverage.coversWish(.anything)
            && coverage.coversType(contentType.flatMap { MediaType(parsing: $0) })
    }
}

extension Witness: CustomStringConvertible {
    /// `application/json, 200`
    var description: String { "\(contentType ?? "no Content-Type"), \(status)" }
}
