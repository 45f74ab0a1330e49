import Testing

@testable import PatchbayCLI

@Suite struct TerminalTextTests {
    @Test(arguments: [
        ("plain", "Grüße, 世界\n\tend", "Grüße, 世界\n\tend"),
        ("escape sequence", "\u{1B}[31mred", #"\u{1B}[31mred"#),
        ("carriage return", "safe\revil\r\n", #"safe\u{D}evil"# + "\n"),
        ("line ends", "a\r\nb\nc\r\n\r\n\r\r\n", "a\nb\nc\n\n" + #"\u{D}"# + "\n"),
        ("accent on a line end", "a\r\n\u{301}\r\u{301}", "a\n\u{301}" + #"\u{D}"# + "\u{301}"),
        ("bell, backspace, delete, NUL", "\u{7}\u{8}\u{7F}\u{0}", #"\u{7}\u{8}\u{7F}\u{0}"#),
        ("one-byte CSI", "\u{9B}2J", #"\u{9B}2J"#),
        ("bidi override and isolate", "a\u{202E}b\u{2066}c", #"a\u{202E}b\u{2066}c"#),
        ("zero width and BOM", "a\u{200B}\u{FEFF}", #"a\u{200B}\u{FEFF}"#),
        ("a tag and a filler", "a\u{E0041}\u{3164}\u{34F}", #"a\u{E0041}\u{3164}\u{34F}"#),
        (
            "joined emoji, one with a variation, and a sign with a glyph",
            "\u{1F468}\u{200D}\u{1F469}\u{2764}\u{FE0F}\u{6DD}",
            "\u{1F468}\u{200D}\u{1F469}\u{2764}\u{FE0F}\u{6DD}"
        ),
    ])
    func `what commands a terminal is spelled out`(_ name: String, _ text: String, _ escaped: String) {
        #expect(TerminalText.escaped(text) == escaped)
    }

    @Test func `one line stays one line`() {
        #expect(TerminalText.line("a\nb\tc\r") == #"a\nb\tc\u{D}"#)
        #expect(TerminalText.line("a\r\nb") == #"a\nb"#)
    }
}
