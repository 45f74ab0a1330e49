/// A key as one step of a JSON pointer (RFC 6901, section 3).
struct PointerStep: CustomStringConvertible {
    let description: String

    init(_ key: String) {
        guard key.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
            description = "/" + key
            return
        }
        description = key.reduce(into: "/") { text, character in
            switch character {
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.append(character)
            }
        }
    }
}
