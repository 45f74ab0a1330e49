/// What an entry given in code is for, written as in the manifest: media ranges, statuses, and what calls want.
public struct EntryMatch: Sendable, Hashable {
    /// What calls want that an entry is for.
    public enum Wanted: String, Sendable, Hashable, CaseIterable {
        /// Elements, one by one, or an array of them.
        case elements
    }

    /// Media ranges such as `text/csv`, `image/*`, `+json` or `@xml`; nil covers every response, one without a type too.
    public var types: [String]?
    /// Statuses such as `200`, `4XX` or `500-503`; nil is any.
    public var status: [String]?
    /// What a call has to want; nil is anything.
    public var wanted: Wanted?

    /// What is left out covers everything.
    public init(types: [String]? = nil, status: [String]? = nil, wanted: Wanted? = nil) {
        self.types = types
        self.status = status
        self.wanted = wanted
    }
}

extension EntryMatch: CustomStringConvertible {
    /// `text/csv, @json with status 2XX, for elements`
    public var description: String {
        let types = types.map { $0.joined(separator: ", ") } ?? "every type"
        let status = status.map { " with status \($0.joined(separator: ", "))" } ?? ""
        return types + status + (wanted.map { ", for \($0.rawValue)" } ?? "")
    }
}
