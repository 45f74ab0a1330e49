import Foundation
import Patchbay
import TestSupport
import Testing

/// What each command says of an entry whose factory not every build has.
@Suite(.timeLimit(.minutes(5))) struct ConditionalFactoryTests {
    private static func entry(_ more: String = "") -> String {
        #"{ "manifestVersion": 1, "plugins": [{ "id": "reader", "factory": "xml-parser", "match": { "types": ["text/x-read"] }\#(more) }] }"#
    }

    private static let files = [
        "needs.json": entry(), "optional.json": entry(#", "optional": true"#),
        "off.json": entry(#", "enabled": false"#),
        "host.json":
            #"{ "manifestVersion": 1, "hosts": { "a.test": { "plugins": [{ "id": "reader", "factory": "xml-parser", "match": { "types": ["text/x-read"] } }] } } }"#,
        "built-in.json":
            #"{ "manifestVersion": 1, "plugins": [{ "id": "xml-parser", "options": { "maxDepth": 9 } }] }"#,
        "strict.json":
            #"{ "manifestVersion": 1, "plugins": [{ "id": "xml-parser", "optional": false }] }"#,
        "cases.json":
            #"{ "cases": [{ "name": "read", "contentType": "text/x-read", "status": 200, "entry": "reader", "outcome": "entry" }] }"#,
        "other.json":
            #"{ "cases": [{ "name": "text", "contentType": "text/plain", "status": 200, "entry": "text", "outcome": "entry" }] }"#,
    ]

    private static func run(_ words: String...) async throws -> Binary.Run {
        let folder = TemporaryFolder()
        for (name, text) in files { try folder.write(text, to: name) }
        return try await Binary.run(words, in: folder.path)
    }

    private static let need = "reader needs the product PatchbayMigration"
    private static let refused =
        #": a program that is built without it does not load this manifest, unless the entry says "optional": true"#

    /// A file, the line about its entry, and the exit code with `--strict`.
    private static let checks: [(file: String, line: String?, strict: Int32)] = [
        (
            "needs.json",
            #"warning: needs.json: /plugins/0: the entry "reader" needs the product PatchbayMigration"#
                + refused, 3
        ),
        (
            "host.json",
            #"warning: host.json: /hosts/a.test/plugins/0: the entry "reader" needs the product PatchbayMigration"#
                + refused,
            3
        ),
        (
            "optional.json",
            #"note: optional.json: /plugins/0: the entry "reader" needs the product PatchbayMigration: a program that is built without it leaves the entry out"#,
            0
        ),
        (
            "strict.json",
            #"warning: built-in: /plugins/5: the entry "xml-parser" needs the product PatchbayMigration"#
                + refused, 3
        ),
        ("off.json", nil, 0), ("built-in.json", nil, 0),
    ]

    @Test func `check warns of one that is not optional, and with --strict fails`() async throws {
        for (file, line, strict) in Self.checks {
            let run = try await Self.run("check", file)
            #expect(run.code == 0, "\(file)")
            let lines = run.output.split(separator: "\n").map(String.init).filter {
                $0.contains(" needs ")
            }
            #expect(lines == (line.map { [$0] } ?? []), "\(file)")
            #expect(try await Self.run("check", file, "--strict").code == strict, "\(file)")
        }
        let json = try JSON(
            parsing: try await Self.run("check", "needs.json", "--format", "json").output)
        #expect(json["warnings"]?.array?.map { $0["code"]?.string } == ["conditionalFactory"])
        let optional = try JSON(
            parsing: try await Self.run("check", "optional.json", "--format", "json").output)
        #expect(optional["notes"]?.array?.contains { $0["code"]?.string == "optionalFactory" } == true)
    }

    @Test func `explain says it of the entry that is chosen`() async throws {
        let words = ["explain", "--manifest", "needs.json", "--content-type"]
        let folder = TemporaryFolder()
        for (name, text) in Self.files { try folder.write(text, to: name) }
        func explain(_ more: String...) async throws -> String {
            try await Binary.run(words + more, in: folder.path).output
        }
        #expect(try await explain("text/x-read").split(separator: "\n").contains(Substring(Self.need)))
        #expect(try await !explain("text/plain").contains("reader needs"))
        let json = try JSON(parsing: try await explain("text/x-read", "--format", "json"))
        #expect(json["needs"] == [JSON(Self.need)])
    }

    @Test func `routes and diff mark it`() async throws {
        let routes = try await Self.run("routes", "--manifest", "needs.json").output.split(
            separator: "\n")
        let marked = routes.filter { $0.hasSuffix("needs the product PatchbayMigration") }
        #expect(marked.map { $0.split(separator: " ").first } == ["reader", "xml-parser"])
        let page = try await Self.run("routes", "--html", "-", "--manifest", "needs.json").output
        #expect(page.contains("needs.json; needs the product PatchbayMigration"))
        let diff = try await Self.run("diff", "built-in", "needs.json").output
        #expect(diff.contains("needs the product PatchbayMigration"))
        let same = try await Self.run("diff", "built-in", "built-in.json").output
        #expect(same.contains("needs the product PatchbayMigration"))
    }

    @Test func `test names each that its cases reach`() async throws {
        let test = try await Self.run("test", "cases.json", "--manifest", "needs.json")
        #expect(test.code == 0)
        #expect(test.output.hasPrefix("\(Self.need)\n1 passed, 0 failed"))
        #expect(
            try await !Self.run("test", "other.json", "--manifest", "needs.json").output.contains(
                " needs "))
        let json = try JSON(
            parsing: try await Self.run(
                "test", "cases.json", "--manifest", "needs.json", "--format", "json"
            ).output)
        #expect(json["needs"] == [JSON(Self.need)])
    }
}
