import PatchbayJSON
import Testing

@Suite struct EqualityTests {
    static let equal: [(String, String)] = [
        ("1", "1.0"), ("1", "1e0"), ("0", "-0"), ("0", "-0.0"), ("100", "1e2"),
        ("18446744073709551615", "18446744073709551615"), ("1.50", "1.5"),
        (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#),
        (#"{"a":{"x":1,"y":[1,2]},"b":2}"#, #"{"b":2.0,"a":{"y":[1,2],"x":1}}"#),
        (#"{"a":1,"b":2,"c":3}"#, #"{"a":1,"c":3,"b":2}"#),
        (#""\u0041""#, #""A""#), ("[ ]", "[]"), (#"{"a":1,"a":2}"#, #"{"a":2}"#),
    ]

    static let different: [(String, String)] = [
        ("1", "2"), ("1", "\"1\""), ("1", "true"), ("0", "false"), ("0", "null"), ("[]", "{}"), ("null", "false"),
        ("9007199254740993", "9007199254740992.0"), ("18446744073709551615", "18446744073709551616"),
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
}
