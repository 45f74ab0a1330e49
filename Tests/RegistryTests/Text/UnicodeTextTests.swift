import PatchbayRegistry
import Testing

/// UTF-8 and UTF-16 over every scalar, and over every short sequence of bytes.
@Suite(.timeLimit(.minutes(5))) struct UnicodeTextTests {
    @Test func everyScalar() throws {
        let scalars = stride(from: UInt32(0), through: 0x10FFFF, by: 7).compactMap { Unicode.Scalar($0) }
        let text = String(String.UnicodeScalarView(scalars))
        #expect(try Self.decode(Array(text.utf8), "utf-8") == text)
        #expect(
            try Self.decode(text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }, "utf-16le") == text)
        #expect(
            try Self.decode(text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }, "utf-16be") == text)
    }

    /// Strict decoding takes two bytes exactly where they are what a scalar, or two, encode to.
    @Test func everyPairOfBytes() throws {
        var valid: Set<[UInt8]> = []
        for first in UInt8.min...0x7F { for second in UInt8.min...0x7F { valid.insert([first, second]) } }
        for value in UInt32(0x80)...0x7FF { valid.insert(Array(String(try #require(Unicode.Scalar(value))).utf8)) }
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                let isRead = (try? Self.decode([first, second], "utf-8")) != nil
                if isRead != valid.contains([first, second]) { Issue.record("\([first, second])") }
            }
        }
    }

    /// Where strict decoding stops, everything before is text and one more sequence is not.
    @Test func offsetsAreRight() throws {
        var state = UInt64(7)
        for _ in 0..<5_000 {
            let bytes = (0..<12).map { _ -> UInt8 in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return [0x61, 0xC3, 0xBC, 0xE2, 0x82, 0xAC, 0xF0, 0x9F, 0x98, 0x80, 0xFF, 0xED][Int(state >> 33) % 12]
            }
            do throws(TextDecodingFailure) {
                _ = try Self.decode(bytes, "utf-8")
            } catch {
                guard case .malformed(let place) = error.reason else {
                    Issue.record("\(error)")
                    continue
                }
                let offset = place - 1
                #expect((try? Self.decode(Array(bytes[..<offset]), "utf-8")) != nil)
                for end in offset + 1...bytes.count {
                    #expect((try? Self.decode(Array(bytes[..<end]), "utf-8")) == nil)
                }
            }
        }
    }

    private static func decode(_ bytes: [UInt8], _ charset: String) throws(TextDecodingFailure) -> String {
        // A mark would be taken for one, so that a letter stands before the bytes.
        let isUTF16 = charset.hasPrefix("utf-16")
        let letter: [UInt8] = isUTF16 ? (charset.hasSuffix("be") ? [0, 0x41] : [0x41, 0]) : [0x41]
        let text = try TextDecoder.decode(ResponseBody(letter + bytes), .missing, defaultCharset: charset)
        return String(text.unicodeScalars.dropFirst())
    }
}
