// Reads patterns. A pattern with any fault is refused, unlike a media type from a response.
extension MediaRange {
    static func parse(
        _ pattern: String
    ) throws(PatternFailure) -> (kind: Kind, parameters: [MediaType.Parameter]) {
        try PatternFailure.checkLength(of: pattern)
        guard !pattern.isEmpty else { throw PatternFailure("an empty string is no media range", suggestion: "*/*") }
        let end = pattern.firstIndex(of: ";") ?? pattern.endIndex
        let kind = try kind(of: FieldByte.lowercased(pattern[..<end].trimmingBlanks()), in: pattern)
        return (kind, try parameters(of: pattern[end...], in: pattern))
    }

    private static func kind(of range: String, in pattern: String) throws(PatternFailure) -> MediaRange.Kind {
        if range.hasPrefix("@") { return .group(try group(String(range.dropFirst()))) }
        if range.hasPrefix("+") { return .suffix(try suffix(range.dropFirst(), in: pattern)) }
        guard let slash = range.firstIndex(of: "/") else { throw noSlash(range, in: pattern) }
        let type = range[..<slash]
        let subtype = range[slash...].dropFirst()
        if type == "*" {
            if subtype == "*" { return .any }
            let suggestion = subtype.hasPrefix("*+") ? String(subtype.dropFirst()) : nil
            throw PatternFailure(
                "\"\(pattern)\" has a subtype but any type, which no pattern can say", suggestion: suggestion)
        }
        try checkName(type, "type", in: pattern)
        if subtype == "*" { return .topLevel(String(type)) }
        if subtype.hasPrefix("*+") {
            return .topLevelSuffix(type: String(type), suffix: try suffix(subtype.dropFirst(2), in: pattern))
        }
        try checkName(subtype, "subtype", in: pattern)
        return .exact(range)
    }

    private static func group(_ name: String) throws(PatternFailure) -> MediaTypeGroup {
        if let group = MediaTypeGroup(rawValue: name) { return group }
        let names = MediaTypeGroup.allCases.map(\.rawValue)
        throw PatternFailure(
            "\"@\(name)\" is no group; the groups are \(names.map { "@\($0)" }.joined(separator: " "))",
            suggestion: Spelling.nearest(to: name, in: names).map { "@\($0)" })
    }

    private static func suffix(_ suffix: Substring, in pattern: String) throws(PatternFailure) -> String {
        try checkName(suffix, "suffix", in: pattern)
        guard let plus = suffix.lastIndex(of: "+") else { return String(suffix) }
        throw PatternFailure(
            "\"\(pattern)\" can match nothing: a suffix is what follows the last plus sign",
            suggestion: plus == suffix.indices.last ? nil : String(suffix[plus...]))
    }

    private static func checkName(_ name: Substring, _ role: String, in pattern: String) throws(PatternFailure) {
        guard !name.isEmpty else { throw PatternFailure("\"\(pattern)\" has an empty \(role)") }
        guard !name.contains("*") else {
            throw PatternFailure("\"\(pattern)\" has a * inside its \(role); a * stands for a whole one")
        }
        if let scalar = name.unicodeScalars.first(where: { !FieldByte.isToken("\($0)") }) {
            throw PatternFailure("\"\(pattern)\" has \(scalar.shown) in its \(role), which no media type has")
        }
    }

    private static func noSlash(_ range: String, in pattern: String) -> PatternFailure {
        let names = MediaTypeGroup.allCases.map(\.rawValue) + ["application", "audio", "multipart", "text", "video"]
        let suggestion: String? =
            switch range {
            case "*": "*/*"
            case "css", "csv", "html", "plain": "text/\(range)"
            case _ where range.hasPrefix("*+"): String(range.dropFirst())
            case _ where range.hasSuffix("+") && FieldByte.isToken(range): "+\(range.dropLast())"
            default:
                Spelling.nearest(to: range, in: names).map { name in
                    MediaTypeGroup(rawValue: name) == nil ? "\(name)/*" : "@\(name)"
                }
            }
        return PatternFailure("\"\(pattern)\" has no slash", suggestion: suggestion)
    }

    // MARK: Parameters

    /// Reads repeated `;name=value`. A semicolon in quotes belongs to the value.
    private static func parameters(
        of text: Substring, in pattern: String
    ) throws(PatternFailure) -> [MediaType.Parameter] {
        var parameters: [MediaType.Parameter] = []
        var rest = text
        while !rest.isEmpty {
            rest = rest.dropFirst()
            let end = endOfParameter(rest)
            let parameter = try parameter(rest[..<end].trimmingBlanks(), in: pattern)
            guard !parameters.contains(where: { $0.name == parameter.name }) else {
                throw PatternFailure("\"\(pattern)\" names the parameter \"\(parameter.name)\" twice")
            }
            parameters.append(parameter)
            rest = rest[end...]
        }
        return parameters
    }

    private static func endOfParameter(_ text: Substring) -> Substring.Index {
        var isQuoted = false
        var isEscaped = false
        return text.firstIndex { character in
            if isEscaped {
                isEscaped = false
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == "\\", isQuoted {
                isEscaped = true
            }
            return character == ";" && !isQuoted
        } ?? text.endIndex
    }

    private static func parameter(_ text: Substring, in pattern: String) throws(PatternFailure) -> MediaType.Parameter {
        // The parser of media types reads the value; text that it would ignore is refused here.
        let parsed = MediaType(parsing: "a/b;\(text)")?.parameters ?? []
        guard let equals = text.firstIndex(of: "="), let parameter = parsed.first, parsed.count == 1,
            FieldByte.lowercased(text[..<equals]) == parameter.name, isWhole(text[equals...].dropFirst())
        else {
            throw PatternFailure("\"\(pattern)\" has a parameter that is not of the form name=value")
        }
        guard parameter.name == "charset" else { return parameter }
        return MediaType.Parameter(name: "charset", value: FieldByte.lowercased(parameter.value))
    }

    /// Whether the text is one token, or one quoted string without text after it.
    private static func isWhole(_ value: Substring) -> Bool {
        guard value.first == "\"" else { return FieldByte.isToken(value) }
        var isEscaped = false
        let end = value.dropFirst().firstIndex { character in
            defer { isEscaped = character == "\\" && !isEscaped }
            return character == "\"" && !isEscaped
        }
        return end.map { value.index(after: $0) == value.endIndex } ?? false
    }
}

extension Substring {
    fileprivate func trimmingBlanks() -> Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
        return text
    }
}
