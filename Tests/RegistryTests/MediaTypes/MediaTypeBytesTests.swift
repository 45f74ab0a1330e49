import PatchbayRegistry
import Testing

/// Every code point up to U+0100 in every place of a media type, against the definitions of the standards spelled out.
@Suite struct MediaTypeBytesTests {
    private static let letters = "abcdefghijklmnopqrstuvwxyz"
    private static let token = Set("!#$%&'*+-.^_`|~0123456789\(letters)\(letters.uppercased())".unicodeScalars)
    private static let scalars = (UInt32(0)...0x100).compactMap { Unicode.Scalar($0) }

    private static func isQuotedText(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value == 0x09 || (0x20...0x7E).contains(scalar.value) || (0x80...0xFF).contains(scalar.value)
    }

    private static func text(_ scalar: Unicode.Scalar) -> String { String(Character(scalar)) }

    @Test(arguments: ["x%/y", "%x/y", "x/y%z", "x/%y", "x/y+%z"])
    func essence(_ template: String) {
        for scalar in Self.scalars {
            let input = template.replacing("%", with: Self.text(scalar))
            // White space at an end is trimmed, a slash and a semicolon end a part; each has its own table.
            if " \t\r\n/;".unicodeScalars.contains(scalar) { continue }
            let expected = Self.token.contains(scalar) ? FieldByte.lowercased(input) : nil
            #expect(MediaType(parsing: input)?.essence == expected, "U+\(String(scalar.value, radix: 16))")
        }
    }

    @Test func parameterName() {
        for scalar in Self.scalars where !";=".unicodeScalars.contains(scalar) {
            let name = "n\(Self.text(scalar))n"
            let value = MediaType(parsing: "x/y;\(name)=v")?.parameters.first
            let expected = Self.token.contains(scalar) ? FieldByte.lowercased(name) : nil
            #expect(value?.name == expected, "U+\(String(scalar.value, radix: 16))")
        }
    }

    @Test func unquotedValue() {
        for scalar in Self.scalars where scalar != ";" {
            let value = "v\(Self.text(scalar))v"
            let expected = Self.isQuotedText(scalar) ? value : nil
            #expect(
                MediaType(parsing: "x/y;n=\(value)")?[parameter: "n"] == expected,
                "U+\(String(scalar.value, radix: 16))")
        }
    }

    @Test func quotedAndEscapedValue() {
        for scalar in Self.scalars {
            let value = "v\(Self.text(scalar))v"
            let expected = Self.isQuotedText(scalar) ? value : nil
            let escaped = MediaType(parsing: "x/y;n=\"v\\\(Self.text(scalar))v\"")
            #expect(escaped?[parameter: "n"] == expected, "U+\(String(scalar.value, radix: 16))")
            if scalar == "\"" || scalar == "\\" { continue }
            let quoted = MediaType(parsing: "x/y;n=\"\(value)\"")
            #expect(quoted?[parameter: "n"] == expected, "U+\(String(scalar.value, radix: 16))")
        }
    }

    /// What is written can be read again, whatever the value holds.
    @Test func writingAndReading() throws {
        for scalar in Self.scalars where Self.isQuotedText(scalar) {
            var type = try #require(MediaType(parsing: "x/y"))
            type[parameter: "n"] = Self.text(scalar)
            type[parameter: "m"] = "z"
            #expect(type[parameter: "n"] == Self.text(scalar), "U+\(String(scalar.value, radix: 16))")
            #expect(MediaType(parsing: type.description) == type, "U+\(String(scalar.value, radix: 16))")
        }
    }

    @Test func bytesAsDefined() {
        for byte in UInt8.min...UInt8.max {
            let scalar = Unicode.Scalar(byte)
            #expect(FieldByte.isToken(byte) == Self.token.contains(scalar))
            #expect(FieldByte.isWhitespace(byte) == "\t\n\r ".unicodeScalars.contains(scalar))
            #expect(FieldByte.isBlank(byte) == "\t ".unicodeScalars.contains(scalar))
            #expect(FieldByte.lowercased(byte) == (byte < 0x80 ? scalar.properties.lowercaseMapping.utf8.first : byte))
        }
        #expect(FieldByte.lowercased("ÄaZ\u{212A}") == "Äaz\u{212A}")
        #expect(FieldByte.isToken("abc") && !FieldByte.isToken("") && !FieldByte.isToken("a b"))
    }

    /// One field with commas says what the same values in several fields say (Fetch, "get").
    @Test(arguments: [
        ["text/html;charset=gbk", "text/html"], ["a/b", "c/d", "*/*"], ["", "a/b", ""], ["a/b;x=\"", "c/d"],
        ["nonsense"],
        ["a/b;x=\"1,2\"", "a/b;charset=q", "a/b"], ["*/*", "*/*"],
    ])
    func joinedFields(_ values: [String]) {
        #expect(ContentType(rawValues: values) == ContentType(rawValues: [values.joined(separator: ", ")]))
    }
}
