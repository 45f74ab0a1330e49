import PatchbayMigration
import PatchbayRegistry
import Testing

@Suite struct SortedFieldsTests {
    @Test("1.7.5: sorted by name, values of one name in their order")
    func sorting() {
        let fields: HeaderFields = ["b": "2", "C": "1", "B": "1", "a": "9"]
        #expect(fields.sortedByName().map(\.name) == ["a", "b", "B", "C"])
        #expect(fields.sortedByName().values(for: "b") == ["2", "1"])
    }
}
