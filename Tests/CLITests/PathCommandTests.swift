import Foundation
import Patchbay
import TestSupport
import Testing

/// What the commands say of sections for paths.
@Suite(.timeLimit(.minutes(5))) struct PathCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = TemporaryFolder()
        try folder.write(Self.manifest("1000"), to: "Plugins.json")
        try folder.write(Self.manifest("2000"), to: "after.json")
    }

    private static func manifest(_ limit: String) -> String {
        """
        { "manifestVersion": 1, "inherit": false,
          "plugins": [{ "id": "json", "factory": "json", "match": { "types": ["@json"] } },
                      { "id": "text", "factory": "text", "match": { "types": ["text/*"] } }],
          "hosts": { "a.test/v1/export": {
            "plugins": [{ "id": "csv", "factory": "csv-rows", "match": { "types": ["text/csv", "text/plain"] } }],
            "policy": { "limits": { "maxBodyBytes": \(limit) } } } } }
        """
    }

    private func lines(_ words: String..., code: Int32 = 0) async throws -> [String] {
        let run = try await Binary.run(words, in: folder.path)
        #expect(run.code == code && run.errors == "", "\(run.errors)")
        return run.output.split(separator: "\n").map(String.init)
    }

    @Test func `explain, routes and decode take a host with a path`() async throws {
        let words = ["explain", "--content-type", "text/plain", "--host"]
        for (host, entry) in [
            ("a.test/v1/export", "csv"), ("A.test.:443/v1/%65xport/x?y", "csv"), ("a.test/v1", "text"),
            ("a.test", "text"),
            ("a.test/v1/exports", "text"), ("b.test/v1/export", "text"),
        ] {
            let run = try await Binary.run(words + [host], in: folder.path)
            #expect(run.output.hasPrefix("text/plain with status 200: entry \(entry)\n"), "\(host)")
            #expect(run.output.contains("Accept, any value: text/csv") == (entry == "csv"), "\(host)")
        }
        #expect(
            try await lines("routes", "--host", "a.test/v1/export/x").map { $0.prefix(4) } == [
                "ENTR", "csv ", "json", "text",
            ])
        #expect(
            try await lines("routes", "--host", "a.test/v1/export").contains { $0.contains("host a.test/v1/export") })
        #expect(try await lines("routes", "--host", "a.test").map { $0.prefix(4) } == ["ENTR", "json", "text"])
        try folder.write("a,b\n1,2\n", to: "x.csv")
        let decoded = try await lines(
            "decode", "x.csv", "--content-type", "text/plain", "--host", "a.test/v1/export", "--format", "json")
        #expect(decoded.joined().contains(#""csv""#))
        let written = try await lines(
            "explain", "--write", "--content-type", "text/csv", "--host", "a.test/v1/export", "--elements")
        #expect(written.contains { $0.hasPrefix("csv: chosen") })
    }

    @Test func `diff and check name the path, and written cases ask for it`() async throws {
        let changes = try await lines("diff", "Plugins.json", "after.json", code: 1)
        #expect(changes.allSatisfy { $0.contains("a.test/v1/export") } && !changes.isEmpty)
        #expect(try await lines("check", "--strict").last != nil)
        let cases = try await Binary.run(["test", "--write", "cases.json"], in: folder.path)
        #expect(cases.code == 0, "\(cases.errors)")
        let text = try String(contentsOf: URL(filePath: folder.path + "/cases.json"), encoding: .utf8)
        #expect(text.contains(#""host": "a.test/v1/export""#) || text.contains(#""host":"a.test/v1/export""#))
        let passed = try await lines("test", "cases.json")
        #expect(passed.last?.contains("0 failed") == true && passed.last?.contains("host sections 1 of 1") == true)
        let page = try await Binary.run(["routes", "--html", "-"], in: folder.path)
        #expect(page.code == 0 && page.output.contains("a.test/v1/export"))
    }
}
