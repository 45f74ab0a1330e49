import Testing

@testable import PatchbayCLI

@Suite struct TextTableTests {
    @Test func `columns line up, long cells are cut and control characters spelled out`() {
        var table = TextTable("NAME", "VALUE")
        table.add("a", "1")
        table.add(String(repeating: "x", count: 61), "\u{1B}[1m")
        table.add("b\nc", "")
        let blanks = String(repeating: " ", count: 58)
        let long = String(repeating: "x", count: 59)
        let lines = ["NAME\(blanks)VALUE", "a   \(blanks)1", "\(long)…  \\u{1B}[1m", "b\\nc"]
        #expect(table.fitted(to: nil) == lines.joined(separator: "\n"))
    }
}
