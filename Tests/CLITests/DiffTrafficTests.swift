import Foundation
import Patchbay
import TestSupport
import Testing

/// `diff --traffic`: for how many logged responses two tables answer differently.
@Suite(.timeLimit(.minutes(5))) struct DiffTrafficTests {
    static let base = """
        { "manifestVersion": 1, "inherit": false,
          "policy": { "accept": "none", "acceptableStatus": ["2XX"], "limits": { "maxBodyBytes": 5000 } },
          "aliases": { "text/old": "text/plain" },
          "plugins": [
            { "id": "json", "factory": "json", "match": { "types": ["@json"] } },
            { "id": "version", "factory": "json", "match": { "types": ["a/b;v=1"] } },
            { "id": "text", "factory": "text", "match": { "types": ["text/*"] } },
            { "id": "never", "factory": "text", "match": { "types": ["x/never"] } }
          ],
          "hosts": { "legacy.example.com": { "plugins": [
            { "id": "page", "factory": "json", "match": { "types": ["text/html"] } } ] } } }
        """

    /// One edit of `base`, and the lines that it changes.
    struct Edit: Sendable, CustomTestStringConvertible {
        let name: String
        let old: String
        let new: String
        let aspect: String
        let isChanged: @Sendable (TrafficLine) -> Bool
        /// The lines between both limits, among these.
        var isBetween: @Sendable (TrafficLine) -> Bool = { _ in false }
        var testDescription: String { name }
    }

    static let edits = [
        Edit(
            name: "a new entry in front", old: #"{ "id": "json","#,
            new: #"{ "id": "html", "factory": "json", "match": { "types": ["text/html"] } }, { "id": "json","#,
            aspect: "entries",
            isChanged: { $0.essence == "text/html" && $0.host != "legacy.example.com" && $0.takesJSON }),
        Edit(
            name: "fewer types", old: #"["text/*"]"#, new: #"["text/plain", "text/html"]"#, aspect: "entries",
            isChanged: { $0.essence == "text/markdown" && $0.takesText }),
        Edit(
            name: "another parameter", old: #"["a/b;v=1"]"#, new: #"["a/b;v=2"]"#, aspect: "entries",
            isChanged: { $0.essence == "a/b" && $0.takesJSON }),
        Edit(
            name: "a status", old: #"["@json"] }"#, new: #"["@json"], "status": ["200"] }"#, aspect: "entries",
            isChanged: { $0.essence == "application/json" && $0.status != 200 && $0.takesJSON }),
        Edit(
            name: "the limit of an entry", old: #"["@json"] }"#,
            new: #"["@json"] }, "limits": { "maxBodyBytes": 100 }"#, aspect: "entries",
            isChanged: { $0.essence == "application/json" && $0.takesJSON },
            isBetween: { $0.essence == "application/json" && $0.takesJSON && (101...5_000).contains($0.bytes) }),
        Edit(
            name: "another failure rule", old: #"["text/html"] }"#, new: #"["text/html"] }, "onFailure": "next""#,
            aspect: "entries",
            isChanged: { $0.essence == "text/html" && $0.host == "legacy.example.com" && $0.takesJSON }),
        Edit(
            name: "an alias", old: #""text/old": "text/plain""#, new: #""text/old": "application/json""#,
            aspect: "entries",
            isChanged: { $0.essence == "text/old" && (!$0.isAccepted || $0.wanted != "bytes") }),
        Edit(
            name: "a section for a path", old: #""hosts": {"#,
            new:
                #""hosts": { "files.example.com/export": { "plugins": [{ "id": "export", "factory": "json", "match": { "types": ["text/plain"] } }] },"#,
            aspect: "entries",
            isChanged: {
                $0.host.hasPrefix("files") && ["/export", "/export/{id}"].contains($0.path)
                    && ["text/plain", "text/old"].contains($0.essence) && $0.takesJSON
            }),
        Edit(
            name: "a section for a port", old: #""hosts": {"#,
            new: #""hosts": { "files.example.com:8443": { "use": ["text"] },"#, aspect: "entries",
            isChanged: {
                $0.host == "files.example.com:8443" && ["application/json", "a/b"].contains($0.essence)
                    && $0.type != "a/b;v=2" && $0.takesJSON
            }),
        Edit(
            name: "the limit of a host", old: #""legacy.example.com": {"#,
            new: #""legacy.example.com": { "policy": { "limits": { "maxBodyBytes": 99 } },"#, aspect: "limits",
            isChanged: { $0.host == "legacy.example.com" && (100...5_000).contains($0.bytes) },
            isBetween: { $0.host == "legacy.example.com" && (100...5_000).contains($0.bytes) }),
        Edit(
            name: "an acceptable status", old: #"["2XX"]"#, new: #"["2XX", "404"]"#, aspect: "acceptableStatus",
            isChanged: { $0.status == 404 }),
        Edit(
            name: "empty bodies", old: #""accept": "none","#,
            new:
                #""accept": "none", "empty": { "methods": ["HEAD"], "status": ["204"], "otherwise": "error" },"#,
            aspect: "empty", isChanged: { $0.bytes == 0 && $0.method != "HEAD" && $0.status != 204 }),
        Edit(
            name: "the cache", old: #""accept": "none","#, new: #""accept": "none", "cache": "off","#, aspect: "cache",
            isChanged: { _ in true }),
        Edit(
            name: "the Accept", old: #""accept": "none","#, new: #""accept": "all","#, aspect: "accept",
            isChanged: { _ in true }),
        Edit(
            name: "an entry that writes no longer", old: #""id": "json","#, new: #""id": "json", "writes": false,"#,
            aspect: "writers", isChanged: { $0.written == "application/json" }),
    ]

    static func document(_ folder: TemporaryFolder, _ words: [String] = ["--traffic", "log"]) async throws -> JSON {
        try JSON(
            parsing: await Binary.run(["diff", "old.json", "new.json", "--format", "json"] + words, in: folder.path)
                .output)
    }

    @Test(arguments: edits) func `each change has the exact number of its responses`(_ edit: Edit) async throws {
        let folder = TemporaryFolder()
        #expect(Self.base.ranges(of: edit.old).count == 1)
        try folder.write(Self.base, to: "old.json")
        try folder.write(Self.base.replacing(edit.old, with: edit.new), to: "new.json")
        let lines = TrafficLine.random(3000)
        try folder.write(TrafficLine.log(lines), to: "log")
        let document = try await Self.document(folder)
        let meant = lines.filter { !$0.isOverridden }
        let changes = document["changes"]?.array?.filter { $0["aspect"]?.string == edit.aspect } ?? []
        func sum(_ key: String) -> Int { changes.reduce(0) { $0 + ($1[key]?.int ?? 0) } }
        #expect(sum("responses") == meant.count(where: edit.isChanged))
        #expect(sum("responses") > 0)
        #expect(sum("between") == meant.count(where: edit.isBetween))
        #expect(document["traffic"]?["responses"]?.int == meant.count)
        #expect(
            document["traffic"]?["notCounted"] == [
                [
                    "reason": "override",
                    "lines": JSON(lines.count - meant.count),
                    "first": JSON("log:\((lines.firstIndex(where: \.isOverridden) ?? 0) + 1)"),
                ]
            ])
        // The same lines, as no log writes them.
        let spaced = TrafficLine.log(lines).replacing(#","bytes":"#, with: #", "bytes": "#)
        try folder.write(spaced, to: "log")
        #expect(try await Self.document(folder) == document)
    }

    /// What the command prints about the first edit, or about another table.
    private static func lines(_ lines: [TrafficLine], _ old: String = base, _ new: String? = nil) async throws
        -> [String]
    {
        let folder = TemporaryFolder()
        try folder.write(old, to: "old.json")
        try folder.write(new ?? old.replacing(edits[0].old, with: edits[0].new), to: "new.json")
        try folder.write(TrafficLine.log(lines), to: "log")
        let run = try await Binary.run(["diff", "old.json", "new.json", "--traffic", "log"], in: folder.path)
        #expect(run.errors == "")
        return run.output.split(separator: "\n").map(String.init)
    }

    @Test func `an edit names its responses, folds the others, and the entries that nothing used are named`()
        async throws
    {
        let html = TrafficLine(type: "text/html; charset=utf-8")
        let found = try await Self.lines(
            Array(repeating: html, count: 1200) + [
                TrafficLine(), TrafficLine(host: "legacy.example.com", type: "text/html"),
            ])
        #expect(
            found == [
                "new.json:5: the entry html is new",
                "  1,200 of 1,202 responses: text/html of api.example.com, 200, any value: entry text, will be html"
                    + " [any status]",
                "  never occurred: 2 changes",
                "nothing used: version, never (old.json); version, text, never (new.json)",
                "1,202 responses in the log",
            ])
    }

    @Test func `the example is the most frequent kind of response, and a line says that there are others`() async throws
    {
        let few = Array(repeating: TrafficLine(host: "few.example", type: "text/html"), count: 2)
        let many = Array(repeating: TrafficLine(host: "many.example", status: 404, type: "text/html"), count: 3)
        let found = try await Self.lines(few + many)
        #expect(
            found.contains {
                $0.hasPrefix(
                    "  5 of 5 responses, such as text/html of many.example, 404, any value: entry text, will be html")
            }, "\(found)")
    }

    @Test func `the example has its parameters if a table distinguishes them`() async throws {
        let lines = ["a/b;v=3", "a/b;v=2;x=y", "c/d;v=3"].map { TrafficLine(type: $0) }
        let news = ["a/b;v=3", "*/*"].map { Self.base.replacing("a/b;v=1", with: $0) }
        let found = try await Self.lines(lines, Self.base, news[0])
        #expect(
            found.contains {
                $0.hasPrefix("  1 of 3 responses: a/b;v=3 of api.example.com, 200, any value: the bytes")
            },
            "\(found)")
        let all = try await Self.lines(Array(lines.prefix(1)), Self.base, news[1])
        #expect(all.contains { $0.contains("responses: a/b;v=3 of ") }, "\(all)")
        let plain = Self.base.replacing("a/b;v=1", with: "a/b")
        let other = try await Self.lines(
            [TrafficLine(type: "text/html;v=3")], plain,
            plain.replacing(#""id": "text", "factory": "text""#, with: #""id": "text", "factory": "json""#))
        #expect(other.contains { $0.contains("responses: text/html of ") }, "\(other)")
    }

    @Test func `a limit that is raised counts the responses that pass now`() async throws {
        let lines = (1...5).map { TrafficLine(host: "legacy.example.com", bytes: $0 * 3_000) }
        let raised = Self.base.replacing("5000", with: "10000")
        for (before, after) in [(Self.base, raised), (raised, Self.base)] {
            #expect(
                try await Self.lines(lines, before, after).contains {
                    $0.hasPrefix("  2 of 5 responses between both limits: policy limits")
                })
        }
    }

    @Test func `a host with a larger limit, and a change of writing`() async throws {
        let lines = (1...5).map { TrafficLine(host: "legacy.example.com", bytes: $0 * 30, written: "application/json") }
        let limit = try #require(Self.edits.first { $0.aspect == "limits" })
        #expect(
            try await Self.lines(lines, Self.base, Self.base.replacing(limit.old, with: limit.new)).contains(
                "  2 of 5 responses between both limits: policy limits, legacy.example.com: 5,000 bytes, will be 99 bytes"
            ))
        let writes = try #require(Self.edits.first { $0.aspect == "writers" })
        #expect(
            try await Self.lines(lines, Self.base, Self.base.replacing(writes.old, with: writes.new)).contains {
                $0.hasPrefix(
                    "  5 of 5 responses: writing application/json, legacy.example.com, whole values: entry json, will be error noWriter"
                )
            })
    }

    @Test func `tables that answer alike still name the entries that nothing used`() async throws {
        let found = try await Self.lines([TrafficLine()], Self.base, Self.base)
        #expect(
            found == [
                "old.json and new.json answer every question alike",
                "nothing used: version, text, never, page (old.json); version, text, never, page (new.json)",
                "1 response in the log",
            ])
        let only = #"{ "manifestVersion": 1, "inherit": false, "plugins": [{ "id": "json", "factory": "json" }] }"#
        #expect(try await Self.lines([TrafficLine()], only, only).contains("nothing used: none of the entries"))
    }

    @Test func `an entry counts as used if the table can ask it, or if it read an inner body`() async throws {
        let chain = """
            { "manifestVersion": 1, "inherit": false, "plugins": [
              { "id": "first", "factory": "json", "match": { "types": ["a/chain"] }, "onFailure": "next" },
              { "id": "second", "factory": "text", "match": { "types": ["a/chain"] } },
              { "id": "guard", "factory": "xssi", "match": { "types": ["a/guarded"] } },
              { "id": "inner", "factory": "json", "match": { "types": ["@json"] } },
              { "id": "writer", "factory": "form", "match": { "types": ["a/form"] } },
              { "id": "off", "factory": "json", "enabled": false } ] }
            """
        func unused(_ lines: [TrafficLine]) async throws -> String? {
            try await Self.lines(lines, chain, chain).first { $0.hasPrefix("nothing used: ") }
        }
        func named(_ ids: String) -> String { "nothing used: \(ids) (old.json); \(ids) (new.json)" }
        #expect(try await unused([TrafficLine(type: "a/chain", entry: "first")]) == named("guard, inner, writer"))
        #expect(
            try await unused([TrafficLine(type: "a/guarded", entry: "inner", asked: ["guard"])])
                == named("first, second, writer"))
        #expect(
            try await unused([TrafficLine(type: "a/none", entry: nil, written: "a/form")])
                == named("first, second, guard, inner"))
    }

    @Test func `a change of an inner body or of a request without a type has no count`() async throws {
        let old =
            #"{ "manifestVersion": 1, "inherit": false, "policy": { "accept": "none" }, "plugins": [{ "id": "x", "factory": "xssi" }, { "id": "json", "factory": "json", "match": { "types": ["@json"] } }] }"#
        let new = old.replacing(#""@json"] }"#, with: #""@json"] }, "onFailure": "next""#)
            .replacing(#""accept": "none""#, with: #""accept": "none", "requestContentType": "a/b""#)
        let found = try await Self.lines([TrafficLine(bytes: 1)], old, new)
        #expect(
            found.contains { $0.hasPrefix("  application/json inside x, 200, any host, any value: was json") },
            "\(found)")
        #expect(found.contains { $0.hasPrefix("  policy requestContentType, any host: was application/json, now a/b") })
        #expect(
            found.contains {
                $0.hasPrefix("without a count, because the log does not tell: ")
            })
        #expect(
            found.contains {
                $0.hasPrefix("  1 of 1 responses: application/json of api.example.com, 200, any value: entry x")
            })
    }
}
