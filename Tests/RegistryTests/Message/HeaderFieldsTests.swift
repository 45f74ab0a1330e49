import PatchbayRegistry
import Testing

@Suite struct HeaderFieldsTests {
    @Test("1.7.5: one name whatever its case, in the order of insertion, the last spelling wins")
    func setting() {
        var fields: HeaderFields = ["B": "1", "a": "2"]
        fields["b"] = "3"
        fields["C"] = "4"
        #expect(fields.map(\.name) == ["b", "a", "C"])
        #expect(fields["B"] == "3")
        fields.append("5", for: "A")
        #expect(fields.values(for: "a") == ["2", "5"])
        fields["A"] = "6"
        #expect(fields.map(\.name) == ["b", "A", "C"])
        #expect(fields.map(\.value) == ["3", "6", "4"])
        fields["a"] = nil
        #expect(fields.map(\.name) == ["b", "C"])
    }

    /// Fields, those that replace them, and what comes of it.
    static let replacements: [(HeaderFields, HeaderFields, HeaderFields)] = [
        ([:], ["a": "1"], ["a": "1"]),
        (["a": "1"], [:], ["a": "1"]),
        (["a": "1", "b": "2", "A": "3"], ["A": "4"], ["b": "2", "A": "4"]),
        (["a": "1", "b": "2"], ["c": "3", "B": "4", "b": "5"], ["a": "1", "c": "3", "B": "4", "b": "5"]),
        (["a": "1"], ["aa": "2"], ["a": "1", "aa": "2"]),
    ]

    @Test("1.7.5: other fields replace those of their names, and stand behind the rest", arguments: replacements)
    func replacing(_ fields: HeaderFields, _ others: HeaderFields, _ result: HeaderFields) {
        var fields = fields
        fields.replace(with: others)
        #expect(fields == result)
    }

    @Test(
        "1.7.5: names are one where they differ in ASCII case alone",
        arguments: [
            ("Content-Type", "content-type", true), ("ETag", "etag", true), ("a", "b", false), ("ab", "a", false),
            ("X@", "X`", false), ("X[", "X{", false), ("\u{C4}", "\u{E4}", false), ("\u{C4}", "A\u{308}", false),
            ("K", "\u{212A}", false), ("a-long-name-of-a-field", "A-Long-Name-Of-A-Field", true),
            ("a-long-name-of-a-field", "a-long-name-of-a-fielf", false),
        ])
    func names(_ left: String, _ right: String, _ areOne: Bool) {
        let fields = HeaderFields([(left, "1")])
        #expect((fields[right] != nil) == areOne)
    }

    @Test(
        "The members of a list, without blanks around them",
        arguments: [
            ([], []), (["a"], ["a"]), ([""], [""]), ([" a b\t"], ["a b"]), (["a,b"], ["a", "b"]),
            (["a ,\tb, ,"], ["a", "b", "", ""]), (["a, b", "c"], ["a", "b", "c"]),
        ])
    func members(_ values: [String], _ members: [String]) {
        let fields = HeaderFields(values.map { ("List", $0) } + [("Other", "d")])
        #expect(fields.members(of: "list") == members)
    }

    @Test("equal are the same names as spelt, the same values, and the same order")
    func equality() {
        let fields: HeaderFields = ["a": "1", "b": "2"]
        #expect(fields == HeaderFields([("a", "1"), ("b", "2")]))
        #expect(Set([fields, ["a": "1", "b": "2"], ["a": "1"]]).count == 2)
        for other in [["b": "2", "a": "1"], ["A": "1", "b": "2"], ["a": "1", "b": "3"], ["a": "1"], [:]]
            as [HeaderFields]
        {
            #expect(fields != other, "\(other)")
        }
    }
}
