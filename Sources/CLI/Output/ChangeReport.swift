import Patchbay
import PatchbayTools

/// One change between two tables, as a line and as JSON: an example, the answers of both tables, and the scope of the
/// change.
struct ChangeReport {
    let change: RegistryChange
    let comparison: RegistryComparison
    /// The places of the entries of the second table that lines name.
    var places: [String: String] = [:]

    private var classes: RegistryClasses { comparison.classes }

    /// `application/json, 200, any host, any value: was json, now t [+json; any status; calls any value, text]`
    var line: String {
        let more = scope.isEmpty ? "" : " [\(scope.joined(separator: "; "))]"
        return "\(witness.joined(separator: ", ")): was \(change.before.words), now \(after)\(more)"
    }

    var json: JSON {
        [
            "aspect": JSON(change.aspect.rawValue),
            "witness": [
                "contentType": exampleType?.field.map { JSON($0) } ?? .null,
                "status": status.map { JSON($0) } ?? .null,
                "method": change.methods.first.map { JSON($0 ?? "GET") } ?? .null,
                "host": host?.witness.map { JSON("\($0)") } ?? .null,
                "call": calls.first.map { JSON($0) } ?? .null,
                "writing": change.form.map { JSON($0.rawValue) } ?? .null,
            ],
            "inside": Self.list(change.inside), "types": Self.list(types), "statuses": JSON("\(change.statuses)"),
            "methods": Self.list(methods), "hosts": Self.list(hosts), "calls": Self.list(calls),
            "before": change.before.answer?.json ?? change.before.json,
            "after": change.after.answer?.json ?? change.after.json,
            "causes": .array(change.causes.map { comparison.edits[$0].json }),
        ]
    }

    private static func list(_ texts: [String]) -> JSON { .array(texts.map { JSON($0) }) }

    /// The answer of the second table, with the place of the entry that takes over, unless a cause names the entry.
    private var after: String {
        let words = change.after.words
        guard let id = change.after.answer?.steps.first?.entry.id,
            id != change.before.answer?.steps.first?.entry.id,
            !change.causes.contains(where: { comparison.edits[$0].entry == id }), let place = places[id]
        else { return words }
        return "\(id) (\(place))\(words.dropFirst(id.count))"
    }

    // MARK: The example of the change

    private var witness: [String] {
        let place = host?.witness.map { "\($0)" } ?? hosts.first ?? "any host"
        let status = status.map { ["\($0)"] } ?? []
        return switch change.aspect {
        case .entries: [type] + status + [place] + calls.prefix(1)
        case .writers: ["writing \(type)", place, change.form?.rawValue ?? ""]
        case .acceptableStatus: ["policy acceptableStatus"] + status + [place]
        case .empty: ["policy empty"] + methods.prefix(1) + status + [place]
        case .limits, .requestContentType, .cache: ["policy \(change.aspect.rawValue)", place]
        case .accept: ["Accept", place] + calls.prefix(1)
        }
    }

    private var status: Int? { change.statuses.isEmpty ? nil : change.statuses.witness }
    private var host: HostClass? { change.hosts.first.map { classes.hosts[$0] } }

    /// The plainest type: the first without a suffix and parameters, or the first.
    private var exampleType: TypeClasses.Class? {
        let types = change.types.map { classes.types.all[$0] }
        return types.first(where: Self.isPlain) ?? types.first
    }

    private static func isPlain(_ type: TypeClasses.Class) -> Bool {
        type.contentType.mediaType != nil && !type.example.contains { $0 == "+" || $0 == ";" }
    }

    /// Whether only this change has a plain type as its example, for the same host and call.
    func isPlainer(than other: Self) -> Bool {
        guard let type = exampleType, let otherType = other.exampleType else { return false }
        return Self.isPlain(type) && !Self.isPlain(otherType) && change.hosts == other.change.hosts
            && change.capabilities.first == other.change.capabilities.first
    }

    private var type: String {
        let type = exampleType?.example ?? ""
        return ([type] + change.inside.reversed().map { "inside \($0)" }).joined(separator: " ")
    }

    // MARK: The scope of the change

    private var types: [String] { change.types.map { classes.types.all[$0].name } }
    private var calls: [String] { change.capabilities.map { classes.capabilities[$0].name } }
    private var methods: [String] { change.methods.map { $0 ?? "any other method" } }

    private var hosts: [String] {
        change.hosts.count == classes.hosts.count ? ["any host"] : change.hosts.flatMap { classes.hosts[$0].names }
    }

    private var scope: [String] {
        var parts: [String] = []
        if types.count > 1 || types.first.map({ $0 != exampleType?.field }) ?? false,
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

    private static func shown(_ texts: [String]) -> String {
        let limit = 8
        let list = texts.prefix(limit).joined(separator: ", ")
        return texts.count > limit ? "\(list) and \(texts.count - limit) more" : list
    }
}

extension Answer {
    /// The whole answer, with every field of every entry.
    fileprivate var json: JSON {
        let members: [(String, JSON)] = [
            ("entries", .array(steps.map(\.json))), ("otherwise", ending.map { JSON($0) } ?? .null),
        ]
        return .object(members + ifAllDecline.map { ("ifAllDecline", $0.json) })
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
