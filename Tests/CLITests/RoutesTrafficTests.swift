import Foundation
import Patchbay
import TestSupport
import Testing

/// `routes --traffic`: what each entry did, and which host is slow.
@Suite(.timeLimit(.minutes(5))) struct RoutesTrafficTests {
    private static let table = """
        { "manifestVersion": 1, "inherit": false, "plugins": [
            { "id": "json", "factory": "json", "match": { "types": ["@json"] } },
            { "id": "text", "factory": "text", "match": { "types": ["text/*"] } } ],
          "hosts": { "slow.example": { "plugins": [
            { "id": "page", "factory": "json", "match": { "types": ["text/html"] }, "onFailure": "next" } ] } } }
        """

    private static let lines = [
        TrafficLine(decoding: 1.5), TrafficLine(decoding: 0.5001), TrafficLine(outcome: "error", decoding: nil),
        TrafficLine(host: "slow.example", entry: "text", asked: ["page"], decoding: 80),
        TrafficLine(host: "slow.example", entry: "gone", decoding: 20, isOverridden: true),
        TrafficLine(host: "slow.example:8443", entry: nil, outcome: "raw"),
        TrafficLine(host: "slow.example", status: 404, decoding: 2),
        TrafficLine(entry: nil, outcome: "error", written: "a/b", writer: "form"),
    ]

    private static func run(_ words: String..., lines: [TrafficLine] = lines) async throws -> Binary.Run {
        let folder = TemporaryFolder()
        try folder.write(table, to: "m.json")
        try folder.write(TrafficLine.log(lines), to: "log")
        return try await Binary.run(["routes", "--manifest", "m.json", "--traffic", "log"] + words, in: folder.path)
    }

    @Test func `each entry has its figures, also those of hosts and those that are only in the log`() async throws {
        let run = try await Self.run()
        #expect(run.code == 0 && run.errors == "")
        #expect(
            run.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) == [
                "ENTRY  MADE  FAILED  MEAN      LONGEST  WROTE  TYPES      FROM",
                "json   3     1       1.333 ms  2.0 ms   0      @json      m.json",
                "text   1     0       80.0 ms   80.0 ms  0      text/*     m.json",
                "page   0     1       -         -        0      text/html  m.json, host slow.example",
                "form   0     0       -         -        1      -          only in the log",
                "gone   1     0       20.0 ms   20.0 ms  0      -          only in the log",
                "", "HOST               RESPONSES  FAILED  MEAN     LONGEST",
                "slow.example       3          0       34.0 ms  80.0 ms",
                "api.example.com    4          2       1.0 ms   1.5 ms",
                "slow.example:8443  1          0       -        -", "",
                "8 responses in the log", "",
            ])
    }

    @Test func `with a host, only its responses count`() async throws {
        let lines = try await Self.run("--host", "slow.example").output.split(separator: "\n").map(String.init)
        #expect(lines.contains { $0.hasPrefix("page   0     1 ") })
        #expect(lines.contains { $0.hasPrefix("json   1     0       2.0 ms") })
        #expect(!lines.contains { $0.hasPrefix("api.example.com") || $0.hasPrefix("slow.example:8443") })
    }

    @Test func `the document has the figures`() async throws {
        let document = try JSON(parsing: await Self.run("--format", "json").output)
        let json = document["routes"]?.array?.first { $0["entry"] == "json" }
        #expect(
            json?["traffic"] == ["made": 3, "failed": 1, "meanDecoding": 1.333, "longestDecoding": 2.0, "wrote": 0])
        #expect(
            document["traffic"] == [
                "responses": 8, "dropped": 0, "notCounted": [],
                "hosts": [
                    [
                        "host": "slow.example", "responses": 3, "failed": 0, "meanDecoding": 34.0,
                        "longestDecoding": 80.0,
                    ],
                    [
                        "host": "api.example.com", "responses": 4, "failed": 2, "meanDecoding": 1.0,
                        "longestDecoding": 1.5,
                    ],
                    [
                        "host": "slow.example:8443", "responses": 1, "failed": 0, "meanDecoding": nil,
                        "longestDecoding": nil,
                    ],
                ],
                "others": [
                    ["entry": "form", "made": 0, "failed": 0, "meanDecoding": nil, "longestDecoding": nil, "wrote": 1],
                    [
                        "entry": "gone", "made": 1, "failed": 0, "meanDecoding": 20.0, "longestDecoding": 20.0,
                        "wrote": 0,
                    ],
                ],
            ])
    }

    @Test func `many hosts are cut in text, and many names share their figures`() async throws {
        let many = (0..<30).map { TrafficLine(host: "h\($0).example", decoding: Double($0)) }
        let lines = try await Self.run(lines: many).output.split(separator: "\n").map(String.init)
        #expect(lines.count { $0.hasPrefix("h") } == 20)
        #expect(lines.contains("and 10 faster hosts"))
    }

    @Test(arguments: ["--html", "--why"]) func `a log goes with no other view`(_ option: String) async throws {
        let words = ["routes", "--traffic", "log", option] + (option == "--html" ? ["-"] : [])
        let run = try await Binary.run(words)
        #expect(run.code == 2)
        #expect(run.errors.hasPrefix("patchbay: --traffic and \(option) are both given; "))
    }

    @Test func `the page shows what the commands print`() async throws {
        let page = try Markdown("Documentation/CommandLine.md").blocks
        let folder = TemporaryFolder()
        let entries =
            #"{ "id": "json", "factory": "json", "match": { "types": ["@json"] } }, { "id": "text", "factory": "text", "match": { "types": ["text/*"] } }"#
        try folder.write(#"{ "manifestVersion": 1, "inherit": false, "plugins": [\#(entries)] }"#, to: "Plugins.json")
        try folder.write(
            TrafficLine.log([TrafficLine(decoding: 1.5), TrafficLine(decoding: 0.5), TrafficLine(outcome: "error")]),
            to: "traffic.log")
        let command = "$ patchbay routes --traffic traffic.log --manifest Plugins.json\n"
        let block = try #require(page.first { $0.language == "console" && $0.text.hasPrefix(command) })
        let words = command.dropFirst("$ patchbay ".count).dropLast().split(separator: " ").map(String.init)
        #expect(try await Binary.run(words, in: folder.path).output == block.text.dropFirst(command.count))
        // The counts of this example are those of a whole day.
        let example = try #require(page.first { $0.text.contains("  12,304 of 90,112 responses: ") }).text
        let shape = try Regex(
            #"^Plugins\.json:5: .*\n  [0-9,]+ of [0-9,]+ responses: text/html of [^\n]*, 200, any value: entry text, will be html [^\n]*\n  never occurred: 2 changes\nnothing used: [^\n]*\n[0-9,]+ responses in the log\n$"#
        )
        #expect(example.wholeMatch(of: shape) != nil)
    }
}
