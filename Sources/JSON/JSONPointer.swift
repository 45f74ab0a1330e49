/// A JSON pointer (RFC 6901) in its string form: a row of keys and element numbers.
package struct JSONPointer {
    let tokens: [String]

    /// Nil where the text is neither empty nor starts with `/`, or a `~` is not followed by `0` or `1` (RFC 6901 §3).
    init?(_ text: String) {
        var tokens: [String] = []
        for part in text.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let token = Self.unescaped(part) else { return nil }
            tokens.append(token)
        }
        guard text.isEmpty || text.utf8.first == UInt8(ascii: "/") else { return nil }
        self.tokens = tokens
    }

    /// One token with `~` and `/` escaped.
    package static func escaped(_ token: String) -> String {
        guard token.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return token }
        var result = ""
        for scalar in token.unicodeScalars {
            switch scalar {
            case "~": result += "~0"
            case "/": result += "~1"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The word of the value named, seen from the value at `root`. Among duplicate keys the last is meant.
    func resolve(in tape: Tape, at root: Int) -> Int? {
        var index = root
        for token in tokens {
            let next: Int?
            switch tape.tag(at: index) {
            case Tag.object: next = Self.lastValue(in: tape, object: index, key: token)
            case Tag.array: next = Self.element(in: tape, array: index, token)
            default: next = nil
            }
            guard let next else { return nil }
            index = next
        }
        return index
    }

    private static func lastValue(in tape: Tape, object: Int, key: String) -> Int? {
        var found: Int?
        var cursor = object + 1
        let last = tape.end(of: object) - 1
        let wanted = Array(key.utf8)
        wanted.withUnsafeBufferPointer { wanted in
            while cursor < last {
                if tape.isString(at: cursor, equalTo: wanted) { found = cursor + 1 }
                cursor = tape.end(of: cursor + 1)
            }
        }
        return found
    }

    /// Digits without a leading zero (RFC 6901 §4); `-` names the place after the last element, where nothing is.
    private static func element(in tape: Tape, array: Int, _ token: String) -> Int? {
        guard token.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            token == "0" || token.utf8.first != UInt8(ascii: "0"), var remaining = Int(token)
        else { return nil }
        var cursor = array + 1
        let last = tape.end(of: array) - 1
        while cursor < last {
            if remaining == 0 { return cursor }
            cursor = tape.end(of: cursor)
            remaining -= 1
        }
        return nil
    }

    private static func unescaped(_ part: Substring) -> String? {
        guard part.utf8.contains(UInt8(ascii: "~")) else { return String(part) }
        var result = ""
        var scalars = part.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            guard scalar == "~" else {
                result.unicodeScalars.append(scalar)
                continue
            }
            switch scalars.next() {
            case "0": result += "~"
            case "1": result += "/"
            default: return nil
            }
        }
        return result
    }
}
