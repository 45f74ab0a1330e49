import Foundation
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayManager

@Suite struct SuggestedFileNameTests {
    @Test(
        "1.10.2: the name that a response suggests becomes one safe component",
        arguments: [
            (#"attachment; filename="report.pdf""#, "report.pdf"),
            ("attachment; filename=report.pdf", "report.pdf"),
            ("attachment; FileName = plain.txt ; x=y", "plain.txt"),
            (#"attachment; filename="a.txt"; filename*=UTF-8''%e2%82%ac.txt"#, "\u{20AC}.txt"),
            (#"attachment; filename*=UTF-8''%e2%82%ac.txt; filename="a.txt""#, "\u{20AC}.txt"),
            (#"attachment; filename*=ISO-8859-1''%e9.txt; filename="a.txt""#, "a.txt"),
            (#"attachment; filename*=UTF-8''%ff.txt"#, "url.bin"),
            (#"attachment; filename*=UTF-8''%2.txt"#, "url.bin"),
            (#"attachment; filename="../../etc/passwd""#, "passwd"),
            ("attachment; filename=/etc/passwd", "passwd"),
            (#"attachment; filename="C:\windows\system.ini""#, "system.ini"),
            (#"attachment; filename*=UTF-8''..%2F..%2Fx"#, "x"),
            (#"attachment; filename="..""#, "url.bin"),
            (#"attachment; filename=".""#, "url.bin"),
            (#"attachment; filename="""#, "url.bin"),
            (#"attachment; filename=".bashrc""#, "bashrc"),
            (#"attachment; filename="a\"b.txt""#, "a_b.txt"),
            ("attachment; filename=\"a\u{0}b\u{7}.txt\"", "a_b_.txt"),
            ("attachment; filename=\"gpj\u{202E}exe.txt\"", "gpj_exe.txt"),
            (#"attachment; filename="CON""#, "_CON"),
            (#"attachment; filename="com1.txt""#, "_com1.txt"),
            (#"attachment; filename="a:b|c?.txt. ""#, "a_b_c_.txt"),
            ("attachment; filename=\"sub/\u{301}x\"", "x"),
            (#"attachment; filename*=UTF-8''sub%2F%CC%81x"#, "x"),
            (#"attachment; filename*=UTF-8''sub%5C%CC%81%EF%B8%8Fx"#, "x"),
            (#"attachment; filename*=UTF-8''..%EF%B8%8F.bashrc"#, "bashrc"),
            (#"attachment; filename*=UTF-8''x.%CC%81.%20%CC%81"#, "x"),
            ("attachment; filename=" + String(repeating: "\u{301}", count: 150), "url.bin"),
            ("attachment; filename=\"a.txt\"\u{301}; x=y", "a.txt"),
            ("attachment; filename=\u{301}a.txt;\u{301}x=y", "a.txt"),
            ("attachment; filename=a\u{FF0F}b\u{2044}c\u{2215}d\u{FF3C}e", "a_b_c_d_e"),
            ("attachment; filename=a\u{200D}\u{2066}\u{E000}\u{E0061}\u{3164}\u{FFFF}b", "a______b"),
            ("attachment; filename=COM\u{B9}.txt", "_COM\u{B9}.txt"),
            ("attachment; filename=\"nul .txt\"", "_nul .txt"),
            ("attachment; filename=CONIN$", "_CONIN$"),
            (#"attachment; filename*=UTF-8''..%C0%AF..%C0%AFx; filename=a"#, "a"),
            (#"attachment; filename*=UTF-8''%ED%A0%80; filename=a"#, "a"),
            ("attachment", "url.bin"),
            ("", "url.bin"),
            (";;;filename", "url.bin"),
        ])
    func disposition(_ field: String, _ expected: String) throws {
        #expect(try name(field, "http://h.test/files/url.bin?x=1") == expected)
    }

    @Test(
        "without a field the name is the last part of the URL's path",
        arguments: [
            ("http://h.test/a/b.csv", "b.csv"), ("http://h.test/a/b%20c.csv", "b c.csv"),
            ("http://h.test/", "download"),
            ("http://h.test/a%2F..%2F..%2Fb", "b"), ("http://h.test/a/..%5Cb", "b"),
            ("http://h.test/%2e%2e", "download"),
        ])
    func url(_ url: String, _ expected: String) throws {
        #expect(try name(nil, url) == expected)
    }

    @Test("a long name is cut and keeps its extension")
    func long() throws {
        let name = try name(
            "attachment; filename=\"" + String(repeating: "\u{20AC}", count: 300) + ".pdf\"", "http://h.test/")
        #expect(name.utf8.count <= 200)
        #expect(name.hasSuffix("\u{20AC}.pdf"))
    }

    @Test(
        "a name that is cut ends with neither a blank, a dot nor a piece of a scalar",
        arguments: [
            (String(repeating: "a", count: 199) + " " + String(repeating: "b", count: 50), 199),
            (String(repeating: "a", count: 198) + ".\u{3000}" + String(repeating: "b", count: 50), 198),
            (String(repeating: "a", count: 198) + String(repeating: "\u{1F600}", count: 50), 198),
            ("a" + String(repeating: "\u{301}", count: 150), 199),
            (String(repeating: "a", count: 300) + ".\u{301}" + String(repeating: "b", count: 20), 200),
        ])
    func cut(_ suggestion: String, _ bytes: Int) throws {
        let name = try name("attachment; filename=\"\(suggestion)\"", "http://h.test/")
        #expect(name.utf8.count == bytes)
        #expect(Unsafety(of: name) == nil)
    }

    @Test("whatever the bytes of a suggestion, the name is one safe component, and a file of its folder")
    func anySuggestion() throws {
        let folder = try #require(URL(string: "file:///folder/"))
        var generator = SplitMix(seed: 1)
        for _ in 0..<4_000 {
            let suggestion = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
                let piece = Self.pieces.randomElement(using: &generator) ?? ""
                let isLong = Int.random(in: 0..<8, using: &generator) == 0
                return String(repeating: piece, count: isLong ? Int.random(in: 1...300, using: &generator) : 1)
            }.joined()
            let escaped = suggestion.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            let isPath = Bool.random(using: &generator)
            let fields = [
                "attachment; filename=\"\(suggestion)\"", "attachment; filename=\(suggestion)",
                "attachment; filename*=UTF-8''\(escaped)", nil,
            ]
            for field in fields {
                let head = try head(field, "http://h.test/" + (isPath || field == nil ? escaped : ""))
                let name = SuggestedFileName(head).name
                if let flaw = Unsafety(of: name) {
                    Issue.record("\(flaw): \(Array(name.unicodeScalars)) of \(Array(suggestion.unicodeScalars))")
                }
                let file = try DownloadDestination.folder(folder).resolve(head).file
                #expect(Array(file.lastPathComponent.utf8) == Array(name.utf8))
                #expect(file.deletingLastPathComponent() == folder)
            }
        }
    }

    /// What names are put together from: what separates, hides, ends, joins, turns, or is more bytes than it looks.
    private static let pieces = [
        "a", "name", "B.", ".", "..", " ", "\u{A0}", "\u{3000}", "\u{2003}", "/", "\\", "/..", "\u{301}", "\u{FE0F}",
        "\u{FE0E}", "\u{200D}", "\u{34F}", "\u{20DD}", "\u{903}", "\u{1F3FB}", "\u{E0100}", "\u{202E}", "\u{2066}",
        "\u{200F}", "\u{FEFF}", "\u{AD}", "\u{E000}", "\u{10FFFD}", "\u{FFFE}", "\u{10FFFF}", "\u{378}", "\u{0}", "\n",
        "\r\n", "\r", "\t", "\u{7F}", "\u{85}", "\u{2028}", "\u{FF0F}", "\u{FF3C}", "\u{2044}", "\u{2215}", "\u{FF0E}",
        "\u{2024}", "\u{1F600}", "\u{1F468}\u{200D}\u{1F469}", "\u{1F1E6}", "\u{1100}", "\u{1161}", "\u{3164}",
        "\u{E0061}",
        "e\u{301}", "\u{20AC}", "\u{DF}", "\u{130}", ".tar.gz", ".extension", ".a-long-extension-of-a-name", "CON",
        "nul",
        "Aux", "PRN", "COM1", "com0", "LPT\u{B2}", "COM\u{B3}", "CONOUT$", "CLOCK$", ":", "*", "?", "\"", "<", "|", ";",
        "'",
        "%2F", "%00", "%", "#", "~", "-", "_", "filename=x", "\u{FFFD}", "\u{600}", "\u{D4E}",
    ]

    private func name(_ disposition: String?, _ url: String) throws -> String {
        SuggestedFileName(try head(disposition, url)).name
    }

    private func head(_ disposition: String?, _ url: String) throws -> ResponseHead {
        let url = try #require(URL(string: url))
        let fields = disposition.map { HeaderFields([("Content-Disposition", $0)]) } ?? [:]
        return ResponseHead(status: 200, fields: fields, url: url, request: RequestHead(url: url))
    }
}

/// Why a name is not safe, read from its bytes and scalars.
private enum Unsafety {
    case bytes, separator, hidden, joined, blank, dot, control, invisible, reserved

    init?(of name: String) {
        let (bytes, scalars) = (Array(name.utf8), name.unicodeScalars)
        guard (1...200).contains(bytes.count), String(validating: bytes, as: UTF8.self) != nil,
            let first = scalars.first,
            let last = name.last?.unicodeScalars.first
        else {
            self = .bytes
            return
        }
        let stem = name.uppercased().split(separator: ".")[0].trimmingCharacters(in: .whitespaces)
        let ports = ["COM", "LPT"].flatMap { port in "0123456789\u{B9}\u{B2}\u{B3}".map { port + String($0) } }
        if bytes.contains(0x2F) || bytes.contains(0x5C) {
            self = .separator
        } else if bytes[0] == 0x2E {
            self = .hidden
        } else if ("/" + name).first != "/" {
            self = .joined
        } else if first.properties.isWhitespace || last.properties.isWhitespace {
            self = .blank
        } else if last == "." {
            self = .dot
        } else if bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            self = .control
        } else if scalars.contains(where: { $0.properties.isBidiControl || $0.properties.isNoncharacterCodePoint }) {
            self = .invisible
        } else if (["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"] + ports).contains(stem) {
            self = .reserved
        } else {
            return nil
        }
    }
}
