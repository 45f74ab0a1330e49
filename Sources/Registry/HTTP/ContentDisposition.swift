/// The names in a Content-Disposition field (RFC 6266, section 4.1; for parts of a form, RFC 7578). The field is read
/// by Unicode scalars, so that a combining mark after a quote or a semicolon does not hide the delimiter.
package struct ContentDisposition {
    private typealias Scalars = Substring.UnicodeScalarView

    private var parameters: [(name: String, value: String)] = []

    /// - Parameter isOfForm: whether quotes and line breaks within quotes are escaped as browsers escape them in forms,
    ///   with `%22` and `%0D%0A` (HTML, "multipart/form-data encoding algorithm").
    package init(_ value: String, isOfForm: Bool = false) {
        var rest = value.unicodeScalars.drop { $0 != ";" }
        while rest.first == ";" {
            rest = rest.dropFirst().drop(while: Self.isBlank)
            let name = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest[name.endIndex...]
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst().drop(while: Self.isBlank)
            let value =
                rest.first == "\"" ? Self.quoted(&rest, isOfForm: isOfForm) : Self.trimmed(rest.prefix { $0 != ";" })
            parameters.append((FieldByte.lowercased(Substring(Self.trimmed(name))), value))
            rest = rest.drop { $0 != ";" }
        }
    }

    package var name: String? { value(of: "name") }

    /// The value of `filename*`, else of `filename`, whatever their order (section 4.3); nil if there is neither.
    package var fileName: String? { value(of: "filename*").flatMap(\.extendedFieldValue) ?? value(of: "filename") }

    private func value(of name: String) -> String? { parameters.first { $0.name == name }?.value }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

    private static func trimmed(_ text: Scalars) -> String {
        var text = text
        while let last = text.last, isBlank(last) { text.removeLast() }
        return String(text)
    }

    private static func quoted(_ rest: inout Scalars, isOfForm: Bool) -> String {
        var value = String.UnicodeScalarView()
        rest = rest.dropFirst()
        while let scalar = rest.popFirst(), scalar != "\"" {
            if scalar == "\\", let next = rest.first, next == "\"" || next == "\\" {
                // A backslash before any other character is usually part of a Windows path.
                value.append(next)
                rest = rest.dropFirst()
            } else if isOfForm, scalar == "%", let byte = Substring(rest.prefix(2)).hexadecimalByte,
                [0x0A, 0x0D, 0x22].contains(byte)
            {
                value.append(Unicode.Scalar(byte))
                rest = rest.dropFirst(2)
            } else {
                value.append(scalar)
            }
        }
        return String(value)
    }
}
