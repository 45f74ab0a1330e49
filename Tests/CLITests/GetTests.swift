import Foundation
import Patchbay
import TestSupport
import Testing

/// `get`, run as a child against a server of the test's own.
@Suite(.timeLimit(.minutes(5))) struct GetTests {
    private static let json: HeaderFields = ["Content-Type": "application/json"]
    private static let problem: HeaderFields = ["Content-Type": "application/problem+json"]
    private let folder: TemporaryFolder
    init() throws { folder = TemporaryFolder() }

    @Test func `prints the value`() async throws {
        let server = try RawServer(always: .response(Self.json, body: #"{"a":[1,true]}"#))
        let run = try await Binary.run(["get", server.url().absoluteString])
        #expect(run.output == "{\n  \"a\": [\n    1,\n    true\n  ]\n}\n")
        #expect(run.errors.isEmpty)
        #expect(run.code == 0)
    }

    @Test(arguments: ["Grüße", "a\r\nb\r\n", "one\n", "one\n\n", "\r", "\u{1B}[2J", " "])
    func `prints text as it came`(_ body: String) async throws {
        let server = try RawServer(always: .response(["Content-Type": "text/plain"], body: body))
        #expect(try await Binary.run(["get", server.url().absoluteString]).bytes == Array(body.utf8))
    }

    @Test func `prints raw bytes as they are`() async throws {
        let bytes = (0...255).map { UInt8($0) }
        let raw = try RawServer(always: .response(["Content-Type": "application/x-unheard-of"], body: bytes))
        #expect(try await Binary.run(["get", raw.url().absoluteString]).bytes == bytes)
    }

    @Test func `an empty body prints nothing`() async throws {
        let server = try RawServer(always: .response(status: 204))
        let run = try await Binary.run(["get", server.url().absoluteString])
        #expect(run.bytes.isEmpty)
        #expect(run.code == 0)
    }

    @Test func `the JSON document has every member of the schema, in order`() async throws {
        let server = try RawServer(always: .response(["Content-Type": "text/plain; charset=UTF-8"], body: "hi"))
        let run = try await Binary.run(["get", server.url().absoluteString, "--format", "json"])
        let document = try JSON(parsing: run.output)
        #expect(
            document.object?.map(\.key) == [
                "status", "url", "fields", "contentType", "entry", "outcome", "type", "value", "tried", "timeline",
                "error",
            ])
        #expect(document["status"] == 200)
        #expect(
            document["contentType"]
                == [
                    "essence": "text/plain", "parameters": ["charset": "UTF-8"],
                    "serialized": "text/plain;charset=UTF-8",
                ])
        #expect(document["entry"] == "text")
        #expect(document["outcome"] == "entry")
        #expect(document["type"] == "String")
        #expect(document["value"] == "hi")
        #expect(document["tried"]?.array?.last?["verdict"] == "chosen")
        #expect(document["timeline"]?["redirects"] == 0)
        #expect(document["error"] == .null)
    }

    @Test func `-v prints what the page shows`() async throws {
        let page = try String(contentsOf: GetDocumentTests.file("Get.md"), encoding: .utf8)
        let text = try #require(page.components(separatedBy: "$ patchbay -v ").dropFirst().first)
        let shown = text.split(separator: "\n").dropFirst().prefix { !$0.hasPrefix("```") }.map(String.init)
        let server = try RawServer(
            always: .raw(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 53\r\nConnection: close\r\n\r\n["
                    + String(repeating: "1", count: 51) + "]"))
        let words = ["get", "-v", "--json", #"{"name": "Ada"}"#, "http://localhost:\(server.port)/json"]
        let run = try await Binary.run(words)
        let lines = run.errors.replacingOccurrences(of: "\(server.port)", with: "8080").split(separator: "\n")
        #expect(lines.count == shown.count, "\(run.errors)")
        for (line, part) in zip(lines, shown) {
            // The types, the codings and the times differ.
            let isExact = part.hasPrefix(">") && !part.contains("Accept") || part.hasPrefix("<")
            #expect(isExact ? line == part : line.hasPrefix(part.prefix { $0 != " " }), "\(line)")
        }
    }

    @Test func `--explain prints the decision on standard error`() async throws {
        let server = try RawServer(always: .response(Self.json, body: "1"))
        let run = try await Binary.run(["get", server.url().absoluteString, "--explain"])
        #expect(run.output == "1\n")
        #expect(run.errors.contains("json: chosen"))
    }

    @Test func `an error status prints its body and ends with 5`() async throws {
        let server = try RawServer(always: .response(status: 404, Self.problem, body: #"{"title":"Gone"}"#))
        let run = try await Binary.run(["get", server.url().absoluteString])
        #expect(try JSON(parsing: run.output)["title"] == "Gone")
        #expect(
            run.errors
                == "patchbay: GET 127.0.0.1:\(server.port): the status is 404 Not Found, which is not acceptable (2XX)\n"
        )
        #expect(run.code == 5)
        let document = try JSON(
            parsing: await Binary.run(["get", server.url().absoluteString, "--format", "json"]).output)
        #expect(document["outcome"] == "error" && document["value"]?["title"] == "Gone")
    }

    /// The words for a request, and what arrives: method, Content-Type, body.
    @Test(arguments: [
        (["-d", "a=1", "-d", "b"], "POST", "application/x-www-form-urlencoded", "a=1&b"),
        (["-d", "a=1", "-H", "Content-Type: text/x"], "POST", "text/x", "a=1"),
        (["-d@-"], "POST", "application/octet-stream", "from standard input"),
        (["--json", #"{ "b": 1e2 }"#, "-X", "PUT"], "PUT", "application/json", #"{ "b": 1e2 }"#),
        (["--form", "a=x y", "--form", "b=ü"], "POST", "application/x-www-form-urlencoded", "a=x+y&b=%C3%BC"),
    ])
    func `sends a body`(_ words: [String], _ method: String, _ type: String, _ body: String) async throws {
        let server = try RawServer(always: .response(status: 204))
        let run = try await Binary.run(
            ["get", server.url("/x").absoluteString] + words, input: Array("from standard input".utf8))
        #expect(run.code == 0)
        let request = try #require(server.requests.first)
        #expect(request.method == method)
        #expect(request.target == "/x")
        #expect(request.fields["Content-Type"] == type)
        #expect(request.text == body)
    }

    @Test func `sends header fields, and the user of the URL as Basic`() async throws {
        let server = try RawServer(always: .response(status: 204))
        let url = server.url().absoluteString.replacingOccurrences(of: "//", with: "//ada:pw@")
        _ = try await Binary.run(["get", url, "-H", "X-Two: 1", "-H", "X-Two: 2", "-H", "Accept:text/x"])
        let request = try #require(server.requests.first)
        #expect(request.fields.values(for: "X-Two") == ["1", "2"])
        #expect(request.fields["Accept"] == "text/x")
        #expect(request.fields["Authorization"] == "Basic YWRhOnB3")
    }

    @Test func `-H with a name alone leaves out a field, and with a semicolon sends an empty field`() async throws {
        let server = try RawServer(always: .response(status: 204))
        let url = server.url().absoluteString
        let words = [
            "Accept:", "user-agent: ", "Content-Type:", "X-Own:", "X-Empty;", "X-Two:", "X-Two: 2", "Accept-Encoding:",
        ]
        let run = try await Binary.run(["get", url, "-v", "--json", "1"] + words.flatMap { ["-H", $0] })
        #expect(run.code == 0, "\(run.errors)")
        let request = try #require(server.requests.first)
        for name in ["Accept", "User-Agent", "Content-Type", "X-Own"] {
            #expect(request.fields.values(for: name).isEmpty, "\(name)")
            #expect(!run.errors.lowercased().contains("> \(name.lowercased()):"), "\(run.errors)")
        }
        #expect(request.fields.values(for: "X-Empty") == [""])
        #expect(request.fields.values(for: "X-Two") == ["2"])
        // The transport adds this field, unless the request has it.
        #expect(request.fields["Accept-Encoding"]?.contains("gzip") == true)
        _ = try await Binary.run(["get", url, "-C", "-o", folder.path + "/out", "-H", "Accept-Encoding:"])
        #expect(server.requests.last?.fields["Accept-Encoding"] == "identity")
    }

    @Test func `-H with a name alone counts for the origin of the URL`() async throws {
        let other = try RawServer(always: .response(status: 204))
        let server = try RawServer { request in
            .response(status: 302, ["Location": request.target == "/a" ? "/b" : other.url("/c").absoluteString])
        }
        _ = try await Binary.run(["get", server.url("/a").absoluteString, "-H", "Accept:"])
        #expect(server.requests.map { $0.fields["Accept"] } == [nil, nil])
        #expect(other.requests.map { $0.fields["Accept"] != nil } == [true])
    }

    @Test(arguments: [
        ([], ["warning: HTTP_PROXY has no effect; use http_proxy, in lower case"]), (["--silent"], []),
        (["--proxy", "PROXY"], []),
        (["--verbose"], ["* HTTP_PROXY has no effect; use http_proxy, in lower case"]),
    ])
    func `a variable of the environment without effect is told once`(_ options: [String], _ told: [String]) async throws
    {
        let server = try RawServer(always: .response())
        let (target, scratch) = (server.target(), TemporaryFolder())
        let child = try await ChildProcess.run(
            try Binary.path, ["get", target] + options.map { $0 == "PROXY" ? target : $0 },
            environment: ["HTTP_PROXY": target, "http_proxy": "", "all_proxy": "", "ALL_PROXY": ""],
            directory: scratch.path)
        #expect(child.end == .exited(0))
        let lines = child.errorText.split(separator: "\n").map(String.init)
        #expect(lines.filter { $0.contains("HTTP_PROXY") } == told)
    }

    @Test func `follows redirects unless told not to`() async throws {
        let server = try RawServer { request in
            request.target == "/end"
                ? .response(["Content-Type": "text/plain"], body: "end")
                : .response(status: 302, ["Location": "/end"])
        }
        let followed = try await Binary.run(["get", server.url("/start").absoluteString])
        #expect(followed.output == "end")
        let stopped = try await Binary.run(["get", server.url("/start").absoluteString, "--no-redirects"])
        #expect(stopped.code == 5)
        #expect(server.requests.map(\.target) == ["/start", "/end", "/start"])
    }

    @Test(arguments: [true, false])
    func `redirects without end that set cookies name the option of a jar`(_ setsCookies: Bool) async throws {
        let cookies: HeaderFields = setsCookies ? ["Location": "/", "Set-Cookie": "seen=1"] : ["Location": "/"]
        let server = try RawServer(always: .response(status: 302, cookies))
        let run = try await Binary.run(["get", server.target()])
        #expect(run.code == 4)
        #expect(run.errors.hasSuffix("\n  --cookie-jar FILE keeps cookies\n") == setsCookies, "\(run.errors)")
    }

    @Test func `-o writes the bytes, whatever an entry would make of them`() async throws {
        let server = try RawServer(always: .response(Self.json, body: "{ not JSON"))
        let path = folder.path + "/out"
        let run = try await Binary.run(["get", server.url().absoluteString, "-o", path])
        #expect(run.code == 0)
        #expect(run.output.isEmpty)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "{ not JSON")
        #expect(folder.names == ["out"])
    }

    @Test func `-o leaves no file for an error status, a short body or a refused target`() async throws {
        let path = folder.path + "/out"
        let missing = try RawServer(always: .response(status: 404, Self.problem, body: "{}"))
        #expect(try await Binary.run(["get", missing.url().absoluteString, "-o", path]).code == 5)
        let short = try RawServer(always: .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"))
        #expect(try await Binary.run(["get", short.url().absoluteString, "-o", path]).code == 4)
        #expect(folder.names == [])
        let good = try RawServer(always: .response(body: "x"))
        let refused = try await Binary.run(["get", good.url().absoluteString, "-o", folder.path])
        #expect(refused.code == 7)
        #expect(
            refused.errors == "patchbay: \(folder.path) cannot be written: there is a folder of that name\n")
    }

    @Test func `a stream prints each element on a line`() async throws {
        for (type, body, text, json) in [
            (
                "application/x-ndjson", "{\"a\": 1}\n[true]\n", "{\"a\":1}\n[true]\n", "{\"a\":1}\n[true]\n"
            ),
            ("text/plain", "one\r\ntwo", "one\ntwo\n", "\"one\"\n\"two\"\n"),
            (
                "text/event-stream", "id: 7\ndata: x\n\n", #"{"type":"message","data":"x","lastEventID":"7"}"# + "\n",
                #"{"type":"message","data":"x","lastEventID":"7"}"# + "\n"
            ),
            ("application/x-unheard-of", "bytes", "bytes", #"{"base64":"Ynl0ZXM="}"# + "\n"),
        ] {
            let server = try RawServer(always: .response(["Content-Type": type], body: body))
            let url = server.url().absoluteString
            #expect(try await Binary.run(["get", "--stream", url]).output == text, "\(type)")
            let run = try await Binary.run(["get", "--stream", "--format", "json", "--explain", url])
            #expect(run.output == json, "\(type)")
            #expect(!run.errors.isEmpty)
            #expect(run.code == 0)
        }
    }

    @Test func `a stream that goes wrong prints what came before, and why`() async throws {
        let server = try RawServer(always: .response(["Content-Type": "application/x-ndjson"], body: "1\nx\n"))
        let run = try await Binary.run(["get", "--stream", server.url().absoluteString])
        #expect(run.output == "1\n")
        #expect(run.errors.contains("line 2"), "\(run.errors)")
        #expect(run.code == 6)
        let both = try await Binary.run(["get", "--stream", "--raw", server.url().absoluteString])
        #expect(both.code == 2)
        #expect(both.errors.contains("--stream prints elements, and --raw writes bytes"), "\(both.errors)")
    }

    @Test func `an element is printed before the next one is sent, and an interrupt of a stream ends with 130`()
        async throws
    {
        let server = try RawServer(
            always: RawReply([
                .send(Array("HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n[1]\n".utf8)), .hang,
            ]))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try Binary.path)
        process.arguments = ["get", "--stream", server.url().absoluteString]
        process.environment = ["SWIFT_BACKTRACE": "enable=no", "no_proxy": "*"]
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        #expect(output.fileHandleForReading.availableData == Data("[1]\n".utf8))
        process.interrupt()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 130)
    }

    @Test func `an interrupt ends with 130`() async throws {
        let server = try RawServer(always: RawReply([.hang]))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try Binary.path)
        process.arguments = ["get", server.url().absoluteString]
        process.environment = ["SWIFT_BACKTRACE": "enable=no", "no_proxy": "*"]
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        await server.requests(atLeast: 1)
        process.interrupt()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 130)
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(text == "patchbay: GET 127.0.0.1:\(server.port): the call was cancelled\n")
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "GET"], ["text", ""])
    func `standard input that is not sent has a warning`(_ method: String, _ input: String) async throws {
        let server = try RawServer(always: .response(body: ""))
        let folder = TemporaryFolder()
        try folder.write(input, to: "input")
        let isWarned = input != "" && ["POST", "PUT", "PATCH"].contains(method)
        let more = method == "GET" ? [("", isWarned)] : [("", isWarned), ("-s", false), ("-d a=1", false)]
        for source in ["<input", "< <(sleep 0.2)", "</dev/null"] {
            for (words, warns) in more {
                let script = "exec \"$0\" get -X \(method) \(server.target()) \(words) \(source)"
                let run = try await ChildProcess.run(
                    "/bin/bash", ["-c", script, try Binary.path], directory: folder.path)
                #expect(run.end == .exited(0))
                let warning = "warning: no body is sent; -d @- sends standard input\n"
                #expect(run.errorText == (warns && source == "<input" ? warning : ""), "\(words) \(source)")
            }
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "the system has no /dev/full"))
    func `standard output that cannot be written ends with 7`() async throws {
        let words = try ["-c", "exec \"$0\" --version > /dev/full", Binary.path]
        let child = try await ChildProcess.run("/bin/sh", words)
        #expect(child.end == .exited(7))
        #expect(child.errorText == "patchbay: standard output cannot be written to: No space left on device\n")
        let server = try RawServer(always: .response(body: "text"))
        let run = try await Binary.run(["get", server.target(), "-o", "/dev/full"])
        #expect(run.code == 7)
        #expect(run.errors == "patchbay: /dev/full cannot be written to: No space left on device\n")
    }
}
