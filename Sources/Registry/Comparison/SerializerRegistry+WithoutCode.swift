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

/// A serializer that takes whatever its entry covers: it leaves `declineReason` as the contract has it.
///
/// Of any other serializer it is not known, before there is a response, what it declines.
package protocol NeverDecliningSerializer: ResponseSerializer {}

extension ClosureResponseSerializer: NeverDecliningSerializer {}
extension ClosureUnwrappingSerializer: NeverDecliningSerializer {}

extension BoundSerializer {
    /// Whether code has a say in what this serializer takes.
    var mayDecline: Bool { !(serializer is any NeverDecliningSerializer) }
}
