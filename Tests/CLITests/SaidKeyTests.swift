import Foundation
import Patchbay
import TestSupport
import Testing

/// The places that `explain` names: of the keys of the chosen entry, of entries that are off, and of the limit.
@Suite(.timeLimit(.minutes(5))) struct SaidKeyTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = TemporaryFolder()
        try folder.write(
            """
            { "manifestVersion": 1, "inherit": false,
              "policy": { "limits": { "maxBodyBytes": 100 } },
              "plugins": [
                { "id": "json", "factory": "json",
                  "match": { "types": ["a/j"] } },
                { "id": "text", "factory": "text", "match": { "types": ["a/t"] } } ] }
            """, to: "base.json")
        try folder.write(
            """
            { "manifestVersion": 1,
              "plugins": [
                { "id": "json",
                  "options": { "pretty": true },
                  "limits": { "maxBodyBytes": 9 } },
                { "id": "text", "enabled": false } ],
              "hosts": { "h.example": { "policy": {
                "limits": { "maxBodyBytes": 8 } } } } }
            """, to: "over.json")
    }

    private func run(_ words: String...) async throws -> [String] {
        let run = try await Binary.run(
            ["explain", "--manifest", "base.json", "--manifest", "over.json"] + words, in: folder.path)
        #expect(run.code == 0 && run.errors == "")
        return run.output.split(separator: "\n").map(String.init)
    }

    private static let keys = [
        "  factory: base.json:4", "  match.types: base.json:5", "  options.pretty: over.json:4",
        "  limits.maxBodyBytes: over.json:5",
    ]

    @Test func `each key of the chosen entry has the file and the line that said it last`() async throws {
        for words in [["--content-type", "a/j"], ["--content-type", "a/j", "--as", "User"]] {
            let lines = try await Binary.run(
                ["explain", "--manifest", "base.json", "--manifest", "over.json"] + words, in: folder.path
            ).output.split(separator: "\n").map(String.init)
            #expect(lines.filter { $0.hasPrefix("  ") }.sorted() == Self.keys.sorted())
        }
        let written = try await run("--write", "--content-type", "a/j")
        #expect(written.filter { $0.hasPrefix("  ") }.sorted() == Self.keys.sorted())
        #expect(try await run("--content-type", "x/x").allSatisfy { !$0.hasPrefix("  ") })
    }

    @Test func `an entry that is off is listed, with the line that switched it off`() async throws {
        let off = "text: off: switched off by over.json:6"
        #expect(try await run("--content-type", "a/t").contains(off))
        #expect(try await run("--content-type", "a/j", "--host", "h.example").contains(off))
        #expect(try await run("--write", "--content-type", "a/j").contains(off))
    }

    @Test func `a key that a null removed is there, with the place of the null`() async throws {
        try folder.write(
            """
            { "manifestVersion": 1,
              "policy": { "limits": { "maxBodyBytes": null } },
              "plugins": [{ "id": "json", "options": null,
                "limits": { "maxBodyBytes": null } }] }
            """, to: "local.json")
        func run(_ words: String...) async throws -> [String] {
            let layers = ["base.json", "over.json", "local.json"].flatMap { ["--manifest", $0] }
            let run = try await Binary.run(words + layers, in: folder.path)
            #expect(run.code == 0 && run.errors == "")
            return run.output.split(separator: "\n").map(String.init)
        }
        let explained = try await run("explain", "--content-type", "a/j")
        #expect(explained.contains("  options: removed by local.json:3"))
        #expect(explained.contains("  limits.maxBodyBytes: removed by local.json:4"))
        #expect(explained.contains("limit: 67,108,864 bytes, of the policy (default)"))
        let rows = try await run("routes", "--why").map { $0.split(separator: " ").map(String.init) }
        #expect(rows.contains(["json", "options", "removed", "local.json:3"]))
        #expect(rows.contains(["-", "policy.limits.maxBodyBytes", "removed", "local.json:2"]))
        let document = try JSON(
            parsing: try await run("routes", "--why", "--format", "json").joined(separator: "\n"))
        let keys = document["entries"]?[0]?["keys"]?.array ?? []
        #expect(
            keys.contains([
                "key": "options", "value": nil, "file": "local.json", "line": 3, "pointer": "/plugins/0/options",
            ]))
    }

    @Test func `an entry that a section leaves out is listed, with the line that did it`() async throws {
        try folder.write(
            """
            { "manifestVersion": 1,
              "hosts": { "i.example": {
                "without": ["json"] } } }
            """, to: "out.json")
        let words = ["explain", "--manifest", "base.json", "--manifest", "out.json", "--content-type", "a/j"]
        let off = "json: off: left out by out.json:3"
        for more in [["--host", "i.example"], ["--host", "i.example", "--write"]] {
            let lines = try await Binary.run(words + more, in: folder.path).output.split(separator: "\n")
            #expect(lines.contains(off[...]))
        }
        #expect(try await !Binary.run(words, in: folder.path).output.contains("left out"))
    }

    @Test func `routes list an entry that a section leaves out last, with the line that did it`() async throws {
        try folder.write(
            """
            { "manifestVersion": 1,
              "hosts": { "i.example": {
                "without": ["json"] } } }
            """, to: "out.json")
        func routes(_ words: String..., host: String = "i.example") async throws -> String {
            let layers = ["routes", "--manifest", "base.json", "--manifest", "out.json", "--host", host]
            return try await Binary.run(layers + words, in: folder.path).output
        }
        let lines = try await routes().split(separator: "\n").map(String.init)
        #expect(lines.map { $0.prefix(4) } == ["ENTR", "text", "json"])
        #expect(lines.last?.hasSuffix("base.json; left out by out.json:3") == true)
        let why = try await routes("--why").split(separator: "\n").filter { $0.hasPrefix("json") }
        #expect(why.first?.hasSuffix("base.json:4; left out by out.json:3") == true)
        let document = try JSON(parsing: try await routes("--format", "json"))["routes"]
        #expect(document?.array?.map { $0["entry"] } == ["text", "json"])
        #expect(document?.array?.map { $0["available"] } == [true, false])
        #expect(document?[1]?["remarks"] == ["left out by out.json:3"])
        #expect(try await !routes(host: "j.example").contains("left out"))
    }

    @Test func `the limit has its place`() async throws {
        func limit(_ words: String...) async throws -> String? {
            let run = try await Binary.run(
                ["explain", "--manifest", "base.json", "--manifest", "over.json"] + words, in: folder.path)
            return run.output.split(separator: "\n").first { $0.hasPrefix("limit: ") }.map(String.init)
        }
        #expect(try await limit("--content-type", "a/j") == "limit: 9 bytes, of the entry json (over.json:5)")
        #expect(try await limit("--content-type", "x/x") == "limit: 100 bytes, of the policy (base.json:2)")
        #expect(
            try await limit("--content-type", "a/j", "--host", "h.example")
                == "limit: 8 bytes, of the policy (over.json:8)")
        try folder.write(#"{ "manifestVersion": 1, "inherit": false }"#, to: "Plugins.json")
        let bare = try await Binary.run(["explain", "--content-type", "x/x"], in: folder.path).output
        #expect(bare.contains("\nlimit: 67,108,864 bytes, of the policy (default)\n"))
    }

    @Test func `the cache has its place, unless it is the standard one`() async throws {
        try folder.write(
            """
            { "manifestVersion": 1,
              "policy": { "cache": "explicit" },
              "hosts": { "h.example": { "policy": { "cache": "standard" } },
                "h.example/a": { "policy": { "cache": "off" } } } }
            """, to: "cache.json")
        for (words, rule, place) in [
            ([], "explicit", "cache.json:2"), (["--host", "h.example"], "standard", nil),
            (["--host", "h.example/a/b"], "off", "cache.json:4"),
        ] as [([String], String, String?)] {
            let words = ["--manifest", "cache.json"] + words
            let run = try await Binary.run(["explain"] + words, in: folder.path)
            let lines = run.output.split(separator: "\n").filter { $0.hasPrefix("cache: ") }
            #expect(lines == place.map { ["cache: \(rule) (\($0))"] } ?? [])
            let document = try await Binary.run(["explain", "--format", "json"] + words, in: folder.path).output
            #expect(try JSON(parsing: document)["cache"] == JSON(rule))
            let rows = try await Binary.run(["routes", "--why"] + words, in: folder.path).output.split(separator: "\n")
            let row = rows.first { $0.contains("policy.cache") }?.split(separator: " ").map(String.init)
            #expect(row == ["-", "policy.cache", "\"\(rule)\"", place ?? "cache.json:3"])
        }
    }

    @Test func `the document has the keys, and the entries that are off`() async throws {
        let lines = try await run("--content-type", "a/j", "--format", "json")
        let document = try JSON(parsing: lines.joined(separator: "\n"))
        let keys = try #require(document["keys"]?.array)
        #expect(
            Set(keys.compactMap { $0["key"]?.string }) == [
                "factory", "match.types", "options.pretty", "limits.maxBodyBytes",
            ])
        #expect(keys.contains { $0["file"] == "over.json" && $0["line"] == 4 && $0["value"] == true })
        #expect(document["off"] == ["text: off: switched off by over.json:6"])
    }
}
