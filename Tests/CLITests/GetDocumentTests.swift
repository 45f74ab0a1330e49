import Foundation
import Patchbay
import TestSupport
import Testing

@testable import PatchbayCLI

/// The document of `get --format json`, its schema `Documentation/get.schema.json`, and the page that describes it.
@Suite(.timeLimit(.minutes(5))) struct GetDocumentTests {
    private static let schema = try? JSON(parsing: Data(contentsOf: file("get.schema.json")))

    static func file(_ name: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Documentation/\(name)")
    }

    /// The faults of a document by a schema of the few words that the file uses.
    private static func faults(_ value: JSON, by schema: JSON, at place: String = "") -> [String] {
        var faults: [String] = []
        let kind =
            switch value {
            case .null: "null"
            case _ where value.bool != nil: "boolean"
            case _ where value.string != nil: "string"
            case _ where value.array != nil: "array"
            case _ where value.object != nil: "object"
            default: value.int == nil ? "number" : "integer"
            }
        if let type = schema["type"] {
            let types = type.array?.compactMap(\.string) ?? [type.string ?? ""]
            if !types.contains(kind), !(kind == "integer" && types.contains("number")) {
                faults.append("\(place): \(kind) is not \(types)")
            }
        }
        if let values = schema["enum"]?.array, !values.contains(value) { faults.append("\(place): \(value)") }
        for name in schema["required"]?.array?.compactMap(\.string) ?? []
        where value.object != nil && value[name] == nil {
            faults.append("\(place)/\(name): missing")
        }
        for (name, member) in value.object ?? [] {
            if let known = schema["properties"]?[name] {
                faults += Self.faults(member, by: known, at: "\(place)/\(name)")
            } else if let others = schema["additionalProperties"] {
                if others == false { faults.append("\(place)/\(name): unknown") }
                if others.object != nil { faults += Self.faults(member, by: others, at: "\(place)/\(name)") }
            }
        }
        if let items = schema["items"] {
            for item in value.array ?? [] { faults += Self.faults(item, by: items, at: "\(place)[]") }
        }
        return faults
    }

    /// A reply for each outcome, and the exit code.
    static let outcomes: [(String, RawReply, Int32)] = [
        ("a value", .response(["Content-Type": "application/json; charset=utf-8"], body: #"{"a":[1,null]}"#), 0),
        ("no body", .response(status: 204), 0),
        ("bytes", .response(["Content-Type": "application/x-unheard-of"], body: "\u{1}"), 0),
        ("an invalid type", .response(["Content-Type": "json"], body: "1"), 0),
        (
            "an error status",
            .response(status: 404, ["Content-Type": "application/problem+json"], body: #"{"title":"Gone"}"#), 5
        ),
        ("a malformed body", .response(["Content-Type": "application/json"], body: "{"), 6),
        ("a refused redirect", .response(status: 302, ["Location": "ftp://h/"]), 4),
        ("no response", RawReply([.reset]), 4),
        ("no answer in time", RawReply([.hang]), 4),
    ]

    @Test(arguments: outcomes)
    func `every outcome is a document of the schema`(_ name: String, _ reply: RawReply, _ code: Int32) async throws {
        let schema = try #require(Self.schema)
        let server = try RawServer(always: reply)
        let run = try await Binary.run([
            "get", server.url("/x?q=1").absoluteString, "--format", "json", "--timeout", "2",
        ])
        #expect(run.code == code)
        let document = try JSON(parsing: run.output)
        #expect(Self.faults(document, by: schema) == [])
        #expect(document.object?.map(\.key) == schema["required"]?.array?.compactMap(\.string))
        #expect(document["timeline"] != .null)
        #expect((document["error"] == .null) == (code == 0))
        if let status = document["status"], status != .null {
            #expect(document["url"]?.string == "http://127.0.0.1:\(server.port)/x?q=1")
            #expect((document["fields"]?.array?.isEmpty == true) == (name == "no body"))
        }
    }

    @Test func `decode and explain print the same members`() async throws {
        let schema = try #require(Self.schema)
        let decoded = try await Binary.run(
            ["decode", "-", "--content-type", "application/json", "--format", "json"], input: Array("[1]".utf8))
        #expect(Self.faults(try JSON(parsing: decoded.output), by: schema) == [])
        let explained = try await Binary.run(["explain", "--content-type", "text/csv", "--format", "json"])
        #expect(
            Self.faults(try JSON(parsing: explained.output), by: schema)
                == [
                    "/accept: unknown", "/limit: unknown", "/cache: unknown", "/needs: unknown", "/keys: unknown",
                    "/off: unknown",
                ])
    }

    @Test func `--show-secrets shows them`() async throws {
        let server = try RawServer(
            always: .response(
                ["Content-Type": "text/plain", "Set-Cookie": "id=hush; Path=/", "X-Api-Key": "hush"], body: "x"))
        let words = ["get", server.url("/?q=own&token=hush").absoluteString, "--format", "json"]
        let masked = try await Binary.run(words)
        #expect(!masked.output.contains("hush"))
        #expect(masked.output.contains("id=***; Path=/") && masked.output.contains("?q=own&token=***"))
        let shown = try JSON(parsing: try await Binary.run(words + ["--show-secrets"]).output)
        #expect(shown["url"]?.string?.hasSuffix("?q=own&token=hush") == true)
        #expect(shown["fields"]?.array?.compactMap { $0["value"]?.string }.contains("id=hush; Path=/") == true)
    }

    @Test func `the page has a row for each member, in the order of the schema`() throws {
        let schema = try #require(Self.schema)
        let page = try String(contentsOf: Self.file("Get.md"), encoding: .utf8)
        let table = page.components(separatedBy: "| member | value |")[1]
        let names = table.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { $0.split(separator: "`")[1] }
        #expect(names.map(String.init) == schema["required"]?.array?.compactMap(\.string))
        #expect(schema["properties"]?.object?.map(\.key) == schema["required"]?.array?.compactMap(\.string))
    }
}
