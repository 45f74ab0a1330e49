package import PatchbayRegistry

/// What a call can want of a response, as far as the entries of registries tell calls apart.
package struct Capability: Sendable {
    /// `any value`, `text`, `bytes`, `Decodable`, the name of an entry's output, or `any other type`; and where entries tell them apart,
    /// `array of` and `elements of` such.
    package let name: String
    package let wanted: WantedValue

    private struct SomeDecodable: Decodable, Sendable {}
    private struct SomeType: Sendable {}

    /// A call that takes whatever the chosen entry makes.
    package static let anything = Capability(name: "any value", wanted: .anything)
    static let first = 0
    package static let bytes = Capability(name: "bytes", wanted: .type(ResponseBody.self))
    /// A call of a type that a decoding entry makes.
    package static let decodable = Capability(name: "Decodable", wanted: .type(SomeDecodable.self))

    /// Those of registries: each output once, in the order of their entries.
    package static func all(of registries: [SerializerRegistry]) -> [Capability] {
        var outputs: [Capability] = []
        var known: Set<ObjectIdentifier> = []
        for entry in registries.flatMap(\.everyEntry) {
            guard let output = entry.serializer?.output, known.insert(ObjectIdentifier(output)).inserted else {
                continue
            }
            let wanted = type(output)
            if wanted.kind == .value { outputs.append(Capability(name: "\(output)", wanted: wanted)) }
        }
        return [
            anything, Capability(name: "text", wanted: .type(String.self)), bytes,
            decodable,
        ] + outputs + [Capability(name: "any other type", wanted: .type(SomeType.self))] + elements(of: registries)
    }

    /// Those of arrays and elements; none where every entry takes these for values like others.
    private static func elements(of registries: [SerializerRegistry]) -> [Capability] {
        let entries = registries.flatMap(\.everyEntry)
        guard entries.contains(where: { $0.coverage.isForElements || $0.serializer?.yields == true }) else { return [] }
        var found: [Capability] = []
        var known: Set<ObjectIdentifier> = []
        for serializer in entries.compactMap(\.serializer) {
            for type in [serializer.element, serializer.output].compactMap(\.self) {
                let wanted = elements(type)
                guard wanted.kind == .elements, known.insert(ObjectIdentifier(type)).inserted else { continue }
                found.append(Capability(name: "\(wanted)", wanted: wanted))
            }
        }
        return [
            Capability(name: "array of Decodable", wanted: .type([SomeDecodable].self)),
            Capability(name: "array of any other type", wanted: .type([SomeType].self)),
            Capability(name: "elements of text", wanted: .elements(of: String.self)),
            Capability(name: "elements of Decodable", wanted: .elements(of: SomeDecodable.self)),
        ] + found + [Capability(name: "elements of any other type", wanted: .elements(of: SomeType.self))]
    }

    private static func type<Output: Sendable>(_ type: Output.Type) -> WantedValue { .type(type) }
    private static func elements<Element: Sendable>(_ type: Element.Type) -> WantedValue { .elements(of: type) }
}

extension SerializerRegistry {
    /// The rows of all tables, each entry once.
    package var everyRoute: [SerializerRegistry.Route] { everyEntry.map(\.route) }

    /// Every entry of every list that a host can have, each once, in the order of the lists.
    var everyEntry: [RegistryEntry] {
        var known: Set<ObjectIdentifier> = []
        let listed = compiled.sections.all.flatMap(\.table.entries)
        return listed.filter { known.insert(ObjectIdentifier($0)).inserted }
    }
}

/// Why registries are not compared: their classes are more than are looked at, and fewer would be a guess.
package struct ComparisonFailure: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    /// Combinations of parameters of one media type: entries that overlap on it name them, and each is one class.
    package static let mostParameters = 4096
    /// Classes of media types, and likewise of hosts.
    package static let mostClasses = 100_000
    /// Answers of each registry, which are what takes the time.
    package static let mostAnswers = 10_000_000

    package init(_ description: String) { self.description = description }
}

extension SerializerRegistry {
    /// The same table, in which no code has a say: every serializer takes what its entry covers.
    ///
    /// What a serializer declines depends on more of a response than a class tells, so that it is never asked about a witness.
    var withoutCode: SerializerRegistry {
        var taking: [ObjectIdentifier: RegistryEntry] = [:]
        func entry(_ entry: RegistryEntry) -> RegistryEntry {
            guard entry.serializer?.mayDecline == true else { return entry }
            if let known = taking[ObjectIdentifier(entry)] { return known }
            let taken = entry.takingAll
            taking[ObjectIdentifier(entry)] = taken
            return taken
        }
        func section(_ section: HostSection) -> HostSection {
            HostSection(pattern: section.pattern, policy: section.policy, entries: section.table.entries.map(entry))
        }
        let sections = compiled.sections
        return SerializerRegistry(
            CompiledRegistry(
                recipe: compiled.recipe,
                sections: HostSections(general: section(sections.general), sections.all.dropFirst().map(section)),
                entries: compiled.entries.mapValues(entry), aliases: compiled.aliases,
                effectiveManifest: compiled.effectiveManifest, digest: RegistryDigest(hexadecimal: compiled.digest),
                notes: compiled.notes))
    }
}

extension BoundSerializer {
    /// Whether code has a say in what this serializer takes.
    var mayDecline: Bool { !(serializer is any NeverDecliningSerializer) }
}
