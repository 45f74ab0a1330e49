import Foundation
import PatchbayJSON
import TestSupport
import Testing

@Suite struct EqualityTests {
    static let equal: [(String, String)] = [
        ("1", "1.0"), ("1", "1e0"), ("0", "-0"), ("0", "-0.0"), ("100", "1e2"),
        ("18446744073709551615", "18446744073709551615"), ("1.50", "1.5"),
        (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#),
        (#"{"a":{"x":1,"y":[1,2]},"b":2}"#, #"{"b":2.0,"a":{"y":[1,2],"x":1}}"#),
        (#"{"a":1,"b":2,"c":3}"#, #"{"a":1,"c":3,"b":2}"#),
        ("9007199254740993", "9007199254740993.0"), ("123456789012345678901", "1234567890123456789.01e2"),
        ("0.1", "0.10000000000000000000"), ("0.30000000000000004", "3.0000000000000004e-1"),
        ("1", "1.0000000000000000000"),
        ("1000000000000000000000", "1e21"), ("18446744073709551615", "18446744073709551615.0"),
        ("-9223372036854775808", "-9223372036854775808.0"),
        ("9223372036854775808", "9223372036854775808.00"), ("123456789012345e4", "1234567890123450000"),
        ("1e-400", "0"), ("1.2345678901234567890e-400", "0"), ("5e-324", "0.5e-323"),
        (#""\u0041""#, #""A""#), ("[ ]", "[]"), (#"{"a":1,"a":2}"#, #"{"a":2}"#),
    ]

    static let different: [(String, String)] = [
        ("1", "2"), ("1", "\"1\""), ("1", "true"), ("0", "false"), ("0", "null"), ("[]", "{}"), ("null", "false"),
        ("9007199254740993", "9007199254740992.0"), ("9007199254740993.0", "9007199254740992"),
        ("9007199254740993.0", "9007199254740992.0"), ("9007199254740993.0", "9007199254740993.1"),
        ("0.1", "0.10000000000000000001"), ("0.10000000000000000002", "0.10000000000000000001"),
        ("1", "0.99999999999999999999"),
        ("123456789012345678901", "123456789012345678902"), ("-0.10000000000000000001", "0.10000000000000000001"),
        ("1.2345678901234567e300", "1.23456789012345671e300"), ("18446744073709551615", "18446744073709551616"),
        ("[1,2]", "[2,1]"), ("[1]", "[1,1]"), ("[[1],2]", "[[1,2]]"), ("[[],[[]]]", "[[[]],[]]"),
        (#"{"a":1}"#, #"{"b":1}"#), (#"{"a":1}"#, #"{"a":2}"#), (#"{"a":1}"#, #"{"a":1,"b":1}"#),
        (#"{"a":1,"b":2}"#, #"{"a":2,"b":1}"#), (#"{"a":1,"b":2}"#, #"{"b":2,"c":1}"#), ("\"a\"", "\"A\""),
        (#"{"a":{}}"#, #"{"a":[]}"#), (#"["a"]"#, #"{"0":"a"}"#),
    ]

    @Test(arguments: equal) func equalValuesHashAlike(_ left: String, _ right: String) throws {
        let first = try JSON(parsing: left)
        let second = try JSON(parsing: right)
        #expect(first == second)
        #expect(second == first)
        #expect(first.hashValue == second.hashValue)
    }

    @Test(arguments: different) func differentValuesDiffer(_ left: String, _ right: String) throws {
        let first = try JSON(parsing: left)
        let second = try JSON(parsing: right)
        #expect(first != second)
        #expect(second != first)
        #expect(first.hashValue != second.hashValue)
    }

    @Test func largeObjectsInReverseOrderAreEqual() throws {
        let keys = (0..<20_000).map { "key-\($0)" }
        let forward = JSON.object(keys.map { ($0, JSON($0)) })
        let backward = JSON.object(keys.reversed().map { ($0, JSON($0)) })
        #expect(forward == backward)
        #expect(forward.hashValue == backward.hashValue)
        #expect(forward != JSON.object(keys.map { ($0, JSON($0 + "x")) }))
    }

    @Test func partsCompareAsWholes() throws {
        let json = try JSON(parsing: #"[{"a":[1,2]},{"a":[1,2.0]}]"#)
        #expect(json[0] == json[1])
        #expect(json[0]?.hashValue == json[1]?.hashValue)
        #expect(Set([json[0], json[1]]).count == 1)
    }

    /// The same numbers in documents of both parsers: simdjson is not asked for short ones.
    static func parsed(_ number: String) throws -> [JSON] {
        let long = try JSON(parsing: #"{"\#(String(repeating: "x", count: 300))":0,"a":\#(number)}"#)
        return [try JSON(parsing: number), try #require(long["a"])]
    }

    @Test("equal numbers of both parsers are equal, and hash alike", arguments: equal)
    func equalNumbers(_ left: String, _ right: String) throws {
        for first in try Self.parsed(left) {
            for second in try Self.parsed(right) {
                #expect(first == second && second == first)
                #expect(Set([first, second]).count == 1)
            }
        }
    }

    @Test("different numbers of both parsers differ", arguments: different)
    func differentNumbers(_ left: String, _ right: String) throws {
        for first in try Self.parsed(left) {
            for second in try Self.parsed(right) { #expect(first != second && second != first) }
        }
    }

    @Test("numbers made in code equal those that were parsed from their text")
    func madeInCode() throws {
        let doubles = [
            0.1, 0.1 + 0.2, -0.0, 1e15, 9_007_199_254_740_994, 1.2345678901234567e18, 1e19, 1e300,
            .leastNonzeroMagnitude, .pi, -2.5,
            Double.greatestFiniteMagnitude,
        ]
        for double in doubles {
            let made = JSON(double)
            for parsed in try Self.parsed(made.description) {
                #expect(made == parsed)
                #expect(Set([made, parsed]).count == 1, "\(double)")
                #expect(made.int == parsed.int)
            }
        }
        for integer in [Int.min, -1, 0, 1, 1 << 53, (1 << 53) + 1, .max] {
            for parsed in try Self.parsed("\(integer).0") {
                #expect(JSON(integer) == parsed)
                #expect(Set([JSON(integer), parsed]).count == 1)
                #expect(parsed.int == integer)
            }
        }
    }

    @Test("== is an equivalence that Decimal agrees with, and the hash agrees with it")
    func equivalence() throws {
        var random = SplitMix(seed: 13)
        var numbers: [(text: String, decimal: Decimal, json: JSON)] = []
        for _ in 0..<150 {
            // Few values, each in several spellings, and some of one nearest Double.
            let significand =
                [1, 10, 9_007_199_254_740_993, 9_007_199_254_740_992, 123_456_789_012_345_678, 12_345_678_901_234_567]
                .randomElement(using: &random) ?? 0
            let zeros = Int.random(in: 0...3, using: &random)
            let places = Int.random(in: 0...4, using: &random)
            var text = "\(significand)" + String(repeating: "0", count: zeros)
            if places > 0, places < text.utf8.count {
                text.insert(".", at: text.index(text.endIndex, offsetBy: -places))
            }
            if Bool.random(using: &random) { text += "e\(Int.random(in: -3...3, using: &random))" }
            if Bool.random(using: &random) { text = "-" + text }
            let decimal = try #require(Decimal(string: text))
            for json in try Self.parsed(text) { numbers.append((text, decimal, json)) }
        }
        var pairs = 0
        for left in numbers {
            for right in numbers {
                let areEqual = left.json == right.json
                #expect(areEqual == (left.decimal == right.decimal), "\(left.text), \(right.text)")
                if areEqual {
                    pairs += 1
                    #expect(Set([left.json, right.json]).count == 1)
                }
            }
        }
        #expect(pairs > 2 * numbers.count)
    }

    @Test(
        "int is exact by the digits that were written, or nil",
        arguments: [
            ("9007199254740993.0", 9_007_199_254_740_993), ("-9007199254740993.0", -9_007_199_254_740_993),
            ("900719925474099.30e1", 9_007_199_254_740_993), ("9223372036854775807.000", .max),
            ("-9223372036854775808.0", .min), ("9223372036854775808.0", nil),
            ("123456789012345e4", 1_234_567_890_123_450_000),
            ("0.99999999999999999999", nil), ("1.00000000000000000001", nil), ("9007199254740993.5", nil),
            ("1.0000000000000000000", 1), ("1e19", nil), ("1.2345678901234567890e300", nil), ("1e-400", 0),
            ("1234567890123456789012345678901234567890.0", nil),
        ] as [(String, Int?)])
    func integers(_ text: String, _ int: Int?) throws {
        for json in try Self.parsed(text) {
            #expect(json.int == int)
            #expect(json.uint == int.flatMap(UInt.init(exactly:)) || int == nil)
            #expect((try? json.decode(Int.self)) == int)
        }
    }
}
