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

    @Test(
        "a number stays a number and a Bool a Bool in a strict decoder",
        arguments: ["[0,1,true,false,1.5]", "[true,1,0]"])
    func numbersAndBools(_ text: String) throws {
        let json = try JSON(parsing: text)
        #expect(try JSONDecoder().decode(JSON.self, from: Data(text.utf8)).description == json.description)
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = format
            let list = try encoder.encode(json)
            #expect(try PropertyListDecoder().decode(JSON.self, from: list).description == json.description)
        }
    }

    @Test("what a decoder of words gives as a number and as a Bool is a number")
    func looseDecoder() throws {
        for (word, json) in [("0", 0), ("1", 1), ("-7", -7), ("1.5", 1.5), ("true", true), ("x", "x")]
            as [(String, JSON)]
        {
            #expect(try JSON(from: WordDecoder(word: word)) == json, "\(word)")
        }
    }

    /// Makes of a word whatever type can be made of it, as decoders of queries and of XML do.
    private struct WordDecoder: Decoder, SingleValueDecodingContainer {
        let word: String
        var codingPath: [any CodingKey] { [] }
        var userInfo: [CodingUserInfoKey: Any] { [:] }

        func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
            throw mismatch(type)
        }
        func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw mismatch([Any].self) }
        func singleValueContainer() -> any SingleValueDecodingContainer { self }
        func decodeNil() -> Bool { false }
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            let made: Any? =
                switch type {
                case is Bool.Type: ["1": true, "0": false][word] ?? Bool(word)
                case let type as any LosslessStringConvertible.Type: type.init(word)
                default: nil
                }
            guard let value = made as? Value else { throw mismatch(type) }
            return value
        }
        private func mismatch(_ type: Any.Type) -> DecodingError {
            .typeMismatch(type, DecodingError.Context(codingPath: [], debugDescription: "It is a word."))
        }
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
