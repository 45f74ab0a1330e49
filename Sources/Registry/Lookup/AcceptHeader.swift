import PatchbayPlatform

/// The Accept field that follows from entries and policy (RFC 9110, section 12.5.1). The values for the last calls are
/// kept.
///
/// The order of the entries decides. The types that name the format of an entry stand at its place. Its other types,
/// such as `text/html` of an entry that reads JSON, come last: a server that can choose sends what such a type says.
/// Entries for failures only, such as `problem`, come after the others, even if their statuses are acceptable: a request
/// asks for the value of a success, and a server chooses the form of a failure by itself.
struct AcceptHeader: ~Copyable, Sendable {
    /// The key of a kept value: the part of a call that determines its Accept value, if the acceptable statuses are those
    /// of the policy.
    struct Wish: Hashable {
        let kind: WantedValue.Kind
        let type: ObjectIdentifier?
        let isDecodable: Bool
    }

    private let entries: [RegistryEntry]
    private let policy: SerializerRegistry.Policy
    /// Whether the field is allowed to leave out types that entries can read. It must name all types if it ends without
    /// `*/*`, because a server can then refuse types that are not named.
    private let isShort: Bool
    private let values = Guarded<[Wish: String?]>([:])

    init(_ entries: [RegistryEntry], _ policy: SerializerRegistry.Policy) {
        self.entries = entries.filter { $0.serializer?.keepsBytes != true }
        self.policy = policy
        isShort = policy.accept == .derived && policy.noMatch != .error
    }

    /// The value of the field; nil to send none.
    /// - Parameter acceptable: the acceptable statuses of the request; nil for those of the policy.
    func value(producing wanted: WantedValue, acceptable: StatusSet?) -> String? {
        guard policy.accept != .none else { return nil }
        // Every body has bytes and a text.
        if wanted.kind == .bytes || wanted.kind == .pieces || wanted.kind == .text { return "*/*" }
        if let acceptable { return derived(wanted, acceptable) }
        let type = wanted.optionalType ?? wanted.type
        let wish = Wish(
            kind: wanted.kind, type: type.map { ObjectIdentifier($0) }, isDecodable: wanted.decodable != nil)
        if let kept = values.withLock({ $0[wish] }) { return kept }
        let value = derived(wanted, policy.acceptableStatus)
        values.withLock { values in
            if values.count == Self.mostValues { values = [:] }
            values[wish] = .some(value)
        }
        return value
    }

    private func derived(_ wanted: WantedValue, _ acceptable: StatusSet) -> String? {
        // The server is asked for a value.
        let wanted = wanted.kind == .valueOrElements ? .anything : wanted
        let active = entries.filter { isActive($0, wanted) && $0.coverage.status.overlaps(acceptable) }
        let named = Self.successFirst(active.filter(Self.isNamed))
        var members = Members(readers: active)
        if !wanted.isElements, wanted.decodable != nil, isShort {
            nameDecoders(of: wanted, named, &members)
        } else {
            let isCut = isShort && wanted.kind == .anything
            members.leavesOutRanges = isCut && named.contains(where: members.hasType)
            for entry in ordered(named, wanted) {
                guard members.add(entry, upTo: isCut ? Self.mostBytes : .max) else { break }
            }
        }
        if let problem = Self.problem,
            entries.contains(where: { isActive($0, .anything) && $0.coverage.coversType(problem) })
        {
            members.add([problem.essence])
        }
        members.addTolerated(upTo: isShort ? members.text.utf8.count + Self.mostBytes : .max)
        if policy.noMatch != .error { members.addRest() }
        return members.text.isEmpty ? nil : members.text
    }

    /// Adds the types for a call for a `Decodable`. The entries that can make the type are named in order, up to the
    /// first entry that names `application/json`, so that no earlier entry removes JSON from the field; an entry of the
    /// factory `json` for other types, such as one version of a type, does not end the list. If no entry names it, the
    /// last entry of the factory `json` ends the list, or else the first entry of any factory. The types between the
    /// first and the last of them are cut at `mostBytes`.
    /// Entries whose output type is the type that the call wants, such as `property-list` for `PropertyList`, come
    /// before decoding entries, except for arrays.
    private func nameDecoders(of wanted: WantedValue, _ named: [RegistryEntry], _ members: inout Members) {
        func makes(_ entry: RegistryEntry) -> Bool {
            // An array can come as one JSON text as well as in lines of JSON, so its output type gives no precedence.
            wanted.listElement == nil && wanted.isAsked(entry.serializer?.output)
        }
        let naming = named.filter(makes) + named.filter { !makes($0) }
        guard let first = naming.first else { return }
        members.add(first)
        let main = naming.firstIndex { $0.factory == "json" && members.types(of: $0).own.contains("application/json") }
        guard let json = main ?? naming.lastIndex(where: { $0.factory == "json" }), json > 0 else { return }
        for entry in naming[1..<json] {
            guard members.add(entry, upTo: Self.mostBytes) else { break }
        }
        members.add(naming[json])
    }

