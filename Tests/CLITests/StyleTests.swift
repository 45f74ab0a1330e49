import Foundation
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
        ("Location", "http://u:hush@h/a?b=own", "http://***@h/a?b=own"), ("X-Author", "Ada", "Ada"),
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

    private static let token = "0123456789abcdef0123456789abcdef"

    /// A query of the user's own is shown.
    @Test(
        arguments: [
            ("?q=swift+actors&page=2#top", "?q=swift+actors&page=2#top"), ("?debug&&a=", "?debug&&a="), ("?", "?"),
            ("?id=550e8400-e29b-41d4-a716-446655440000&at=2026-11-30T12:00:00Z", nil),
            ("?file=annual-report-2026-final-version.pdf&author=Ada", nil), ("?q=%00%ff%", nil),
            ("?api_key=hush&a=1", "?api_key=***&a=1"), ("?a=1&api%5Fkey=hush", "?a=1&api%5Fkey=***"),
            ("?code=hush", "?code=***"), ("?password=hush;hush?hush", "?password=***"),
            ("#access_token=hush", "#access_token=***"),
            ("?a=\(token)", "?a=***"), ("?\(token)", "?***"), ("?a=x.\(token).y", "?a=***"), ("?\(token)=", "?***="),
            ("?next=/cb?token=hush", "?next=***"), ("?next=%2Fcb%3Ftoken%3Dhush", "?next=***"),
            ("?next=http://u:hush@h/", "?next=***"), ("?a=1;token=hush", "?a=***"),
            ("?accessKey=hush", "?accessKey=***"), ("?CODE=hush", "?CODE=***"),
            ("?user[pwd]=hush", "?user[pwd]=***"), ("?user%5Bpass%5D=hush", "?user%5Bpass%5D=***"),
            ("?passphrase=hush&pin=hush&code_verifier=hush", "?passphrase=***&pin=***&code_verifier=***"),
            ("?x=Bearer%20hush", "?x=***"), ("?q=password%3Dhush", "?q=***"),
            ("?payload=%7B%22password%22:%22hush%22%7D", "?payload=***"), ("?sort=key&country_code=de", nil),
        ] as [(String, String?)])
    func `secrets of a query are masked`(_ query: String, _ shown: String?) {
        #expect(Secrets.masked(url: "http://u:hush@h/a" + query) == "http://***@h/a" + (shown ?? query))
    }

    @Test(
        arguments: [
            ("application/x-www-form-urlencoded", "a=1&password=hush#a?b;c", true, "a=1&password=***"),
            ("application/x-www-form-urlencoded", "a=1&password=hu", false, "a=1&password=***"),
            ("application/json", #"{"n": 1e2}"#, true, #"{"n": 1e2}"#),
            ("application/x+json", #"[{"token": {"a": 1}}]"#, true, "[\n  {\n    \"token\": \"***\"\n  }\n]"),
            ("application/json", #"{"token": "hush"#, false, nil), ("application/json", "{\"token: hush", true, nil),
            ("text/plain", "a word", true, "a word"), ("text/plain", "api_key: hush", true, nil),
            ("application/x-www-form-urlencoded", #"{"password": "hush"}"#, true, "***"),
            ("application/x-www-form-urlencoded", #"{"q": "a=b", "password": "hush"}"#, true, #"{"q": "a=***"#),
            ("application/x-www-form-urlencoded", "name=Ada\npassword=hush", true, "name=***"),
            ("application/x-www-form-urlencoded", "a=1%0Apassword=hush", true, "a=***"),
            ("application/x-www-form-urlencoded", "<login><password>hush</password></login>", true, "***"),
            ("application/json", #"{"repo":"https://ada:hush@git/x"}"#, true, "{\n  \"repo\": \"***\"\n}"),
            ("application/json", #"["{\"password\":\"hush\"}"]"#, true, "[\n  \"***\"\n]"),
            ("text/plain", "https://ada:hush@git/x", true, nil),
        ] as [(String, String, Bool, String?)])
    func `secrets of a body are masked`(_ type: String, _ text: String, _ isWhole: Bool, _ shown: String?) {
        #expect(Secrets.masked(body: text, MediaType(parsing: type), isWhole: isWhole) == shown)
    }

    @Test(
        arguments: [
            (0, 0, []), (3, 3, [">", "> aaa"]), (3, nil, [">", "> aaa"]),
            (3, 9, [">", "> aaa", "* this is the beginning of 9 bytes"]),
        ] as [(Int, Int?, [String])])
    func `a body is shown up to its end`(_ count: Int, _ length: Int?, _ lines: [String]) {
        let body = BodyText(Data(repeating: 0x61, count: count), of: length, nil)
        #expect(body.lines(showsSecrets: false) == lines)
    }

    @Test func `a body is shown up to a screen, and only text`() {
        let long = Data(repeating: 0x61, count: 5_000)
        let lines = BodyText(long, of: 5_000, nil).lines(showsSecrets: false)
        #expect(lines == [">", "> " + String(repeating: "a", count: 1_600), "* this is the beginning of 5,000 bytes"])
        let high = BodyText(Data((1...50).map { "\($0)\r\n" }.joined().utf8), of: nil, nil).lines(showsSecrets: false)
        #expect(high.count == 22 && high[20] == "> 20" && high[21] == "* this is the beginning of bytes", "\(high)")
        let escapes = BodyText(Data("a\u{1B}[2J\r\nb\n".utf8), of: 9, nil).lines(showsSecrets: false)
        #expect(escapes == [">", #"> a\u{1B}[2J"#, "> b"])
        for bytes in [[0xFF, 0x61], [0x61, 0x00]] as [[UInt8]] {
            #expect(
                BodyText(Data(bytes), of: 2, nil).lines(showsSecrets: false) == [
                    "* its body is 2 bytes that are not text"
                ])
        }
        let secret = Data((#"{"token": "hush", "a": ""# + String(repeating: "b", count: 9_000) + "\"}").utf8)
        #expect(
            BodyText(secret, of: secret.count, .json).lines(showsSecrets: false)
                == ["* its body is 9,026 bytes with the name of a secret; --show-secrets shows them"])
        // The beginning ends inside a character.
        #expect(BodyText(Data("ü€".utf8.dropLast()), of: nil, nil).lines(showsSecrets: false) == [">", "> ü"])
    }

    @Test(arguments: [
        (200, "200 OK"), (404, "404 Not Found"), (511, "511 Network Authentication Required"), (299, "299"),
    ])
    func `a status has its registered phrase`(_ status: Int, _ text: String) { #expect(StatusText.of(status) == text) }

    @Test(arguments: [
        ("[\"ab\",\"cdef\"]", ["[\"ab\",", "\"cdef\"]"]), ("application/x-www-form", ["application/", "x-www-form"]),
        ("a b abcdefghijklmn", ["a b", "abcdefghijkl", "mn"]), ("<abcdefghijklmn", ["<", "abcdefghijkl", "mn"]),
    ]) func `a long word is broken after a mark`(_ text: String, _ lines: [String]) {
        #expect(Words.lines(text, width: 12) == lines)
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
                      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
                """)
        #expect(Self.table().fitted(to: 200).contains("KIND"))
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
