import PatchbayPlatform
import PatchbayRegistry

/// An example of a response to an untyped call that an entry covers.
struct Witness {
    /// Nil for a response without a Content-Type.
    let contentType: String?
    let status: Int
    /// The part of the entry's coverage that the response is an example of; nil if the entry has no types.
    let range: MediaRange?

    /// Examples of an entry's coverage: one or two for each kind of type that it names, each with every status.
    /// - Parameter statuses: the statuses to use. Statuses outside the coverage are left out.
    static func all(of coverage: Coverage, statuses: [Int]) -> [Witness] {
        guard coverage.coversWish(.anything) else { return [] }
        let statuses = statuses.filter(coverage.status.contains)
        return types(of: coverage).flatMap { type, range in
            statuses.map { Witness(contentType: type, status: $0, range: range) }
        }
    }

    /// The media types of the examples of an entry's coverage.
    static func mediaTypes(of coverage: Coverage) -> [MediaType] {
        types(of: coverage).compactMap { type, _ in type.flatMap { MediaType(parsing: $0) } }
    }

    /// Named types come first, because readers know them.
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
        // `alternatives` contains no group.
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
