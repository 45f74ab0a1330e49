import PatchbayJSON

/// A short name for the content of a registry, made of its canonical text.
struct RegistryDigest {
    let hexadecimal: String

    init(hexadecimal: String) { self.hexadecimal = hexadecimal }

    init(_ manifest: JSON, _ replacements: [RegistryRecipe.Replacement]) {
        var digest = TextDigest()
        digest.add(manifest.serialized(sortedKeys: true))
        for replacement in replacements {
            digest.add(replacement.id)
            digest.add(replacement.host?.canonical ?? "")
            // Tells two values of one type apart by what they print, and classes by type only.
            digest.add(String(reflecting: replacement.serializer))
        }
        hexadecimal = digest.hexadecimal
    }
}
