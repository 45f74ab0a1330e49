import Foundation
import TestSupport
import Testing

/// `manifest`, `routes --html` and `demo --watch`, of good files and of bad ones: the exact output, exit code and files.
///
/// What the page of `routes --html` says is for `RoutesPageTests`, what a watching demo prints for `DemoTests`.
@Suite(.timeLimit(.minutes(5))) struct PrintedTableTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let words: [String]
        var output = ""
        var errors = ""
        var code: Int32 = 0
        /// What is there afterwards and was not before.
        var written: [String] = []
        var testDescription: String { words.joined(separator: " ") }
    }

    private static let files = [
        "whole.json": """
        { "manifestVersion": 1, "inherit": false, "x-note": "n",
          "plugins": [ { "id": "a", "factory": "json", "x-why": 1 }, { "id": "b", "factory": "text" } ] }
        """,
        "over.json": """
        { "manifestVersion": 1, "order": ["b", "a"],
          "plugins": [ { "id": "c", "factory": "text", "limits": { "maxBodyBytes": 9 }, "place": "last" } ],
          "hosts": { "H.example.": { "plugins": [ { "id": "d", "factory": "form" } ], "policy": { "noMatch": "error" } } } }
        """,
        "user.json": #"{ "manifestVersion": 1, "hosts": { "h.example": { "use": ["b"] } } }"#,
        "old.json": #"{ "manifestVersion": 2 }"#,
        "cut.json": "{",
    ]

    private static let printedWhole = """
        {
          "manifestVersion": 1,
          "inherit": false,
          "plugins": [
            {
              "id": "a",
              "factory": "json"
            },
            {
              "id": "b",
              "factory": "text"
            }
          ]
        }

        """

    private static let printedLayers = """
        {
          "manifestVersion": 1,
          "inherit": false,
          "plugins": [
            {
              "id": "b",
              "factory": "text",
              "hides": [
                "c"
              ]
            },
            {
              "id": "a",
              "factory": "json"
            },
            {
              "id": "c",
              "factory": "text",
              "limits": {
                "maxBodyBytes": 9
              }
            }
          ],
          "hosts": {
            "h.example": {
              "policy": {
                "noMatch": "error"
              },
              "plugins": [
                {
                  "id": "d",
                  "factory": "form"
                }
              ]
            }
          }
        }

        """

    private static let why = """
        ENTRY  KEY                  VALUE      FROM
        d      factory              "form"     over.json:3
        b      factory              "text"     whole.json:2
        b      order                ["b","a"]  over.json:1
        a      factory              "json"     whole.json:2
        a      order                ["b","a"]  over.json:1
        c      factory              "text"     over.json:2
        c      limits.maxBodyBytes  9          over.json:2
        c      place                "last"     over.json:2
        -      policy.noMatch       "error"    over.json:3

        """

    private static let old =
        "old.json:1: /manifestVersion: this is a manifest of version 2, and this build reads version 1\n"
    private static let cut = "cut.json:1: column 2: expected a key before the end of the text\n"
    private static let none = "none.json: the file cannot be read: No such file or directory\n"
    private static let folder = "folder: the file cannot be read: Is a directory\n"
    private static let unknown =
        #"user.json:1: /hosts/h.example/use/0: there is no entry "b" in the global list"# + "\n"
    private static let nothingToWatch = """
        patchbay: --watch: there is nothing to watch; name a file with --manifest, or write ./Plugins.json
        Try 'patchbay --help'.

        """

    static let good: [Row] = [
        Row(words: ["manifest", "--manifest", "whole.json"], output: printedWhole),
        Row(words: ["manifest", "--manifest", "whole.json", "--format", "json", "--bare"], output: printedWhole),
        Row(words: ["manifest", "--manifest", "whole.json", "--manifest", "over.json"], output: printedLayers),
        Row(
            words: ["manifest", "--bare"],
            output: """
                {
                  "manifestVersion": 1,
                  "inherit": false,
                  "plugins": []
                }

                """),
        Row(
            words: ["routes", "--why", "--manifest", "whole.json", "--manifest", "over.json", "--host", "h.example"],
            output: why),
        Row(
            words: ["routes", "--why", "--html", "new.html"],
            errors: """
                patchbay: --why and --html are both given; a page has no places of keys
                Try 'patchbay --help'.

                """, code: 2),
        Row(words: ["routes", "--html", "new.html", "--manifest", "whole.json"], written: ["new.html"]),
        Row(
            words: ["routes", "--html", "kept.html"],
            errors: "patchbay: kept.html is there already, and is not written over\n", code: 7),
        Row(
            words: ["routes", "--html", "folder"],
            errors: "patchbay: folder is there already, and is not written over\n",
            code: 7),
        Row(
            words: ["routes", "--html", "none/new.html"],
            errors: "patchbay: none/new.html cannot be written: No such file or directory\n", code: 7),
        Row(words: ["demo", "--watch", "--bare"], errors: nothingToWatch, code: 2),
    ]

    /// A bad file is the end of each command before it prints, writes or asks anything.
    private static func bad(_ words: [String]) -> [Row] {
        [
            Row(words: words + ["--manifest", "cut.json"], errors: cut, code: 3),
            Row(words: words + ["--manifest", "none.json"], errors: none, code: 3),
            Row(words: words + ["--manifest", "folder"], errors: folder, code: 3),
            Row(words: words + ["--bare", "--manifest", "user.json"], errors: unknown, code: 3),
            Row(
                words: words + ["--manifest", "old.json", "--manifest", "none.json", "--manifest", "cut.json"],
                errors: "\(old)\(none)\(cut)", code: 3),
        ]
    }

    static let rows: [Row] =
        good + bad(["manifest"]) + bad(["routes", "--html", "new.html"]) + bad(["routes", "--html", "-"])
        + bad(["demo", "--watch"])

    @Test(arguments: rows) func `what is printed and written, and how it ends`(_ row: Row) async throws {
        let folder = TemporaryFolder()
        for (name, text) in Self.files { try folder.write(text, to: name) }
        try folder.write("kept", to: "kept.html")
        try FileManager.default.createDirectory(atPath: folder.path + "/folder", withIntermediateDirectories: false)
        let before = folder.names
        let run = try await Binary.run(row.words, in: folder.path)
        #expect(run.output == row.output)
        #expect(run.errors == row.errors)
        #expect(run.code == row.code)
        #expect(folder.names == (before + row.written).sorted())
        let kept = try String(contentsOfFile: folder.path + "/kept.html", encoding: .utf8)
        #expect(kept == "kept")
    }
}
