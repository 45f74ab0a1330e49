/// The Accept that entries and policy amount to (RFC 9110, section 12.5.1).
struct AcceptHeader {
    private let entries: [RegistryEntry]
    private let policy: Policy

    init(_ entries: [RegistryEntry], _ policy: Policy) {
        self.entries = entries
        self.policy = policy
    }

    /// The value of the field, or nil to send none.
    func value(producing wanted: WantedValue, acceptable: StatusSet) -> String? {
        guard policy.accept == .derived else { return nil }
        if wanted.kind == .bytes { return "*/*" }
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
