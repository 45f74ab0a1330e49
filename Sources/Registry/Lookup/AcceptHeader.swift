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
        guard policy.accept != .none else { return nil }
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
        var members = Members()
        let limit = isShort && wanted.kind == .anything ? Self.mostBytes : .max
        for types in named(wanted, acceptable) {
            guard members.add(types, upTo: limit) else { break }
        }
        if let problem = Self.problem,
            entries.contains(where: { isActive($0, .anything) && $0.coverage.coversType(problem) })
        {
            members.add([problem.essence])
        }
        if policy.noMatch != .error { members.addRest() }
        return members.text.isEmpty ? nil : members.text
    }

    /// The types to name, those of one entry together.
    private func named(_ wanted: WantedValue, _ acceptable: StatusSet) -> [[String]] {
        let active = entries.filter { isActive($0, wanted) && $0.coverage.status.overlaps(acceptable) }
        let all = active.map { ($0.coverage.ranges ?? []).flatMap(\.acceptTypes).filter { $0 != "*/*" } }
            .filter { !$0.isEmpty }
        guard isShort else { return all }
        if wanted.kind != .anything { return Array(all.prefix(1)) }
        let concrete = all.map { $0.filter { !$0.hasSuffix("/*") } }
        return concrete.allSatisfy(\.isEmpty) ? all : concrete
    }

    /// Whether the list may leave out what entries can read. Not where the field ends without `*/*`: a server may refuse what it does
    /// not name.
    private var isShort: Bool { policy.accept == .derived && policy.noMatch != .error }

    /// What unwraps says nothing of what is wanted inside.
    private func isActive(_ entry: RegistryEntry, _ wanted: WantedValue) -> Bool {
        entry.serializer.map { $0.unwrapping == nil && wanted.canCome(from: $0) } ?? false
    }

    /// Where the types of an untyped call end, in bytes, so that many entries make no long field. What comes behind them does not
    /// count.
    private static let mostBytes = 120

    /// RFC 9457: what an origin may answer an error with, whatever was asked for.
    private static let problem = MediaType("application/problem+json")
}

/// The members of the field, in falling quality.
private struct Members {
    private(set) var text = ""
    private var listed: Set<String> = []
    private var tenths = 10

    /// Adds types, but for any that is there already, with a quality a tenth below that of those added before.
    ///
    /// - Returns: false where one of them would make the field longer than the limit; it and what follows are left out. The first
    ///   member of all is added in any case.
    @discardableResult
    mutating func add(_ types: [String], upTo limit: Int = .max) -> Bool {
        let quality = tenths == 10 ? "" : ";q=0.\(tenths)"
        let before = listed.count
        defer { if listed.count > before { tenths = max(tenths - 1, 2) } }
        for type in types where !listed.contains(type) {
            let member = (text.isEmpty ? "" : ", ") + type + quality
            guard text.isEmpty || text.utf8.count + member.utf8.count <= limit else { return false }
            text += member
            listed.insert(type)
        }
        return true
    }

    /// Adds everything else, at the lowest quality.
    mutating func addRest() { text += text.isEmpty ? "*/*;q=0.1" : ", */*;q=0.1" }
}
