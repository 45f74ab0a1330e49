import Foundation
import Patchbay
import TestSupport
import Testing

/// `explain`, `decode`, `routes` and `check`, which need no network.
@Suite(.timeLimit(.minutes(5))) struct ManifestCommandTests {
    private let folder: TemporaryFolder
    init() throws { folder = TemporaryFolder() }

    private static let vendor = #"Application/Vnd.Acme+JSON; Charset="utf-8""#

    @Test func `explain shows the canonical type, the entry and everyone asked`() async throws {
        let run = try await Binary.run([
            "explain", "--content-type", Self.vendor, "--status", "404", "--format", "json",
        ])
        #expect(run.code == 0)
        #expect(run.errors.isEmpty)
        let document = try JSON(parsing: run.output)
        #expect(document["status"] == 404)
        #expect(
            document["contentType"]
                == [
                    "essence": "application/vnd.acme+json", "parameters": ["charset": "utf-8"],
                    "serialized": "application/vnd.acme+json;charset=utf-8",
                ])
        #expect(document["entry"] == "json")
        #expect(document["outcome"] == "entry")
        let tried = try #require(document["tried"]?.array)
        #expect(tried.first?["entry"] == "problem")
        #expect(tried.first?["verdict"] == "declined")
        #expect(tried.last?["entry"] == "json")
        #expect(tried.last?["verdict"] == "chosen")
        for asked in tried { #expect(asked["reason"]?.string?.isEmpty == false) }
    }

    @Test func `explain prints one line an entry`() async throws {
        let run = try await Binary.run(["explain", "--content-type", Self.vendor, "--status", "404"])
        #expect(run.code == 0)
        #expect(
            run.output == """
                application/vnd.acme+json;charset=utf-8 with status 404: entry json
                the call fails with code status, because 404 is not acceptable (2XX, built-in:9); error.value has the value of the entry json
                problem: declined: application/vnd.acme+json is outside application/problem+json
                json: chosen: covers application/vnd.acme+json with status 404
                  factory: built-in:33
                  match.types: built-in:34
                  options.removeNulls: built-in:35
                xssi: off: switched off by built-in:23
                limit: 67,108,864 bytes, of the policy (built-in:11)
                Accept, any value: application/json, application/x-plist;q=0.9, application/x-apple-plist;q=0.9, application/x-apple-binary-plist;q=0.9, application/problem+json;q=0.8, */*;q=0.1
                Accept, Decodable: application/json, application/problem+json;q=0.9, */*;q=0.1

                """)
    }

    /// A decoder in front of the table, for every host and for one.
    private static let decoder =
        #"{ "id": "tables", "factory": "property-list", "match": { "types": ["text/x-table"] } }"#

    private static let standard = "application/json, application/problem+json;q=0.9, */*;q=0.1"
    private static let decoders =
        "application/x-plist, application/json;q=0.9, application/problem+json;q=0.8, text/x-table;q=0.2, */*;q=0.1"

    @Test func `explain and check say what Accept becomes of a decoder in front, and diff too`() async throws {
        try folder.write(#"{ "manifestVersion": 1, "plugins": [\#(Self.decoder)] }"#, to: "all.json")
        try folder.write(
            #"{ "manifestVersion": 1, "hosts": { "a.test": { "plugins": [\#(Self.decoder)] } } }"#, to: "one.json")
        try folder.write(#"{ "manifestVersion": 1, "policy": { "accept": "none" } }"#, to: "none.json")
        func lines(_ words: String..., code: Int32 = 0) async throws -> [String] {
            let run = try await Binary.run(words, in: folder.path)
            #expect(run.code == code && run.errors == "")
            return run.output.split(separator: "\n").map(String.init)
        }
        for (file, host, field) in [
            ("all.json", "b.test", Self.decoders), ("one.json", "a.test", Self.decoders),
            ("one.json", "b.test", Self.standard), ("none.json", "b.test", "none"),
        ] {
            let explained = try await lines("explain", "--manifest", file, "--host", host)
            #expect(explained.last == "Accept, Decodable: \(field)")
            let document = try await Binary.run(
                ["explain", "--manifest", file, "--host", host, "--format", "json"], in: folder.path)
            let accept = try JSON(parsing: document.output)["accept"]
            #expect(accept?["Decodable"] == (field == "none" ? .null : JSON(field)))
            #expect(accept?["any value"] != nil)
        }
        for (file, host) in [("all.json", "any host"), ("one.json", "a.test")] {
            let change = "Accept, \(host), Decodable: was \(Self.standard), now \(Self.decoders)"
            let checked = try await lines("check", file, "--strict").filter { $0.contains(change) }
            #expect(checked.count == 1)
            #expect(checked.allSatisfy { $0.hasPrefix("note: \(file): \(change)") })
            #expect(
                try await lines("check", file).contains {
                    $0.hasPrefix("note: \(file): Accept, \(host), any value: was ")
                })
            let accepts = try await lines("diff", "built-in", file, code: 1).filter { $0.hasPrefix("  Accept, ") }
            #expect(accepts.count == 1)
            #expect(accepts.allSatisfy { $0.hasPrefix("  Accept, \(host), Decodable: was ") })
        }
        #expect(try await lines("check").allSatisfy { !$0.contains("Accept") })
    }

    @Test func `an entry that is for elements alone is one in every output`() async throws {
        try folder.write(
            #"{ "manifestVersion": 1, "plugins": [{ "id": "rows", "factory": "json", "match": { "types": ["a/b"], "wanted": "elements" } }] }"#,
            to: "m.json")
        func run(_ words: String...) async throws -> String {
            let run = try await Binary.run(words + ["--bare", "--manifest", "m.json"], in: folder.path)
            #expect(run.code == 0 && run.errors == "")
            return run.output
        }
        #expect(try await run("routes").contains("m.json; only for elements\n"))
        let route = try JSON(parsing: await run("routes", "--format", "json"))["routes"]?[0]
        #expect(route?["wanted"] == "elements")
        #expect(route?["remarks"] == ["only for elements"])
        #expect(try await run("routes", "--html", "-").contains("m.json; only for elements"))
        let reason = "rows: declined: it is for elements or an array of them, not for any value"
        #expect(try await run("explain", "--content-type", "a/b").contains(reason))
        #expect(try await run("routes", "--html", "-").contains(reason))
        #expect(try await run("check").isEmpty == false)
    }

    /// The response that is asked about, the outcome, and the entry.
    @Test(arguments: [
        (["--content-type", "application/json"], "entry", "json"), ([], "raw", nil),
        (["--content-type", "json"], "raw", nil),
        (["--content-type", "application/json", "--method", "HEAD"], "empty", nil),
        (["--content-type", "application/json", "--status", "204"], "empty", nil),
        (["--content-type", "application/problem+json", "--status", "500"], "entry", "problem"),
        (["--content-type", "application/x-unheard-of"], "raw", nil),
    ])
    func `explain names the outcome`(_ words: [String], _ outcome: String, _ entry: String?) async throws {
        let run = try await Binary.run(["explain", "--format", "json"] + words)
        let document = try JSON(parsing: run.output)
        #expect(document["outcome"]?.string == outcome)
        #expect(document["entry"]?.string == entry)
    }

    @Test func `decode reads a file or standard input`() async throws {
        let file = try folder.write("[1]", to: "body")
        let words = ["--content-type", "application/json"]
        #expect(try await Binary.run(["decode", file] + words).output == "[\n  1\n]\n")
        #expect(try await Binary.run(["decode", "-"] + words, input: Array("2".utf8)).output == "2\n")
        let raw = try await Binary.run(["decode", "-"], input: [0, 255])
        #expect(raw.bytes == [0, 255])
        let document = try await Binary.run(["decode", "-", "--format", "json"], input: [0, 255])
        #expect(try JSON(parsing: document.output)["value"] == ["base64": "AP8="])
    }

    @Test func `decode reads a body from a pipe`() async throws {
        let words =
            "mkfifo \"$1\" && { printf '[1]' > \"$1\" & } && \"$0\" decode \"$1\" --content-type application/json"
        let child = try await ChildProcess.run("/bin/sh", ["-c", words, try Binary.path, folder.path + "/pipe"])
        #expect(child.outputText == "[\n  1\n]\n")
        #expect(child.end == .exited(0))
    }

    @Test func `decode goes by status and host`() async throws {
        let manifest = try folder.write(
            """
            { "manifestVersion": 1, "plugins": [], "hosts": { "example.com": { "plugins": [
                { "id": "errors", "factory": "text", "match": { "types": ["@json"], "status": ["4XX"] } } ] } } }
            """, to: "hosts.json")
        let words = [
            "decode", "-", "--content-type", "application/json", "--bare", "--manifest", manifest, "--format", "json",
        ]
        let here = try await Binary.run(words + ["--status", "404", "--host", "EXAMPLE.com."], input: Array("{}".utf8))
        #expect(try JSON(parsing: here.output)["entry"] == "errors")
        #expect(try JSON(parsing: here.output)["outcome"] == "entry")
        let elsewhere = try await Binary.run(
            words + ["--status", "404", "--host", "example.org"], input: Array("{}".utf8))
        #expect(try JSON(parsing: elsewhere.output)["entry"] == .null)
    }

    @Test func `check of the built-in table is clean`() async throws {
        let run = try await Binary.run(["check"])
        #expect(run.code == 0)
        #expect(run.output.hasPrefix("the built-in table: 15 entries, 0 host sections, no errors; digest "))
        #expect(run.errors.isEmpty)
    }

    @Test func `check lists every fault with file and pointer, as text and as JSON`() async throws {
        let manifest = try folder.write(
            #"{ "manifestVersion": 1, "plugins": [ { "id": "A", "factory": "json", "match": { "types": ["json"], "status": ["9XX"] } } ] }"#,
            to: "bad.json")
        let text = try await Binary.run(["check", manifest])
        #expect(text.code == 3)
        #expect(text.output.isEmpty)
        #expect(text.errors.split(separator: "\n").count == 3)
        let run = try await Binary.run(["check", manifest, "--format", "json"])
        #expect(run.code == 3)
        let issues = try #require(try JSON(parsing: run.output)["issues"]?.array)
        #expect(
            issues.compactMap { $0["pointer"]?.string }.sorted() == [
                "/plugins/0/id", "/plugins/0/match/status/0", "/plugins/0/match/types/0",
            ])
        #expect(issues.allSatisfy { $0["file"]?.string == manifest })
    }
}
