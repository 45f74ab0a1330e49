import PatchbayJSON

/// A short name for the content of a registry: FNV-1a, 64 bits, over its canonical text.
struct RegistryDigest {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    init(_ manifest: JSON, _ replacements: [RegistryRecipe.Replacement]) {
        add(manifest.serialized(sortedKeys: true))
        for replacement in replacements {
            add(replacement.id)
            add(replacement.host?.canonical ?? "")
            // Tells two values of one type apart by what they print, and classes by type only.
            add(String(reflecting: replacement.serializer))
        }
    }

    var hexadecimal: String {
        let digits = String(state, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    private mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte) }
        // No byte of UTF-8, so that two texts never run into one.
        add(0xFF)
    }

    private mutating func add(_ byte: UInt8) {
        state = (state ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}
