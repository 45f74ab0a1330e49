import PatchbayJSON
import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// `application/x-www-form-urlencoded`, by the rules of WHATWG URL.
@Suite struct FormTests {
    private func read(_ bytes: [UInt8], _ serializer: FormSerializer = FormSerializer()) throws
        -> FormFields
    {
        try serializer.serialize(ResponseBody(bytes), Sample.head("application/x-www-form-urlencoded"))
    }

    @Test(
        arguments: [
            ("a=1&b=2", ["a": "1", "b": "2"]),
            ("a", ["a": ""]),
            ("a=", ["a": ""]),
            ("=", ["": ""]),
            ("=a", ["": "a"]),
            ("a=b=c", ["a": "b=c"]),
            ("&&a=1&&", ["a": "1"]),
            ("a+b=c+d", ["a b": "c d"]),
            ("a%20b=%C3%A9", ["a b": "é"]),
            ("a=%2b%26%3D", ["a": "+&="]),
            ("a=%", ["a": "%"]),
            ("a=%4", ["a": "%4"]),
            ("a=%zz%41", ["a": "%zzA"]),
            ("a=%FF", ["a": "\u{FFFD}"]),
            ("a=\u{FEFF}b", ["a": "\u{FEFF}b"]),
            ("a[b][c]=1", ["a[b][c]": "1"]),
            ("a=1\n", ["a": "1\n"]),
            ("", [:]),
        ] as [(String, FormFields)])
    func fields(_ body: String, _ expected: FormFields) throws {
        #expect(try read(Array(body.utf8)) == expected)
    }

    @Test("Order and repetition are kept")
    func order() throws {
        let fields = try read(Array("b=1&a=2&b=3".utf8))
        #expect(fields.map(\.name) == ["b", "a", "b"])
        #expect(fields["b"] == "1")
        #expect(fields.values(for: "b") == ["1", "3"])
        #expect(fields["c"] == nil)
    }

    @Test(arguments: [(9_999, true), (10_000, true), (10_001, false), (1_000_000, false)])
    func limit(_ count: Int, _ accepted: Bool) throws {
        let body = Array(repeating: Array("a=1".utf8), count: count).joined(separator: [UInt8(ascii: "&")])
        if accepted {
            #expect(try read(Array(body)).count == count)
        } else {
            #expect(throws: FormatFailure.self) { try read(Array(body)) }
        }
    }

    @Test func sentence() {
        let sentence = Sample.sentence { _ = try read(Array("a&b&c".utf8), FormSerializer(maximumFields: 2)) }
        #expect(sentence == "the form was refused: it has more than 2 fields")
    }

    @Test("equal are the same names, the same values, and the same order")
    func equality() {
        let fields: FormFields = ["a": "1", "b": "2"]
        #expect(fields == FormFields([("a", "1"), ("b", "2")]))
        #expect(Set([fields, ["a": "1", "b": "2"], ["a": "1"]]).count == 2)
        for other in [["b": "2", "a": "1"], ["A": "1", "b": "2"], ["a": "1", "b": "3"], [:]] as [FormFields] {
            #expect(fields != other, "\(other)")
        }
    }
}
