import Foundation
import PatchbayJSON
import Testing

@Suite struct ValueTests {
    static let samples: [(JSON.Kind, JSON)] = [
        (.null, nil), (.bool, true), (.number, 1), (.number, 1.5), (.string, "a"), (.array, [1]), (.object, ["a": 1]),
    ]

    @Test(arguments: samples) func accessorsAnswerTheirKindOnly(_ kind: JSON.Kind, _ value: JSON) {
        #expect(value.kind == kind)
        #expect(value.isNull == (kind == .null))
        #expect((value.bool != nil) == (kind == .bool))
        #expect((value.double != nil) == (kind == .number))
        #expect((value.string != nil) == (kind == .string))
        #expect((value.array != nil) == (kind == .array))
        #expect((value.object != nil) == (kind == .object))
        #expect(value.count == (kind == .array || kind == .object ? 1 : 0))
        #expect((value[0] != nil) == (kind == .array))
        #expect((value["a"] != nil) == (kind == .object))
        #expect(kind == .number || (value.int == nil && value.uint == nil))
    }

    @Test func subscriptsFindEveryPart() throws {
        let json = try JSON(parsing: #"{"a":[10,[20],{"b":30}],"":{"c":null},"d":"x"}"#)
        #expect(json["a"]?[0]?.int == 10)
        #expect(json["a"]?[1]?[0] == 20)
        #expect(json["a"]?[2]?["b"] == 30)
        #expect(json["a"]?[3] == nil)
        #expect(json["a"]?[-1] == nil)
        #expect(json["a"]?[Int.max] == nil)
        #expect(json[""]?["c"]?.isNull == true)
        #expect(json["d"]?.string == "x")
        #expect(json["e"] == nil)
        #expect(json["aa"] == nil)
    }

    @Test func keysAreComparedByBytes() throws {
        let json = try JSON(parsing: "{\"\u{e9}\":1,\"e\u{301}\":2}")
        #expect(json.count == 2)
        #expect(json["\u{e9}"] == 1)
        #expect(json["e\u{301}"] == 2)
        #expect(JSON("\u{e9}") != JSON("e\u{301}"))
    }

    @Test func objectsIterateInDocumentOrder() throws {
        let object = try #require(try JSON(parsing: #"{"z":1,"a":[2,{"b":3}],"m":{"k":4}}"#).object)
        #expect(object.map(\.key) == ["z", "a", "m"])
        #expect(object.map(\.value) == [1, [2, ["b": 3]], ["k": 4]])
        #expect(object.count == 3)
        #expect(object[1].value[1]?["b"] == 3)
        #expect(object.first?.key == "z")
        #expect(object.isEmpty == false)
        #expect(try JSON(parsing: "{}").object?.isEmpty == true)
    }

    @Test func partsOutliveTheDocument() throws {
        func part() throws -> JSON? { try JSON(parsing: Data(#"{"a":{"b":["deep"]}}"#.utf8))["a"] }
        #expect(try part()?["b"]?[0]?.string == "deep")
    }

    @Test func literalsAndInitialisersAgree() throws {
        let literal: JSON = ["n": nil, "b": true, "i": -1, "d": 0.5, "s": "x", "a": [1, [2]], "o": ["k": []]]
        let built = JSON.object([
            ("n", .null), ("b", JSON(true)), ("i", JSON(-1)), ("d", JSON(0.5)), ("s", JSON("x")),
            ("a", .array([JSON(1), .array([JSON(UInt8(2))])])), ("o", .object([("k", .array([]))])),
        ])
        let text = #"{"n":null,"b":true,"i":-1,"d":0.5,"s":"x","a":[1,[2]],"o":{"k":[]}}"#
        #expect(literal == built)
        #expect(literal.description == text)
        #expect(try JSON(parsing: text) == literal)
    }

    @Test func builtNumbersKeepWhatJSONCanHold() {
        #expect(JSON(UInt64.max).description == "18446744073709551615")
        #expect(JSON(Int64.min).description == "-9223372036854775808")
        #expect(JSON(Int128(1) << 64).description == "1.8446744073709552e+19")
        #expect(JSON(Double.infinity) == .null)
        #expect(JSON(Double.nan) == .null)
        #expect(JSON(-0.0).description == "-0.0")
    }

    @Test func partsOfDocumentsBuildNewOnes() throws {
        let source = try JSON(parsing: #"{"a":[1,{"b":"text"}],"c":-2.5}"#)
        let part = try #require(source["a"])
        let built = JSON.array([part, try #require(source["c"]), JSON.object([("again", part)])])
        #expect(built.description == #"[[1,{"b":"text"}],-2.5,{"again":[1,{"b":"text"}]}]"#)
        #expect(built[2]?["again"]?[1]?["b"] == "text")
    }

    @Test("values made of Swift values")
    func made() throws {
        #expect(JSON([1, "a", nil]).description == #"[1,"a",null]"#)
        #expect(JSON(["a", "b"].map { JSON($0) }).description == #"["a","b"]"#)
        #expect(JSON([]).description == "[]")
        #expect(JSON([("b", 1), ("a", 2), ("b", 3)]).description == #"{"a":2,"b":3}"#)
        #expect(JSON("abc".prefix(2)) == "ab")
        let number = 7
        #expect("a\(number)" as JSON == JSON(String("a7")))
    }

    @Test("the members of an object make the object again")
    func members() throws {
        let json = try JSON(parsing: #"{"z":1,"a":[2,{"b":3}],"m":null}"#)
        #expect(JSON(try #require(json.object)).description == json.description)
        let known = try #require(json.object).filter { !$0.value.isNull }
        #expect(JSON(known).description == #"{"z":1,"a":[2,{"b":3}]}"#)
    }
}
