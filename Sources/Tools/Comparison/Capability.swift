package import PatchbayRegistry

/// The type that a call wants, as far as the entries of the registries distinguish calls.
package struct Capability: Sendable {
    /// `any value`, `text`, `bytes`, `Decodable`, the name of an output, or `any other type`. If entries distinguish
    /// arrays and elements, also `array of` or `elements of` before such a name.
    package let name: String
    package let wanted: WantedValue

    /// A type that only a decoding entry makes.
    package struct AnyDecodable: Decodable, Sendable {}
    private struct AnyType: Sendable {}

    /// A call for any value.
    package static let anything = Capability(name: "any value", wanted: .anything)
    /// The index of `anything` in `all`.
    package static let first = 0
    package static let bytes = Capability(name: "bytes", wanted: .type(ResponseBody.self))
    /// A call for a type that a decoding entry makes.
    package static let decodable = Capability(name: "Decodable", wanted: .type(AnyDecodable.self))

    /// The capabilities of registries: each output once, in the order of the entries. Arrays and elements are left out
    /// if every entry treats them like other values.
    package static func all(of registries: [SerializerRegistry]) -> [Capability] {
        func type<Output: Sendable>(_ type: Output.Type) -> WantedValue { .type(type) }
        func elements<Element: Sendable>(_ type: Element.Type) -> WantedValue { .elements(of: type) }
        let entries = registries.flatMap(\.everyEntry)
        let serializers = entries.compactMap(\.serializer)
        let values =
            [anything, Capability(name: "text", wanted: .type(String.self)), bytes, decodable]
            + each(serializers.map { type($0.output) }, .value)
            + [Capability(name: "any other type", wanted: .type(AnyType.self))]
        guard entries.contains(where: { $0.coverage.isForElements || $0.serializer?.yields == true }) else {
            return values
        }
        let types = serializers.flatMap { [$0.element, $0.output] }.compactMap(\.self)
        return values + [
            Capability(name: "array of Decodable", wanted: .type([AnyDecodable].self)),
            Capability(name: "array of any other type", wanted: .type([AnyType].self)),
            Capability(name: "elements of text", wanted: .elements(of: String.self)),
            Capability(name: "elements of Decodable", wanted: .elements(of: AnyDecodable.self)),
        ] + each(types.map { elements($0) }, .elements)
            + [Capability(name: "elements of any other type", wanted: .elements(of: AnyType.self))]
    }

    /// The values of one kind, each type once.
    private static func each(_ wanted: [WantedValue], _ kind: WantedValue.Kind) -> [Capability] {
        wanted.filter { $0.kind == kind && $0.type != nil }
            .once { ($0.optionalType ?? $0.type).map { ObjectIdentifier($0) } }
            .map { Capability(name: "\($0)", wanted: $0) }
    }
}

extension SerializerRegistry {
    /// Every entry of every host, each once, in table order.
    package var everyEntry: [RegistryEntry] {
        compiled.sections.all.flatMap(\.table.entries).once { ObjectIdentifier($0) }
    }

    /// This table without the code of serializers: every serializer takes all responses that its entry covers.
    ///
    /// The code of a serializer can read properties of a response that its class does not determine, so the code never
    /// gets an example.
    var withoutCode: SerializerRegistry {
        var taking: [ObjectIdentifier: RegistryEntry] = [:]
        func taken(_ entry: RegistryEntry) -> RegistryEntry {
            guard entry.serializer?.mayDecline == true else { return entry }
            let taken = taking[ObjectIdentifier(entry)] ?? entry.takingAll
            taking[ObjectIdentifier(entry)] = taken
            return taken
        }
        func section(_ section: HostSection) -> HostSection {
            HostSection(pattern: section.pattern, policy: section.policy, entries: section.table.entries.map(taken))
        }
        let sections = compiled.sections
        return with(
            HostSections(general: section(sections.general), sections.all.dropFirst().map(section)),
            compiled.entries.mapValues(taken))
    }

    /// The table of the bodies that an entry unwraps for one host: the entry, and the entries before it, are not asked
    /// again. A policy still names the entries before it.
    func inside(_ id: String, _ section: HostSection) -> SerializerRegistry {
        let entries = section.table.entries
        let start = entries.firstIndex { $0.id == id }.map { $0 + 1 } ?? 0
        var named = compiled.entries.merging(entries.map { ($0.id, $0) }) { $1 }
        named[id] = nil
        let rest = HostSection(pattern: section.pattern, policy: section.policy, entries: Array(entries[start...]))
        return with(HostSections(general: rest, []), named)
    }

    private func with(_ sections: HostSections, _ entries: [String: RegistryEntry]) -> SerializerRegistry {
        SerializerRegistry(
            CompiledRegistry(
                recipe: compiled.recipe, sections: sections, entries: entries, aliases: compiled.aliases,
                effectiveManifest: compiled.effectiveManifest, digest: compiled.digest, notes: compiled.notes))
    }
}

extension BoundSerializer {
    /// Whether the code of this serializer decides which responses it takes.
    var mayDecline: Bool { !(serializer is any NeverDecliningSerializer) }
}
