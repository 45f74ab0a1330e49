import PatchbayJSON
import PatchbayPlatform

extension RegistryBuilder {
    /// Reports types that have an alias. Matching replaces such a type by its target, so an entry for it would never be
    /// chosen. The fault is that of the later layer: of the alias, if it is above the types.
    mutating func checkTypes(_ entry: ManifestEntry, _ item: EffectiveManifest.Entry) {
        guard entry.ranges?.contains(where: { $0.essence.flatMap { aliases[$0] } != nil }) == true else { return }
        // The list as it is written: the ranges of the entry are without the faulty ones.
        for (index, json) in (item.value.json["match"]?["types"]?.array ?? []).enumerated() {
            guard let essence = json.string.flatMap({ try? MediaRange($0) })?.essence, let target = aliases[essence]
            else {
                continue
            }
            let (types, alias) = ("/match/types/\(index)", "/" + JSONPointer.escaped(essence))
            let layers = recipe.layers
            let origin = item.value.origin(of: types, in: layers)
            guard manifest.aliases.origin(of: alias, in: layers).layer > origin.layer else {
                report(
                    .aliasedType, item.value, types,
                    "\(Quoted(essence)) is an alias of \(Quoted(target.essence)), so it never matches",
                    suggestion: target.essence)
                continue
            }
            report(
                .aliasedType, manifest.aliases, alias,
                "the entry \(Quoted(item.id)) names \(Quoted(essence)) at \(origin.pointer) of "
                    + "\(layers[origin.layer].source.name), and with this alias that never matches")
        }
    }

    mutating func checkAliases() {
        for (name, target) in aliases.inOrder(by: { $0.key < $1.key }) {
            guard let next = aliases[target.essence] else { continue }
            report(
                .aliasChain, manifest.aliases, "/" + JSONPointer.escaped(name),
                "\(Quoted(target.essence)) is an alias itself, and aliases are followed one step only",
                suggestion: next.essence == name ? nil : next.essence)
        }
    }
}
