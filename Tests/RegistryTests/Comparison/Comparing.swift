import PatchbayJSON
import PatchbayPlatform
import TestSupport

@testable import PatchbayRegistry
@testable import PatchbayTools

extension TextFixture: NeverDecliningSerializer {}
extension JSONFixture: NeverDecliningSerializer {}
extension CountFixture: NeverDecliningSerializer {}
extension BrokenFixture: NeverDecliningSerializer {}
extension UnwrappingTests.Envelope: NeverDecliningSerializer {}
extension NumbersFixture: NeverDecliningSerializer {}
extension JSONLinesFixture: NeverDecliningSerializer {}
extension JSONListFixture: NeverDecliningSerializer {}
extension WordsFixture: NeverDecliningSerializer {}

extension SerializerRegistry {
    /// The registry of one manifest, with the fixtures, those that yield, those that write, and an envelope, which unwraps.
    static func compared(_ manifest: String) throws -> SerializerRegistry {
        try SerializerRegistry(sources: [.text(manifest, name: "m.json")], factories: .writing())
    }
}

extension RegistryComparison {
    init(_ before: String, _ after: String) throws {
        self = try RegistryComparison(SerializerRegistry.compared(before), .compared(after))
    }

    /// One line a change: aspect, types, statuses, hosts, calls, how a body is made, answers.
    var lines: [String] {
        changes.map { change in
            let types = change.types.map { classes.types.all[$0].name }
            let hosts = change.hosts.flatMap { classes.hosts[$0].names }
            let calls = change.capabilities.map { classes.capabilities[$0].name }
            let inside = change.inside.isEmpty ? [] : ["inside \(change.inside.joined(separator: " "))"]
            let methods = change.methods.map { $0 ?? "*" }
            let form = change.form.map { [$0.rawValue] } ?? []
            let statuses = change.statuses.isEmpty ? [] : ["\(change.statuses)"]
            let parts = [types, inside, methods, statuses, hosts, calls, form]
                .filter { !$0.isEmpty }.map { $0.joined(separator: " ") }
            return "\(change.aspect): \(parts.joined(separator: "; ")): \(change.before.words) -> \(change.after.words)"
        }
    }
}

extension TypeClasses {
    /// The class of a media type, found by the names of the classes.
    func indexByName(of contentType: ContentType) -> Int {
        guard let mediaType = contentType.mediaType else { return contentType == .missing ? 0 : 1 }
        let type = all.contains { $0.name == "\(mediaType.type)/*" } ? mediaType.type : nil
        let suffix = mediaType.suffix.flatMap { suffix in all.contains { $0.name == "+\(suffix)" } ? "+\(suffix)" : nil
        }
        let pattern = type.map { "\($0)/*\(suffix ?? "")" } ?? suffix ?? "*/*"
        let name = all.contains { $0.name == mediaType.essence } ? mediaType.essence : pattern
        // Of the classes with parameters that the type has, the one with the most.
        let parameters = all.indices.compactMap { index -> (index: Int, count: Int)? in
            let text = all[index].name
            guard text == name || text.hasPrefix(name + ";"), let example = all[index].contentType.mediaType else {
                return nil
            }
            let isMeant = example.parameters.allSatisfy { parameter in
                let value = mediaType[parameter: parameter.name]
                return (parameter.name == "charset" ? value.map { FieldByte.lowercased($0) } : value) == parameter.value
            }
            return isMeant ? (index, example.parameters.count) : nil
        }
        return parameters.max { $0.count < $1.count }?.index ?? 0
    }
}

/// Everything about an answer that a caller can tell, with code asked: what the registry says, by aspect.
struct Told: Equatable {
    var entries: [String]
    var limits: [Int]
    var acceptable: Bool
    var empty: [String]
    var accept: String?

    init(_ decision: Decision, _ wanted: WantedValue) {
        let policy = decision.policy
        entries = decision.planned.map { candidate in
            let entry =
                decision.section.table.entry(candidate.name) ?? decision.registry.compiled.entries[candidate.name]
            let options = entry.map { $0.options.serialized(sortedKeys: true) } ?? ""
            return "\(candidate.name) \(entry?.factory ?? "") \(options) \(candidate.onFailure) \(candidate.output)"
        }
        if !decision.plan.isClosed { entries.append("\(decision.plan.ending)") }
        limits = decision.planned.map { min($0.maximumBodyBytes ?? .max, policy.maximumBodyBytes) }
        limits += [decision.bodyLimit, policy.maximumBodyBytes]
        acceptable = decision.isAcceptable
        empty = ["\(decision.isEmptyExpected)", decision.isEmptyExpected ? "" : "\(policy.empty.otherwise)"]
        accept = decision.registry.accept(for: decision.head.host, at: decision.head.url, producing: wanted)
    }
}

extension RegistryChange {
    /// What a registry says to the first question of the change.
    func told(by registry: SerializerRegistry, _ classes: RegistryClasses) -> Told {
        let wanted = capabilities.first.map { classes.capabilities[$0].wanted } ?? .anything
        let decision = registry.explain(
            contentType: types.first.flatMap { classes.types.all[$0].field },
            status: statuses.isEmpty ? 200 : statuses.witness,
            host: hosts.first.flatMap { classes.hosts[$0].witness }.map { "\($0)" },
            method: (methods.first ?? nil) ?? "GET", producing: wanted)
        return Told(decision, wanted)
    }
}
