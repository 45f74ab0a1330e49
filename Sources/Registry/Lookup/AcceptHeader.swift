/// The Accept that entries and policy amount to (RFC 9110, section 12.5.1), worked out once for what calls want alike.
struct AcceptHeader: ~Copyable, Sendable {
    /// What the value depends on, under the policy's own statuses: two for each output of the table and for all other types,
    /// and one for anything, so that no more are kept.
    enum Wish: Hashable {
        case anything
        /// The output of an entry; nil for every type that no entry makes as such.
        case type(ObjectIdentifier?, isDecodable: Bool)
    }

    private let entries: [RegistryEntry]
    private let policy: Policy
    private let outputs: Set<ObjectIdentifier>
    private let values = Guarded<[Wish: String?]>([:])

    init(_ entries: [RegistryEntry], _ policy: Policy) {
        self.entries = entries
        self.policy = policy
        outputs = Set(entries.compactMap { $0.serializer.map { ObjectIdentifier($0.output) } })
    }

    /// The value of the field, or nil to send none.
    /// - Parameter acceptable: nil for the statuses of the policy.
    func value(producing wanted: WantedValue, acceptable: StatusSet?) -> String? {
        guard policy.accept == .derived else { return nil }
        if wanted.kind == .bytes { return "*/*" }
        if let acceptable { return derived(wanted, acceptable) }
        let wish = wish(wanted)
        if let kept = values.withLock({ $0[wish] }) { return kept }
        let value = derived(wanted, policy.acceptableStatus)
        values.withLock { $0[wish] = .some(value) }
        return value
    }

    private func wish(_ wanted: WantedValue) -> Wish {
        guard let type = wanted.type else { return .anything }
        let output = ObjectIdentifier(type)
        return .type(outputs.contains(output) ? output : nil, isDecodable: wanted.decodable != nil)
    }

    private func derived(_ wanted: WantedValue, _ acceptable: StatusSet) -> String? {
        var members: [String] = []
        var listed: Set<String> = []
        var tenths = 10
        func add(_ types: [String]) {
            let new = types.filter { listed.insert($0).inserted }
            guard !new.isEmpty else { return }
            members += new.map { tenths == 10 ? $0 : "\($0);q=0.\(tenths)" }
            tenths = max(tenths - 1, 2)
        }
        for entry in entries where isActive(entry, wanted) && entry.coverage.status.overlaps(acceptable) {
            add((entry.coverage.ranges ?? []).flatMap(\.acceptTypes).filter { $0 != "*/*" })
        }
        if let problem = Self.problem,
            entries.contains(where: { isActive($0, .anything) && $0.coverage.coversType(problem) })
        {
            add([problem.essence])
        }
        if policy.noMatch != .error { members.append("*/*;q=0.1") }
        return members.isEmpty ? nil : members.joined(separator: ", ")
    }

    /// What unwraps says nothing of what is wanted inside.
    private func isActive(_ entry: RegistryEntry, _ wanted: WantedValue) -> Bool {
        entry.serializer.map { $0.unwrapping == nil && wanted.canCome(from: $0) } ?? false
    }

    /// RFC 9457: what an origin may answer an error with, whatever was asked for.
    private static let problem = MediaType("application/problem+json")
}
