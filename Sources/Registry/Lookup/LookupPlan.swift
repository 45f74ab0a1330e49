/// Whom a decision turns to, in order, and what happens when none of them makes a value.
struct LookupPlan: Sendable {
    /// A serializer that is to run, and its rules.
    struct Candidate: Sendable {
        /// Nil for the serializer that the request brought.
        private let origin: RegistryEntry?
        let serializer: BoundSerializer

        init(entry: RegistryEntry, _ serializer: BoundSerializer) {
            origin = entry
            self.serializer = serializer
        }

        init(given serializer: BoundSerializer) {
            origin = nil
            self.serializer = serializer
        }

        /// The id of the entry.
        var entry: String? { origin?.id }
        var maximumBodyBytes: Int? { origin?.maximumBodyBytes }
        var onFailure: FailureRule { origin?.onFailure ?? .error }

        /// The entry's id, or what stands for one.
        var name: String { entry ?? Attempt.request }
    }

    /// What happens after the last candidate.
    enum Ending: Sendable {
        case bytes
        case text
        case raw
        case failure(LookupFailure.Code)
    }

    private(set) var first: Candidate?
    /// The candidates behind one whose `onFailure` is `next`.
    private(set) var rest: [Candidate] = []
    var ending = Ending.raw
    /// The policy that set the ending; empty where none did.
    var endingPolicy = ""

    mutating func append(_ candidate: Candidate) {
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
