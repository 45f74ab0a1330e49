import Foundation
import Patchbay
import TestSupport
import Testing

@testable import PatchbayCLI

/// `explain` of a typed call and of a stream, and the limit in force.
@Suite(.timeLimit(.minutes(5))) struct ExplainCallTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let words: [String]
        let heading: String
        /// The line that begins with `limit: `.
        var limit = "limit: 67,108,864 bytes, of the policy"
        /// The lines about Accept.
        var accept: [String]?
        var testDescription: String { words.joined(separator: " ") }

        init(_ words: String..., heading: String, limit: String? = nil, accept: [String]? = nil) {
            (self.words, self.heading, self.accept) = (words, heading, accept)
            if let limit { self.limit = limit }
        }
    }

    private static let manifest = """
        { "manifestVersion": 1, "inherit": false, "policy": { "accept": "all", "limits": { "maxBodyBytes": 1000 } },
          "plugins": [
            { "id": "lines", "factory": "ndjson", "match": { "types": ["a/l"] }, "limits": { "maxBodyBytes": 10 } },
            { "id": "json", "factory": "json", "match": { "types": ["a/j"] }, "limits": { "maxBodyBytes": 100 } },
            { "id": "plist", "factory": "property-list", "match": { "types": ["a/p"] } },
            { "id": "text", "factory": "text", "match": { "types": ["a/t"] }, "limits": { "maxBodyBytes": 2000 } } ],
          "hosts": { "h.example": { "policy": { "limits": { "maxBodyBytes": 50 } } } } }
        """

    private static let entry = "limit: 100 bytes, of the entry json"
    private static let policy = "limit: 1,000 bytes, of the policy"

    static let rows = [
        Row("--content-type", "a/j", heading: "a/j with status 200: entry json", limit: entry),
        Row(
            "--content-type", "a/j", "--as", "User", heading: "a/j with status 200 as User (any Decodable): entry json",
            limit: entry),
        Row("--content-type", "a/j", "--as", "JSON", heading: "a/j with status 200 as JSON: entry json", limit: entry),
        Row(
            "--content-type", "a/j", "--as", "User?",
            heading: "a/j with status 200 as User? (any Decodable): entry json", limit: entry),
        Row(
            "--content-type", "a/j", "--as", "[User]",
            heading: "a/j with status 200 as [User] (any Decodable): entry json", limit: entry),
        Row(
            "--content-type", "a/j", "--as", "[String: [Int]]",
            heading: "a/j with status 200 as [String: [Int]] (any Decodable): entry json", limit: entry),
        Row(
            "--content-type", "a/j", "--as", "Dictionary<String, Array<Int>>",
            heading: "a/j with status 200 as Dictionary<String, Array<Int>> (any Decodable): entry json", limit: entry),
        Row(
            "--content-type", "a/j", "--as", "[[String: Int]: Optional<[A<B, C>]>]",
            heading: "a/j with status 200 as [[String: Int]: Optional<[A<B, C>]>] (any Decodable): entry json",
            limit: entry),
        Row(
            "--content-type", "a/j", "--as", "Array<UInt8>", heading: "a/j with status 200 as [UInt8]: raw",
            limit: policy),
        Row(
            "--content-type", "a/l", "--as", "Array<JSON>", heading: "a/l with status 200 as [JSON]: entry lines",
            limit: "limit: 10 bytes, of the entry lines"),
        Row(
            "--content-type", "a/l", "--as", "[[Int]: User]",
            heading: "a/l with status 200 as [[Int]: User] (any Decodable): error", limit: policy),
        Row(
            "--content-type", "a/l", "--as", "Array<Optional<User>>",
            heading: "a/l with status 200 as [User?] (any Decodable): entry lines",
            limit: "limit: 10 bytes, of the entry lines"),
        Row(
            "--content-type", "a/j", "--as", "Data", heading: "a/j with status 200 as Data: raw", limit: policy,
            accept: ["Data: */*"]),
        Row("--content-type", "a/j", "--as", "[UInt8]", heading: "a/j with status 200 as [UInt8]: raw", limit: policy),
        Row("--content-type", "a/j", "--as", "String", heading: "a/j with status 200 as String: raw", limit: policy),
        Row(
            "--content-type", "a/t", "--as", "String?", heading: "a/t with status 200 as String?: entry text",
            limit: policy),
        Row(
            "--content-type", "a/t", "--as", "User", heading: "a/t with status 200 as User (any Decodable): error",
            limit: policy),
        Row(
            "--content-type", "a/p", "--as", "PropertyList",
            heading: "a/p with status 200 as PropertyList: entry plist", limit: policy),
        Row(
            "--content-type", "a/l", "--as", "User", heading: "a/l with status 200 as User (any Decodable): error",
            limit: policy),
        Row(
            "--content-type", "a/l", "--as", "[User]",
            heading: "a/l with status 200 as [User] (any Decodable): entry lines",
            limit: "limit: 10 bytes, of the entry lines"),
        Row(
            "--content-type", "a/l", "--as", "User", "--elements",
            heading: "a/l with status 200 as elements of User (any Decodable): entry lines",
            limit: "limit: 10 bytes for each element, of the entry lines"),
        Row(
            "--content-type", "a/l", "--elements", heading: "a/l with status 200 as elements of any type: entry lines",
            limit: "limit: 10 bytes for each element, of the entry lines"),
        Row(
            "--content-type", "a/j", "--as", "User", "--host", "h.example",
            heading: "a/j with status 200 as User (any Decodable): entry json", limit: "limit: 50 bytes, of the policy"),
        Row(
            "--content-type", "a/t", "--as", "User", "--status", "404",
            heading: "a/t with status 404 as User (any Decodable): entry text", limit: policy),
    ]

    @Test(arguments: rows) func `explain answers for the call that is named`(_ row: Row) async throws {
        let folder = TemporaryFolder()
        try folder.write(Self.manifest, to: "Plugins.json")
        let run = try await Binary.run(["explain"] + row.words, in: folder.path)
        #expect(run.code == 0 && run.errors == "")
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(lines.first == row.heading)
        // The place of the limit is for `SaidKeyTests`.
        #expect(lines.filter { $0.hasPrefix("limit: ") }.map { String($0.prefix { $0 != "(" }) } == [row.limit + " "])
        if let accept = row.accept {
            #expect(lines.filter { $0.hasPrefix("Accept, ") } == accept.map { "Accept, " + $0 })
        }
        let document = try JSON(
            parsing: await Binary.run(["explain", "--format", "json"] + row.words, in: folder.path).output)
        let bytes = document["limit"]?["bytes"]?.int.map { "limit: \(ByteCount($0))" }
        #expect(bytes.map(row.limit.hasPrefix) == true)
        #expect(document["limit"]?["each"] == (row.words.contains("--elements") ? "element" : "body"))
    }

    @Test func `a status that is not acceptable fails the call, with the line of the rule and the value`() async throws
    {
        let folder = TemporaryFolder()
        try folder.write(
            """
            { "manifestVersion": 1, "inherit": false,
              "policy": { "missingContentType": "error",
                "acceptableStatus": ["2XX", "404"] },
              "plugins": [{ "id": "json", "factory": "json", "match": { "types": ["a/j"] } },
                          { "id": "own", "factory": "raw", "match": { "status": ["5XX"] } }] }
            """, to: "Plugins.json")
        let rule = "is not acceptable (2XX, 404, Plugins.json:3)"
        for (words, line) in [
            (
                ["--content-type", "a/j", "--status", "403"],
                "status, because 403 \(rule); error.value has the value of the entry json"
            ),
            (
                ["--content-type", "a/t", "--status", "500", "--as", "User"],
                "status, because 500 \(rule); error.value has the bytes (a ResponseBody)"
            ),
            (
                ["--content-type", "a/t", "--status", "403"],
                "status, because 403 \(rule); error.value has the bytes (a ResponseBody)"
            ),
            (
                ["--status", "403"],
                "status, because 403 \(rule); error.bodyFailure has the reason that there is no value"
            ),
            (
                ["--status", "403", "--method", "HEAD"],
                "status, because 403 \(rule); its body is expected to be empty"
            ),
            (
                ["--content-type", "a/t", "--status", "304"],
                "notModified, because 304 \(rule); its body is expected to be empty"
            ),
            (["--content-type", "a/j", "--status", "404"], nil), (["--content-type", "a/j", "--as", "User"], nil),
        ] {
            let lines = try await Binary.run(["explain"] + words, in: folder.path).output.split(separator: "\n")
            let said = lines.dropFirst().first.flatMap { $0.hasPrefix("the call fails") ? String($0) : nil }
            #expect(said == line.map { "the call fails with code " + $0 })
            let document = try JSON(
                parsing: await Binary.run(["explain", "--format", "json"] + words, in: folder.path).output)
            #expect(document["error"]?["message"]?.string == said)
            #expect(document["error"]?["code"]?.string == line?.split(separator: ",").first.map(String.init))
        }
        let standard = try await Binary.run(["explain", "--bare", "--status", "500"], in: folder.path).output
        #expect(
            !standard.contains("(2XX, default)") || standard.contains("because 500 is not acceptable (2XX, default)"))
    }

    @Test func `the document of explain has the code with which the call fails, and null for a call that does not`()
        async throws
    {
        let folder = TemporaryFolder()
        try folder.write(
            """
            { "manifestVersion": 1, "inherit": false, "policy": { "missingContentType": "error", "noMatch": "error" },
              "plugins": [{ "id": "json", "factory": "json", "match": { "types": ["a/j"] } }] }
            """, to: "Plugins.json")
        let status = "the call fails with code status, because 500 is not acceptable (2XX, default); "
        for (words, code, message, body) in [
            (["--content-type", "a/j"], nil, nil, nil),
            (["--content-type", "a/j", "--status", "204"], nil, nil, nil),
            (["--content-type", "a/t"], "noMatch", "no entry serializes a/t with status 200; ", nil),
            (["--content-type", "a/t", "--as", "User"], "noEntryProduces", "no entry makes User from a/t ", nil),
            ([], "missingContentType", "the response has no Content-Type, ", nil),
            (["--content-type", "a/j", "--status", "500"], "status", status + "error.value has the value", nil),
            (["--status", "500"], "status", status + "error.bodyFailure", "the response has no Content-Type, "),
        ] as [([String], String?, String?, String?)] {
            let run = try await Binary.run(["explain", "--format", "json"] + words, in: folder.path)
            let error = try JSON(parsing: run.output)["error"]
            #expect(run.code == 0 && error?["code"]?.string == code, "\(words)")
            #expect(message.map { error?["message"]?.string?.hasPrefix($0) == true } ?? (error == .null), "\(words)")
            let reason = error?["bodyFailure"]?.string
            #expect(body.map { reason?.hasPrefix($0) == true } ?? (reason == nil), "\(words)")
        }
    }

    @Test func `the limit of an entry that this build lacks is there beside the limit in force`() async throws {
        let folder = TemporaryFolder()
        let own = #""factory": "own", "optional": true, "match": { "types": ["a/o"] }, "limits""#
        try folder.write(
            """
            { "manifestVersion": 1, "inherit": false, "policy": { "limits": { "maxBodyBytes": 1000 } },
              "plugins": [
                { "id": "json", "factory": "json", "match": { "types": ["a/j"] } },
                { "id": "own", \(own): { "maxBodyBytes": 50 } },
                { "id": "large", \(own): { "maxBodyBytes": 5000 } },
                { "id": "text", "factory": "text", "match": { "types": ["*/*"] } } ] }
            """, to: "Plugins.json")
        func limit(_ words: String...) async throws -> String? {
            try await Binary.run(["explain", "--content-type"] + words, in: folder.path).output.split(separator: "\n")
                .first { $0.hasPrefix("limit: ") }.map(String.init)
        }
        let policy = "limit: 1,000 bytes, of the policy (Plugins.json:1)"
        #expect(
            try await limit("a/o")
                == policy + "; 50 bytes, of the entry own (Plugins.json:4), in a build that has its factory")
        for words in ["a/j", "a/t"] { #expect(try await limit(words) == policy) }
        #expect(try await limit("a/o", "--as", "User") == policy)
        let document = try JSON(
            parsing: await Binary.run(["explain", "--content-type", "a/o", "--format", "json"], in: folder.path).output)
        #expect(document["limit"]?["otherBuild"] == ["bytes": 50, "of": "entry own"])
    }

    @Test func `the reasons have the name that was given, not that of its stand-in`() async throws {
        let folder = TemporaryFolder()
        try folder.write(Self.manifest, to: "Plugins.json")
        for (type, shown) in [
            ("User", "User"), ("[Order]", "[Order]"), ("Array<Order>", "[Order]"), ("Optional<Order>", "Order?"),
        ] {
            let words = ["explain", "--content-type", "a/t", "--as", type]
            let run = try await Binary.run(words, in: folder.path)
            #expect(run.output.contains("it makes String, not \(shown)"), "\(run.output)")
            let document = try await Binary.run(words + ["--format", "json"], in: folder.path).output
            #expect(document.contains("it makes String, not \(shown)"))
            #expect(!(run.output + document).contains("AnyDecodable"))
        }
    }

    @Test func `a typed call is told its own Accept, another the usual two`() async throws {
        let accept = { (words: [String]) async throws in
            try await Binary.run(["explain"] + words).output.split(separator: "\n").filter { $0.hasPrefix("Accept, ") }
                .map { String($0.prefix { $0 != ":" }) }
        }
        #expect(try await accept([]) == ["Accept, any value", "Accept, Decodable"])
        #expect(try await accept(["--as", "User"]) == ["Accept, User (any Decodable)"])
        #expect(try await accept(["--as", "User", "--elements"]) == ["Accept, elements of User (any Decodable)"])
    }

    @Test func `routes print the limit in force of each entry, and have it in their document`() async throws {
        let folder = TemporaryFolder()
        try folder.write(Self.manifest, to: "Plugins.json")
        let text = try await Binary.run(["routes", "--host", "h.example"], in: folder.path).output
        let rows = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(rows.dropFirst().map { $0[6] } == ["10", "50", "50", "50"])
        let document = try JSON(parsing: await Binary.run(["routes", "--format", "json"], in: folder.path).output)
        #expect(document["maxBodyBytes"] == 1000)
        #expect(document["routes"]?.array?.map { $0["limit"] } == [10, 100, 1000, 1000])
        #expect(document["routes"]?.array?.map { $0["maxBodyBytes"] } == [10, 100, .null, 2000])
    }

    @Test(arguments: ["User", "[User]", "[[User]]?", "Array<JSON>", "[String: Int]", "A.B", "any Sendable", "()"])
    func `types as in Swift are read`(_ text: String) { #expect(AskedCall.TypeName(text) != nil) }

    @Test func `a type that is written like none is refused, and a hostile one is answered at once`() async throws {
        #expect(AskedCall.TypeName(String(repeating: "?", count: 9)) == nil)
        #expect(AskedCall.TypeName(String(repeating: "a", count: 201)) == nil)
        for text in [
            "[", "]", "[[[[[[[[", "[User", "[User>", "Array<User", "(", "User]", "Array<User>>", "Array<<User>",
        ] {
            #expect(AskedCall.TypeName(text) == nil, "\(text)")
        }
        for text in [
            "?", "[]", "[?]", "????????", "[[[[]]]]", "<>", ":", "[:]", "()?", "Array<>", "Array<?>", "Optional<>",
            "Dictionary<>", "Dictionary<,>",
        ] {
            let run = try await Binary.run(["explain", "--as", text])
            #expect(run.code == 0 && run.errors == "", "\(text)")
        }
    }
}
