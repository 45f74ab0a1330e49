import PatchbayJSON
import Testing

@Suite struct DuplicateKeysTests {
    static let strict = JSON.ParseOptions(refusesDuplicateKeys: true)

    static let repeated: [(String, String)] = [
        (#"{"a":1,"a":2}"#, #"{"a":2}"#),
        (#"{"a":1,"b":0,"a":{"c":3}}"#, #"{"b":0,"a":{"c":3}}"#),
        (#"{"a":1,"\u0061":2}"#, #"{"a":2}"#),
        (#"{"a":{"b":1,"b":2},"a":{"c":1,"c":2,"c":3}}"#, #"{"a":{"c":3}}"#),
        (#"[{"a":1,"a":[{"b":1,"b":2}]},{"a":1}]"#, #"[{"a":[{"b":2}]},{"a":1}]"#),
        (#"{"":1,"":2,"a":3,"a":null}"#, #"{"":2,"a":null}"#),
        (#"{"ab":1,"abc":2,"ab":3,"abc":4}"#, #"{"ab":3,"abc":4}"#),
        (
            #"{"some-long-key-1":1,"some-long-key-2":2,"some-long-key-1":3}"#,
            #"{"some-long-key-2":2,"some-long-key-1":3}"#
        ),
        (
            #"{"long-key-a-with-tail":1,"long-key-b-with-tail":2,"long-key-a-with-tail":3}"#,
            #"{"long-key-b-with-tail":2,"long-key-a-with-tail":3}"#
        ),
        (
            #"{"a":1,"b":{"c":1,"c":2},"a":{"d":[0,{"e":1,"e":2}]},"b":3,"a":{"f":4,"d":5,"f":6}}"#,
            #"{"b":3,"a":{"d":5,"f":6}}"#
        ),
        (#"{"x":[1,-2,0.5],"x":[18446744073709551615],"y":"z"}"#, #"{"x":[18446744073709551615],"y":"z"}"#),
    ]

    @Test(arguments: repeated) func theLastWinsEverywhere(_ text: String, _ expected: String) throws {
        let json = try JSON(document: text)
        #expect(json.description == expected)
        #expect(try json == JSON(document: expected))
        #expect(try json.hashValue == JSON(document: expected).hashValue)
        #expect(try json.count == JSON(document: expected).count)
    }

    @Test func everyViewAgrees() throws {
        let json = try JSON(document: #"{"a":1,"b":2,"a":3}"#)
        #expect(json["a"] == 3)
        #expect(json.pointer("/a") == 3)
        #expect(json.object?.map(\.key) == ["b", "a"])
        #expect(try json.decode([String: Int].self) == ["a": 3, "b": 2])
        #expect(try json.decode(Pair.self) == Pair(a: 3, b: 2))
        #expect(JSON.object([("a", 1), ("b", 2), ("a", 3)]) == json)
    }

    struct Pair: Decodable, Equatable {
        var a: Int
        var b: Int
    }

    static let refused: [(String, String)] = [
        (#"{"a":1,"a":2}"#, #"line 1, column 8: the key "a" appears twice in one object"#),
        (
            "{\"a\":1,\n \"b\":{\"c\":1,\n  \"d\":2,\"c\":3}}",
            #"line 3, column 9: the key "c" appears twice in one object"#
        ),
        (#"{"q\"":"x,\"","\u0071\u0022":0}"#, #"line 1, column 15: the key "q\"" appears twice in one object"#),
        ("\u{feff}[{\"é\":-1.5,\"é\":true}]", #"line 1, column 12: the key "é" appears twice in one object"#),
    ]

    @Test(arguments: refused) func strictReadingNamesKeyAndPlace(_ text: String, _ description: String) {
        let failure = #expect(throws: JSON.ParseFailure.self) { try JSON(document: text, options: Self.strict) }
        #expect(failure?.description == description)
        #expect(failure?.reason == .duplicateKey)
    }

    @Test func aLongKeyIsCutInTheSentence() {
        let key = String(repeating: "k", count: 5000)
        let failure = #expect(throws: JSON.ParseFailure.self) {
            try JSON(document: "{\"\(key)\":1,\"\(key)\":2}", options: Self.strict)
        }
        #expect(failure?.message == "the key \"\(key.prefix(64))…\" appears twice in one object")
    }

    @Test(arguments: [
        "{}", #"{"a":{"a":{"a":1}}}"#, #"[{"a":1},{"a":1}]"#, #"{"a":"a","b":"a"}"#, #"{"a":1,"A":2,"aa":3}"#,
    ])
    func differentPlacesAreNoDuplicates(_ text: String) throws {
        #expect(try JSON(document: text, options: Self.strict).description == text)
    }

    /// Sizes on both sides of the place where the search changes from comparing to sorting.
    @Test(arguments: [2, 63, 64, 65, 66, 500]) func findsOneAmongMany(_ count: Int) throws {
        for repeatedIndex in [0, count / 2, count - 1] {
            let members = (0..<count).map { "\"key \($0)\":\($0)" } + ["\"key \(repeatedIndex)\":-1"]
            let text = "{\(members.joined(separator: ","))}"
            let json = try JSON(document: text)
            #expect(json.count == count)
            #expect(json["key \(repeatedIndex)"] == -1)
            #expect(throws: JSON.ParseFailure.self) { try JSON(document: text, options: Self.strict) }
        }
    }

    @Test func aHundredThousandOfOneKeyLeaveOne() throws {
        let text = "{" + Array(repeating: #""k":0"#, count: 100_000).joined(separator: ",") + #","k":1}"#
        #expect(try JSON(document: text).description == #"{"k":1}"#)
    }
}
