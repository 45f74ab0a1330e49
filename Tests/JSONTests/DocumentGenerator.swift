import TestSupport

/// Makes random documents, in many spellings, from a seed.
struct DocumentGenerator {
    var random: SplitMix

    init(seed: UInt64) { random = SplitMix(seed: seed) }

    mutating func document() -> String { blank() + value(depth: 0) + blank() }

    private mutating func value(depth: Int) -> String {
        switch Int.random(in: 0..<(depth > 5 ? 5 : 8), using: &random) {
        case 0: return ["null", "true", "false"].randomElement(using: &random) ?? "null"
        case 1: return number()
        case 2, 3: return string()
        case 4: return ["[]", "{}", "\"\"", "0", "[ ]"].randomElement(using: &random) ?? "0"
        case 5: return list(open: "[", close: "]") { $0.value(depth: depth + 1) }
        default:
            var next = 0
            return list(open: "{", close: "}") { generator in
                next += 1
                // The number keeps the keys of an object different.
                let key = generator.string().dropLast() + "\(next)\""
                return key + generator.blank() + ":" + generator.blank() + generator.value(depth: depth + 1)
            }
        }
    }

    private mutating func list(open: String, close: String, _ item: (inout Self) -> String) -> String {
        var items: [String] = []
        for _ in 0..<Int.random(in: 0...6, using: &random) { items.append(blank() + item(&self) + blank()) }
        return open + (items.isEmpty ? blank() : items.joined(separator: ",")) + close
    }

    private mutating func number() -> String {
        let sign = Bool.random(using: &random) ? "-" : ""
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return sign + String(UInt64.random(in: 0...1000, using: &random))
        case 1: return sign + String(UInt64.random(in: 0...(1 << 63 - 1), using: &random))
        case 2: return String(random.next())
        case 3: return sign + "\(Double.random(in: 0..<1000, using: &random))"
        default:
            let digits = UInt32.random(in: 0...UInt32.max, using: &random)
            let exponent = Int.random(in: -290...290, using: &random)
            return "\(sign)\(digits % 10).\(digits)\(Bool.random(using: &random) ? "e" : "E")\(exponent)"
        }
    }

    private mutating func string() -> String {
        var text = "\""
        for _ in 0..<Int.random(in: 0...20, using: &random) {
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                text += ["\\n", "\\t", "\\\"", "\\\\", "\\/", "\\b", "\\f", "\\r"].randomElement(using: &random) ?? ""
            case 1: text += ["é", "ß", "€", "日本", "😀", "\u{10ffff}", "\u{7f}"].randomElement(using: &random) ?? ""
            case 2:
                text +=
                    ["\\u0000", "\\u00E9", "\\u20ac", "\\ud83d\\ude00", "\\uFFFD"].randomElement(using: &random) ?? ""
            default: text += ["a", "b", "xyz", " ", "{", "]", ",", ":", "1"].randomElement(using: &random) ?? ""
            }
        }
        return text + "\""
    }

    private mutating func blank() -> String {
        Int.random(in: 0..<4, using: &random) == 0
            ? [" ", "\n", "\r\n", "\t", "  \n  "].randomElement(using: &random) ?? "" : ""
    }
}
