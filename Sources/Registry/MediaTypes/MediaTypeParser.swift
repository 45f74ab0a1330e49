/// Reads media types as browsers do: WHATWG MIME Sniffing, section 4.4, "parse a MIME type".
///
/// One pass over UTF-8 bytes: every character that the rules look for is ASCII.
enum MediaTypeParser {
    /// How many parameters are looked through for a name.
    private static let fewParameters = 8

    static func parse(_ string: String) -> MediaType? {
        var string = string
        return string.withUTF8 { parse($0.span, 0..<$0.count) }
    }

    /// Reads the media type that `range` of `bytes` holds; nil for the failure of the rules.
    static func parse(_ bytes: Span<UInt8>, _ range: Range<Int>) -> MediaType? {
        let range = trimming(bytes, range, FieldByte.isWhitespace)
        let slash = end(bytes, range, before: UInt8(ascii: "/"))
        let semicolon = end(bytes, slash..<range.upperBound, before: UInt8(ascii: ";"))
        guard slash < range.upperBound else { return nil }
        let subtype = trimming(bytes, slash + 1..<max(semicolon, slash + 1), FieldByte.isWhitespace)
        guard isToken(bytes, range.lowerBound..<slash), isToken(bytes, slash + 1..<subtype.upperBound) else {
            return nil
        }
        return MediaType(
            essence: lowercased(bytes, range.lowerBound..<subtype.upperBound), slash: slash - range.lowerBound,
            parameters: semicolon < range.upperBound ? parameters(bytes, semicolon..<range.upperBound) : [])
    }

    /// The parameters of `range`, which begins at a semicolon.
    private static func parameters(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [MediaType.Parameter] {
        let end = range.upperBound
        var parameters: [MediaType.Parameter] = []
        // Only for a long list, where looking through it each time would take time that grows with the square.
        var names: Set<String> = []
        var position = range.lowerBound
        while position < end {
            position += 1
            while position < end, FieldByte.isWhitespace(bytes[position]) { position += 1 }
            let nameStart = position
            while position < end, bytes[position] != UInt8(ascii: ";"), bytes[position] != UInt8(ascii: "=") {
                position += 1
            }
            let name = nameStart..<position
            guard position < end else { break }
            if bytes[position] == UInt8(ascii: ";") { continue }
            position += 1
            guard position < end else { break }
            let value: String?
            if bytes[position] == UInt8(ascii: "\"") {
                value = quoted(bytes, &position, end)
                position = self.end(bytes, position..<end, before: UInt8(ascii: ";"))
            } else {
                let start = position
                position = self.end(bytes, position..<end, before: UInt8(ascii: ";"))
                let written = trimmingEnd(bytes, start..<position, FieldByte.isWhitespace)
                if written.isEmpty { continue }
                value = text(bytes, written)
            }
            guard let value, isToken(bytes, name) else { continue }
            let lowercased = lowercased(bytes, name)
            if parameters.count < fewParameters {
                guard !parameters.contains(where: { $0.name == lowercased }) else { continue }
            } else {
                if names.isEmpty { names = Set(parameters.map(\.name)) }
                guard names.insert(lowercased).inserted else { continue }
            }
            parameters.append(MediaType.Parameter(name: lowercased, value: value))
        }
        return parameters
    }

    /// Collects an HTTP quoted string (Fetch, "extract value"), leaving `position` behind it; nil where the value has a
    /// character that may not be quoted.
    private static func quoted(_ bytes: Span<UInt8>, _ position: inout Int, _ end: Int) -> String? {
        position += 1
        var value: [UInt8] = []
        var isAllowed = true
        while position < end, bytes[position] != UInt8(ascii: "\"") {
            // A backslash stands for the byte behind it, and for itself at the end.
            if bytes[position] == UInt8(ascii: "\\"), position + 1 < end { position += 1 }
            isAllowed = isAllowed && FieldByte.isQuotedText(bytes[position])
            value.append(bytes[position])
            position += 1
        }
        if position < end { position += 1 }
        return isAllowed ? String(decoding: value, as: UTF8.self) : nil
    }

    // MARK: Pieces of the bytes

    /// The first place of `byte` in the range, or its end.
    private static func end(_ bytes: Span<UInt8>, _ range: Range<Int>, before byte: UInt8) -> Int {
        var position = range.lowerBound
        while position < range.upperBound, bytes[position] != byte { position += 1 }
        return position
    }

    /// The range without the bytes of a kind at its start and end.
    static func trimming(_ bytes: Span<UInt8>, _ range: Range<Int>, _ isTrimmed: (UInt8) -> Bool) -> Range<Int> {
        var start = range.lowerBound
        while start < range.upperBound, isTrimmed(bytes[start]) { start += 1 }
        return trimmingEnd(bytes, start..<range.upperBound, isTrimmed)
    }

    private static func trimmingEnd(_ bytes: Span<UInt8>, _ range: Range<Int>, _ isTrimmed: (UInt8) -> Bool) -> Range<
        Int
    > {
        var end = range.upperBound
        while end > range.lowerBound, isTrimmed(bytes[end - 1]) { end -= 1 }
        return range.lowerBound..<end
    }

    private static func isToken(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        for position in range where !FieldByte.isToken(bytes[position]) { return false }
        return !range.isEmpty
    }

    private static func lowercased(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        String(unsafeUninitializedCapacity: range.count) { buffer in
            for (offset, position) in range.enumerated() { buffer[offset] = FieldByte.lowercased(bytes[position]) }
            return range.count
        }
    }

    /// The bytes as text, or nil where one of them may not stand in a value.
    private static func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String? {
        for position in range where !FieldByte.isQuotedText(bytes[position]) { return nil }
        return bytes.withUnsafeBufferPointer { String(decoding: $0[range], as: UTF8.self) }
    }
}
