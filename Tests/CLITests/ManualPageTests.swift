import Foundation
import TestSupport
import Testing

@testable import PatchbayCLI

@Suite(.timeLimit(.minutes(5))) struct ManualPageTests {
    @Test func `the command prints the page`() async throws {
        let run = try await Binary.run(["manual"])
        #expect(run.code == 0)
        #expect(run.output == ManualPage.text)
        #expect(run.errors.isEmpty)
    }

    /// Text, and how roff is given it.
    @Test(arguments: [
        ("plain text", "plain text"), ("--form", #"\-\-form"#), (#"a\nb"#, #"a\(rsnb"#), (".TH", #"\&.TH"#),
        ("...", #"\&..."#), ("a.b", "a.b"), ("'quoted'", #"\(aqquoted\(aq"#), ("  indented", #"\&  indented"#),
        ("`^~", #"\(ga\(ha\(ti"#), ("MANIFEST…", #"MANIFEST\[u2026]"#), ("😀é", #"\[u1F600]\[u00E9]"#),
        ("a\n.b", "a .b"), ("", ""),
    ])
    func `text has no meaning for roff`(_ text: String, _ written: String) {
        #expect(Roff.text(text) == written)
    }

    @Test func `an argument is one word`() {
        #expect(Roff.argument(#"say "no""#) == #""say \(dqno\(dq""#)
    }

    @Test func `no line of the page is a request of roff but those of man`() {
        let macros: Set<Substring> = [
            ".TH", ".SH", ".SS", ".TP", ".PP", ".RS", ".RE", ".br", ".nf", ".fi", ".nh", ".ad",
        ]
        for line in ManualPage.text.split(separator: "\n") {
            #expect(!line.hasPrefix("'"))
            if line.hasPrefix(".") { #expect(macros.contains(line.prefix { $0 != " " }), "\(line)") }
            #expect(line.utf8.allSatisfy { $0 < 0x80 }, "\(line)")
        }
    }

    @Test(
        .enabled(if: TypedShell.isInstalled("man"), "install man-db, as scripts/test does"), arguments: [80, 200])
    func `man shows all of it without a warning`(_ width: Int) async throws {
        let folder = TemporaryFolder()
        let file = try folder.write(ManualPage.text, to: "patchbay.1")
        let child = try await ChildProcess.run(
            try #require(TypedShell.path("man")), ["--warnings", "-l", file],
            environment: ["MANWIDTH": "\(width)", "MANPAGER": "cat", "LC_ALL": "C.UTF-8", "HOME": folder.path])
        #expect(child.end == .exited(0))
        #expect(child.errorText.isEmpty)
        #expect(child.outputText.split(separator: "\n").allSatisfy { $0.count <= width })
        let shown = child.outputText.split { " \n".contains($0) }.joined(separator: " ")
        for name in Command.Name.allCases {
            for text in [name.usage, name.sentence] + name.examples.flatMap({ [$0.words, $0.effect] }) {
                #expect(shown.contains(text))
            }
            for option in name.allOptions { #expect(shown.contains(option.usage + " " + option.help)) }
        }
        for row in Command.exitCodes { #expect(shown.contains("\(row.code.rawValue) \(row.meaning)")) }
    }
}
