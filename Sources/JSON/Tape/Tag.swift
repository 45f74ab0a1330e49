/// The tags of a tape word, which are the characters that simdjson uses.
enum Tag {
    static let root = UInt8(ascii: "r")
    static let object = UInt8(ascii: "{")
    static let endObject = UInt8(ascii: "}")
    static let array = UInt8(ascii: "[")
    static let endArray = UInt8(ascii: "]")
    static let string = UInt8(ascii: "\"")
    static let int = UInt8(ascii: "l")
    static let uint = UInt8(ascii: "u")
    static let double = UInt8(ascii: "d")
    static let `true` = UInt8(ascii: "t")
    static let `false` = UInt8(ascii: "f")
    static let null = UInt8(ascii: "n")

    /// The bits of a word that are not its tag.
    static let payload: UInt64 = 0x00FF_FFFF_FFFF_FFFF

    @inline(__always)
    static func word(_ tag: UInt8, _ payload: UInt64 = 0) -> UInt64 { UInt64(tag) << 56 | payload }
}
