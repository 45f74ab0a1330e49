/// The file name that a Content-Disposition field names (RFC 6266, section 4.1). Read by Unicode scalars: a mark behind a quote or
/// a semicolon does not make another of it.
enum ContentDisposition {
    /// `filename*` before `filename`, whatever their order (section 4.3); nil where there is neither.
    static func fileName(_ value: String) -> String? {
        let parameters = parameters(value)
        if let extended = parameters.first(where: { $0.name == "filename*" }).flatMap({ decode($0.value) }) {
            return extended
        }
        return parameters.first { $0.name == "filename" }?.value
    }

    private typealias Scalars = Substring.UnicodeScalarView

    private static func parameters(_ value: String) -> [(name: String, value: String)] {
        var found: [(name: String, value: String)] = []
        var rest = value.unicodeScalars.drop { $0 != ";" }
        while rest.first == ";" {
            rest = rest.dropFirst().drop(while: isBlank)
            let name = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest[name.endIndex...]
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst().drop(while: isBlank)
            let parsed = rest.first == "\"" ? quoted(&rest) : token(&rest)
            found.append((Substring(name).filter { $0 != " " && $0 != "\t" }.lowercased(), parsed))
            rest = rest.drop { $0 != ";" }
        }
        return found
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

    private static func token(_ rest: inout Scalars) -> String {
        var token = rest.prefix { $0 != ";" }
        rest = rest[token.endIndex...]
        while let last = token.last, isBlank(last) { token.removeLast() }
        return String(token)
    }

    private static func quoted(_ rest: inout Scalars) -> String {
        var value = String.UnicodeScalarView()
        rest = rest.dropFirst()
        while let scalar = rest.popFirst(), scalar != "\"" {
            // A backslash before anything but a quote or itself is most often part of a Windows path.
            if scalar == "\\", let next = rest.first, next == "\"" || next == "\\" {
                value.append(next)
                rest = rest.dropFirst()
            } else {
                value.append(scalar)
            }
        }
        return String(value)
    }

    /// `UTF-8''percent-encoded` (RFC 8187, section 3.2); nil for any other charset or bytes that are not UTF-8.
    private static func decode(_ value: String) -> String? {
        let parts = value.unicodeScalars.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, String(parts[0]).lowercased() == "utf-8" else { return nil }
        return unescape(Substring(parts[2]))
    }

    /// Undoes percent-encoding; nil where a `%` stands alone or the bytes are not UTF-8.
    private static func unescape(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let digits = String(rest.prefix(2)), digits.utf8.count == 2, let value = UInt8(digits, radix: 16)
            else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
