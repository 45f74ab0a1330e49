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
    /// The policy that set `ending`; nil if no policy did.
    var endingPolicy: PolicyKey?

    var first: BoundSerializer? { candidates.first }

    mutating func append(_ candidate: BoundSerializer) {
        candidates.append(candidate)
        isClosed = candidate.onFailure != .next
    }

    func has(_ id: String) -> Bool { candidates.contains { $0.entry == id } }

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
    /// Serializers in order. There is nearly always one serializer: `one` needs no array, so that a copy of the
    /// `LookupPlan` costs one reference.
    package enum Candidates: Sendable, RandomAccessCollection {
        case none
        case one(BoundSerializer)
        /// All serializers, if an entry passes its failures to the next one (`"onFailure": "next"`).
        case several([BoundSerializer])

        package var startIndex: Int { 0 }

        package var endIndex: Int {
            switch self {
            case .none: 0
            case .one: 1
            case .several(let list): list.count
            }
        }

        package subscript(position: Int) -> BoundSerializer {
            switch self {
            case .one(let candidate) where position == 0: candidate
            case .several(let list): list[position]
            case .none, .one: preconditionFailure("there is no candidate \(position)")
            }
        }

        fileprivate mutating func append(_ candidate: BoundSerializer) {
            switch self {
            case .none: self = .one(candidate)
            case .one(let first): self = .several([first, candidate])
            case .several(let list): self = .several(list + [candidate])
            }
        }
    }
}
