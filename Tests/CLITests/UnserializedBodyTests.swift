import Foundation
import Patchbay
import TestSupport
import Testing

/// Bodies of which no value is made: because a serializer fails, or because nobody asked for a value.
@Suite(.timeLimit(.minutes(5))) struct UnserializedBodyTests {
    private static let json: HeaderFields = ["Content-Type": "application/json"]
    private let folder: TemporaryFolder
    init() throws { folder = TemporaryFolder() }

    struct Body: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let type: String
        let bytes: [UInt8]
    }

    static let refused = [
        Body(testDescription: "malformed JSON", type: "application/json", bytes: Array("{\"a\"\r\n".utf8)),
        Body(testDescription: "text that is not UTF-8", type: "text/plain; charset=utf-8", bytes: [0x41, 0xFF, 0x0D]),
        Body(testDescription: "broken XML", type: "text/xml", bytes: Array("<a>&b;</a>\n".utf8)),
    ]

    @Test func `decode --explain says which serializers failed, and which entry made the value`() async throws {
        let manifest = try #require(try Markdown("Documentation/EditingTheTable.md").blocks(of: "json").first)
        let words = [
            "decode", try folder.write("<p>Ada</p>", to: "page.html"), "--explain", "--bare", "--content-type",
            "text/html",
            "--manifest", try folder.write(manifest, to: "table.json"),
        ]
        let page = try await Binary.run(words + ["--host", "legacy.example"])
        #expect(page.output == "<p>Ada</p>")
        #expect(
            page.errors == """
                legacy-json: failed: line 1, column 1: expected a value; it looks like XML or HTML, which the factories \
                "xml-document" and "text" read
                json: declined: text/html is outside @json
                text: chosen: covers text/html with status 200

                """)
        let broken = try await Binary.run([
            "decode", try folder.write("{", to: "broken"), "--explain", "--bare", "--content-type", "application/json",
            "--manifest", folder.path + "/table.json",
        ])
        #expect(broken.errors.hasPrefix("json: failed: line 1, column 2: "), "\(broken.errors)")
        #expect(broken.code == 6)
    }

    @Test(arguments: refused)
    func `a body that cannot be serialized is printed as it came, and its reason on standard error`(
        _ body: Body
    ) async throws {
        let server = try RawServer(always: .response(["Content-Type": "\(body.type)"], body: body.bytes))
        let runs = [
            try await Binary.run(["get", server.url().absoluteString]),
            try await Binary.run(["decode", "-", "--content-type", body.type], input: body.bytes),
        ]
        for run in runs {
            #expect(run.bytes == body.bytes)
            #expect(run.errors.contains("could not serialize"))
            #expect(run.errors.split(separator: "\n").count == 1)
            #expect(run.code == 6)
        }
    }

    @Test(arguments: refused)
    func `with --format json it is inside the document`(_ body: Body) async throws {
        let server = try RawServer(always: .response(["Content-Type": "\(body.type)"], body: body.bytes))
        let runs = [
            try await Binary.run(["get", server.url().absoluteString, "--format", "json"]),
            try await Binary.run(
                ["decode", "-", "--content-type", body.type, "--format", "json"], input: body.bytes),
        ]
        for run in runs {
            let document = try JSON(parsing: run.output)
            #expect(document["outcome"] == "error")
            #expect(document["type"] == "ResponseBody")
            #expect(document["value"] == ["base64": JSON(Data(body.bytes).base64EncodedString())])
            #expect(document["error"]?["message"]?.string?.contains("could not serialize") == true)
            #expect(run.errors.contains("could not serialize"))
            #expect(run.code == 6)
        }
    }

    @Test func `the body of an error status is printed too where it cannot be serialized`() async throws {
        let server = try RawServer(always: .response(status: 502, Self.json, body: "<oops>"))
        let run = try await Binary.run(["get", server.url().absoluteString])
        #expect(run.output == "<oops>")
        #expect(run.code == 5)
    }

    @Test func `a body that is not whole is not printed`() async throws {
        let short = try RawServer(
            always: .raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{\"a"))
        let manifest = try folder.write(
            #"{ "manifestVersion": 1, "policy": { "limits": { "maxBodyBytes": 4 } }, "plugins": [] }"#, to: "m.json")
        let long = try RawServer(always: .raw("HTTP/1.1 200 OK\r\n\r\n12345"))
        let refused = try RawServer(
            always: .raw("HTTP/1.1 404 No\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{\"a"))
        for (server, words, code) in [
            (short, [], 4), (long, ["--manifest", manifest], 6), (refused, [], 5),
            (refused, ["--raw"], 5),
        ] as [(RawServer, [String], Int32)] {
            let run = try await Binary.run(["get", server.url().absoluteString] + words)
            #expect(run.bytes.isEmpty)
            #expect(run.code == code)
        }
    }

    /// The ways to get the bytes of a body on standard output.
    static let raw = [["--raw"], ["-o", "-"], ["-N", "--raw"]]

    @Test(arguments: raw)
    func `the bytes of a body that breaks off are written up to there`(_ words: [String]) async throws {
        let short = try RawServer(always: .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"a"))
        let run = try await Binary.run(["get", short.url().absoluteString] + words)
        #expect(run.output == "{\"a")
        #expect(run.errors.contains("GET 127.0.0.1"), "\(run.errors)")
        #expect(run.code == 4)
    }

    @Test(arguments: raw)
    func `the bytes of an endless body go out as they come`(_ words: [String]) async throws {
        let piece = Array("0123456789".utf8)
        let server = try RawServer { _ in
            RawReply(
                [.send(Array("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n".utf8))]
                    + [RawReply.Step](repeating: .send(piece), count: 3) + [.hang])
        }
        // The reader ends after the bytes that it wants. The program ends when it writes again, or is ended.
        let script = #"mkfifo pipe; timeout 25 "$0" get "$@" >pipe 2>errors & head -c 21 <pipe; kill $!"#
        let child = try await ChildProcess.run(
            "/bin/sh", ["-c", script, try Binary.path] + words + [server.url().absoluteString],
            environment: ["no_proxy": "*", "TMPDIR": folder.path], directory: folder.path)
        #expect(child.outputText == "012345678901234567890")
        // Nothing waits in a file.
        #expect(folder.names.sorted() == ["errors", "pipe"])
    }

    @Test func `--raw | head -c1 ends with an endless server`() async throws {
        let piece = [UInt8](repeating: 0x61, count: 1 << 16)
        let server = try RawServer { _ in
            let steps = [RawReply.Step](repeating: .send(piece), count: 100_000)
            return RawReply([.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))] + steps)
        }
        let child = try await ChildProcess.run(
            "/bin/sh", ["-c", #""$0" get --raw "$1" | head -c 1"#, try Binary.path, server.url().absoluteString],
            environment: ["no_proxy": "*", "TMPDIR": folder.path])
        #expect(child.outputText == "a")
        #expect(child.end == .exited(0))
        #expect(folder.names == [])
    }

    @Test func `--raw accepts what -o accepts`() async throws {
        let server = try RawServer(always: .response(Self.json, body: "[1]"))
        let ways = [["--raw"], ["-o", "-"], ["-o", "/dev/null"], ["-o", "out"]]
        for words in ways + [["--raw", "-H", "Accept: a/b"], ["--raw", "-H", "Accept:"]] {
            _ = try await Binary.run(["get", server.url().absoluteString] + words)
        }
        #expect(server.requests.map { $0.fields["Accept"] } == ["*/*", "*/*", "*/*", "*/*", "a/b", nil])
    }

    @Test func `--raw with -i has the head first, and -I the head alone`() async throws {
        let server = try RawServer(always: .response(Self.json, body: "[1]"))
        let run = try await Binary.run(["get", server.url().absoluteString, "--raw", "-i"])
        #expect(run.output == "HTTP 200 OK\nContent-Type: application/json\nContent-Length: 3\n\n[1]")
        let empty = try RawServer(always: .response(status: 204))
        let head = try await Binary.run(["get", empty.url().absoluteString, "--raw", "-I"])
        #expect(head.output == "HTTP 204 No Content\n" && head.code == 0, "\(head)")
        let none = try await Binary.run(["get", empty.url().absoluteString, "--raw"])
        #expect(none.output.isEmpty && none.code == 0, "\(none)")
    }

    @Test(
        arguments: [
            Body(testDescription: "JSON", type: "application/json", bytes: Array("{ \"a\" : 1.0 }\r\n".utf8)),
            Body(testDescription: "no type", type: "", bytes: Array("<p>".utf8)),
            Body(
                testDescription: "text in Latin 1", type: "text/plain; charset=iso-8859-1", bytes: [0xE9, 0x0D, 0x0A]),
            Body(testDescription: "byte order mark", type: "text/plain", bytes: [0xEF, 0xBB, 0xBF, 0x61]),
            Body(testDescription: "nothing", type: "text/plain", bytes: []),
        ] + refused)
    func `--raw writes the bytes, whatever they are`(_ body: Body) async throws {
        let fields: HeaderFields = body.type.isEmpty ? [:] : ["Content-Type": "\(body.type)"]
        for status in [200, 404] {
            let server = try RawServer(always: .response(status: status, fields, body: body.bytes))
            let run = try await Binary.run(["get", server.url().absoluteString, "--raw"])
            #expect(run.bytes == body.bytes)
            #expect(run.code == (status == 200 ? 0 : 5))
        }
        let run = try await Binary.run(["decode", "--raw", "-", "--content-type", body.type], input: body.bytes)
        #expect(run.bytes == body.bytes)
        #expect(run.errors.isEmpty)
        #expect(run.code == 0)
    }

    @Test func `--raw asks no entry and no policy, and follows redirects`() async throws {
        let manifest = try folder.write(
            #"{ "manifestVersion": 1, "policy": { "noMatch": "error", "limits": { "maxBodyBytes": 1 } }, "plugins": [] }"#,
            to: "m.json")
        let server = try RawServer { request in
            request.target == "/end"
                ? .response(Self.json, body: "[1]") : .response(status: 302, ["Location": "/end"])
        }
        let words = ["--raw", "--manifest", manifest]
        let run = try await Binary.run(["get", server.url("/start").absoluteString] + words)
        #expect(run.output == "[1]")
        #expect(run.errors.isEmpty)
        #expect(run.code == 0)
        let decoded = try await Binary.run(["decode", "-"] + words, input: Array("[1]".utf8))
        #expect(decoded.output == "[1]")
        #expect(decoded.code == 0)
    }

    @Test func `--raw leaves nothing behind, and -o takes the bytes`() async throws {
        let server = try RawServer(always: .response(Self.json, body: "[1]"))
        let cut = try RawServer(always: .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"))
        for server in [server, cut] {
            let words = [server.url().absoluteString, "--raw"]
            _ = try await ChildProcess.run(
                try Binary.path, ["get"] + words, environment: ["TMPDIR": folder.path, "no_proxy": "*"])
            #expect(folder.names == [])
        }
        let run = try await Binary.run(["get", server.url().absoluteString, "--raw", "-o", folder.path + "/out"])
        #expect(run.bytes.isEmpty)
        #expect(folder.names == ["out"])
    }

    #if os(Linux)
        @Test func `--raw writes 300 MiB with 256 MiB of memory`() async throws {
            let piece = [UInt8](repeating: 0x61, count: 1 << 20)
            let server = try RawServer { _ in
                let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(300 << 20)\r\n\r\n"
                return RawReply([.send(Array(head.utf8))] + [RawReply.Step](repeating: .send(piece), count: 300))
            }
            let limited = "ulimit -d 262144 && "
            for (script, argument) in [
                (#""$0" get "$1" --raw | wc -c"#, server.url().absoluteString),
                (#"head -c 314572800 /dev/zero | "$0" decode --raw - --content-type "$1" | wc -c"#, "application/json"),
            ] {
                let child = try await ChildProcess.run(
                    "/bin/sh", ["-c", limited + script, try Binary.path, argument],
                    environment: ["no_proxy": "*", "TMPDIR": folder.path], limit: .seconds(120))
                #expect(child.outputText.trimmingCharacters(in: .whitespacesAndNewlines) == "314572800")
                #expect(child.errorText == "")
                #expect(folder.names == [])
            }
        }
    #endif
}
