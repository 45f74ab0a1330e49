/// What an entry given in code is for, written as in the manifest: media ranges and statuses.
public struct EntryMatch: Sendable, Hashable {
    /// Media ranges such as `text/csv`, `image/*`, `+json` or `@xml`; nil covers every response, one without a type too.
    public var types: [String]?
    /// Statuses such as `200`, `4XX` or `500-503`; nil is any.
    public var status: [String]?

    public init(types: [String]? = nil, status: [String]? = nil) {
        self.types = types
        self.status = status
    }
}

extension EntryMatch: CustomStringConvertible {
    /// `text/csv, @json with status 2XX`
    public var description: String {
        let types = types.map { $0.joined(separator: ", ") } ?? "every type"
        return types + (status.map { " with status \($0.joined(separator: ", "))" } ?? "")
    }
}
