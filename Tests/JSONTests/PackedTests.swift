import Testing

@testable import PatchbayJSON

/// Values of many documents, packed into one.
@Suite struct PackedTests {
    /// The text of a value, and the bytes that it takes in a document.
    private static let rows: [(text: String, bytes: Int)] = [
        ("1", 16), ("-2.5e3", 16), ("18446744073709551615", 16), ("3.14159265358979323846264338327950288", 16),
        ("true", 8), ("null", 8), (#""""#, 13), (#""\u0000\"ä😀""#, 21), ("[]", 16), ("{}", 16),
        (#"[1,"a",[null,{"b":[]}]]"#, 116),
        (#"{"a":{"b":[1,2,{"c":"\n"}]},"d":1.5}"#, 182),
        (#"{"a":1,"a":2}"#, 46),
    ]

    @Test("a packed value is equal to its own, and takes as much of the document as it says", arguments: rows)
    func equal(_ text: String, _ bytes: Int) throws {
        let value = try JSON(parsing: text)
        #expect(value.parsedBytes == bytes)
        // The second and the third are not at the start of the document.
        let packed = JSON.packed([value, value, value])
        #expect(packed.count == 3)
        for other in packed {
            #expect(other == value)
            #expect(other.description == value.description)
            #expect(other.parsedBytes == bytes)
            #expect(other.decimal == value.decimal && other.kind == value.kind && other.count == value.count)
        }
        #expect(Set(packed.map { ObjectIdentifier($0.tape) }).count == 1)
    }

    @Test("a part of a value is packed without the rest of its document")
    func part() throws {
        let document = try JSON(parsing: #"[["long text that stays behind", 2], {"a": ["b"]}]"#)
        let part = try #require(document[1])
        let packed = try #require(JSON.packed([part]).first)
        #expect(packed == part && packed["a"]?[0]?.string == "b")
        #expect(packed.tape.wordCount == part.tape.end(of: part.index) - part.index + 2)
    }

    @Test("nulls are removed from a packed value as from its own")
    func nulls() throws {
        let values = try [#"{"a":null,"b":1}"#, #"[null,{"c":null}]"#, "null"].map { try JSON(parsing: $0) }
        let packed = JSON.packed(values)
        for (packed, value) in zip(packed, values) {
            #expect(packed.removingNulls(.keysAndElements) == value.removingNulls(.keysAndElements))
        }
    }

    @Test("a large value among small ones keeps its document, and the order stays")
    func large() throws {
        let text = String(repeating: "x", count: 1_020)
        let values = try (0..<9).map { try JSON(parsing: $0 == 4 ? #""\#(text)""# : "\($0)") }
        let packed = JSON.packed(values)
        #expect(packed == values)
        #expect(packed[4].tape === values[4].tape)
        #expect(Set(packed.map { ObjectIdentifier($0.tape) }).count == 2)
        #expect(JSON.packed([]).isEmpty)
    }
}
