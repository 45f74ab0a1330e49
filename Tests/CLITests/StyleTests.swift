import Patchbay
import Testing

@testable import PatchbayCLI

/// Colours, tables and progress, as text.
@Suite struct StyleTests {
    /// The text with a mark for each colour: `‹34›` begins it, `‹›` ends it.
    private static func marked(_ text: String) -> String {
        text.replacing("\u{1B}[0m", with: "‹›").replacing(/\u{1B}\[(\d+)m/) { "‹\($0.1)›" }
    }

    @Test(arguments: [
        (
            #"{"a": "b", "c": [1, -2.5E+3, true, null]}"#,
            #"{‹34›"a"‹›: ‹32›"b"‹›, ‹34›"c"‹›: [‹36›1‹›, ‹36›-2.5E+3‹›, ‹35›true‹›, ‹35›null‹›]}"#
        ),
        (#""a\"b: \\""#, #"‹32›"a\"b: \\"‹›"#), (#"{"ä":"x:y"}"#, #"{‹34›"ä"‹›:‹32›"x:y"‹›}"#),
        (#""open"#, #"‹32›"open‹›"#), ("", ""),
    ])
    func `JSON`(_ text: String, _ marked: String) { #expect(Self.marked(Highlighted.json(text)) == marked) }

    @Test(arguments: [
        ("<a b=\"1\">x &lt; y</a>", "‹34›<a b=\"1\">‹›x &lt; y‹34›</a>‹›"),
        ("<?xml version=\"1.0\"?><!-- <b> --><a/>", "‹2›<?xml version=\"1.0\"?>‹›‹2›<!-- <b> -->‹›‹34›<a/>‹›"),
        ("<![CDATA[<a>]]>", "<![CDATA[<a>]]>"), ("x <", "x ‹34›<‹›"), ("<!-- open", "‹2›<!-- open‹›"), ("", ""),
    ])
    func `XML`(_ text: String, _ marked: String) { #expect(Self.marked(Highlighted.xml(text)) == marked) }

    /// Colours change no character of a document.
    @Test(arguments: [#"{"a":[1,"\u001b[0m",{"b":null}]}"#, "<a>x<b/><!-- y --></a>", "[[[", "\"\\"])
    func `without its colours the text is as it was`(_ text: String) {
        for coloured in [Highlighted.json(text), Highlighted.xml(text)] {
            #expect(coloured.replacing(/\u{1B}\[\d+m/, with: "") == text)
        }
    }

    @Test(arguments: [
        ("Authorization", "Bearer hush", "Bearer ***"), ("proxy-authorization", "hush", "***"),
        ("Cookie", "a=hush; b=hush", "a=***; b=***"), ("Set-Cookie", "a=hush; Path=/", "a=***; Path=/"),
        ("Set-Cookie", "hush", "***"), ("X-Api-Key", "hush", "***"), ("X-Auth-Token", "hush", "***"),
        ("Location", "http://u:hush@h/a?b=hush", "http://***@h/a?b=***"),
        ("WWW-Authenticate", "Basic realm=\"x\"", "Basic realm=\"x\""), ("ETag", "\"v1\"", "\"v1\""),
        ("Link", "</?page=2>; rel=\"next\"", "</?page=2>; rel=\"next\""),
        ("Link", "<http://u:hush@h/?token=hush&page=2>; rel=next", "<http://***@h/?token=***&page=2>; rel=next"),
        ("Refresh", "0; url=/x?sig=hush", "0; url=/x?sig=***"), ("Origin", "http://u:hush@h", "http://***@h"),
        ("X-Functions-Key", "hush", "***"), ("X-Sid", "hush", "***"), ("X-Goog-Iap-Jwt-Assertion", "hush", "***"),
        ("Keep-Alive", "timeout=5", "timeout=5"),
        ("Content-Disposition", "inline; filename=a.txt", "inline; filename=a.txt"),
        ("Access-Control-Allow-Credentials", "true", "true"), ("Cache-Control", "max-age=5", "max-age=5"),
        ("WWW-Authenticate", "Negotiate hush", "Negotiate ***"), ("Authorization", "hush hush", "***"),
        ("Set-Cookie", "a=hush, c=hush; d=hush; Path=/; Secure", "a=***; d=***; Path=/; Secure"),
        ("Set-Cookie", ";a=hush", "***;a=***"), ("Set-Cookie", "a=hush;hush", "a=***;***"),
    ])
    func `secrets of a head are masked`(_ name: String, _ value: String, _ shown: String) {
        #expect(Secrets.masked(value, of: name) == shown)
    }

    private static func table() -> TextTable {
        var table = TextTable("NAME", "KIND", "TEXT", droppable: ["KIND"])
        table.add("one", "a kind of ten", "some words that are wrapped where the table ends")
        table.add("two", "-", String(repeating: "x", count: 500))
        return table
    }

    @Test func `a table fits the width`() {
        for width in [20, 40, 80, 200] {
            let lines = Self.table().fitted(to: width).split(separator: "\n")
            for line in lines { #expect(line.count <= width, "\(line)") }
            #expect(lines.count >= 3)
        }
        #expect(
            Self.table().fitted(to: 40) == """
                NAME  TEXT
                one   some words that are wrapped where
                      the table ends
                two   xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
                """)
        #expect(Self.table().fitted(to: 200).contains("KIND"))
        #expect(Self.table().fitted(to: nil) == Self.table().description)
    }

    @Test(arguments: [
        (500, Int64?(1_000), false, 1_000, "received 500 B of 1.0 kB, 50 %, 500 B/s, 1 s left"),
        (112_000_000, 268_400_000, true, 3_200, "sent 112.0 MB of 268.4 MB, 41 %, 35.0 MB/s, 5 s left"),
        (1_500, nil, false, 500, "received 1.5 kB, 3.0 kB/s"), (0, 10, false, 600, "received 0 B of 10 B, 0 %, 0 B/s"),
        (10, 10, false, 1_000, "received 10 B of 10 B, 100 %, 10 B/s"),
        (1_000, 10_000_000, false, 1_000, "received 1.0 kB of 10.0 MB, 0 %, 1.0 kB/s, 2 h 46 min left"),
        (20, 10, false, 1_000, "received 20 B, 20 B/s"),
    ])
    func `progress`(_ done: Int64, _ total: Int64?, _ isUpload: Bool, _ milliseconds: Int, _ text: String) {
        let progress = TransferProgress(completedBytes: done, totalBytes: total)
        #expect(ProgressLine.text(progress, isUpload: isUpload, after: .milliseconds(milliseconds)) == text)
    }
}
                      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
