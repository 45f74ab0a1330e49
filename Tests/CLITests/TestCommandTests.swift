import Foundation
import Patchbay
import TestSupport
import Testing

/// `test`, as the shell sees it.
@Suite(.timeLimit(.minutes(5))) struct TestCommandTests {
    static let manifest = """
        { "manifestVersion": 1, "inherit": false,
          "plugins": [
            { "id": "json", "factory": "json", "match": { "types": ["@json"] }, "limits": { "maxBodyBytes": 9 } },
            { "id": "text", "factory": "text", "match": { "types": ["text/*"] } }
          ],
          "hosts": { "h.example": { "use": ["text"] } } }
        """

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let cases: String
        var words: [String] = []
        var output: [String] = []
        var errors: [String] = []
        let code: Int32
        var testDescription: String { name }
    }

    static let good =
        #"{ "name": "API", "status": 200, "contentType": "application/json", "entry": "json", "outcome": "entry" }"#

    static func cases(_ cases: String...) -> String { #"{ "cases": [\#(cases.joined(separator: ", "))] }"# }

    static let coverage = "; entries 1 of 2 (50 %), host sections 0 of 1 (0 %), policies 0 of 5 (0 %)"

    static let rows = [
        Row(name: "a case that passes", cases: cases(good), output: ["1 passed, 0 failed" + coverage], code: 0),
        Row(
            name: "every key",
            cases: cases(
                #"{ "name": "all", "host": "H.example:8080", "method": "POST", "status": 200, "contentType": "text/json", "makes": "String", "entry": "text", "outcome": "entry", "limit": 67108864, "x-note": 1 }"#
            ),
            output: ["1 passed, 0 failed; entries 1 of 2 (50 %), host sections 1 of 1 (100 %), policies 0 of 5 (0 %)"],
            code: 0),
        Row(
            name: "an array in either spelling",
            cases: cases(
                #"{ "name": "a", "status": 200, "contentType": "text/json", "makes": "[User]", "entry": "json", "outcome": "entry" }"#,
                #"{ "name": "b", "status": 200, "contentType": "text/json", "makes": "Array<User>", "entry": "json", "outcome": "entry" }"#
            ), output: ["2 passed, 0 failed" + coverage], code: 0),
        Row(
            name: "a case that fails shows the decision",
            cases: cases(
                good,
                #"{ "name": "text", "status": 404, "contentType": "text/html", "entry": "json", "outcome": "raw", "limit": 9 }"#
            ),
            output: [
                "cases.json:1: failed: text: entry: expected json, found text (m.json:4); outcome: expected raw, found"
                    + " entry; limit: expected 9, found 67108864",
                "  json: declined: text/html is outside @json", "  text: chosen: covers text/html with status 404",
                "1 passed, 1 failed; entries 2 of 2 (100 %), host sections 0 of 1 (0 %), policies 1 of 5 (20 %)",
            ], code: 1),
        Row(
            name: "what nothing makes",
            cases: cases(
                #"{ "name": "n", "status": 200, "contentType": "a/b", "makes": "XMLTree", "entry": null, "outcome": "error" }"#
            ),
            output: [
                "cases.json:1: failed: n: makes: nothing in this table makes XMLTree, and a type of the program is written Decodable; it makes text, bytes, Decodable, JSON, any other"
                    + " type, array of Decodable, array of any other type, elements of text, elements of Decodable, elements of JSON,"
                    + " elements of any other type",
                "0 passed, 1 failed; entries 0 of 2 (0 %), host sections 0 of 1 (0 %), policies 0 of 5 (0 %)",
            ], code: 1),
        Row(
            name: "an entry and a type that there are not, on lines of their own",
            cases: "{ \"cases\": [\n\(good),\n"
                + #"{ "name": "t", "status": 200, "contentType": "text/html", "entry": "txt", "outcome": "entry" },"#
                + "\n\r\n"
                + #"{ "name": "w", "write": {}, "entry": "yaml" },"# + "\n"
                + #"{ "name": "m", "status": 200, "contentType": "a/b", "makes": "Decodeable", "entry": null, "outcome": "error" }] }"#,
            output: [
                #"cases.json:3: failed: t: entry: expected txt, found text (m.json:4); there is no entry "txt"; did you mean "text"?"#,
                "  json: declined: text/html is outside @json", "  text: chosen: covers text/html with status 200",
                #"cases.json:5: failed: w: entry: expected yaml, found json (m.json:3); there is no entry "yaml""#,
                "  json: chosen: writes application/json",
                #"cases.json:6: failed: m: makes: nothing in this table makes Decodeable, and a type of the program is written Decodable; did you mean "Decodable"?"#,
                "1 passed, 3 failed; entries 2 of 2 (100 %), host sections 0 of 1 (0 %), policies 0 of 5 (0 %)",
            ], code: 1),
        Row(
            name: "coverage that is too little", cases: cases(good), words: ["--fail-under", "40"],
            output: [
                "1 passed, 0 failed" + coverage, "under 40 %: host sections without a case: h.example",
                "under 40 %: policies without a case: noMatch, missingContentType, invalidContentType, acceptableStatus, empty",
            ], code: 1),
        Row(
            name: "coverage that is asked for and there", cases: cases(good), words: ["--fail-under", "0"],
            output: ["1 passed, 0 failed" + coverage], code: 0),
        Row(
            name: "every fault of a file",
            cases: cases(
                #"{ "nmae": "n", "status": 99, "host": "a b", "outcome": "entyr", "entry": 1, "limit": -1 }"#, "7",
                good, good),
            errors: [
                #"cases.json:1: /cases/0/nmae: this key is not known here; did you mean "name"?"#,
                #"cases.json:1: /cases/0: a case needs the key "name""#,
                #"cases.json:1: /cases/0: a case needs the key "contentType""#,
                "cases.json:1: /cases/0/entry: expected a string or null",
                "cases.json:1: /cases/0/host: expected a host, with or without a port and a path",
                "cases.json:1: /cases/0/status: expected a whole number from 100 to 999",
                "cases.json:1: /cases/0/limit: expected a whole number from 0 on",
                "cases.json:1: /cases/0/outcome: expected one of entry, empty, raw, error",
                "cases.json:1: /cases/1: expected a case, an object",
                "cases.json:1: /cases/3/name: another case has this name",
            ], code: 7),
        Row(
            name: "bodies that are written, and one that no entry writes",
            cases: cases(
                #"{ "name": "w", "write": { "a": 1 }, "entry": "json", "bytes": "{\"a\":1}", "x-note": 1 }"#,
                #"{ "name": "b", "write": [1], "contentType": "text/json", "entry": "json", "bytes": { "base64": "WzFd" } }"#,
                #"{ "name": "n", "host": "h.example", "write": {}, "contentType": null, "entry": null }"#,
                #"{ "name": "e", "write": [1], "elements": true, "entry": null }"#),
            output: ["4 passed, 0 failed; entries 1 of 2 (50 %), host sections 1 of 1 (100 %), policies 0 of 5 (0 %)"],
            code: 0),
        Row(
            name: "a body that is written otherwise",
            cases: cases(#"{ "name": "w", "write": [1], "entry": "text", "bytes": "[2]" }"#),
            output: [
                #"cases.json:1: failed: w: entry: expected text, found json (m.json:3); bytes: expected "[2]", found "[1]""#,
                "  json: chosen: writes application/json", "0 passed, 1 failed" + coverage,
            ], code: 1),
        Row(
            name: "a body that no entry writes",
            cases: cases(#"{ "name": "w", "write": 1, "contentType": "a/b", "entry": "json" }"#),
            output: [
                "cases.json:1: failed: w: entry: expected json, found none",
                "  json: declined: a/b is outside @json", "  text: declined: a/b is outside text/*",
                "  error: noWriter",
                "0 passed, 1 failed; entries 0 of 2 (0 %), host sections 0 of 1 (0 %), policies 0 of 5 (0 %)",
            ], code: 1),
        Row(
            name: "every fault of a case that writes",
            cases: cases(
                #"{ "status": 200, "write": 1, "host": "a b", "elements": 1, "contentType": "x", "bytes": 2 }"#,
                #"{ "name": "e", "write": {}, "elements": true, "entry": null, "bytes": { "base64": "?" } }"#),
            errors: [
                "cases.json:1: /cases/0/status: this key is not known here",
                #"cases.json:1: /cases/0: a case needs the key "name""#,
                #"cases.json:1: /cases/0: a case needs the key "entry""#,
                "cases.json:1: /cases/0/contentType: expected a media type",
                "cases.json:1: /cases/0/host: expected a host, with or without a port and a path",
                "cases.json:1: /cases/0/elements: expected true or false",
                #"cases.json:1: /cases/0/bytes: expected a string, or an object with the key "base64""#,
                "cases.json:1: /cases/1/write: expected an array, whose elements are written",
                #"cases.json:1: /cases/1/bytes: expected a string, or an object with the key "base64""#,
            ], code: 7),
        Row(
            name: "no JSON", cases: "{",
            errors: ["cases.json:1: column 2: expected a key before the end of the text"],
            code: 7),
        Row(
            name: "a comment", cases: "{ \"cases\": [\n// none\n] }",
            errors: [
                #"cases.json:2: column 1: JSON has no comments; a note is the value of a key that begins with "x-""#
            ], code: 7),
        Row(
            name: "a trailing comma", cases: "{ \"cases\": [],\n }",
            errors: [#"cases.json:1: column 14: JSON has no trailing commas; remove this one before "}""#], code: 7),
        Row(
            name: "a fault on a later line", cases: "{ \"cases\": [\n\(good),\n{ \"name\": 1 }] }",
            errors: [
                "cases.json:3: /cases/1: a case needs the key \"status\"",
                "cases.json:3: /cases/1: a case needs the key \"contentType\"",
                "cases.json:3: /cases/1: a case needs the key \"entry\"",
                "cases.json:3: /cases/1: a case needs the key \"outcome\"",
                "cases.json:3: /cases/1/name: expected a string",
            ], code: 7),
        Row(
            name: "a URL and a pattern as hosts",
            cases: cases(
                good.replacing("\"API\"", with: "\"u\", \"host\": \"https://h.example/a?b\""),
                good.replacing("\"API\"", with: "\"p\", \"host\": \"*.h.example\"")),
            errors: [
                "cases.json:1: /cases/0/host: expected a host, with or without a port and a path; did you mean \"h.example/a\"?",
                "cases.json:1: /cases/1/host: expected a host, with or without a port and a path; did you mean \"a.h.example\"?",
            ], code: 7),
        Row(
            name: "arrays as in Swift",
            cases: cases(
                good.replacing("\"API\"", with: "\"u\", \"makes\": \"[User]\""),
                good.replacing("\"API\"", with: "\"d\", \"makes\": \"array of Decodable\"")),
            output: ["2 passed, 0 failed" + coverage], code: 0),
        Row(
            name: "types as in Swift, whose names the table has",
            cases: cases(
                good.replacing("\"API\"", with: "\"j\", \"makes\": \"JSON?\""),
                good.replacing("\"API\"", with: "\"o\", \"makes\": \"Decodable?\"")),
            output: ["2 passed, 0 failed" + coverage], code: 0),
        Row(
            name: "a type of the program",
            cases: cases(good.replacing("\"API\"", with: "\"u\", \"makes\": \"User?\"")),
            output: [
                "cases.json:1: failed: u: makes: nothing in this table makes User?, and a type of the program is written"
                    + " Decodable; it makes text, bytes, Decodable, JSON, any other type, array of Decodable, array of any"
                    + " other type, elements of text, elements of Decodable, elements of JSON, elements of any other type",
                "0 passed, 1 failed; entries 0 of 2 (0 %), host sections 0 of 1 (0 %), policies 0 of 5 (0 %)",
            ], code: 1),
        Row(
            name: "no cases", cases: "{ \"cases\":\n[] }", errors: ["cases.json:2: /cases: there are no cases"], code: 7
        ),
        Row(
            name: "no list", cases: #"{ "case": [] }"#,
            errors: [
                #"cases.json:1: /case: this key is not known here; did you mean "cases"?"#,
                "cases.json: /cases: expected a list of cases",
            ], code: 7),
    ]

    @Test(arguments: rows) func `test asks the table about cases`(_ row: Row) async throws {
        let folder = TemporaryFolder()
        try folder.write(Self.manifest, to: "m.json")
        try folder.write(row.cases, to: "cases.json")
        let run = try await Binary.run(["test", "cases.json", "--manifest", "m.json"] + row.words, in: folder.path)
        #expect(run.code == row.code)
        #expect(run.output == row.output.map { $0 + "\n" }.joined())
        #expect(run.errors == row.errors.map { $0 + "\n" }.joined())
    }

    @Test func `test prints one JSON document`() async throws {
        let folder = TemporaryFolder()
        try folder.write(Self.manifest, to: "m.json")
        let words = ["test", "-", "--manifest", "m.json", "--format", "json"]
        let run = try await Binary.run(words, input: Array(Self.cases(Self.good).utf8), in: folder.path)
        #expect(run.code == 0)
        let policies: JSON = ["noMatch", "missingContentType", "invalidContentType", "acceptableStatus", "empty"]
        #expect(
            try JSON(parsing: run.output) == [
                "passed": 1, "failed": 0,
                "cases": [["file": "-", "line": 1, "name": "API", "passed": true, "faults": [], "decision": []]],
                "needs": [],
                "coverage": [
                    "entries": ["covered": 1, "all": 2, "percent": 50, "missing": ["text"]],
                    "hosts": ["covered": 0, "all": 1, "percent": 0, "missing": ["h.example"]],
                    "policies": ["covered": 0, "all": 5, "percent": 0, "missing": policies],
                ], "failUnder": nil, "underCoverage": false,
            ])
    }

    @Test func `a file that is not there, and one that is there already`() async throws {
        let folder = TemporaryFolder()
        let missing = try await Binary.run(["test", "none.json"], in: folder.path)
        #expect(missing.code == 7)
        #expect(missing.errors == "patchbay: none.json cannot be read: No such file or directory\n")
        try folder.write("kept", to: "cases.json")
        let taken = try await Binary.run(["test", "--write", "cases.json"], in: folder.path)
        #expect(taken.code == 7)
        #expect(taken.errors == "patchbay: cases.json is there already, and is not written over\n")
        #expect(try String(contentsOfFile: folder.path + "/cases.json", encoding: .utf8) == "kept")
        let bad = try await Binary.run(["test", "--write", "c", "--manifest", "cases.json"], in: folder.path)
        #expect(bad.code == 3)
    }

    /// The built-in table, and one with hosts, ports, parameters and everything else that makes a class.
    @Test(
        arguments: [
            nil,
            """
            { "manifestVersion": 1, "inherit": false,
              "policy": { "noMatch": "error", "missingContentType": "t", "acceptableStatus": ["2XX", "404"] },
              "aliases": { "text/old": "a/b" },
              "plugins": [
                { "id": "j", "factory": "json", "match": { "types": ["@json;v=1", "text/*+json"], "status": ["2XX"] } },
                { "id": "t", "factory": "text", "match": { "types": ["a/b", "text/*"] }, "onFailure": "next" },
                { "id": "l", "factory": "json", "match": { "types": ["x/l"], "wanted": "elements" } },
                { "id": "f", "factory": "form", "limits": { "maxBodyBytes": 10 } }
              ],
              "hosts": { "h.example": { "use": ["t"] }, "*.h.example:8080": { "inherit": false },
                         "[::1]:443": { "policy": { "empty": { "methods": ["PUT"], "otherwise": "error" } } } } }
            """,
        ] as [String?])
    func `what --write writes passes, covers all that can be, and fails when the table is changed`(_ manifest: String?)
        async throws
    {
        let folder = TemporaryFolder()
        if let manifest { try folder.write(manifest, to: "Plugins.json") }
        let written = try await Binary.run(["test", "--write", "cases.json"], in: folder.path)
        #expect(written.code == 0)
        #expect(written.errors == "")
        let run = try await Binary.run(["test", "cases.json"], in: folder.path)
        #expect(run.code == 0, "\(run.output)")
        let cases = try JSON(parsing: String(contentsOfFile: folder.path + "/cases.json", encoding: .utf8))["cases"]
        #expect(written.output == "cases.json: \(cases?.count ?? 0) cases\n")
        #expect(cases?.count ?? 0 > 20)
        // The built-in table has entries that not every build has.
        #expect(run.output.contains("xml-parser needs the product PatchbayMigration\n") == (manifest == nil))
        #expect(run.output.contains("\(cases?.count ?? 0) passed, 0 failed; "))
        // The same cases, asked of another table.
        try folder.write(Self.manifest, to: "other.json")
        #expect(try await Binary.run(["test", "cases.json", "--manifest", "other.json"], in: folder.path).code == 1)
    }
}
