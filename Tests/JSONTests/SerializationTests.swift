import PatchbayJSON
import TestSupport
import Testing

@Suite struct SerializationTests {
    static let texts = [
        "null", "true", "false", "0", "-1", "1.5", "[]", "{}", "[1,2,[3,[]],{}]", #"{"a":{"b":[]},"c":null}"#,
        #""plain""#, #""quote \" backslash \\ slash /""#, #""\b\f\n\r\t""#, #""\u0000\u0001\u001f""#, "\"\u{7f}\"",
        "\"é€😀\u{2028}\"", #"{"\"":1,"\n":2}"#, "5e-324", "1.7976931348623157e+308",
    ]

    @Test(arguments: texts) func compactTextIsStable(_ text: String) throws {
        #expect(try JSON(parsing: text).description == text)
    }

    @Test func prettyText() throws {
        let json = try JSON(parsing: #"{"b":[1,{"c":null}],"a":{},"d":[[]]}"#)
        #expect(
            json.serialized(pretty: true) == """
                {
                  "b": [
                    1,
                    {
                      "c": null
                    }
                  ],
                  "a": {},
                  "d": [
                    []
                  ]
                }
                """)
    }

    @Test func sortedKeysAreInByteOrder() throws {
        let json = try JSON(parsing: #"{"b":1,"é":2,"a":{"z":1,"B":2},"aa":3,"":4,"abcdefghi":5,"abcdefgh":6}"#)
        #expect(
            json.serialized(sortedKeys: true)
                == #"{"":4,"a":{"B":2,"z":1},"aa":3,"abcdefgh":6,"abcdefghi":5,"b":1,"é":2}"#)
    }

    @Test func aPartPrintsAlone() throws {
        let json = try JSON(parsing: #"[0,{"a":[1]},2]"#)
        #expect(json[1]?.description == #"{"a":[1]}"#)
        #expect(json[1]?["a"]?[0]?.description == "1")
    }

    @Test func doublesReadBackAsTheSame() throws {
        var random = SplitMix(seed: 7)
        for _ in 0..<20_000 {
            let value = Double(bitPattern: random.next())
            guard value.isFinite else { continue }
            #expect(try JSON(parsing: JSON(value).description).double?.bitPattern == value.bitPattern)
        }
    }
}
