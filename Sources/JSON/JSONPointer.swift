package import PatchbayPlatform

/// A JSON pointer (RFC 6901) in its string form: a sequence of keys and element numbers.
package enum JSONPointer {
    /// The index of the value in the tape. The pointer starts at the value at `root`. If a key is repeated, the last
    /// member is used.
    ///
    /// Nil if there is no value, if the text neither is empty nor starts with `/`, or if a `~` is not followed by `0` or
    /// `1` (RFC 6901 §3).
    static func resolve(_ text: String, in tape: Tape, at root: Int = 1) -> Int? {
        guard text.isEmpty || text.utf8.first == UInt8(ascii: "/") else { return nil }
        var index = root
        // By scalars, because a slash with a combining mark behind it is another character.
        for part in text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let token = unescaped(Substring(part)) else { return nil }
            let next: Int?
            switch tape.tag(at: index) {
            case Tag.object: next = lastValue(in: tape, object: index, key: token)
            case Tag.array: next = position(token).flatMap { tape.element(at: $0, ofArray: index) }
            default: next = nil
            }
            guard let next else { return nil }
            index = next
        }
        return index
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

    /// The text of the pointer to a value; nil for a word that begins no value.
    fileprivate static func path(to word: Int, in tape: Tape) -> String? {
        var (path, index) = ("", 1)
        descent: while index != word {
            let isObject = tape.tag(at: index) == Tag.object
            for (position, item) in tape.items(of: index).enumerated() {
                let value = isObject ? item + 1 : item
                guard tape.end(of: value) > word else { continue }
                guard value <= word else { return nil }
                path += "/" + (isObject ? escaped(JSON(tape, at: item).string ?? "") : "\(position)")
                index = value
                continue descent
            }
            return nil
        }
        return path
    }

    private static func lastValue(in tape: Tape, object: Int, key: String) -> Int? {
        let wanted = Array(key.utf8)
        return wanted.withUnsafeBufferPointer { wanted in
            tape.items(of: object).reduce(nil as Int?) { tape.isString(at: $1, equalTo: wanted) ? $1 + 1 : $0 }
        }
    }

    /// Digits without a leading zero (RFC 6901 §4). `-` names the index after the last element, which has no value.
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
    /// The value of a JSON pointer (RFC 6901) such as `/a/0/b`; nil if there is none, or if the pointer is malformed.
    ///
    /// The empty pointer names the value itself.
    public func pointer(_ pointer: String) -> JSON? {
        JSONPointer.resolve(pointer, in: tape, at: index).map { JSON(tape, at: $0) }
    }

    /// The line and the column, both from 1, at which the value of a JSON pointer begins in the text of a document.
    ///
    /// Nil if the text is not JSON, or if the pointer has no value or is malformed. Columns count Unicode scalars.
    package static func position(of pointer: String, in bytes: some ContiguousBytes) -> (line: Int, column: Int)? {
        bytes.withUnsafeBytes { bytes in
            guard let tape = try? Tape.filled(from: bytes, ParseOptions()).tape,
                let place = JSONPointer.resolve(pointer, in: tape)
            else { return nil }
            let source = SourceText(bytes: bytes)
            return source.offset(ofWord: place, in: tape).map(source.position(ofOffset:))
        }
    }

    /// The JSON pointer of the first value that begins after an offset in the text of a document; nil if there is none.
    package static func pointer(ofValueAfter offset: Int, in bytes: some ContiguousBytes) -> String? {
        bytes.withUnsafeBytes { bytes in
            guard let tape = try? Tape.filled(from: bytes, ParseOptions()).tape else { return nil }
            var found: Int?
            SourceText(bytes: bytes).forEachToken(of: tape) { word, token in
                if token.lowerBound > offset { found = word }
                return found == nil
            }
            return found.flatMap { JSONPointer.path(to: $0, in: tape) }
        }
    }

    /// The line, from 1, at which the value of each JSON pointer begins in the text of a document, which is read once.
    package static func lines(of pointers: [String], in bytes: some ContiguousBytes) -> [Int?] {
        lines(in: bytes) { tape in pointers.map { JSONPointer.resolve($0, in: tape) } }
            ?? pointers.map { _ in nil }
    }

    /// The line, from 1, at which each element of the array at a JSON pointer begins in the text of a document; empty
    /// for another value.
    package static func lines(ofElementsAt pointer: String, in bytes: some ContiguousBytes) -> [Int?] {
        lines(in: bytes) { tape in
            guard let array = JSONPointer.resolve(pointer, in: tape), tape.tag(at: array) == Tag.array else {
                return []
            }
            return tape.items(of: array).map(Optional.some)
        } ?? []
    }

    /// The line of each word of the tape that `find` gives; nil if the text is not JSON.
    private static func lines(in bytes: some ContiguousBytes, _ find: (Tape) -> [Int?]) -> [Int?]? {
        bytes.withUnsafeBytes { bytes in
            guard let tape = try? Tape.filled(from: bytes, ParseOptions()).tape else { return nil }
            let words = find(tape)
            let wanted = Set(words.compactMap(\.self))
            var lines: [Int: Int] = [:]
            let source = SourceText(bytes: bytes)
            var (line, start) = (1, source.markLength)
            source.forEachToken(of: tape) { word, token in
                guard wanted.contains(word) else { return true }
                line += source.lineBreaks(in: start..<token.lowerBound)
                start = token.lowerBound
                lines[word] = line
                return true
            }
            return words.map { $0.flatMap { lines[$0] } }
        }
    }
}
