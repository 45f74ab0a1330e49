import Foundation
import Patchbay
import TestSupport
import Testing

/// `diff`, as the shell sees it.
@Suite(.timeLimit(.minutes(5))) struct DiffCommandTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        /// The files `a.json` and `b.json`; nil writes none.
        let before: String?
        let after: String?
        var words = ["diff", "a.json", "b.json"]
        var output: [String] = []
        var errors: [String] = []
        let code: Int32
        var testDescription: String { name }
    }

    static let quiet = #""policy": { "accept": "none" }"#

    static func manifest(_ entries: String, _ more: String = quiet) -> String {
        #"{ "manifestVersion": 1, "inherit": false, \#(more), "plugins": [\#(entries)] }"#
    }

    static func json(_ more: String = "") -> String {
        #"{ "id": "json", "factory": "json", "match": { "types": ["@json"] }\#(more) }"#
    }

    private static let mixed = json() + #", { "id": "text", "factory": "text", "match": { "types": ["text/*"] } }"#
    private static let rawHost =
        #", "hosts": { "h.example": { "plugins": [{ "id": "errors", "factory": "raw", "match": { "status": ["5XX"] } }] } }"#
    private static let named = #", "hosts": { "h.example": { "policy": { "noMatch": "error" } } }"#

    static let rows = [
        Row(
            name: "the same", before: manifest(json()), after: manifest(json(#", "x-note": "n""#)),
            output: ["a.json and b.json answer every question alike"], code: 0),
        Row(
            name: "the built-in table and itself", before: nil, after: nil, words: ["diff", "built-in", "built-in"],
            output: ["built-in and built-in answer every question alike"], code: 0),
        Row(
            name: "a greedy entry in front", before: manifest(json()),
            after: manifest(#"{ "id": "t", "factory": "text", "match": { "types": ["*/*"] } }, "# + json()),
            output: [
                "b.json:1: the entry t is new",
                "  all media types, 200, any host, any value: was json, the bytes, now t [any status], and 1 like it",
            ], code: 1),
        Row(
            name: "options, a limit and what happens on failure", before: manifest(json()),
            after: manifest(
                json(#", "options": { "removeNulls": "none" }, "limits": { "maxBodyBytes": 9 }, "onFailure": "raw""#)),
            output: [
                #"b.json:1: "options" of the entry json was added: {"removeNulls":"none"}"#,
                "  writing application/json, any host, whole values: was json (options {}), now json (options"
                    + #" {"removeNulls":"none"}) [application/json, text/json, +json]"#,
                #"b.json:1: "limits" of the entry json was added: {"maxBodyBytes":9}; only with other edits, below"#,
                #"b.json:1: "onFailure" of the entry json was added: "raw"; only with other edits, below"#,
                #"several edits: b.json:1: "options" of the entry json was added; b.json:1: "limits" of the"#
                    + #" entry json was added; b.json:1: "onFailure" of the entry json was added"#,
                "  application/json, 200, any host, any value: was json (options {}; at most 67,108,864 bytes;"
                    + #" on failure error), now json (options {"removeNulls":"none"}; at most 9 bytes; on failure raw)"#
                    + " [application/json, text/json, +json; any status], and 1 like it",
            ], code: 1),
        Row(
            name: "an entry that is for elements from now on", before: manifest(json()),
            after: manifest(
                #"{ "id": "json", "factory": "json", "match": { "types": ["@json"], "wanted": "elements" } }"#),
            output: [
                #"b.json:1: "match" of the entry json: was {"types":["@json"]}, now {"types":["@json"],"wanted":"elements"}"#,
                "  application/json, 200, any host, any value: was json, now the bytes [application/json,"
                    + " text/json, +json; any status], and 1 like it",
            ], code: 1),
        Row(
            name: "policies",
            before: manifest("", #""policy": { "accept": "none" }"#),
            after: manifest(
                "",
                #""policy": { "accept": "none", "acceptableStatus": ["2XX", "404"], "limits": { "maxBodyBytes": 10 }, "empty": { "methods": ["HEAD"], "status": ["204"], "otherwise": "error" } }"#
            ),
            output: [
                #"b.json:1: "acceptableStatus" of the policy was added: ["2XX","404"]"#,
                "  policy acceptableStatus, 404, any host: was a failure, now a success, whose body a typed call reads as its"
                    + " type",
                #"b.json:1: "limits" of the policy was added: {"maxBodyBytes":10}"#,
                "  policy limits, any host: was 67,108,864 bytes, now 10 bytes",
                #"b.json:1: "empty" of the policy was added: {"methods":["HEAD"],"status":["204"],"otherwise":"error"}"#,
                "  policy empty, any other method, 200, any host: was no bytes are empty, now no bytes are an"
                    + " error [status 1XX, 200-203, 206-299, 300-303, 305-399, 4XX, 5XX], and 1 like it",
            ], code: 1),
        Row(
            name: "a host with a port", before: manifest(json()),
            after: manifest(
                json(),
                quiet
                    + #", "hosts": { "Example.com:8080": { "inherit": false }, "*.example.com": { "inherit": false } }"#
            ),
            output: [
                #"b.json:1: "inherit" of the section *.example.com was added: false"#,
                "  application/json, 200, a.example.com, any value: was json, now the bytes [application/json,"
                    + " text/json, +json; any status; hosts *.example.com], and 1 like it",
                "  writing application/json, a.example.com, whole values: was json, now error noWriter"
                    + " [application/json, text/json, +json; hosts *.example.com]",
                #"b.json:1: "inherit" of the section example.com:8080 was added: false"#,
                "  application/json, 200, example.com:8080, any value: was json, now the bytes"
                    + " [application/json, text/json, +json; any status], and 1 like it",
                "  writing application/json, example.com:8080, whole values: was json, now error noWriter"
                    + " [application/json, text/json, +json]",
            ], code: 1),
        Row(
            name: "an entry that does not write any more", before: manifest(json()),
            after: manifest(json(#", "writes": false"#)),
            output: [
                #"b.json:1: "writes" of the entry json was added: false"#,
                "  writing application/json, any host, whole values: was json, now error noWriter"
                    + " [application/json, text/json, +json]",
            ], code: 1),
        Row(
            name: "an order that only writing depends on",
            before: manifest(
                #"{ "id": "l", "factory": "ndjson", "match": { "types": ["a/b"] } }, { "id": "j", "factory": "json", "match": { "types": ["a/b"] }, "reads": false }"#
            ),
            after: manifest(
                #"{ "id": "j", "factory": "json", "match": { "types": ["a/b"] }, "reads": false }, { "id": "l", "factory": "ndjson", "match": { "types": ["a/b"] } }"#
            ),
            output: [
                "b.json:1: the entry l moved",
                "  writing a/b, any host, whole values: was l (may decline), then j, now j (b.json:1)",
            ], code: 1),
        Row(
            name: "a key that has another value, and an edit without effect",
            before: manifest(json(#", "enabled": true"#)),
            after: manifest(json(#", "enabled": false"#), quiet + #", "aliases": { "a/b": "c/d" }"#),
            output: [
                #"b.json:1: "enabled" of the entry json: was true, now false"#,
                "  application/json, 200, any host, any value: was json, now the bytes [application/json, text/json,"
                    + " +json; any status], and 1 like it",
                "  writing application/json, any host, whole values: was json, now error noWriter [application/json,"
                    + " text/json, +json]",
                #"b.json:1: the alias "a/b" was added: "c/d"; no changed answer comes from it"#,
            ], code: 1),
        Row(
            name: "the example has a plain type, in a change and among those like it",
            before: manifest(
                #"{ "id": "j", "factory": "json", "match": { "types": ["a/p+json", "a/j;v=1", "a/j"] }, "onFailure": "next" }, { "id": "k", "factory": "text", "match": { "types": ["a/p+json", "a/z"] } }"#
            ),
            after: manifest(
                #"{ "id": "t", "factory": "text", "match": { "types": ["a/p+json", "a/j"] } }, { "id": "j", "factory": "json", "match": { "types": ["a/p+json", "a/j;v=1", "a/j"] }, "onFailure": "next" }, { "id": "k", "factory": "text", "match": { "types": ["a/p+json", "a/z"] } }"#
            ),
            output: [
                "b.json:1: the entry t is new",
                "  a/j, 200, any host, any value: was j, then the bytes, now t [a/j, a/j;v=1; any status], and 1 like it",
                "  a/p+json, 200, any host, text: was k, now t [status 2XX; calls text, elements of text]",
                "  a/j, 200, any host, text: was the bytes as text, now t [a/j, a/j;v=1; status 2XX; calls text, elements"
                    + " of text]",
            ], code: 1),
        Row(
            name: "the media type of bodies", before: manifest(json()),
            after: manifest(json(), #""policy": { "accept": "none", "requestContentType": "a/b" }"#),
            output: [
                #"b.json:1: "requestContentType" of the policy was added: "a/b""#,
                "  policy requestContentType, any host: was application/json, now a/b",
            ], code: 1),
        Row(
            name: "the cache of every host but one",
            before: manifest(json(), #""policy": { "accept": "none" }"#),
            after: manifest(
                json(),
                #""policy": { "accept": "none", "cache": "explicit" }, "hosts": { "h.test": { "policy": { "cache": "standard" } } }"#
            ),
            output: [
                #"b.json:1: "cache" of the policy was added: "explicit""#,
                "  policy cache, any other host: was standard, now explicit",
                #"b.json:1: "cache" of the policy of h.test was added: "standard"; no changed answer comes from it"#,
            ], code: 1),
        Row(
            name: "code that decides",
            before: manifest(#"{ "id": "x", "factory": "xssi" }, "# + json()),
            after: manifest(#"{ "id": "x", "factory": "xssi" }, "# + json(#", "onFailure": "next""#)),
            output: [
                #"b.json:1: "onFailure" of the entry json was added: "next""#,
                "  application/json, 200, any host, any value: was x (may decline; may unwrap), then json (on"
                    + " failure error), now x (may decline; may unwrap), then json (on failure next), then the bytes"
                    + " [application/json, text/json, +json; any status], and 1 like it",
                "  application/json inside x, 200, any host, any value: was json (on failure error), now json"
                    + " (on failure next), then the bytes [application/json, text/json, +json; any status], and 1"
                    + " like it",
            ], code: 1),
        Row(
            name: "the Accept", before: manifest(json(), #""policy": {}"#), after: manifest(json(), quiet),
            output: [
                #"b.json:1: "accept" of the policy was added: "none""#,
                "  Accept, any host, Decodable: was application/json, application/problem+json;q=0.9,"
                    + " */*;q=0.1, now none [calls any value, Decodable, JSON, array of Decodable, elements of"
                    + " Decodable, elements of JSON], and 2 like it",
            ], code: 1),
        Row(
            name: "one entry that takes every type of a status, and keeps the bytes", before: manifest(mixed),
            after: manifest(#"{ "id": "errors", "factory": "raw", "match": { "status": ["5XX"] } }, "# + mixed),
            output: [
                "b.json:1: the entry errors is new",
                "  all types, 500, any host, any call: was json, text, the bytes, now errors (the bytes) [status 5XX]",
            ], code: 1),
        Row(
            name: "the same of one host", before: manifest(mixed), after: manifest(mixed, quiet + rawHost),
            output: [
                "b.json:1: the entry errors of h.example is new",
                "  all types, 500, h.example, any call: was json, text, the bytes, now errors (the bytes) [status 5XX]",
            ], code: 1),
        Row(
            name: "a type that the new table does not cover", before: manifest(mixed, quiet + rawHost),
            after: manifest(mixed),
            output: [
                "a.json:1: the entry errors of h.example is gone",
                "  all types, 500, h.example, any call: was errors (the bytes), now json, text, the bytes [status 5XX]",
            ], code: 1),
        Row(
            name: "one entry that takes every media type, and no response without one", before: manifest(mixed),
            after: manifest(
                #"{ "id": "errors", "factory": "raw", "match": { "types": ["*/*"], "status": ["5XX"] } }, "# + mixed),
            output: [
                "b.json:1: the entry errors is new",
                "  all media types, 500, any host, any call: was json, text, the bytes, now errors (the bytes) [status 5XX]",
            ], code: 1),
        Row(
            name: "a change of other hosts that a named host has, too", before: manifest(json(), quiet + named),
            after: manifest(
                #"{ "id": "a", "factory": "text", "match": { "types": ["a/b"] } }, "# + json(), quiet + named),
            output: [
                "b.json:1: the entry a is new",
                "  a/b, 200, any other host, any value: was the bytes, now a [any status], and 2 like it, also for any host",
            ], code: 1),
        Row(
            name: "long objects and lists: the members that differ",
            before: manifest(
                #"{ "id": "t", "factory": "text", "match": { "types": ["a/first", "a/second", "a/third", "a/fourth"], "status": ["2XX"] } }"#
            ),
            after: manifest(
                #"{ "id": "t", "factory": "text", "match": { "types": ["a/first", "a/third", "a/fourth", "a/fifth"], "status": ["2XX"], "wanted": "elements" } }"#
            ),
            output: [
                #"b.json:1: "match" of the entry t: "types" with "a/fifth", without "a/second"; "wanted" was added: "elements""#,
                "  a/first, 200, any host, any value: was t, now the bytes [a/first, a/third, a/fourth, a/second; status 2XX],"
                    + " and 2 like it",
                "  a/fifth, 200, any host, elements of text: was the bytes as text, now t [status 2XX]",
            ], code: 1),
        Row(
            name: "faults of both are told", before: #"{ "manifestVersion": 2 }"#, after: #"{ "manifestVersion": 3 }"#,
            errors: [
                "a.json:1: /manifestVersion: this is a manifest of version 2, and this build reads version 1",
                "b.json:1: /manifestVersion: this is a manifest of version 3, and this build reads version 1",
            ], code: 3),
        Row(
            name: "a file that is not there", before: manifest(json()), after: nil,
            errors: ["b.json: the file cannot be read: No such file or directory"], code: 3),
        Row(
            name: "more combinations of parameters than are looked at", before: manifest(json()),
            after: manifest(
                #"{ "id": "p", "factory": "text", "match": { "types": [\#((0..<13).map { #""a/b;p\#($0)=1""# }.joined(separator: ","))] } }"#
            ),
            errors: [
                "patchbay: a.json and b.json cannot be compared: entries name more than 4096 combinations of parameters of a/b"
            ], code: 3),
    ]

    @Test(arguments: rows) func `diff tells what two tables answer differently`(_ row: Row) async throws {
        let folder = TemporaryFolder()
        if let before = row.before { try folder.write(before, to: "a.json") }
        if let after = row.after { try folder.write(after, to: "b.json") }
        let run = try await Binary.run(row.words, in: folder.path)
        #expect(run.code == row.code)
        #expect(run.output == row.output.map { $0 + "\n" }.joined())
        #expect(run.errors == row.errors.map { $0 + "\n" }.joined())
    }

    @Test func `diff prints one JSON document`() async throws {
        let folder = TemporaryFolder()
        try folder.write(Self.manifest(Self.json(#", "enabled": false"#)), to: "a.json")
        try folder.write(Self.manifest(Self.json()), to: "b.json")
        let run = try await Binary.run(["diff", "a.json", "b.json", "--format", "json"], in: folder.path)
        #expect(run.code == 1)
        let document = try JSON(parsing: run.output)
        #expect(document["before"] == "a.json")
        #expect(document["after"] == "b.json")
        #expect(document["same"] == false)
        let change: JSON = [
            "aspect": "entries",
            "witness": [
                "contentType": "application/json", "status": 200, "method": nil, "host": nil, "call": "any value",
                "writing": nil,
            ],
            "inside": [], "types": ["application/json", "text/json", "+json"], "statuses": "any", "methods": [],
            "hosts": ["any host"], "calls": ["any value"], "before": ["entries": [], "otherwise": "raw"],
            "after": [
                "entries": [
                    [
                        "entry": "json", "factory": "json", "options": [:], "maxBodyBytes": 67_108_864,
                        "onFailure": "error",
                        "makes": "JSON", "mayDecline": false, "mayUnwrap": false,
                    ]
                ], "otherwise": nil,
            ],
            "causes": [
                ["edit": "removed", "host": nil, "entry": "json", "key": "enabled", "file": "a.json", "line": 1]
            ],
        ]
        #expect(document["changes"]?[0] == change)
        let writing = document["changes"]?.array?.first { $0["aspect"] == "writers" }
        #expect(writing?["witness"]?["writing"] == "whole values")
        #expect(writing?["before"] == ["entries": [], "otherwise": "noWriter"])
        #expect(
            writing?["after"] == [
                "entries": [["entry": "json", "factory": "json", "options": [:], "mayDecline": false]],
                "otherwise": nil,
            ])
        let same = try await Binary.run(["diff", "a.json", "a.json", "--format", "json"], in: folder.path)
        #expect(same.code == 0)
        #expect(
            try JSON(parsing: same.output) == [
                "before": "a.json", "after": "a.json", "same": true, "changes": [], "edits": [],
            ])
    }
}