    /// The entries to name for any other call: all of them, or only the first that can make the type. In a call for
    /// elements, the entries that yield them come first: at the very front the entries whose formats consist of elements.
    private func ordered(_ named: [RegistryEntry], _ wanted: WantedValue) -> [RegistryEntry] {
        let yielding = named.filter { $0.serializer.map(wanted.isYielded) ?? false }
        let making = wanted.isElements ? named.filter { $0.serializer.map(wanted.isMade) ?? false } : named
        return Self.successFirst(
            yielding.filter { $0.serializer?.element != nil } + yielding.filter { $0.serializer?.element == nil }
                + making.prefix(isShort && wanted.kind != .anything ? 1 : .max))
    }

    /// The entries that cover a status of 2XX, then the entries for failures only.
    private static func successFirst(_ entries: [RegistryEntry]) -> [RegistryEntry] {
        func isForSuccess(_ entry: RegistryEntry) -> Bool { entry.coverage.status.overlaps(.successful) }
        return entries.filter(isForSuccess) + entries.filter { !isForSuccess($0) }
    }

    /// Whether the field can name a type of the entry.
    private static func isNamed(_ entry: RegistryEntry) -> Bool {
        entry.coverage.ranges?.contains { !$0.acceptTypes.isEmpty } ?? false
    }

    /// Unwrapping entries are never active: their types say nothing about the value inside.
    private func isActive(_ entry: RegistryEntry, _ wanted: WantedValue) -> Bool {
        guard let serializer = entry.serializer, serializer.unwrapping == nil else { return false }
        return entry.coverage.coversWish(wanted) && wanted.canCome(from: serializer)
    }

    /// The largest number of kept values. Those of a program with more types are derived again now and then.
    private static let mostValues = 256

    /// The largest size of the field, in bytes, up to which `Members.add` adds the types of an untyped call, and the
    /// types between the first entry and that of `json` in a typed call; and the largest size of the types that come
    /// last. Problem details have no limit.
    private static let mostBytes = 120

    /// RFC 9457: a server is allowed to describe an error with problem details, whatever the request accepts.
    private static let problem = MediaType(parsing: "application/problem+json")
}

/// The members of the field, in falling quality.
private struct Members {
    /// Whether ranges such as `image/*` are left out.
    var leavesOutRanges = false
    private(set) var text = ""
    private var listed: Set<String> = []
    private var tolerated: [String] = []
    private var tenths = 10

    /// The types of the formats of the entries that an entry reads.
    private let formats: Set<String>

    init(readers: [RegistryEntry]) {
        let types = Set(readers.flatMap { $0.formatTypes.first?.acceptTypes ?? [] })
        formats = types.filter { type in
            let type = MediaType(parsing: type)
            return readers.contains { $0.coverage.coversType(type) }
        }
    }

    /// Adds the types for the place of an entry, and keeps its other types for the end.
    /// - Returns: false if a type would exceed the limit.
    @discardableResult
    mutating func add(_ entry: RegistryEntry, upTo limit: Int = .max) -> Bool {
        let types = types(of: entry)
        guard add(types.own, upTo: limit) else { return false }
        tolerated += types.tolerated
        return true
    }

    /// The types for the place of the entry, and those that come last. If no type of the entry names its format, the
    /// first type of the format does, unless no entry reads it.
    func types(of entry: RegistryEntry) -> (own: [String], tolerated: [String]) {
        let ranges = entry.coverage.ranges ?? []
        let own = ranges.filter(entry.isFormat).flatMap(\.acceptTypes)
        let tolerated = ranges.filter { !entry.isFormat($0) }.flatMap(\.acceptTypes)
        guard own.isEmpty else { return (own, tolerated) }
        let format = (entry.formatTypes.first?.acceptTypes ?? []).filter(formats.contains)
        return format.isEmpty ? (tolerated, []) : (format, tolerated)
    }

    /// Whether a single type stands at the place of the entry.
    func hasType(_ entry: RegistryEntry) -> Bool { !types(of: entry).own.allSatisfy(Self.isRange) }

    private static func isRange(_ type: String) -> Bool { type.prefix { $0 != ";" }.hasSuffix("/*") }

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
        for type in types where !listed.contains(type) && !(leavesOutRanges && Self.isRange(type)) {
            let member = (text.isEmpty ? "" : ", ") + type + quality
            guard text.isEmpty || text.utf8.count + member.utf8.count <= limit else { return false }
            text += member
            listed.insert(type)
        }
        return true
    }

    /// Adds the types that were kept for the end.
    mutating func addTolerated(upTo limit: Int) {
        tenths = 2
        add(tolerated, upTo: limit)
    }

    /// Adds all other types, at the lowest quality.
    mutating func addRest() { text += text.isEmpty ? "*/*;q=0.1" : ", */*;q=0.1" }
}
