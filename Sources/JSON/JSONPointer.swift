package import PatchbayPlatform

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
            case Tag.array: next = Self.position(token).flatMap { tape.element(at: $0, ofArray: index) }
            default: next = nil
            }
            guard let next else { return nil }
            index = next
        }
        return index
    }

    private static func lastValue(in tape: Tape, object: Int, key: String) -> Int? {
        let wanted = Array(key.utf8)
        return wanted.withUnsafeBufferPointer { wanted in
            tape.items(of: object).reduce(nil as Int?) { tape.isString(at: $1, equalTo: wanted) ? $1 + 1 : $0 }
        }
    }

    /// Digits without a leading zero (RFC 6901 §4); `-` names the place after the last element, where nothing is.
    private static func position(_ token: String) -> Int? {
        guard token.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            token == "0" || token.utf8.first != UInt8(ascii: "0")
        else { return nil }
        return Int(token)
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

extension JSON {
    /// The value that a JSON pointer (RFC 6901) such as `/a/0/b` names, or nil where it names nothing or is malformed.
    ///
    /// The empty pointer names the value itself.
    public func pointer(_ pointer: String) -> JSON? {
        JSONPointer(pointer)?.resolve(in: tape, at: index).map { JSON(tape, at: $0) }
    }

    /// Where the value that a JSON pointer names begins in the text of a document: its line and column, both from 1.
    ///
    /// Nil where the text does not parse, or the pointer names nothing or is malformed. Columns count Unicode scalars.
    package static func position(of pointer: String, in bytes: some ContiguousBytes) -> (line: Int, column: Int)? {
        bytes.withUnsafeBytes { bytes in
            guard let tape = try? Tape.filled(from: bytes, ParseOptions()),
                let place = JSONPointer(pointer)?.resolve(in: tape, at: 1)
            else { return nil }
            let source = SourceText(bytes: bytes)
            return source.offset(ofWord: place, in: tape).map(source.position(ofOffset:))
        }
    }
}
