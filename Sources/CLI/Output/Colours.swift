/// The colours of a terminal, as escape sequences (ECMA-48, SGR). The texts are escaped already.
enum Colour: String {
    case bold = "1"
    case faint = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case blue = "34"
    case magenta = "35"
    case cyan = "36"

    func around(_ text: some StringProtocol) -> String {
        text.isEmpty ? "" : "\u{1B}[\(rawValue)m\(text)\u{1B}[0m"
    }
}

/// Adds colours to printed JSON and XML, without changing a character of it.
enum Highlighted {
    /// Keys blue, strings green, numbers cyan, `true`, `false` and `null` magenta.
    static func json(_ text: String) -> String {
        var result = ""
        var rest = text.utf8[...]
        while let byte = rest.first {
            var end = rest.index(after: rest.startIndex)
            switch byte {
            case UInt8(ascii: "\""):
                var isEscaped = false
                while end < rest.endIndex, isEscaped || rest[end] != UInt8(ascii: "\"") {
                    isEscaped = !isEscaped && rest[end] == UInt8(ascii: "\\")
                    end = rest.index(after: end)
                }
                if end < rest.endIndex { end = rest.index(after: end) }
                let after = rest[end...].first { $0 != UInt8(ascii: " ") }
                let colour = after == UInt8(ascii: ":") ? Colour.blue : .green
                result += colour.around(String(decoding: rest[..<end], as: UTF8.self))
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"):
                end = rest.firstIndex { !word.contains($0) } ?? rest.endIndex
                let colour = byte >= UInt8(ascii: "a") ? Colour.magenta : .cyan
                result += colour.around(String(decoding: rest[..<end], as: UTF8.self))
            default: result += String(decoding: rest[..<end], as: UTF8.self)
            }
            rest = rest[end...]
        }
        return result
    }

    private static let word = Array("0123456789abcdefghijklmnopqrstuvwxyzE+-.".utf8)

    /// Tags blue, comments and declarations faint.
    static func xml(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "<") {
            result += rest[..<start]
            rest = rest[start...]
            let isText = rest.hasPrefix("<![CDATA[")
            let mark = isText ? "]]>" : rest.hasPrefix("<!--") ? "-->" : ">"
            let end = rest.firstRange(of: mark)?.upperBound ?? rest.endIndex
            let colour = rest.hasPrefix("<!") || rest.hasPrefix("<?") ? Colour.faint : .blue
            result += isText ? String(rest[..<end]) : colour.around(rest[..<end])
            rest = rest[end...]
        }
        return result + rest
    }
}
