package import PatchbayRegistry

extension SerializerRegistry {
    /// A note for each entry whose factory not every build has: a warning if a build without it refuses the manifest. The
    /// optional entries of the built-in table are not noted: every build has them or leaves them out.
    package var factoryNotes: [ManifestFailure.Issue] {
        everyEntry.compactMap { route in
            guard let need = route.need, route.availability != .switchedOff,
                !need.isOptional || route.file != "built-in"
            else { return nil }
            let result =
                need.isOptional
                ? "leaves the entry out"
                : "does not load this manifest, unless the entry says \"optional\": true"
            return ManifestFailure.Issue(
                need.isOptional ? .optionalFactory : .conditionalFactory, file: route.file, pointer: route.pointer,
                "the entry \(Quoted(route.id)) needs \(need.build): a program that is built without it \(result)")
        }
    }

    /// What a build needs to have the factories of these entries: a line for each entry that needs something, sorted.
    package func needs(of ids: [String]) -> [String] {
        Set(ids).sorted().compactMap { id in compiled.entries[id]?.need.map { "\(id) needs \($0.build)" } }
    }
}
