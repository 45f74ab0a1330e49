/// Whom a decision turns to, in order, and what happens when none of them makes a value.
struct LookupPlan: Sendable {
    /// What happens after the last candidate.
    enum Ending: Sendable, Hashable {
        case bytes
        case text
        case raw
        case failure(Failure)
    }

    /// The codes of `LookupFailure` that a plan can end with. Numbers, because every decision is copied with its ending.
    enum Failure: String, Sendable {
        case noMatch, noEntryProduces, missingContentType, invalidContentType, unknownEntry, entryUnavailable

        var code: LookupFailure.Code { LookupFailure.Code(rawValue: rawValue) }
    }

    /// The policies that can set an ending.
    enum PolicyKey: String, Sendable {
        case noMatch, missingContentType, invalidContentType
    }

    private(set) var first: BoundSerializer?
    /// The candidates behind one whose `onFailure` is `next`.
    private(set) var rest: [BoundSerializer] = []
    var ending = Ending.raw
    /// The policy that set the ending; nil where none did.
    var endingPolicy: PolicyKey?

    mutating func append(_ candidate: BoundSerializer) {
        if first == nil { first = candidate } else { rest.append(candidate) }
    }

    func has(_ id: String) -> Bool { first?.entry == id || rest.contains { $0.entry == id } }

    /// Whether the request names an entry that cannot run: an error whatever the body is, no bytes included.
    var isUnusable: Bool {
        switch ending {
        case .failure(.unknownEntry), .failure(.entryUnavailable): first == nil
        default: false
        }
    }

    /// Whether the last candidate ends the matter, so that the ending never comes.
    var isClosed: Bool {
        if let last = rest.last { return last.onFailure != .next }
        return first.map { $0.onFailure != .next } ?? false
    }
}
