import PatchbayRegistry
import Testing

@Suite struct SpellingTests {
    @Test(
        arguments: [
            ("noMach", "noMatch"), ("nomatch", "noMatch"), ("plugin", "plugins"),
            ("acceptableStatsu", "acceptableStatus"),
            ("hsots", "hosts"), ("stoh", nil), ("x", nil), ("", nil), ("noMatch", "noMatch"), ("policies", nil),
            ("polcy", "policy"),
        ] as [(String, String?)])
    func nearest(_ word: String, _ expected: String?) {
        let words = ["noMatch", "plugins", "policy", "hosts", "acceptableStatus", "use"]
        #expect(Spelling.nearest(to: word, in: words) == expected)
    }

    @Test func firstOfEqualsWins() {
        #expect(Spelling.nearest(to: "cat", in: ["bat", "hat"]) == "bat")
    }

    @Test func longWords() {
        let long = String(repeating: "a", count: 100_000)
        #expect(Spelling.nearest(to: long, in: ["plugins", long]) == long)
    }
}
