import Foundation
import Patchbay
import TestSupport
import Testing

@testable import PatchbayCLI

/// `check`, its formats, and what it is told besides files: the exact output and exit code.
@Suite(.timeLimit(.minutes(5))) struct CheckTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let words: [String]
        var input = ""
        let code: Int32
        var output = ""
        var errors = ""
        var testDescription: String { name }
    }

    private static let files = [
        "own.json": """
        { "manifestVersion": 1, "inherit": false,
          "plugins": [ { "id": "a", "factory": "acme-csv", "match": { "types": ["text/csv"] }, "options": { "any": 1 } } ] }
        """,
        "one fault, 100%.json": """
        { "manifestVersion": 1, "inherit": false,
          "plugins": [
            { "id": "a", "factory": "json", "match": { "types": ["@json"] }, "options": { "depht": 1 } } ] }
        """,
        "two.json": """
        { "manifestVersion": 1, "polcy": {},
          "plugins": [ { "id": "b", "factory": "jsno", "match": { "types": ["text/csv"] } } ] }
        """,
        "greedy.json":
            #"{ "manifestVersion": 1, "plugins": [{ "id": "t", "factory": "text", "match": { "types": ["*/*"] } }] }"#,
        "unmatched.json":
            #"{ "manifestVersion": 1, "hosts": { "a.test": { "plugins": [{ "id": "t", "factory": "text" }] } } }"#,
        "text-json.json":
            #"{ "manifestVersion": 1, "plugins": [{ "id": "t", "factory": "text", "match": { "types": ["application/json"] } }] }"#,
        "meant.json":
            #"{ "manifestVersion": 1, "hosts": { "a.test": { "plugins": [{ "id": "t", "factory": "text", "match": { "types": ["*/*"] } }] } } }"#,
        "cut.json": "{",
    ]

    private static let unknownFactory = """
        own.json:2: /plugins/0/factory: the factory "acme-csv" of the entry "a" is not registered; the factories are \(SerializerFactories.ofCommands.names.joined(separator: ", "))
          --factory NAME declares a factory that your program registers

        """

    private static let rows = [
        Row(name: "a factory of one's own, undeclared", words: ["own.json"], code: 3, errors: unknownFactory),
        Row(
            name: "standard input", words: ["-"], input: files["cut.json"] ?? "", code: 3,
            errors: "<stdin>:1: column 2: expected a key before the end of the text\n"),
        Row(
            name: "one that Patchbay has", words: ["own.json", "--factory", "json"], code: 2,
            errors: """
                patchbay: --factory: Patchbay has a factory 'json' already, whose options it judges
                Try 'patchbay --help'.

                """),
        Row(
            name: "all faults of all files, also of those beside one that cannot be read",
            words: ["none.json", "one fault, 100%.json", "two.json", "cut.json"], code: 3, errors: faults),
    ]

    private static let faults = #"""
        none.json: the file cannot be read: No such file or directory
        one fault, 100%.json:3: /plugins/0/options/depht: the factory "json" has no option "depht"; known are KEYS
        two.json:1: /polcy: the key "polcy" is not known here; known are KEYS; did you mean "policy"?
        two.json:2: /plugins/0/factory: the factory "jsno" of the entry "b" is not registered; did you mean "json"?
        cut.json:1: column 2: expected a key before the end of the text

        """#

    /// What the known keys are is for the tests of those who read them.
    private static func withoutKeys(_ text: String) -> String {
        text.replacing(/known are [a-zA-Z$, ]*[a-zA-Z]( [0-9]+ more)?/, with: "known are KEYS")
    }

    private static func folder() throws -> TemporaryFolder {
        let folder = TemporaryFolder()
        for (name, text) in files { try folder.write(text, to: name) }
        return folder
    }

    @Test(arguments: rows) func `check says`(_ row: Row) async throws {
        let folder = try Self.folder()
        let run = try await Binary.run(["check"] + row.words, input: Array(row.input.utf8), in: folder.path)
        #expect(run.code == row.code)
        #expect(Self.withoutKeys(run.output) == row.output)
        #expect(Self.withoutKeys(run.errors) == row.errors)
    }

    @Test func `a declared factory is good, whatever its options, and a note says so`() async throws {
        let folder = try Self.folder()
        let note =
            #"own.json: /plugins/0: the options of the entry "a" are not judged: its factory "acme-csv" is only declared"#
        let run = try await Binary.run(
            ["check", "own.json", "--factory", "acme-csv", "--factory=unused"], in: folder.path)
        #expect(run.code == 0)
        #expect(run.errors.isEmpty)
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(lines.first?.hasPrefix("own.json: 1 entry, 0 host sections, no errors; digest ") == true)
        #expect(lines.contains("note: " + note))
        #expect(lines.contains(#"note: factories: no entry uses the factory "unused""#))
        let input = try await Binary.run(
            ["check", "-", "--factory", "acme-csv"], input: Array((Self.files["own.json"] ?? "").utf8))
        #expect(input.output.hasPrefix("<stdin>: 1 entry, 0 host sections, no errors; digest "))
    }

    @Test(arguments: [
        ["explain", "--content-type", "text/csv", "--manifest", "own.json"], ["routes", "--manifest", "own.json"],
        ["routes", "--html", "-", "--manifest", "own.json"], ["manifest", "--manifest", "own.json"],
        ["diff", "own.json", "own.json"], ["test", "--write", "-", "--manifest", "own.json"],
    ])
    func `a declared factory is known to every command that asks a table`(_ words: [String]) async throws {
        let folder = try Self.folder()
        let undeclared = try await Binary.run(words, in: folder.path)
        #expect(undeclared.code == 3)
        #expect(undeclared.errors.contains(Self.unknownFactory))
        let run = try await Binary.run(words + ["--factory", "acme-csv"], in: folder.path)
        #expect(run.code == 0)
        #expect(run.errors.isEmpty)
    }

    @Test(arguments: ["unmatched.json", "text-json.json"])
    func `an entry of a host without match, and text for JSON, fail where warnings count`(_ file: String) async throws {
        let folder = try Self.folder()
        let lax = try await Binary.run(["check", file], in: folder.path)
        #expect(lax.code == 0)
        #expect(lax.output.split(separator: "\n").count { $0.hasPrefix("warning: \(file):1: /") } == 1)
        #expect(try await Binary.run(["check", file, "--strict"], in: folder.path).code == 3)
        #expect(try await Binary.run(["check", "meant.json", "--strict"], in: folder.path).code == 0)
    }

    @Test func `JSON says the same`() async throws {
        let folder = try Self.folder()
        let run = try await Binary.run(["check", "own.json", "two.json", "--format", "json"], in: folder.path)
        #expect(run.code == 3)
        let issues = try #require(try JSON(parsing: run.output)["issues"]?.array.map(Array.init))
        #expect(issues.map { $0["code"] } == ["unknownFactory", "unknownKey", "unknownFactory"])
        #expect(issues.map { $0["file"] } == ["own.json", "two.json", "two.json"])
        #expect(issues.map { $0["line"] } == [2, 1, 2])
    }

    // MARK: Documentation/BuildServers.md

    /// The programs of the page, in its order: GitHub's marks, SARIF, JUnit's XML.
    private static func made(_ program: Int, from document: String, in folder: TemporaryFolder) async throws -> String {
        let page = try Markdown("Documentation/BuildServers.md").text
        let programs = page.matches(of: /```jq\n((?s).*?)```/).map { String($0.1) }
        try #require(programs.count == 3)
        let child = try await ChildProcess.run(
            "/usr/bin/env", ["jq", "-r", programs[program]], input: Array(document.utf8),
            directory: folder.path)
        #expect(child.errorText == "")
        return child.outputText
    }

    @Test("jq makes GitHub's marks, with a file and a line where there are any")
    func marks() async throws {
        let folder = try Self.folder()
        let faults = try await Binary.run(
            ["check", "one fault, 100%.json", "none.json", "--format", "json"], in: folder.path)
        #expect(faults.code == 3)
        #expect(
            Self.withoutKeys(try await Self.made(0, from: faults.output, in: folder)) == #"""
                ::error file=one fault%2C 100%25.json,line=3,title=unknownOption::/plugins/0/options/depht the factory "json" has no option "depht"; known are KEYS
                ::error file=none.json,line=1,title=unreadableFile::the file cannot be read: No such file or directory

                """#)
        let good = try await Binary.run(["check", "greedy.json", "--format", "json"], in: folder.path)
        let lines = try await Self.made(0, from: good.output, in: folder).split(separator: "\n")
        let warning =
            #"::warning file=greedy.json,line=1,title=takenResponse::/plugins/0 the entry "t" takes responses from "json""#
        #expect(lines.contains { $0.hasPrefix(warning) })
        let own = try await Binary.run(
            ["check", "own.json", "--factory", "acme-csv", "--format", "json"], in: folder.path)
        let notices = try await Self.made(0, from: own.output, in: folder).split(separator: "\n")
        #expect(notices.contains(#"::notice title=unusedFactory::no entry uses the factory "form""#))
    }

    @Test("jq makes SARIF, with a result for each finding and its place")
    func sarif() async throws {
        let folder = try Self.folder()
        let run = try await Binary.run(
            ["check", "one fault, 100%.json", "none.json", "--format", "json"], in: folder.path)
        let document = try JSON(parsing: try await Self.made(1, from: run.output, in: folder))
        #expect(document["version"] == "2.1.0")
        #expect(document["runs"]?[0]?["tool"] == ["driver": ["name": "patchbay"]])
        let results = try #require(document["runs"]?[0]?["results"]?.array.map(Array.init))
        try #require(results.map { $0["ruleId"] } == ["unknownOption", "unreadableFile"])
        #expect(results.map { $0["level"] } == ["error", "error"])
        #expect(
            results[0]["locations"] == [
                [
                    "physicalLocation": [
                        "artifactLocation": ["uri": "one%20fault%2C%20100%25.json"], "region": ["startLine": 3],
                    ]
                ]
            ])
        #expect(results[1]["locations"] == [["physicalLocation": ["artifactLocation": ["uri": "none.json"]]]])
        let good = try await Binary.run(["check", "greedy.json", "--format", "json"], in: folder.path)
        let notes = try JSON(parsing: try await Self.made(1, from: good.output, in: folder))
        let levels = notes["runs"]?[0]?["results"]?.array.map { $0.map { $0["level"] } } ?? []
        #expect(levels.contains("warning") && levels.contains("note"))
    }

    @Test("jq makes JUnit's XML, whatever a case is called")
    func junit() async throws {
        let folder = try Self.folder()
        try folder.write(
            #"""
            { "cases": [
                { "name": "good", "status": 200, "contentType": "application/json", "entry": "json", "outcome": "entry" },
                { "name": "<&\"\u0001", "status": 200, "contentType": "application/json", "entry": "text", "outcome": "entry" } ] }
            """#, to: "cases.json")
        let run = try await Binary.run(["test", "cases.json", "--format", "json"], in: folder.path)
        #expect(run.code == 1)
        let lines = try await Self.made(2, from: run.output, in: folder).split(separator: "\n").map(String.init)
        #expect(lines.first == #"<testsuite name="patchbay" tests="2" failures="1">"#)
        #expect(lines.contains(#"<testcase classname="cases.json" file="cases.json" line="2" name="good"></testcase>"#))
        let failure =
            #"<testcase classname="cases.json" file="cases.json" line="3" name="&lt;&amp;&quot;?"><failure message="entry: expected text, found json"#
        #expect(lines.contains { $0.hasPrefix(failure) })
        #expect(lines.last == "</testsuite>")
    }
}
