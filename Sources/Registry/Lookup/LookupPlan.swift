/// The serializers that a `Decision` tries, in order (`candidates`), and the result if none of them makes a value
/// (`ending`).
package struct LookupPlan: Sendable {
    package enum Ending: Sendable, Hashable {
        case bytes
        case text
        case raw
        case failure(LookupFailure.Code)
    }

    enum PolicyKey: String, Sendable {
        case noMatch, missingContentType, invalidContentType
    }

    package private(set) var candidates = Candidates.none
    /// Whether the last of the `candidates` always ends the decision, so that `ending` is never reached.
    package private(set) var isClosed = false
    package var ending = Ending.raw
    /// The last policy that was applied; nil if none was.
    var endingPolicy: PolicyKey?

    var first: BoundSerializer? { candidates.first }

    mutating func append(_ candidate: consuming BoundSerializer) {
        isClosed = candidate.onFailure != .next
        candidates.append(candidate)
    }

    /// Adds serializers up to the first one that closes the plan.
    mutating func append(_ candidates: [BoundSerializer]) {
        for candidate in candidates where !isClosed { append(candidate) }
    }

    func has(_ id: String) -> Bool { candidates.contains { $0.entry == id } }

    /// The reasons of the serializers that declined, by entry id.
    var declined: [String: String] {
        if case .several(let several) = candidates { several.declined } else { [:] }
    }

    /// Keeps the reason that the serializer of an entry declined.
    mutating func keep(_ reason: String, of entry: String) {
        candidates = .several(Several(Array(candidates), declined.merging([entry: reason]) { first, _ in first }))
    }

    /// Whether the request names an entry that is unknown or unavailable. This is an error for every body, even for an
    /// empty body.
    var isUnusable: Bool {
        switch ending {
        case .failure(.unknownEntry), .failure(.entryUnavailable): first == nil
        default: false
        }
    }
}

extension LookupPlan {
    /// Serializers in order. There is nearly always one serializer and nobody declines: `one` needs no array, so that a
    /// copy of the `LookupPlan` costs one reference.
    package enum Candidates: Sendable, RandomAccessCollection {
        case none
        case one(BoundSerializer)
        /// Any number of serializers: an entry passes its failures to the next one (`"onFailure": "next"`), or declined.
        case several(Several)

        package var startIndex: Int { 0 }

        package var endIndex: Int {
            switch self {
            case .none: 0
            case .one: 1
            case .several(let several): several.list.count
            }
        }

        package subscript(position: Int) -> BoundSerializer {
            switch self {
            case .one(let candidate) where position == 0: candidate
            case .several(let several): several.list[position]
            case .none, .one: preconditionFailure("there is no candidate \(position)")
            }
        }

        fileprivate mutating func append(_ candidate: consuming BoundSerializer) {
            switch self {
            case .none: self = .one(candidate)
            case .one(let first): self = .several(Several([first, candidate], [:]))
            case .several(let several): self = .several(Several(several.list + [candidate], several.declined))
            }
        }
    }

    /// A class of constants, so that `Candidates` is as large as one reference.
    package final class Several: Sendable {
        let list: [BoundSerializer]
        /// The reasons of the serializers that declined, by entry id.
        let declined: [String: String]

        init(_ list: [BoundSerializer], _ declined: [String: String]) { (self.list, self.declined) = (list, declined) }
    }
}
