import Testing

@testable import PatchbayCLI

@Suite struct TextTableTests {
    @Test func `columns line up, long cells are cut and control characters spelled out`() {
        var table = TextTable("NAME", "VALUE", widest: 9)
        table.add("a", "1")
        table.add("longer name", "\u{1B}[1m")
        table.add("b\nc", "")
        let lines = ["NAME       VALUE", "a          1", "longer n…  \\u{1B}[1m", "b\\nc"]
        #expect(table.description == lines.joined(separator: "\n"))
    }
}
