import PatchbayRegistry

/// An example of a response to an untyped call: the example of a class of types, with the example of a class of
/// statuses.
struct Witness: CustomStringConvertible {
    let type: TypeClasses.Class
    let status: Int

    /// `application/json, 200`
    var description: String { "\(type.example), \(status)" }
}

extension LayerLint {
    /// Examples of all responses that an entry covers.
    /// - Parameter statuses: the statuses of the examples; nil for one of each class.
    func witnesses(
        of coverage: Coverage, in registry: SerializerRegistry, statuses: [Int]? = nil
    ) -> [Witness] {
        let statuses = (statuses ?? self.statuses).filter(coverage.status.contains)
        guard !statuses.isEmpty, coverage.coversWish(.anything) else { return [] }
        return types(of: coverage, in: registry).flatMap { type in statuses.map { Witness(type: type, status: $0) } }
    }

    /// Examples of the responses that an entry gets by the table of a section.
    func taken(by entry: RegistryEntry, in section: HostSection, of registry: SerializerRegistry) -> [Witness] {
        witnesses(of: entry.coverage, in: registry).filter {
            registry.decision(about: $0, in: section).entryID == entry.id
        }
    }

    /// The classes of types that an entry covers. Types that the entry names come first, because readers know them.
    func types(of coverage: Coverage, in registry: SerializerRegistry) -> [TypeClasses.Class] {
        let covered = types.all.filter { coverage.coversType(registry.compiled.matched($0.contentType)) }
        let names = Set(coverage.parts.map(\.description))
        return covered.filter { names.contains($0.name) } + covered.filter { !names.contains($0.name) }
    }

    func isCovered(_ witness: Witness, by coverage: Coverage) -> Bool {
        coverage.status.contains(witness.status) && coverage.coversWish(.anything)
            && coverage.coversType(registry.compiled.matched(witness.type.contentType))
    }
}

extension Coverage {
    /// The ranges of the coverage, with the members of a group instead of the group.
    var parts: [MediaRange] {
        (ranges ?? []).flatMap { range in
            range.alternatives.compactMap { kind in
                try? MediaRange(range.parameters.reduce(into: "\(kind)") { $0 += ";\($1)" })
            }
        }
    }
}
