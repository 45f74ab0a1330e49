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

    @Test("1.7.5: sorted by name, values of one name in their order")
    func sorting() {
        let fields: HeaderFields = ["b": "2", "C": "1", "B": "1", "a": "9"]
        #expect(fields.sortedByName().map(\.name) == ["a", "b", "B", "C"])
        #expect(fields.sortedByName().values(for: "b") == ["2", "1"])
    }
}
