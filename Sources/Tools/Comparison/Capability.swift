package import PatchbayRegistry

/// The type that a call wants, as far as the entries of the registries distinguish calls.
package struct Capability: Sendable {
    /// `any value`, `text`, `bytes`, `Decodable`, the name of an output, or `any other type`. If entries distinguish
    /// arrays and elements, also `array of` or `elements of` before such a name.
    package let name: String
    package let wanted: WantedValue

    private struct SomeDecodable: Decodable, Sendable {}
    private struct SomeType: Sendable {}

    /// A call for any value.
    package static let anything = Capability(name: "any value", wanted: .anything)
    static let first = 0
    package static let bytes = Capability(name: "bytes", wanted: .type(ResponseBody.self))
    /// A call for a type that a decoding entry makes.
    package static let decodable = Capability(name: "Decodable", wanted: .type(SomeDecodable.self))

    /// The capabilities of registries: each output once, in the order of the entries.
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

    /// The capabilities of arrays and elements; empty if every entry treats arrays and elements like other values.
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

    /// Every entry of every host, each once, in table order.
    var everyEntry: [RegistryEntry] {
        var known: Set<ObjectIdentifier> = []
        let listed = compiled.sections.all.flatMap(\.table.entries)
        return listed.filter { known.insert(ObjectIdentifier($0)).inserted }
    }
}

/// The reason that registries are not compared: there are more classes than the limit, and comparing a part of them
/// would prove nothing.
package struct ComparisonFailure: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    /// The limit for combinations of parameters of one media type. Each combination is one class.
    package static let mostParameters = 4096
    /// The limit for classes of media types, and for classes of hosts.
    package static let mostClasses = 100_000
    /// The limit for answers of each registry, which take most of the time.
    package static let mostAnswers = 10_000_000

    package init(_ description: String) { self.description = description }
}

extension SerializerRegistry {
    /// This table without the code of serializers: every serializer takes all responses that its entry covers.
    ///
    /// The code of a serializer can read properties of a response that its class does not determine, so the code never
    /// gets an example.
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
    /// Whether the code of this serializer decides which responses it takes.
    var mayDecline: Bool { !(serializer is any NeverDecliningSerializer) }
}
