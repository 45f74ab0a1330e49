import Foundation
import Patchbay
import TestSupport
import Testing

/// What is printed and written, and the table that decides about it.
extension OptionRow {
    private static let json: RawReply = .response(["Content-Type": "application/json"], body: #"{"a":1}"#)
    private static let printed = "{\n  \"a\": 1\n}\n"

    static let output: [OptionRow] = [
        OptionRow("-i") { folder in
            let server = try RawServer(
                always: .response(["Content-Type": "text/plain", "X-Own": "1"], body: "text"))
            let run = try await get("-i", server.target(), in: folder)
            #expect(run.output == "HTTP/1.1 200 OK\nContent-Type: text/plain\nX-Own: 1\nContent-Length: 4\n\ntext")
            let saved = try await get("-i", "-o", "out", server.target("/?q=Grüße aus Köln"), in: folder)
            #expect(saved.output == "HTTP/1.1 200 OK\nContent-Type: text/plain\nX-Own: 1\nContent-Length: 4\n\n")
            #expect(try String(contentsOf: folder.url.appending(path: "out"), encoding: .utf8) == "text")
            #expect(server.requests.last?.target == "/?q=Gr%C3%BC%C3%9Fe%20aus%20K%C3%B6ln")
        },
        OptionRow("-v") { folder in
            let server = try RawServer(always: .response(["X-Own": "1", "Set-Cookie": "a=hush; Path=/"], body: ""))
            let run = try await get("-v", "-u", "ada:hush", server.target("/x?q=own&token=hush"), in: folder)
            for line in [
                "> GET http://127.0.0.1:\(server.port)/x?q=own&token=***\n", "> Authorization: Basic ***\n",
                "< HTTP 200 OK\n",
                "< X-Own: 1\n", "< Set-Cookie: a=***; Path=/\n", "* 127.0.0.1:\(server.port), HTTP/1.1\n", "* total ",
            ] {
                #expect(run.errors.contains(line), "\(run.errors)")
            }
            #expect(!run.errors.contains("hush") && !run.errors.contains("YWRhOmh1c2g"), "\(run.errors)")
        },
        OptionRow("-v") { folder in
            let server = try RawServer { request in
                request.target == "/a"
                    ? .response(status: 307, ["Location": "/b?q=own"]) : .response(status: 204, body: "")
            }
            try folder.write("text\u{1B}[2J", to: "body.txt")
            for (words, body) in [
                ([], nil), (["-o", "-"], nil), (["-o", "out"], nil), (["-I"], nil), (["--stream"], nil),
                (["-X", "POST"], nil), (["-H", "Host: example.com"], nil), (["-d", "a=1&token=hush"], "a=1&token=***"),
                (["--json", #"{"a":1}"#], #"{"a":1}"#), (["-T", "body.txt"], #"text\u{1B}[2J"#),

                (["-F", "a=1"], "1"), (["-F", "a=@body.txt"], #"text\u{1B}[2J"#), (["--http1.1"], nil),
            ] as [([String], String?)] {
                let count = server.requests.count
                let run = try await get("-v", server.target("/a"), then: words, input: "typed", in: folder)
                let requests = run.errors.components(separatedBy: "\n< ").filter { $0.contains("> ") }
                    .map { $0.split(separator: "\n").filter { $0.hasPrefix("> ") }.map { String($0.dropFirst(2)) } }
                // What is shown is what arrives, after a redirect, too.
                for (lines, request) in zip(requests, server.requests[count...]) {
                    let fields = request.fields.map { "\($0.name): \($0.value)" }
                    #expect(Set(lines.dropFirst().prefix(fields.count)) == Set(fields), "\(words): \(run.errors)")
                    #expect(lines[0].hasSuffix(request.target), "\(words): \(run.errors)")
                    #expect(lines.contains(body ?? lines[0]), "\(words): \(run.errors)")
                    #expect(body != nil || lines.count == fields.count + 1, "\(words): \(run.errors)")
                }
                #expect(requests.count == server.requests.count - count, "\(words): \(run.errors)")
                #expect(run.errors.contains("\n< Location: /b?q=own\n"), "\(run.errors)")
            }
            let typed = try await get("-v", "-T", "-", server.target("/b"), input: "typed", in: folder)
            #expect(typed.errors.contains("> Transfer-Encoding: chunked\n>\n> typed\n< "), "\(typed.errors)")
            // The beginning is shown before the end comes.
            let hanging = try RawServer(readsBodies: false) { _ in RawReply([.hang]) }
            let words = [
                "-c", "(echo first; sleep 2; echo second) | \"$0\" get -v --timeout 1 -T - \"$1\"", try Binary.path,
                hanging.target(),
            ]
            let slow = try await ChildProcess.run("/bin/sh", words, environment: ["no_proxy": "*"])
            #expect(slow.errorText.contains("\n>\n> first\n"), "\(slow.errorText)")
        },
        OptionRow("-v") { folder in
            let long = String(repeating: "x", count: 4_000)
            let server = try RawServer(
                always: .response(
                    [
                        "Set-Cookie": "a=\(long)", "Set-Cookie": "b=\(long)", "Set-Cookie": "c=hush",
                        "Set-Cookie": "e=hush; Domain=example.com",
                    ], body: ""))
            let words = ["-v", "--cookie-jar", "FOLDER/jar", server.target()]
            let first = try await get(then: words, in: folder)
            #expect(
                first.errors.contains(
                    "* the cookie e of 127.0.0.1 was refused: its Domain is neither the host nor a domain above the host\n"
                ),
                "\(first.errors)")
            #expect(!first.errors.contains("was not sent") && !first.errors.contains("hush"), "\(first.errors)")
            let add = try RawServer(always: .response(["Set-Cookie": "d=\(long.prefix(200))"], body: ""))
            try await get(then: ["--cookie-jar", "FOLDER/jar", add.target()], in: folder)
            let second = try await get(then: words, in: folder)
            #expect(second.errors.contains("> Cookie: b=***; c=***; d=***\n"), "\(second.errors)")
            #expect(
                second.errors.contains(
                    "* the cookie a of 127.0.0.1 was not sent: the cookies for 127.0.0.1 are longer than the 8,192 bytes of "
                        + "a line\n"), "\(second.errors)")
        },
        OptionRow("-v", needs: .httpbin) { folder in
            let run = try await get("-v", httpbin("/redirect/2"), in: folder)
            #expect(run.errors.components(separatedBy: "\n< Location: ").count == 3, "\(run.errors)")
            #expect(run.errors.contains(", 2 redirects\n"), "\(run.errors)")
        },
        OptionRow("--show-secrets") { folder in
            let server = try RawServer(always: .response(["Set-Cookie": "a=hush"], body: ""))
            let words = ["--show-secrets", "-v", "-u", "ada:hush", server.target("/?token=hush")]
            let run = try await get(then: words, in: folder)
            let body = try await get("--show-secrets", "-v", "-d", "token=hush", server.target(), in: folder)
            #expect(body.errors.contains("> token=hush\n"), "\(body.errors)")
            for line in ["?token=hush\n", "> Authorization: Basic YWRhOmh1c2g=\n", "< Set-Cookie: a=hush\n"] {
                #expect(run.errors.contains(line), "\(run.errors)")
            }
            let document = try await get("--show-secrets", "--format", "json", server.target(), in: folder)
            #expect(document.output.contains("a=hush"), "\(document.output)")
        },
        OptionRow("-o FILE") { folder in
            let server = try RawServer(always: json)
            let run = try await get("-o", "out", server.target(), in: folder)
            #expect(run.output.isEmpty && run.allErrors.isEmpty, "\(run.allErrors)")
            #expect(text("out", in: folder) == #"{"a":1}"#)
            // No entry reads the bytes.
            try await get("-O", server.target("/new"), in: folder)
            try await get("--raw", server.target(), in: folder)
            try await get("--raw", "-H", "Accept: text/x", server.target(), in: folder)
            #expect(server.requests.map { $0.fields["Accept"] } == ["*/*", "*/*", "*/*", "text/x"])
        },
        OptionRow("-o -") { folder in
            let server = try RawServer(always: json)
            #expect(try await get("-o", "-", server.target(), in: folder).output == #"{"a":1}"#)
            #expect(!folder.names.contains("-"))
        },
        OptionRow("-O") { folder in
            let server = try RawServer(
                always: .response(["Content-Disposition": "attachment; filename=\"own.bin\""], body: "bytes"))
            try await get("-O", server.target("/other"), in: folder)
            #expect(text("own.bin", in: folder) == "bytes")
        },
        OptionRow("-O", needs: .httpbin) { folder in
            let path = "/response-headers?Content-Disposition=attachment%3Bfilename%3Down.json"
            try await get("-O", httpbin(path), in: folder)
            #expect(text("own.json", in: folder)?.contains("own.json") == true)
        },
        OptionRow("-C") { folder in
            let file = RangedFile(bytes: 300_000)
            let server = try RawServer { request in
                let (status, fields, body) = file.answer(to: request.fields)
                let whole = RawReply.response(status: status, fields, body: body)
                guard request.fields["Range"] == nil, case .send(let bytes) = whole.steps[0] else { return whole }
                return RawReply([.send(Array(bytes.prefix(200_000))), .close])
            }
            let cut = try await get("-C", "-o", "out", server.target(), in: folder, code: 4)
            #expect(cut.errors.contains("are kept; the same command goes on from there\n"), "\(cut.errors)")
            #expect(!folder.names.contains("out"))
            try await get("-C", "-o", "out", server.target(), in: folder)
            #expect(FileManager.default.contents(atPath: folder.path + "/out") == Data(file.body))
            #expect(folder.names == ["note.json", "note.txt", "out"])
            let ranges = server.requests.map { $0.fields["Range"] ?? "" }
            let start = try #require(Int(ranges.last?.filter(\.isNumber) ?? ""))
            #expect(ranges == ["", "bytes=\(start)-"] && start > 100_000, "\(ranges)")
        },
        OptionRow("-C", needs: .httpbin) { folder in
            // Ten pieces in 2 s, of which a part comes in the first.
            let url = try httpbin("/range/102400?duration=2&chunk_size=10240")
            try await get("-C", "-o", "out", "--timeout", "1", url, in: folder, code: 4)
            try #require(folder.names.contains("out.resume"))
            let run = try await get("-C", "-o", "out", "-v", url, in: folder)
            #expect(
                run.errors.contains("\n> Range: bytes=") && run.errors.contains("\n< HTTP 206 Partial Content\n"),
                "\(run.errors)")
            let alphabet = Data((0..<102_400).map { UInt8(0x61 + $0 % 26) })
            #expect(FileManager.default.contents(atPath: folder.path + "/out") == alphabet)
        },
        OptionRow("--raw") { folder in
            let server = try RawServer(always: json)
            #expect(try await get("--raw", server.target(), in: folder).output == #"{"a":1}"#)
        },
        OptionRow("--stream") { folder in
            let server = try RawServer(
                always: .response(["Content-Type": "application/json"], body: #"[{"a": 1}, [2]]"#))
            #expect(try await get("--stream", server.target(), in: folder).output == "{\"a\":1}\n[2]\n")
        },
        OptionRow("-o /dev/null") { folder in
            // What is not complete leaves as it comes, too: with `--max-size` the program ends before the body does.
            let piece = [UInt8](repeating: 0x61, count: 1 << 16)
            let server = try RawServer { _ in
                RawReply([.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8)), .send(piece), .send(piece), .hang])
            }
            let words = ["-o", "/dev/null", "--max-size", "100000", server.target()]
            let run = try await get(then: words, in: folder, code: 6)
            #expect(run.errors.contains("the limit of --max-size"), "\(run.errors)")
        },
        OptionRow("-o /dev/stdout") { folder in
            let server = try RawServer(always: json)
            for name in ["/dev/stdout", "/dev/fd/1"] {
                #expect(try await get("-o", name, server.target(), in: folder).output == #"{"a":1}"#, "\(name)")
            }
        },
        OptionRow("-N") { folder in
            let server = try RawServer(always: json)
            #expect(try await get("-N", "-o", "-", server.target(), in: folder).output == #"{"a":1}"#)
        },
        OptionRow("-s") { folder in
            let server = try RawServer(
                always: RawReply([
                    .send(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na".utf8)), .pause(.seconds(1)),
                    .send([0x62]),
                ]))
            let run = try await get("-o", "out", server.target(), in: folder)
            #expect(run.allErrors.hasPrefix("received 1 B of 2 B, 50 %, "), "\(run.allErrors)")
            #expect(try await get("-s", "-o", "out", server.target(), in: folder).allErrors == "")
        },
        OptionRow("-S") { folder in
            let server = try RawServer(always: .response(status: 404))
            let run = try await get("-sS", server.target(), in: folder, code: 5)
            #expect(run.errors.contains("the status is 404"))
        },
        OptionRow("--format json") { folder in
            let server = try RawServer(always: json)
            let document = try JSON(parsing: try await get("--format", "json", server.target(), in: folder).output)
            #expect(document["status"] == 200)
            #expect(document["value"] == ["a": 1])
        },
        OptionRow("--color always") { folder in
            let server = try RawServer(always: json)
            #expect(try await get(server.target(), in: folder).output == printed)
            let run = try await get("--color", "always", server.target(), in: folder)
            #expect(run.output.contains("\u{1B}["))
            #expect(run.output.replacing(/\u{1B}\[[0-9]*m/, with: "") == printed)
        },
        OptionRow("--color always") { folder in
            // The body's own colours, which a pipe gets from a program without colours.
            let own = "\u{1B}[31mred\u{1B}[0m"
            for (type, body, isText) in [
                ("text/plain", own, true), ("application/json", "[\"\u{9B}31m\u{202E}\"]", true),
                ("application/xml", "<a>\u{9B}31m\u{202E}</a>", true), ("text/csv", "a\n\(own)\n", true),
                ("application/x-own", own, false),
            ] {
                let server = try RawServer(always: .response(["Content-Type": type], body: body))
                for words in [[], ["--raw"], ["--stream"]] where words.isEmpty || words == ["--raw"] || isText {
                    let run = try await get("--color", "always", server.target(), then: words, in: folder)
                    let shown = run.output.replacing(/\u{1B}\[(?:1|2|3[1-6]|0)m/, with: "")
                    let isRaw = words == ["--raw"] || !isText
                    #expect(isRaw == (run.output == body), "\(type) \(words): \(run.output)")
                    guard !isRaw else { continue }
                    #expect(!run.output.contains("\u{1B}[31mred"), "\(type) \(words)")
                    #expect(!shown.contains { $0 == "\u{1B}" || $0 == "\u{9B}" || $0 == "\u{202E}" }, "\(shown)")
                }
            }
        },
        OptionRow("--help") { folder in
            let run = try await get("--help", in: folder)
            #expect(run.output.hasPrefix("patchbay [get] [options] URL\n"))
        },
    ]

    private static let own: RawReply = .response(["Content-Type": "application/x-own"], body: #"{"a":1}"#)

    private static func manifest(of factory: String) -> String {
        """
        { "manifestVersion": 1,
          "plugins": [ { "id": "own", "factory": "\(factory)", "match": { "types": ["application/x-own"] } } ] }
        """
    }

    static let table: [OptionRow] = [
        OptionRow("--manifest") { folder in
            try folder.write(manifest(of: "json"), to: "own.manifest")
            let server = try RawServer(always: own)
            #expect(try await get(server.target(), in: folder).output == #"{"a":1}"#)
            #expect(try await get("--manifest", "own.manifest", server.target(), in: folder).output == printed)
        },
        OptionRow("--bare") { folder in
            let server = try RawServer(always: json)
            #expect(try await get("--bare", server.target(), in: folder).output == #"{"a":1}"#)
        },
        OptionRow("--factory") { folder in
            try folder.write(manifest(of: "acme"), to: "own.manifest")
            let server = try RawServer(always: own)
            let words = ["--manifest", "own.manifest", server.target()]
            let run = try await get("--factory", "acme", then: words, in: folder)
            #expect(run.output == #"{"a":1}"#)
            #expect(run.errors.contains("the entry own would read this"), "\(run.errors)")
            try await get(then: words, in: folder, code: 3)
            #expect(server.requests.count == 1)
        },
        OptionRow("--entry") { folder in
            let server = try RawServer(always: .response(["Content-Type": "text/plain"], body: #"{"a":1}"#))
            #expect(try await get("--entry", "json", server.target(), in: folder).output == printed)
        },
        OptionRow("--explain") { folder in
            let server = try RawServer(always: json)
            let run = try await get("--explain", server.target(), in: folder)
            #expect(run.output == printed)
            #expect(run.errors.contains("json: chosen"), "\(run.errors)")
        },
    ]

    private static func text(_ name: String, in folder: TemporaryFolder) -> String? {
        FileManager.default.contents(atPath: folder.path + "/" + name).map { String(decoding: $0, as: UTF8.self) }
    }
}
