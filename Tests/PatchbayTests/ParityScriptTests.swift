import Foundation
import TestSupport
import Testing

/// Holds `scripts/parity` to its rules, with a list, a guide and results of tests of its own.
@Suite(.timeLimit(.minutes(5)))
struct ParityScriptTests {
    static let rows = """
        # number, seeded, Linux
        1.1.1\tseeded\tL
        1.1.2\tseeded\tR
        1.1.3\tseeded\tA
        1.3.1\tunseeded\tL
        1.4.1\tunseeded\tL
        1.10.1\tseeded\tL

        """

    static let guide = """
        | row | theirs | ours | state | Apple |
        |---|---|---|---|---|
        | 1.1.1 | `AFJSONResponseSerializer` | `json` | done | same |
        | 1.1.2 | `validate()` | the policy | done differently | differs: by a word |
        | 1.1.3 | reachability | no such thing here | not on this platform | not there |
        | 1.3.1 | `DataStreamRequest` | not yet | open | not there |
        | 1.4.1 | `cURLDescription` | `curlDescription()` | done | refused: a setting |
        | 1.10.1 | a destination | `download(_:to:)` | done | same |

        """

    static let results = """
        passed\tall traits\t1.1.1: JSON
        passed\tno traits\t1.1.1: JSON
        passed\tall traits\t1.1.1, 1.1.2, 1.13: both, and \\"an error\\"
        passed\tall traits\t1.14, 1.4.1: as a command
        passed\tall traits\t1.5 is no row: and this no test of one
        passed\tall traits\t1.10.1: a file
        failed\tall traits\tA test without a number
        8 passed, 0 failed, 0 skipped

        """

