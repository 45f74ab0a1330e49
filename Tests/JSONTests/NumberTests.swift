import PatchbayJSON
import TestSupport
import Testing

@Suite struct NumberTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let int: Int?
        let uint: UInt?
        let double: Double
        let printed: String
        var testDescription: String { text }

        init(_ text: String, _ int: Int?, _ uint: UInt?, _ double: Double, _ printed: String? = nil) {
            self.text = text
            self.int = int
            self.uint = uint
            self.double = double
            self.printed = printed ?? text
        }
    }

    static let cases: [Case] = [
        Case("0", 0, 0, 0),
        Case("-0", 0, 0, -0.0, "-0.0"),
        Case("-0.0", 0, 0, -0.0),
        Case("7", 7, 7, 7),
        Case("-7", -7, nil, -7),
        Case("9007199254740993", 9_007_199_254_740_993, 9_007_199_254_740_993, 9_007_199_254_740_992),
        Case("12345678901234567", 12_345_678_901_234_567, 12_345_678_901_234_567, 12_345_678_901_234_568),
        Case("9223372036854775807", .max, 9_223_372_036_854_775_807, 0x1p63),
        Case("9223372036854775808", nil, 9_223_372_036_854_775_808, 0x1p63),
        Case("10000000000000000000", nil, 10_000_000_000_000_000_000, 1e19),
        Case("18446744073709551615", nil, .max, 0x1p64),
        Case("18446744073709551616", nil, nil, 0x1p64),
        Case("28446744073709551616", nil, nil, 28446744073709551616.0),
        Case("99999999999999999999", nil, nil, 1e20),
        Case("-9223372036854775808", .min, nil, -0x1p63),
        Case("-9223372036854775809", nil, nil, -0x1p63),
        Case("-18446744073709551615", nil, nil, -0x1p64),
        Case("1.0", 1, 1, 1),
        Case("1.5", nil, nil, 1.5),
        Case("-1.0", -1, nil, -1),
        Case("1e2", 100, 100, 100, "100.0"),
        Case("1E+2", 100, 100, 100, "100.0"),
        Case("100e-2", 1, 1, 1, "1.0"),
        Case("1e18", 1_000_000_000_000_000_000, 1_000_000_000_000_000_000, 1e18, "1e+18"),
        Case("0.1", nil, nil, 0.1),
        Case("68.32", nil, nil, 68.32),
        Case("0.30000000000000004", nil, nil, 0.1 + 0.2),
        Case("-65.613616999999977", nil, nil, -65.613616999999977),
        Case("0e999999999999999999999", 0, 0, 0, "0.0"),
        Case("0.0e-5", 0, 0, 0, "0.0"),
        Case("1e-400", 0, 0, 0, "0.0"),
        Case("-1e-400", 0, 0, -0.0, "-0.0"),
        Case("1e-999999999999999999999", 0, 0, 0, "0.0"),
        // Cut to 32 bits, these exponents would be 0, -1 and 1.
        Case("7e-4294967296", 0, 0, 0, "0.0"),
        Case("7e-4294967297", 0, 0, 0, "0.0"),
        Case("0.7e-4294967294", 0, 0, 0, "0.0"),
        Case("0." + String(repeating: "0", count: 118) + "1e300", nil, nil, 1e181, "1e+181"),
        Case("5e-324", nil, nil, .leastNonzeroMagnitude),
        Case("2.2250738585072011e-308", nil, nil, .leastNormalMagnitude.nextDown),
        Case("1.7976931348623157e308", nil, nil, .greatestFiniteMagnitude),
        Case("1.00000000000000011102230246251565404236316680908203125", nil, nil, 1),
        Case("1.00000000000000011102230246251565404236316680908203126", nil, nil, 1.0.nextUp),
        Case(
            "9007199254740993.0", 9_007_199_254_740_993, 9_007_199_254_740_993, 9_007_199_254_740_992),
        Case(
            "9007199254740995.0", 9_007_199_254_740_995, 9_007_199_254_740_995, 9_007_199_254_740_996),
    ]

    @Test(arguments: cases) func reads(_ item: Case) throws {
        let value = try JSON(document: item.text)
        #expect(value.kind == .number)
        #expect(value.int == item.int)
        #expect(value.uint == item.uint)
        #expect(value.double?.bitPattern == item.double.bitPattern)
        #expect(value.description == item.printed)
        // Inside a document the digits end at a bracket, not at the end of the text.
        #expect(try JSON(document: "[\(item.text)]")[0] == value)
    }

    /// The exact paths against the C library, with significands and exponents on both sides of their limits.
    @Test func roundsAsTheCLibraryDoes() throws {
        var random = SplitMix(seed: 20)
        for _ in 0..<60_000 {
            let digits = Int.random(in: 1...24, using: &random)
            var text = String(Int.random(in: 1...9, using: &random))
            for _ in 1..<max(2, digits) { text += String(Int.random(in: 0...9, using: &random)) }
            if Bool.random(using: &random) {
                let point = Int.random(in: 1..<text.count, using: &random)
                text.insert(".", at: text.index(text.startIndex, offsetBy: point))
            }
            switch Int.random(in: 0..<4, using: &random) {
            case 0: text += "e\(Int.random(in: -40...40, using: &random))"
            case 1: text += "E\(Int.random(in: -330...280, using: &random))"
            case 2:
                text =
                    "0." + String(repeating: "0", count: Int.random(in: 0...20, using: &random))
                    + text.filter { $0 != "." }
            default: break
            }
            let expected = try #require(Double(text))
            #expect(try JSON(document: text).double?.bitPattern == expected.bitPattern, "\(text)")
            #expect(try JSON(document: "-" + text).double?.bitPattern == (-expected).bitPattern, "-\(text)")
        }
    }

    /// Values half way between two Doubles, and next to it, for every power of ten that the exact path takes.
    @Test(arguments: -19...19) func roundsTiesToEven(_ exponent: Int) throws {
        var random = SplitMix(seed: UInt64(100 + exponent))
        for _ in 0..<500 {
            let half = UInt64.random(in: 1 << 53...(1 << 54) - 1, using: &random) | 1
            for text in ["\(half)e\(exponent)", "\(half - 1)e\(exponent)", "\(half &* 512 | 1)e\(exponent)"] {
                let expected = try #require(Double(text))
                #expect(try JSON(document: text).double?.bitPattern == expected.bitPattern, "\(text)")
            }
        }
    }

    @Test func survivesAMillionDigits() throws {
        let digits = String(repeating: "3", count: 1_000_000)
        #expect(try JSON(document: "0." + digits).double == 1.0 / 3)
        #expect(try JSON(document: digits + "e-1000000").double == 1.0 / 3)
        #expect(throws: JSON.ParseFailure.self) { try JSON(document: digits) }
    }
}
