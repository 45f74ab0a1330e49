/// What a call can want of a response, as far as the entries of registries tell calls apart.
package struct Capability: Sendable {
    /// `any value`, `text`, `bytes`, `Decodable`, the name of an entry's output, or `any other type`.
    package let name: String
    package let wanted: WantedValue

    private struct SomeDecodable: Decodable, Sendable {}
    private struct SomeType: Sendable {}

    /// A call that takes whatever the chosen entry makes.
    package static let anything = Capability(name: "any value", wanted: .anything)
    /// Its place among all of them.
    static let first = 0
    package static let bytes = Capability(name: "bytes", wanted: .type(ResponseBody.self))

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
            Capability(name: "Decodable", wanted: .type(SomeDecodable.self)),
        ] + outputs + [Capability(name: "any other type", wanted: .type(SomeType.self))]
    }

    private static func type<Output: Sendable>(_ type: Output.Type) -> WantedValue { .type(type) }
}

extension SerializerRegistry {
    /// The rows of all tables, each entry once.
    package var everyRoute: [Route] { everyEntry.map(\.route) }

    /// Every entry of every list that a host can have, each once, in the order of the lists.
    var everyEntry: [RegistryEntry] {
        var known: Set<ObjectIdentifier> = []
        let listed = compiled.sections.all.flatMap(\.table.entries)
        return listed.filter { known.insert(ObjectIdentifier($0)).inserted }
    }
}