    /// Changes of what is right, and what has to be said then.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var result: (String, String) = ("", "")
        var guide: (String, String) = ("", "")
        let says: String
        var testDescription: String { name }
    }

    static let wrong = [
        Case(
            name: "a test of a row that is done failed in one run of two",
            result: ("passed\tno traits\t1.1.1", "failed\tno traits\t1.1.1"),
            says: #"1.1.1: the guide says done, but not every test passed: failed, no traits: "1.1.1: JSON""#),
        Case(
            name: "a test of a row that is done was skipped",
            result: ("passed\tall traits\t1.10.1", "skipped\tall traits\t1.10.1"),
            says: #"1.10.1: the guide says done, but not every test passed: skipped, all traits: "1.10.1: a file""#),
        Case(
            name: "the only test of a row did not run", result: ("1.1.1, 1.1.2, 1.13:", "1.1.1:"),
            says: "1.1.2: the guide says done differently, but no test of it ran"),
        Case(
            name: "a number in the middle of a name is none", result: ("1.10.1: a file", "a file (1.10.1: it says)"),
            says: "1.10.1: the guide says done, but no test of it ran"),
        Case(
            name: "a test names a row that there is not", result: ("1.14, 1.4.1: as", "1.4.1, 1.4.9: as"),
            says: #"1.4.9 is no row of the list, and the test "1.4.1, 1.4.9: as a command" names it"#),
        Case(
            name: "the run did not come to its end", result: ("8 passed, 0 failed, 0 skipped", ""),
            says: "the last test run did not come to its end"),
        Case(
            name: "a run did not build", result: ("8 passed", "broken\tno traits\tit does not build\n8 passed"),
            says: "the last test run, no traits: it does not build"),
        Case(
            name: "a row is missing in the guide",
            guide: ("| 1.1.2 | `validate()` | the policy | done differently | differs: by a word |\n", ""),
            says: "1.1.2 is missing in the guide"),
        Case(
            name: "a row is in the guide and not in the list",
            guide: ("| 1.10.1 |", "| 1.10.2 | a | b | open | not there |\n| 1.10.1 |"),
            says: "1.10.2 is in the guide and no row of the list"),
        Case(
            name: "a row is in the guide twice",
            guide: ("| 1.10.1 |", "| 1.4.1 | a | b | done | same |\n| 1.10.1 |"),
            says: "1.4.1 is in the guide twice"),
        Case(
            name: "a row that is done differently has nothing beside it", guide: ("the policy", ""),
            says: "1.1.2: the guide says nothing of it"),
        Case(
            name: "a row that Linux can do is said to be impossible",
            guide: ("| done differently |", "| not on this platform |"),
            says: "1.1.2: the guide says not on this platform, but its Linux column has no A"),
        Case(
            name: "a seeded row is open", guide: ("the policy | done differently |", "not yet | open |"),
            says: "1.1.2: it is open, and may not be"),
        Case(
            name: "a section without seeds has one seeded row",
            guide: ("`download(_:to:)` | done |", "not yet | open |"),
            says: "1.10.1: it is open, and may not be"),
        Case(
            name: "a state that there is not", guide: ("`json` | done |", "`json` | nearly |"),
            says: #"1.1.1: the guide says "nearly", which is no state"#),
        Case(
            name: "a word for Apple that there is not", guide: ("| differs: by a word |", "| perhaps |"),
            says: #"1.1.2: over URLSession the guide says "perhaps", beside done differently"#),
        Case(
            name: "a difference is not named", guide: ("| differs: by a word |", "| differs |"),
            says: #"1.1.2: over URLSession the guide says "differs", beside done differently"#),
        Case(
            name: "nothing is said of Apple", guide: ("| differs: by a word |", "| |"),
            says: #"1.1.2: over URLSession the guide says "", beside done differently"#),
        Case(
            name: "an open row is compiled for Apple",
            guide: ("not yet | open | not there |", "not yet | open | same |"),
            says: #"1.3.1: over URLSession the guide says "same", beside open"#),
        Case(
            name: "a row without the column", guide: ("`json` | done | same |", "`json` | done |"),
            says: "1.1.1: its row of the guide has 4 cells, and must have 5"),
    ]

    @Test("scripts/parity passes what is right, with every row and the counts")
    func right() async throws {
        let run = try await run()
        #expect(run.end == .exited(0))
        let states = run.outputText.split(separator: "\n").map { line in
            line.split(separator: " ").joined(separator: " ")
        }
        #expect(
            states == [
                "1.1.1 done 3 passed", "1.1.2 done differently 1 passed", "1.1.3 not on this platform", "1.3.1 open",
                "1.4.1 done 1 passed", "1.10.1 done 1 passed",
                "parity: 3 done, 1 done differently, 1 not on this platform, 1 open",
            ])
    }

    @Test(
        "scripts/parity: an unseeded row may be open, a range names every row in it, one build may skip what another ran"
    )
    func mayBe() async throws {
        let skipped = try await run(("passed\tno traits\t1.1.1", "skipped\tno traits\t1.1.1"))
        #expect(skipped.end == .exited(0))
        let open = try await run(
            guide: ("`curlDescription()` | done | refused: a setting |", "not yet | open | not there |"))
        #expect(open.end == .exited(0))
        let range = try await run(("1.1.1, 1.1.2, 1.13:", "1.1.1–1.1.3:"))
        #expect(range.end == .exited(0))
        #expect(range.outputText.contains("not on this platform  1 passed"))
    }

    @Test("scripts/parity fails what is wrong, and names the row", arguments: wrong)
    func wrongs(_ test: Case) async throws {
        let run = try await run(test.result, guide: test.guide)
        #expect(run.end == .exited(1))
        #expect(run.outputText.split(separator: "\n").contains { $0 == "parity: \(test.says)" }, "\(run.outputText)")
    }

    @Test("scripts/parity: where the list comes from is at hand, and is another one; or there are no results")
    func sources() async throws {
        let tables = """
            | # | Behaviour | Where | Seeds | Linux |
            |---|---|---|---|---|
            | 1.1.1 | JSON | RS | S0 S2 | L (T3) |
            | 1.1.2 | Validation | RS | S1 (older) | R (T3: A HEAD) |
            | 1.1.3 | Reachability | RS | S1 | A |
            | 1.3.1 | Streams | RS | - | L |
            | 1.4.1 | cURL | RS | - | L |

            | # | Behaviour | Where | Linux |
            |---|---|---|---|
            | 1.10.1 | Destination | SM | L |

            """
        let other = try await run(list: tables)
        #expect(other.end == .exited(1))
        #expect(other.errorText.contains("< 1.1.2\tseeded\tR\n---\n> 1.1.2\tseeded\tAR\n"))
        let same = try await run(list: tables.replacing("A HEAD", with: "HEAD"))
        #expect(same.end == .exited(0))
        let none = try await Self.parity(["/nowhere/results.tsv"])
        #expect(none.end == .exited(1))
        #expect(none.errorText == "parity: there are no results of tests: run scripts/test first\n")
    }

    /// Runs the script over what is right, changed.
    private func run(
        _ result: (String, String) = ("", ""), guide: (String, String) = ("", ""), list: String? = nil
    ) async throws -> ChildProcess {
        let folder = URL.temporaryDirectory.appending(path: "patchbay-parity-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func file(_ name: String, _ text: String, _ change: (String, String) = ("", "")) throws -> String {
            try #require(change.0.isEmpty || text.contains(change.0))
            let file = folder.appending(path: name)
            try Data((change.0.isEmpty ? text : text.replacing(change.0, with: change.1)).utf8).write(to: file)
            return file.path(percentEncoded: false)
        }
        let arguments = [
            try file("results.tsv", Self.results, result), try file("guide.md", Self.guide, guide),
            try file("rows", Self.rows),
        ]
        return try await Self.parity(arguments, list: try list.map { try file("list.md", $0) } ?? "")
    }

    private static func parity(_ arguments: [String], list: String = "") async throws -> ChildProcess {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../scripts/parity")
            .standardizedFileURL.path(percentEncoded: false)
        return try await ChildProcess.run(
            "/usr/bin/env", ["bash", script] + arguments, environment: ["PATCHBAY_PARITY": list])
    }
}
