import Patchbay
import PatchbayTools

/// One change between two tables, as a line and as JSON: an example, the answers of both tables, and the scope of the
/// change.
struct ChangeReport {
    private(set) var change: RegistryChange
    let comparison: RegistryComparison
    /// The places of the entries of the second table that lines name.
    var places: [String: String] = [:]
    /// For a change of every type: the words for the types, the table that has one answer, and the entries of the other.
    private(set) var every: (types: String, side: Side, others: String)?
    /// The logged responses that the change is about, and the number of all; nil if they are not counted.
    var seen: (count: ComparedTraffic.Count, all: Int)?

    var responses: Int { seen?.count.responses ?? 0 }
    private var classes: RegistryClasses { comparison.classes }

    /// `application/json, 200, any host, any value: was json, now t [+json; any status; calls any value, text]`
    /// With a log: `9 of 12 responses: text/html of a.example, 200, any value: entry text, will be json [any status]`
    var line: String {
        let more = scope.isEmpty ? "" : " [\(scope.joined(separator: "; "))]"
        func words(_ side: Side, _ words: String) -> String {
            every.map { $0.side == side ? words : $0.others } ?? words
        }
        let (was, now) = (words(\.before, change.before.words), words(\.after, after))
        let example = witness.joined(separator: ", ")
        guard let seen else { return "\(example): was \(was), now \(now)\(more)" }
        let entry = change.before.answer?.steps.isEmpty == false ? "entry " : ""
        return "\(figure(seen.count, of: seen.all)) \(example): \(entry)\(was), will be \(now)\(more)"
    }

    var json: JSON {
        [
            "aspect": JSON(change.aspect.rawValue),
            "witness": [
                "contentType": JSON(orNull: exampleType?.field), "status": JSON(orNull: status),
                "method": JSON(orNull: change.methods.first.map { $0 ?? "GET" }),
                "host": JSON(orNull: host?.witness.map { "\($0)" }),
                "call": JSON(orNull: call), "writing": JSON(orNull: change.form?.rawValue),
            ],
            "inside": .list(change.inside), "types": .list(types), "statuses": JSON("\(change.statuses)"),
            "methods": .list(methods), "hosts": .list(hosts), "calls": .list(calls),
            "before": change.before.answer?.json ?? change.before.json,
            "after": change.after.answer?.json ?? change.after.json,
            "causes": .array(change.causes.map { comparison.edits[$0].json }),
        ]
    }

    /// The answer of the second table, with the place of the entry that takes over, unless a cause names the entry.
    private var after: String {
        let words = change.after.words
        guard let id = change.after.answer?.steps.first?.entry.id,
            id != change.before.answer?.steps.first?.entry.id,
            !change.causes.contains(where: { comparison.edits[$0].entry == id }), let place = places[id]
        else { return words }
        return "\(id) (\(place))\(words.dropFirst(id.count))"
    }

    /// `12,304 of 90,112 responses:`
    private func figure(_ count: ComparedTraffic.Count, of all: Int) -> String {
        let what =
            switch change.aspect {
            case .limits: " between both limits"
            case .empty: " without bytes"
            default: count.between == 0 ? "" : ", \(ByteCount.grouped(count.between)) between both limits"
            }
        return "\(ByteCount.grouped(count.responses)) of \(ByteCount.grouped(all)) responses\(what)"
            + (count.isVaried && example != nil ? ", such as" : ":")
    }

    // MARK: The example of the change

    /// A response of a log; nil for a change of a policy, whose example is a host.
    private var example: LoggedResponse? {
        [.entries, .writers].contains(change.aspect) ? seen?.count.example : nil
    }

    private var witness: [String] {
        let place = example?.host ?? host?.witness.map { "\($0)" } ?? hosts.first ?? "any host"
        let status = status.map { ["\($0)"] } ?? []
        return switch change.aspect {
        case .entries where seen != nil: ["\(type) of \(place)"] + status + [call].compactMap(\.self)
        case .entries: [type] + status + [place] + [call].compactMap(\.self)
        case .writers: ["writing \(type)", place, change.form?.rawValue ?? ""]
        case .acceptableStatus: ["policy acceptableStatus"] + status + [place]
        case .empty: ["policy empty"] + methods.prefix(1) + status + [place]
        case .limits, .requestContentType, .cache: ["policy \(change.aspect.rawValue)", place]
        case .accept: ["Accept", place] + [call].compactMap(\.self)
        }
    }

    /// The example of the calls: of an Accept that of a typed call, whose server has to send what the program decodes.
    private var call: String? {
        if let example { return calls.count == 1 ? calls.first : example.wanted }
        return change.aspect == .accept && isOfDecodable ? Capability.decodable.name : calls.first
    }

    private var isOfDecodable: Bool { calls.contains(Capability.decodable.name) }

    private var status: Int? { change.statuses.isEmpty ? nil : example?.head.status ?? change.statuses.witness }

    private var host: HostClass? { change.hosts.first.map { classes.hosts[$0] } }

    /// The plainest type: the first without a suffix and parameters, or the first.
    private var exampleType: TypeClasses.Class? {
        let types = change.types.map { classes.types.all[$0] }
        return types.first(where: Self.isPlain) ?? types.first
    }

    private static func isPlain(_ type: TypeClasses.Class) -> Bool {
        type.contentType.mediaType != nil && !type.example.contains { $0 == "+" || $0 == ";" }
    }

