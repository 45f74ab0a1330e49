import PatchbayPlatform

/// The Accept field that follows from entries and policy (RFC 9110, section 12.5.1). Its value is computed once for all
/// calls with the same `Wish`.
struct AcceptHeader: ~Copyable, Sendable {
    /// The key of a cached value: the part of a call that determines its Accept value, if the acceptable statuses are
    /// those of the policy. The number of keys is bounded: each output type of the table has a few, all other types
    /// together have a few, and calls without a type have two.
    enum Wish: Hashable {
        case anything
        /// A type that an entry makes or yields; nil for all other types.
        case type(ObjectIdentifier?, isDecodable: Bool)
        /// An array whose element is such a type; nil for all other types.
        case list(ObjectIdentifier?, isDecodable: Bool)
        case elements(ObjectIdentifier?, isDecodable: Bool)
        case anyElements
    }

    private let entries: [RegistryEntry]
    private let policy: SerializerRegistry.Policy
    private let outputs: Set<ObjectIdentifier>
    /// Whether a call for an array of a `Decodable` can need other types than a call for another `Decodable`.
    private let tellsListsApart: Bool
    /// Whether an entry yields elements, so that a call for any other array can need other types.
    private let yields: Bool
    private let values = Guarded<[Wish: String?]>([:])

    init(_ entries: [RegistryEntry], _ policy: SerializerRegistry.Policy) {
        self.entries = entries
        self.policy = policy
        let serializers = entries.compactMap(\.serializer)
        let types: [any Sendable.Type] = serializers.map(\.output) + serializers.compactMap(\.element)
        outputs = Set((types + [(any Sendable).self]).map { ObjectIdentifier($0) })
        yields = serializers.contains(where: \.yields)
        tellsListsApart = Self.tellsListsApart(entries, policy)
    }

    private static func tellsListsApart(_ entries: [RegistryEntry], _ policy: SerializerRegistry.Policy) -> Bool {
        for entry in entries where entry.coverage.status.overlaps(policy.acceptableStatus) {
            guard let serializer = entry.serializer, serializer.unwrapping == nil else { continue }
            if entry.coverage.isForElements { return true }
            if serializer.decoding == nil {
                if serializer.yields { return true }
            } else if isShort(policy), endsDecoders(entry) {
                return false
            }
        }
        return false
    }

    /// The value of the field; nil to send none.
    /// - Parameter acceptable: the acceptable statuses of the request; nil for those of the policy.
    func value(producing wanted: WantedValue, acceptable: StatusSet?) -> String? {
        guard policy.accept != .none else { return nil }
        if wanted.kind == .bytes || wanted.kind == .pieces { return "*/*" }
        if let acceptable { return derived(wanted, acceptable) }
        let wish = wish(wanted)
        if let kept = values.withLock({ $0[wish] }) { return kept }
        let value = derived(wanted, policy.acceptableStatus)
        values.withLock { $0[wish] = .some(value) }
        return value
    }

    private func wish(_ wanted: WantedValue) -> Wish {
        guard let type = wanted.type else { return wanted.isElements ? .anyElements : .anything }
        let known = known(wanted.optionalType) ?? known(type)
        let isDecodable = wanted.decodable != nil
        if wanted.isElements { return .elements(known, isDecodable: isDecodable) }
        // An output type of the table is either an array or not, so only other types need their element.
        guard known == nil, isDecodable ? tellsListsApart : yields, let element = wanted.listElement else {
            return .type(known, isDecodable: isDecodable)
        }
        return .list(self.known(element) ?? self.known(wrappedType(of: element)), isDecodable: isDecodable)
    }

    private func known(_ type: (any Sendable.Type)?) -> ObjectIdentifier? {
        type.map { ObjectIdentifier($0) }.flatMap { outputs.contains($0) ? $0 : nil }
    }

    private func derived(_ wanted: WantedValue, _ acceptable: StatusSet) -> String? {
        // The server is asked for a value.
        let wanted = wanted.kind == .valueOrElements ? .anything : wanted
        var members = Members()
        if !wanted.isElements, wanted.decodable != nil, Self.isShort(policy) {
            nameDecoders(of: wanted, active(wanted, acceptable), &members)
        } else {
            let limit = Self.isShort(policy) && wanted.kind == .anything ? Self.mostBytes : .max
            for types in named(wanted, acceptable) {
                guard members.add(types, upTo: limit) else { break }
            }
        }
        if let problem = Self.problem,
            entries.contains(where: { isActive($0, .anything) && $0.coverage.coversType(problem) })
        {
            members.add([problem.essence])
        }
        if policy.noMatch != .error { members.addRest() }
        return members.text.isEmpty ? nil : members.text
    }

