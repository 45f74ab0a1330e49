import PatchbayJSON
import Testing

@Suite struct MergingTests {
    /// RFC 7396, appendix A, and a few of our own.
    static let patches: [(String, String, String)] = [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
        (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
        (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
        (#"{"a":"foo"}"#, "null", "null"),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
        (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
        ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
        (
            #"{"a":1,"b":{"c":2,"d":[3]},"e":4}"#, #"{"b":{"c":{"x":1},"f":[null]},"g":{"h":null,"i":0},"a":null}"#,
            #"{"b":{"c":{"x":1},"d":[3],"f":[null]},"e":4,"g":{"i":0}}"#
        ),
        (#"{"a":{"b":1}}"#, "{}", #"{"a":{"b":1}}"#),
        (#"{"a":[1]}"#, #"{"a":{"b":null}}"#, #"{"a":{}}"#),
    ]

    @Test(arguments: patches) func mergePatches(_ target: String, _ patch: String, _ result: String) throws {
        let merged = try JSON(parsing: target).mergePatched(by: JSON(parsing: patch))
        #expect(merged.description == result)
    }

    @Test func patchesPartsOfDocuments() throws {
        let target = try #require(try JSON(parsing: #"[0,{"a":{"b":1}}]"#)[1])
        let patch = try #require(try JSON(parsing: #"{"p":{"a":{"c":2}}}"#)["p"])
        #expect(target.mergePatched(by: patch).description == #"{"a":{"b":1,"c":2}}"#)
    }

    @Test func patchesManyKeys() {
        let target = JSON.object((0..<5000).map { ("k\($0)", JSON($0)) })
        let patch = JSON.object((2500..<7500).reversed().map { ("k\($0)", $0 % 2 == 0 ? .null : "new") })
        let merged = target.mergePatched(by: patch)
        #expect(merged.count == 5000)
        #expect(merged["k2499"] == 2499)
        #expect(merged["k2500"] == nil)
        #expect(merged["k7499"] == "new")
    }

    static let removals: [(String, String, String)] = [
        ("null", "null", "null"),
        ("1", "1", "1"),
        ("[null]", "[null]", "[]"),
        (#"{"a":null}"#, "{}", "{}"),
        (#"{"a":null,"b":1,"c":null}"#, #"{"b":1}"#, #"{"b":1}"#),
        (#"[null,1,[null,{"a":null,"b":[null]}],null]"#, #"[null,1,[null,{"b":[null]}],null]"#, #"[1,[{"b":[]}]]"#),
        (
            #"{"a":{"b":{"c":null,"d":"null"}},"e":[{"f":null}]}"#, #"{"a":{"b":{"d":"null"}},"e":[{}]}"#,
            #"{"a":{"b":{"d":"null"}},"e":[{}]}"#
        ),
        (
            #"[[],[null],[1,null,2.5,null,18446744073709551615],{"a":{"b":null}},"x"]"#,
            #"[[],[null],[1,null,2.5,null,18446744073709551615],{"a":{}},"x"]"#,
            #"[[],[],[1,2.5,18446744073709551615],{"a":{}},"x"]"#
        ),
        (
            #"{"a":[],"b":{},"c":false,"d":0,"e":""}"#, #"{"a":[],"b":{},"c":false,"d":0,"e":""}"#,
            #"{"a":[],"b":{},"c":false,"d":0,"e":""}"#
        ),
    ]

    @Test(arguments: removals) func removesNulls(_ text: String, _ keys: String, _ keysAndElements: String) throws {
        let json = try JSON(parsing: text)
        #expect(json.removingNulls(.keys).description == keys)
        #expect(try json.removingNulls(.keysAndElements) == JSON(parsing: keysAndElements))
        #expect(json.removingNulls(.keysAndElements).description == keysAndElements)
    }

    @Test func removesNullsFromAPart() throws {
        let json = try #require(try JSON(parsing: #"[null,{"a":null,"b":[null,"x"]},null]"#)[1])
        let cleaned = json.removingNulls(.keysAndElements)
        #expect(cleaned.description == #"{"b":["x"]}"#)
        #expect(cleaned["b"]?.count == 1)
    }
}