    /// Whether only this change has a plain type as its example, for the same host and call, or only this Accept is that
    /// of a call for a `Decodable`.
    func isPlainer(than other: Self) -> Bool {
        if change.aspect == .accept { return isOfDecodable && !other.isOfDecodable }
        guard let type = exampleType, let otherType = other.exampleType else { return false }
        return Self.isPlain(type) && !Self.isPlain(otherType) && change.hosts == other.change.hosts
            && change.capabilities.first == other.change.capabilities.first
    }

    private var type: String {
        let type =
            every?.types ?? example?.type(ofRequest: change.aspect == .writers, among: classes.types) ?? exampleType?
            .example ?? ""
        return ([type] + change.inside.reversed().map { "inside \($0)" }).joined(separator: " ")
    }

    // MARK: The scope of the change

    private var types: [String] { change.types.map { classes.types.all[$0].name } }
    /// The body of a status that is not acceptable is looked up in the same way for every call.
    private var calls: [String] {
        let accepted = change.hosts.flatMap { classes.hosts[$0].sections }.map { Statuses($0.policy.acceptableStatus) }
        guard change.aspect == .entries, accepted.allSatisfy({ $0.intersection(change.statuses).isEmpty }) else {
            return change.capabilities.map { classes.capabilities[$0].name }
        }
        return ["any call"]
    }
    private var methods: [String] { change.methods.map { $0 ?? "any other method" } }

    static let anyHost = "any host"

    var hosts: [String] {
        change.hosts.count == classes.hosts.count ? [Self.anyHost] : change.hosts.flatMap { classes.hosts[$0].names }
    }

    private var scope: [String] {
        var parts: [String] = []
        if every == nil, types.count > 1 || types.first.map({ $0 != exampleType?.field }) ?? false,
            change.types != [0], change.types != [1]
        {
            parts.append(Self.shown(types))
        }
        if change.statuses.ranges.count > 1 || change.statuses.ranges.first.map({ $0.count > 1 }) ?? false {
            parts.append(change.statuses.description == "any" ? "any status" : "status \(change.statuses)")
        }
        if methods.count > 1 { parts.append(Self.shown(methods)) }
        if hosts.count > 1
            || (hosts.first ?? "any host") != (host?.witness.map { "\($0)" } ?? hosts.first ?? "any host")
        {
            parts.append("hosts \(Self.shown(hosts))")
        }
        if calls.count > 1 { parts.append("calls \(Self.shown(calls))") }
        return parts
    }

    static func shown(_ texts: [String]) -> String {
        let limit = 8
        let list = texts.prefix(limit).joined(separator: ", ")
        return texts.count > limit ? "\(list) and \(texts.count - limit) more" : list
    }
}

extension ChangeReport {
    typealias Side = KeyPath<RegistryChange, RegistryChange.Answered>

    /// Whether the answers of one table begin with the same entry, or with none.
    func hasSame(_ side: Side, as other: Self) -> Bool {
        func first(_ report: Self) -> String? { report.change[keyPath: side].answer?.steps.first?.entry.id }
        return change.aspect == .entries && other.change.aspect == .entries && change.inside == other.change.inside
            && first(self) == first(other)
    }

    /// The one change of every type for the same hosts, calls and statuses, and the number of the changes that it is made
    /// of; nil if they are not of every type.
    /// - Parameter side: the table that has one answer.
    static func ofEveryType(_ reports: [ChangeReport], _ side: Side) -> (report: ChangeReport, count: Int)? {
        guard var whole = reports.first, whole.change.aspect == .entries else { return nil }
        let like = reports.filter {
            $0.change.hosts == whole.change.hosts && $0.change.capabilities == whole.change.capabilities
                && $0.change[keyPath: side] == whole.change[keyPath: side]
        }
        var statuses: [Int: Statuses] = [:]
        for change in like.map(\.change) {
            for type in change.types { statuses[type] = (statuses[type] ?? Statuses()).union(change.statuses) }
        }
        let all = whole.classes.types.all.indices
        let label = statuses.count == all.count ? "all types" : "all media types"
        guard like.count > 1, Set(statuses.values).count == 1, let each = statuses.values.first,
            statuses.count == all.count || Set(statuses.keys) == Set(all.dropFirst(2))
        else { return nil }
        let other: Side = side == \.after ? \.before : \.after
        let answers = like.compactMap { $0.change[keyPath: other].answer }
        let names = answers.compactMap { $0.steps.first?.entry.id ?? $0.endingWords }
        whole.every = (label, side, shown(names.once(by: \.self)))
        (whole.change.types, whole.change.statuses) = (statuses.keys.sorted(), each)
        return (whole, like.count)
    }
}

extension Answer {
    /// The whole answer, with every field of every entry.
    fileprivate var json: JSON {
        .object(ifAny: [
            ("entries", .array(steps.map(\.json))), ("otherwise", JSON(orNull: ending)),
            ("ifAllDecline", ifAllDecline.first?.json),
        ])
    }
}

extension Answer.Step {
    fileprivate var json: JSON {
        let settings: [(String, JSON)] = [
            ("entry", JSON(entry.id)), ("factory", JSON(entry.factory)), ("options", entry.options),
        ]
        // An entry that writes has no limit.
        guard let limit else { return .object(settings + [("mayDecline", JSON(mayDecline))]) }
        return .object(
            settings + [
                ("maxBodyBytes", JSON(limit)), ("onFailure", JSON(entry.onFailure.rawValue)),
                ("makes", JSON(entry.output ?? "")),
                ("mayDecline", JSON(mayDecline)), ("mayUnwrap", JSON(mayUnwrap)),
            ])
    }
}
