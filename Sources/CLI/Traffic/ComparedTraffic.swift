import Patchbay
import PatchbayTools

/// Counts logged responses for the changes between two tables. Both tables answer from their manifests, whatever table was
/// in force when a line was written.
struct ComparedTraffic {
    /// The responses that a change is about.
    struct Count {
        fileprivate(set) var responses = 0
        /// The responses that are larger than one limit, and not larger than the other.
        fileprivate(set) var between = 0
        /// One of the most frequent kind.
        fileprivate(set) var example: LoggedResponse?
        /// Whether others have another type, host, status or call.
        fileprivate(set) var isVaried = false
        fileprivate var most = 0

        fileprivate mutating func add(_ response: LoggedResponse, _ lines: Int, isBetween: Bool) {
            responses += lines
            if isBetween { between += lines }
            isVaried = isVaried || example.map { !$0.looks(like: response) } ?? false
            if lines > most { (most, example) = (lines, response) }
        }
    }

    let comparison: RegistryComparison
    let limits: [Int]
    private let declared: Set<String>
    private var counts: [Count]
    /// The ids of the entries that responses and request bodies can lead to, of both tables.
    private var used: [Set<String>] = [[], []]

    private var classes: RegistryClasses { comparison.classes }

    init(_ comparison: RegistryComparison) {
        self.comparison = comparison
        limits = Set(comparison.changes.compactMap(\.limits).flatMap { [$0.before, $0.after] }).sorted()
        declared = comparison.classes.declared
        counts = comparison.changes.map { _ in Count() }
    }

    /// The count of a change; nil if no log tells which responses it is about: those with a body inside another, or whose
    /// request had elements or no type of its own.
    func count(of change: Int) -> Count? {
        let meant = comparison.changes[change]
        guard meant.inside.isEmpty, meant.form != .elements, meant.aspect != .requestContentType else { return nil }
        return counts[change]
    }

    /// The entries of a table that nothing leads to.
    func unused(of side: Int) -> [String] { classes.entries(of: side).filter { !used[side].contains($0) } }

    mutating func count(_ line: LoggedResponse, _ kind: TrafficReader.Kind) throws(TrafficReader.Fault) {
        let head = line.head
        guard !line.isOverridden else { throw .override }
        let declared = line.entries.filter(self.declared.contains)
        for side in used.indices { used[side].formUnion(declared) }
        guard declared.isEmpty || line.wanted == classes.capabilities[Capability.first].name else { throw .declared }
        guard let wanted = classes.capability(named: line.wanted) else { throw .unknownType }
        guard let host = classes.host(of: head.host, at: head.url), let type = classes.types.index(of: head.contentType)
        else { throw .unreadable }
        let written = line.written.flatMap(classes.types.index)
        let policies = classes.hosts[host].sections.map(\.policy)
        for side in 0...1 { use(side, host, type, written, line, wanted) }
        // If no table accepts the status, the body is read for any value. If one does, that is the change of a typed call.
        let accepting = policies.count { $0.acceptableStatus.contains(head.status) }
        let asked = accepting == 0 ? Capability.first : accepting == 2 || wanted == Capability.first ? wanted : nil
        let method = policies.contains { $0.empty.methods.contains(head.request.method) } ? head.request.method : nil
        // Each member by the position of its change, because a copy of the change costs more than the question.
        let changes = comparison.changes
        for index in changes.indices where changes[index].hosts.contains(host) && changes[index].inside.isEmpty {
            let isBetween = changes[index].limits.map { (line.bytes > $0.before) != (line.bytes > $0.after) } ?? false
            let isMeant =
                switch changes[index].aspect {
                case .entries:
                    changes[index].types.contains(type) && changes[index].statuses.contains(head.status)
                        && asked.map(changes[index].capabilities.contains) ?? false
                case .writers: written.map(changes[index].types.contains) ?? false
                case .acceptableStatus: changes[index].statuses.contains(head.status)
                case .empty:
                    line.bytes == 0 && changes[index].statuses.contains(head.status)
                        && changes[index].methods.contains(method)
                case .accept: changes[index].capabilities.contains(wanted)
                case .limits: isBetween
                case .cache, .requestContentType: true
                }
            if isMeant { counts[index].add(line, kind.lines, isBetween: isBetween) }
        }
    }

    /// Notes the entries that a table can ask.
    private mutating func use(
        _ side: Int, _ host: Int, _ type: Int, _ written: Int?, _ line: LoggedResponse, _ wanted: Int
    ) {
        let host = classes.hosts[host]
        let answer = classes.answer(
            of: side, host: host, type: type, status: line.head.status, producing: classes.capabilities[wanted].wanted)
        let writers = BodyForm.allCases.compactMap { form in
            written.flatMap { classes.writers(of: side, host: host, type: $0, form) }
        }
        let steps = ([answer] + answer.ifAllDecline + writers).flatMap(\.steps)
        used[side].formUnion(steps.map(\.entry.id))
        // The entry of an inner body is only in the log.
        if steps.contains(where: \.mayUnwrap) {
            used[side].formUnion(classes.entries(of: side).filter(line.entries.contains))
        }
    }
}