    /// Adds the types for a call for a `Decodable`. The entries that can make the type are named in order, up to the
    /// first entry of the factory `json`, so that no earlier entry removes JSON from the field. Without such an entry,
    /// only the first entry is named. The types between the first entry and that of `json` are cut at `mostBytes`.
    /// Entries whose output type is the type that the call wants, such as `property-list` for `PropertyList`, come
    /// before decoding entries, except for arrays.
    private func nameDecoders(of wanted: WantedValue, _ active: [RegistryEntry], _ members: inout Members) {
        func makes(_ entry: RegistryEntry) -> Bool {
            // An array can come as one JSON text as well as in lines of JSON, so its output type gives no precedence.
            wanted.listElement == nil && wanted.isAsked(entry.serializer?.output)
        }
        let named = active.filter { !Self.types(of: $0).isEmpty }
        let naming = named.filter(makes) + named.filter { !makes($0) }
        guard let first = naming.first else { return }
        members.add(Self.types(of: first))
        guard let json = naming.firstIndex(where: Self.endsDecoders), json > 0 else { return }
        for entry in naming[1..<json] {
            guard members.add(Self.types(of: entry), upTo: Self.mostBytes) else { break }
        }
        members.add(Self.types(of: naming[json]))
    }

    /// Whether `nameDecoders` names no entry after this one.
    private static func endsDecoders(_ entry: RegistryEntry) -> Bool {
        entry.factory == "json" && !types(of: entry).isEmpty
    }

    /// The types to name, grouped by entry. In a call for elements, the entries that yield them come first: at the very
    /// front the entries whose formats consist of elements.
    private func named(_ wanted: WantedValue, _ acceptable: StatusSet) -> [[String]] {
        let active = active(wanted, acceptable)
        guard wanted.isElements else { return named(active, wanted) }
        let yielding = active.filter { $0.serializer.map(wanted.isYielded) ?? false }
        let ordered =
            yielding.filter { $0.serializer?.element != nil } + yielding.filter { $0.serializer?.element == nil }
        return ordered.map(Self.types).filter { !$0.isEmpty }
            + named(active.filter { $0.serializer.map(wanted.isMade) ?? false }, wanted)
    }

    private static func types(of entry: RegistryEntry) -> [String] {
        (entry.coverage.ranges ?? []).flatMap(\.acceptTypes).filter { $0 != "*/*" }
    }

    private func named(_ active: [RegistryEntry], _ wanted: WantedValue) -> [[String]] {
        let all = active.map(Self.types).filter { !$0.isEmpty }
        guard Self.isShort(policy) else { return all }
        if wanted.kind != .anything { return Array(all.prefix(1)) }
        let concrete = all.map { $0.filter { !$0.hasSuffix("/*") } }
        return concrete.allSatisfy(\.isEmpty) ? all : concrete
    }

    /// Whether the list is allowed to leave out types that entries can read. The list must name all types if the field
    /// ends without `*/*`, because a server can then refuse types that are not named.
    private static func isShort(_ policy: SerializerRegistry.Policy) -> Bool {
        policy.accept == .derived && policy.noMatch != .error
    }

    private func active(_ wanted: WantedValue, _ acceptable: StatusSet) -> [RegistryEntry] {
        entries.filter { isActive($0, wanted) && $0.coverage.status.overlaps(acceptable) }
    }

    /// Unwrapping entries are never active: their types say nothing about the value inside.
    private func isActive(_ entry: RegistryEntry, _ wanted: WantedValue) -> Bool {
        guard let serializer = entry.serializer, serializer.unwrapping == nil else { return false }
        return entry.coverage.coversWish(wanted) && wanted.canCome(from: serializer)
    }

    /// The largest size of the field, in bytes, up to which `Members.add` adds the types of an untyped call, and the
    /// types between the first entry and that of `json` in a typed call. Types that are added later have no limit.
    private static let mostBytes = 120

    /// RFC 9457: a server is allowed to describe an error with problem details, whatever the request accepts.
    private static let problem = MediaType(parsing: "application/problem+json")
}

/// The members of the field, in falling quality.
private struct Members {
    private(set) var text = ""
    private var listed: Set<String> = []
    private var tenths = 10

    /// Adds the types that the field does not contain yet. Their quality is a tenth below that of the types before
    /// them, but at least 0.2.
    ///
    /// - Returns: false if a type would exceed the limit. This type and the following types are then left out. The
    ///   first member is always added.
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

    /// Adds all other types, at the lowest quality.
    mutating func addRest() { text += text.isEmpty ? "*/*;q=0.1" : ", */*;q=0.1" }
}
