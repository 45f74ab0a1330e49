import Foundation
import Patchbay
import PatchbayMigration
import PatchbayRegistry
import PatchbayTools
import TestSupport
import Testing

/// The page of `routes --html`, read, and used in a browser.
@Suite(.timeLimit(.minutes(10))) struct RoutesPageTests {
    private static let browser = "/usr/bin/chromium"

    /// A table with everything that makes a class.
    static let manifest = """
        { "manifestVersion": 1, "inherit": false,
          "policy": { "noMatch": "error", "missingContentType": "t" },
          "aliases": { "text/old": "a/b", "x/y": "application/json" },
          "plugins": [
            { "id": "j", "factory": "json", "match": { "types": ["@json;v=1", "text/*+json", "a/b;charset=UTF-8"], "status": ["2XX"] } },
            { "id": "t", "factory": "text", "match": { "types": ["a/b", "text/*"] }, "onFailure": "next" },
            { "id": "off", "factory": "json", "enabled": false },
            { "id": "p", "factory": "property-list", "match": { "types": ["+plist;q=\\"a b\\"", "@zip-based"], "status": ["4XX", "500-503"] } }
          ],
          "hosts": {
            "h.example": { "use": ["t"] }, "*.h.example:8080": { "inherit": false },
            "*.h.example": { "plugins": [{ "id": "own", "factory": "form", "match": { "types": ["application/*"] } }] },
            "a.h.example:80": { "policy": { "noMatch": "raw" } }, "h.example/v1": { "policy": { "noMatch": "raw" } }, "[2001:db8::1]": { "policy": { "noMatch": "j" } },
            "[2001:db8::1]:8443": { "inherit": false }, "xn--bcher-kva.example": { "use": ["j"] } } }
        """

    @Test func `the page is whole by itself, and may load nothing`() async throws {
        let folder = TemporaryFolder()
        try folder.write(Self.manifest.replacing(#""off""#, with: #""off", "x-note": "</script>""#), to: "<m>.json")
        let run = try await Binary.run(["routes", "--html", "page.html", "--manifest", "<m>.json"], in: folder.path)
        #expect(run.code == 0)
        #expect(run.output.isEmpty)
        #expect(run.errors.isEmpty)
        let page = try String(contentsOfFile: folder.path + "/page.html", encoding: .utf8)
        #expect(page.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">"))
        #expect(page.contains("default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"))
        for word in ["src=", "href=", "url(", "@import", "fetch(", "XMLHttpRequest", "<m>"] {
            #expect(!page.contains(word), "\(word)")
        }
        #expect(page.contains("<title>Routes of the built-in table + &lt;m&gt;.json</title>"))
        #expect(page.ranges(of: "</script>").count == 2)
        for id in ["type", "status", "host"] { #expect(page.ranges(of: " id=\"\(id)\"").count == 1) }
        #expect(
            try await Binary.run(["routes", "--html", "-", "--manifest", "<m>.json"], in: folder.path).output == page)
    }

    @Test func `a page that cannot be written is a failure of the file`() async throws {
        let run = try await Binary.run(["routes", "--html", "none/page.html"])
        #expect(run.code == 7)
        #expect(run.errors == "patchbay: none/page.html cannot be written: No such file or directory\n")
        #expect(try await Binary.run(["routes", "--html", "-", "--manifest", "none.json"]).code == 3)
    }

    @Test func `a page is written over an earlier one, and over nothing else`() async throws {
        let folder = TemporaryFolder()
        let manifest = #"{ "manifestVersion": 1 }"#
        try folder.write(manifest, to: "own.json")
        let refused = try await Binary.run(["routes", "--html", "own.json"], in: folder.path)
        #expect(refused.code == 7)
        #expect(refused.errors == "patchbay: own.json is there already, and is not written over\n")
        #expect(try String(contentsOfFile: folder.path + "/own.json", encoding: .utf8) == manifest)
        for _ in 0..<2 {
            #expect(try await Binary.run(["routes", "--html", "page.html"], in: folder.path).code == 0)
        }
    }

    private struct Question {
        let type: Int
        let status: Int
        let host: Int
        var json: JSON { [JSON(type), JSON(status), JSON(host)] }
    }

    @Test(
        .enabled(
            if: TestLength.isFull && FileManager.default.isExecutableFile(atPath: browser),
            "needs chromium and PATCHBAY_FULL_LENGTH=1, as scripts/check has them"),
        arguments: [nil, manifest] as [String?])
    func `page and program agree about every class`(_ manifest: String?) async throws {
        let folder = TemporaryFolder()
        if let manifest { try folder.write(manifest, to: "Plugins.json") }
        let run = try await Binary.run(["routes", "--html", "-"], in: folder.path)
        #expect(run.code == 0)
        // The program has the factory of PatchbayMigration, with a value of its own.
        let registry =
            try manifest.map {
                try SerializerRegistry(
                    sources: [.text($0, name: "Plugins.json")], factories: .standard.joined(with: .migration))
            } ?? SerializerRegistry.standard.with(.migration)
        let classes = try RegistryClasses([registry])
        var random = SplitMix(seed: 5)
        let questions = classes.hosts.indices.flatMap { host in
            classes.types.all.indices.flatMap { type in
                [200, 204, 404, 501, Int.random(in: 100...999, using: &random)].map {
                    Question(type: type, status: $0, host: host)
                }
            }
        }
        let asked = JSON.array(questions.map(\.json)).serialized().replacing("<", with: "\\u003C")
        let script = """
            <script>
            const found = \(asked).map(([type, status, host]) => answer(type, status, host));
            const bytes = new TextEncoder().encode(JSON.stringify(found));
            let text = "";
            for (const byte of bytes) text += String.fromCharCode(byte);
            const results = document.createElement("pre");
            results.textContent = "RESULTS " + btoa(text) + " END";
            document.body.append(results);
            </script></body>
            """
        let page = try folder.write(run.output.replacing("</body>", with: script), to: "page.html")
        let child = try await ChildProcess.run(
            Self.browser,
            [
                "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                "--user-data-dir=\(folder.path)/profile", "--dump-dom", "file://\(page)",
            ], limit: .seconds(240))
        let dom = child.outputText
        let start = try #require(dom.ranges(of: "RESULTS ").last?.upperBound, "\(child.errorText)")
        let end = try #require(dom[start...].firstIndex(of: " "))
        let data = try #require(Data(base64Encoded: String(dom[start..<end])))
        let found = try #require(try JSON(parsing: data).array)
        #expect(found.count == questions.count)
        var agreed = 0
        var open = 0
        var written = 0
        for (question, page) in zip(questions, found) {
            let (type, witness) = (classes.types.all[question.type], classes.hosts[question.host].witness)
            let name = "\(type.name) | \(question.status) | \(classes.hosts[question.host].names)"
            let decision = registry.explain(
                contentType: type.field, status: question.status, host: witness?.description)
            if page["then"]?.array?.contains("which may decline") == true {
                // Code decides: the page names whom else it can be.
                let names = (page["then"]?.array ?? []).compactMap(\.string) + [page["entry"]?.string ?? ""]
                #expect(decision.entryID.map { id in names.contains { $0.hasSuffix(id) } } ?? true, "\(name): \(page)")
                open += 1
                continue
            }
            #expect(page["outcome"]?.string == decision.outcome.rawValue, "\(name): \(page) \(decision)")
            #expect(page["entry"]?.string == decision.entryID, "\(name): \(page) \(decision)")
            #expect(page["limit"]?.int == decision.bodyLimit, "\(name)")
            agreed += 1
            let lines = (page["lines"]?.array ?? []).compactMap(\.string)
            #expect(lines.joined(separator: "\n") == decision.description, "\(name)")
            guard let mediaType = type.contentType.mediaType,
                let writers = page["writers"]?.array?.compactMap(\.string), writers.count == 2
            else { continue }
            let elements = registry.writer(
                of: .elements(JSON.self), as: mediaType, for: witness?.host, at: witness?.url
            ).writer?.entry
            #expect(writers[1] == elements ?? "error noWriter", "\(name)")
            guard !writers[0].contains("may decline") else { continue }
            let value = registry.writer(of: .value([:] as JSON), as: mediaType, for: witness?.host, at: witness?.url)
                .writer?.entry
            #expect(writers[0] == value ?? "error noWriter", "\(name)")
            written += 1
        }
        print("page and program: \(agreed) questions alike, \(open) that code decides, \(written) bodies")
        #expect(agreed + open == questions.count && agreed > questions.count / 2)
        #expect(written > 100)
    }
}
