/// Percent-encoding of names and values (RFC 3986, section 2): letters, digits and `-._~/?` stay, every other byte of the
/// UTF-8 is escaped, so that `&`, `=`, `+`, `[` and `#` mean themselves.
struct FormEscape {
    let spaces: FormRules.SpaceRule

    func callAsFunction(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "/"), UInt8(ascii: "?"):
                bytes.append(byte)
            case UInt8(ascii: " ") where spaces == .plus: bytes.append(UInt8(ascii: "+"))
            default: bytes += [UInt8(ascii: "%"), Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
}
