import Foundation
import PatchbayJSON
import Testing

/// `JSON` inside the coders of others.
@Suite struct ForeignCoderTests {
    static let texts = [
        "null", "true", "false", "0", "-7", "18446744073709551615", "-9223372036854775808", "1.5", "\"x\"", "[]", "{}",
        #"{"a":[1,null,{"b":"c"},[true,2.5]],"d":{"e":{}}}"#,
    ]

    @Test(arguments: texts) func passesThroughFoundation(_ text: String) throws {
        let json = try JSON(parsing: text)
        #expect(try JSONDecoder().decode(JSON.self, from: Data(text.utf8)) == json)
        #expect(try JSON(parsing: JSONEncoder().encode(json)) == json)
    }

    @Test func passesThroughAPropertyList() throws {
        let json: JSON = ["a": [1, "x", true, 2.5], "b": ["c": -1]]
        let data = try PropertyListEncoder().encode(json)
        #expect(try PropertyListDecoder().decode(JSON.self, from: data) == json)
    }

    struct Wrapper: Codable, Equatable {
        var extra: JSON
        var maybe: JSON?
        var rest: [String: JSON]
    }

    @Test func isAPartOfOurOwnDocuments() throws {
        let json = try JSON(parsing: #"{"extra":{"a":[1]},"maybe":null,"rest":{"x":null,"y":[2]}}"#)
        let wrapper = try json.decode(Wrapper.self)
        #expect(wrapper == Wrapper(extra: ["a": [1]], maybe: nil, rest: ["x": nil, "y": [2]]))
        #expect(try JSON(encoding: wrapper) == ["extra": ["a": [1]], "rest": ["x": nil, "y": [2]]])
    }
}
