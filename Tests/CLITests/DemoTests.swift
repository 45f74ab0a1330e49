import Foundation
import Patchbay
import TestSupport
import Testing

@testable import PatchbayCLI

/// The demo, row by row: the entry that was chosen, the outcome and the value.
@Suite(.timeLimit(.minutes(5))) struct DemoTests {
    struct Row: Sendable {
        let name: String
        let status: Int?
        let entry: String?
        let outcome: String
        let value: JSON

        init(_ name: String, _ status: Int?, _ entry: String?, _ outcome: String, _ value: JSON) {
            self.name = name
            self.status = status
            self.entry = entry
            self.outcome = outcome
            self.value = value
        }
    }

    static let rows = [
        Row("JSON", 200, "json", "entry", ["id": 9_007_199_254_740_993, "name": "Ada", "tags": ["a", "b"]]),
        Row("JSON of a vendor", 200, "json", "entry", [1, 2.5, nil]),
        Row("JSON as JavaScript", 200, "javascript-json", "entry", ["legacy": true]),
        Row("JSON, compressed", 200, "json", "entry", ["packed": true, "coding": "gzip"]),
        Row("JavaScript", 200, "text", "entry", "let line = 1"),
        Row("plain text", 200, "text", "entry", "Grüße"),
        Row("text in Latin 1", 200, "text", "entry", "Grüße"),
        Row("HTML", 200, "text", "entry", "<p>Hello</p>"),
        Row("JSON as HTML", 200, "text", "entry", #"{"id":1,"name":"Ada"}"#),
        Row("CSV", 200, "text", "entry", "id,name\n1,Ada\n"),
        Row(
            "XML", 200, "xml", "entry",
            [
                "name": "user", "attributes": ["id": "1"],
                "contents": [["name": "name", "attributes": [:], "contents": ["Ada"]]],
            ]),
        Row(
            "XML of a feed", 200, "xml", "entry",
            [
                "name": "feed", "attributes": [:],
                "contents": [["name": "title", "attributes": [:], "contents": ["News"]]],
            ]),
        Row("property list, XML", 200, "property-list", "entry", ["lines": 24]),
        Row("property list, binary", 200, "property-list", "entry", ["lines": 24, "name": "Patchbay"]),
        Row(
            "form", 200, "form", "entry",
            [["name": "name", "value": "Ada L"], ["name": "city", "value": "Köln"]]),
        Row(
            "problem in a 404", 404, "problem", "error",
            [
                "type": "https://example.com/out-of-stock", "title": "Out of stock", "status": 404,
                "detail": "No more.",
            ]),
        Row("empty, 204", 204, nil, "empty", nil),
        Row("HEAD", 200, nil, "empty", nil),
        Row("unknown type", 200, nil, "raw", ["base64": "Ynl0ZXM="]),
        Row("image", 200, nil, "raw", ["base64": "UklGRg=="]),
        Row("no type", 200, nil, "raw", ["base64": "dW50eXBlZA=="]),
        Row("invalid type", 200, nil, "raw", ["base64": "e30="]),
        Row("malformed JSON", 200, "json", "error", nil),
        Row("XML with a DOCTYPE", 200, "xml", "entry", ["name": "a", "attributes": [:], "contents": []]),
        Row("text that is not UTF-8", 200, "text", "error", nil),
        Row("error without a problem", 500, "text", "error", "out of order"),
        Row("body cut short", 200, nil, "error", nil),
        Row("two hosts: 127.0.0.1", 200, "json", "entry", ["lines": 2]),
        Row("two hosts: localhost", 200, "demo-localhost", "entry", #"{"lines":2}"#),
    ]

    @Test func `the JSON document, row by row`() async throws {
        let run = try await Binary.run(["demo", "--format", "json"])
        #expect(run.code == 0)
        #expect(run.errors.isEmpty)
        let found = try #require(try JSON(parsing: run.output)["rows"]?.array)
        #expect(found.compactMap { $0["name"]?.string } == Self.rows.map(\.name))
        for (json, row) in zip(found, Self.rows) {
            #expect(json["status"]?.int == row.status, "\(row.name)")
            #expect(json["entry"]?.string == row.entry, "\(row.name)")
            #expect(json["outcome"]?.string == row.outcome, "\(row.name)")
            #expect(json["value"] == row.value, "\(row.name)")
            #expect(json["error"]?.isNull == (row.outcome != "error"), "\(row.name)")
        }
    }

    /// The codes and sentences of the rows that are errors.
    @Test(arguments: [
        ("problem in a 404", "status", "GET 127.0.0.1: the status is 404, which is not acceptable (2XX)"),
        (
            "malformed JSON", "serialization",
            "GET 127.0.0.1: the entry json could not serialize application/json with status 200: line 1, column 9: expected a key in double quotes"
        ),
        (
            "text that is not UTF-8", "serialization",
            "GET 127.0.0.1: the entry text could not serialize text/plain with status 200: the body is not valid UTF-8 at byte 1"
        ), ("error without a problem", "status", "GET 127.0.0.1: the status is 500, which is not acceptable (2XX)"),
        ("body cut short", "transport", "GET 127.0.0.1: the connection ended before the body was complete"),
    ])
    func `an error has its code and sentence`(_ name: String, _ code: String, _ message: String) async throws {
        let rows = try await document()
        let error = try #require(rows.first { $0["name"]?.string == name }?["error"])
        #expect(error["code"]?.string == code)
        // Whom the registry asked is in `tried`, and depends on the whole table.
        let said = error["message"]?.string?.components(separatedBy: "; asked: ").first
        #expect(said?.replacing(/^GET 127\.0\.0\.1:\d+\/[^:]*:/, with: "GET 127.0.0.1:") == message)
    }

    @Test func `malformed JSON shows its attempts`() async throws {
        let row = try #require(try await document().first { $0["name"] == "malformed JSON" })
        let attempts = try #require(row["error"]?["attempts"]?.array)
        #expect(attempts.compactMap { $0["entry"]?.string } == ["json"])
        #expect(row["tried"]?.array?.last?["verdict"] == "failed")
    }

    @Test func `an entry that failed and passed the body on is shown`() async throws {
        let row = try #require(try await document().first { $0["name"] == "JavaScript" })
        let ran = row["tried"]?.array?.filter { $0["verdict"] != "declined" } ?? []
        #expect(ran.compactMap { $0["entry"]?.string } == ["javascript-json", "text"])
        #expect(ran.compactMap { $0["verdict"]?.string } == ["failed", "chosen"])
    }

    @Test func `the table has a line a row`() async throws {
        let run = try await Binary.run(["demo"])
        #expect(run.code == 0)
        let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for (line, row) in zip(lines.dropFirst(), Self.rows) { #expect(line.hasPrefix(row.name)) }
        #expect(run.output.contains("text that is not UTF-8"))
        #expect(
            lines.dropFirst(Self.rows.count + 1) == [
                "", #"manager.stream("/events"), element by element:"#,
                #"  {"type":"message","data":"one","lastEventID":"1"}"#,
                #"  {"type":"count","data":"two","lastEventID":"2"}"#,
                "", #"manager.get("/json", as: Person.self):"#, #"  Person(id: 9007199254740993, name: "Ada")"#, "",
            ])
    }

    @Test func `the demo covers ten formats`() {
        let types = DemoAnswer.all.compactMap { $0.fields.first { $0.hasPrefix("Content-Type: ") } }
        #expect(Set(types).count >= 10)
        #expect(Set(DemoAnswer.all.map(\.host)).count == 2)
    }

    @Test func `the server of the demo can be left running, until it is interrupted`() async throws {
        // The pipe has the URL once the server listens; what is printed last is the exit code.
        let script = """
            mkfifo url
            "$0" demo --serve 0 >url &
            exec 3<url && read -r url <&3
            "$0" get "$url/json" && "$0" get "$url/text"
            for i in 1 2 3 4 5 6 7 8; do "$0" get --json '{"packed": true}' "$url/json" >/dev/null || exit; done
            kill -INT $! && wait $!
            printf '\\n%s' $?
            """
        let folder = TemporaryFolder()
        let child = try await ChildProcess.run(
            "/bin/sh", ["-c", script, try Binary.path],
            environment: ["no_proxy": "*", "NO_PROXY": "*"], directory: folder.path)
        #expect(child.end == .exited(0))
        #expect(child.errorText.isEmpty)
        #expect(child.outputText.split(separator: "\n").last == "130")
        #expect(child.outputText.contains("9007199254740993"))
        #expect(child.outputText.contains("Grüße"))
    }

    @Test(arguments: [0, 1, 3])
    func `a stopped demo refuses connections, and its port is free again`(_ requests: Int) async throws {
        let manager = SessionManager()
        let origin = try DemoOrigin(DemoAnswer.all)
        let url = "http://127.0.0.1:\(origin.port)/json"
        for _ in 0..<requests { #expect(try await manager.send(url).head.status == 200) }
        origin.stop()
        origin.stop()
        // A connection that comes before the thread has closed the socket is lost.
        var code: TransportFailure.Code?
        for _ in 0..<1_000 where code != .refusedConnection {
            do throws(SessionError) {
                _ = try await manager.send(url)
            } catch {
                code = (error.cause as? TransportFailure)?.code
            }
        }
        #expect(code == .refusedConnection)
        let next = try DemoOrigin(DemoAnswer.all, port: origin.port)
        defer { next.stop() }
        #expect(try await manager.send(url).head.status == 200)
    }

    private static let textForHTML = """
        { "manifestVersion": 1, "plugins": [{ "id": "html-json", "factory": "json", "match": { "types": ["text/html"] } }] }
        """

    /// Runs the demo, watching, and a script beside it that changes the file, and gives what the demo printed.
    ///
    /// The script can wait for a line on either stream with `until_line FILE PATTERN`, and replaces the manifest with `put`, whole:
    /// a redirection empties a file before it writes, and the demo may read it between the two.
    private func watching(_ words: String, _ script: String) async throws -> (output: String, errors: String) {
        let folder = TemporaryFolder()
        try folder.write(#"{ "manifestVersion": 1, "plugins": [] }"#, to: "Plugins.json")
        try folder.write(Self.textForHTML, to: "next.json")
        let whole = """
            until_line() { until grep -q -- "$2" "$1"; do sleep 0.05; done; }
            put() { cat >part && mv part Plugins.json; }
            "$0" demo --watch \(words) >out 2>err &
            \(script)
            kill -INT $! && wait $!
            printf '%s' $?
            """
        let child = try await ChildProcess.run(
            "/bin/sh", ["-c", whole, try Binary.path], environment: ["no_proxy": "*", "NO_PROXY": "*"],
            directory: folder.path, limit: .seconds(120))
        #expect(child.end == .exited(0))
        #expect(child.outputText == "130")
        return (
            try String(contentsOfFile: folder.path + "/out", encoding: .utf8),
            try String(contentsOfFile: folder.path + "/err", encoding: .utf8)
        )
    }

    @Test func `while it watches, a change prints the rows that it changes, and a fault is told once`() async throws {
        let (output, errors) = try await watching(
            "",
            """
            until_line out '^two hosts: localhost'
            cp Plugins.json first.json
            put <next.json
            until_line out '^registry '
            until_line out '^HTML .* error '
            printf '{' | put
            until_line err '^Plugins.json:1: '
            put <next.json
            until_line err '^Plugins.json is well again'
            printf '{' | put
            until [ "$(grep -c 'stays in force$' err)" = 3 ]; do sleep 0.05; done
            put <first.json
            until [ "$(grep -c '^HTML .* entry ' out)" = 2 ]; do sleep 0.05; done
            """)
        let fault = "Plugins.json:1: column 2: expected a key before the end of the text"
        let notes = errors.split(separator: "\n").map(String.init)
        let stays = try #require(notes.dropFirst(2).first)
        #expect(stays.wholeMatch(of: /registry [0-9a-f]{16} stays in force/) != nil)
        let told = ["watching Plugins.json, until interrupted", fault, stays]
        #expect(notes == told + ["Plugins.json is well again; \(stays)", fault, stays])
        let lines = output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let tables = lines.split(separator: "")
        try #require(tables.count == 3)
        #expect(tables[0].count == Self.rows.count + 1)
        for table in tables.dropFirst() {
            #expect(table.count == 4)
            #expect(try #require(table.first).wholeMatch(of: /registry [0-9a-f]{16} is in force/) != nil)
        }
        #expect(tables[1][tables[1].startIndex + 2].hasPrefix("HTML          200     text/html     html-json  error"))
        #expect(
            tables[1].last == #"JSON as HTML  200     text/html     html-json  entry    {"id":1,"name":"Ada"}"#)
        #expect(
            tables[2].suffix(2) == [
                "HTML          200     text/html     text   entry    <p>Hello</p>",
                #"JSON as HTML  200     text/html     text   entry    {"id":1,"name":"Ada"}"#,
            ])
    }

    @Test func `while it watches, every change is a document`() async throws {
        let (output, errors) = try await watching(
            "--format json",
            """
            until_line out '^}'
            put <next.json
            until [ "$(grep -c '^}' out)" = 2 ]; do sleep 0.05; done
            """)
        #expect(errors == "watching Plugins.json, until interrupted\n")
        let documents = try output.components(separatedBy: "\n}\n").filter { !$0.isEmpty }.map {
            try JSON(parsing: $0 + "}")
        }
        #expect(documents.map { $0["rows"]?.count } == [Self.rows.count, 2])
        #expect(documents.last?["rows"]?[0]?["entry"] == "html-json")
        #expect(Set(documents.compactMap { $0["digest"]?.string }).count == 2)
    }

    @Test func `watching needs a file, and one that is good at the start`() async throws {
        let nothing = try await Binary.run(["demo", "--watch"])
        #expect(nothing.code == 2)
        #expect(
            nothing.errors == """
                patchbay: --watch: there is nothing to watch; name a file with --manifest, or write ./Plugins.json
                Try 'patchbay --help'.

                """)
        let missing = try await Binary.run(["demo", "--watch", "--manifest", "missing.json"])
        #expect(missing.code == 3)
        #expect(missing.errors == "missing.json: the file cannot be read: No such file or directory\n")
    }

    private func document() async throws -> [JSON] {
        let run = try await Binary.run(["demo", "--format", "json"])
        return try JSON(parsing: run.output)["rows"]?.array ?? []
    }
}
