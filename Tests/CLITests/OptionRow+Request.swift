import Foundation
import Patchbay
import PatchbayPlatform
import TestSupport
import Testing

/// What is asked, and how long and how often.
extension OptionRow {
    static let request: [OptionRow] = [
        echo(
            "-X PATCH", ["-X", "PATCH"], wire: ["PATCH /anything HTTP/1.1\r\n"], httpbin: ["method": "PATCH"]),
        echo(
            "-H", ["-H", "X-Own: 1", "-H", "Accept: text/x-own"],
            wire: ["\r\nX-Own: 1\r\n", "\r\nAccept: text/x-own\r\n"],
            httpbin: ["headers.X-Own": "1", "headers.Accept": "text/x-own"]),
        echo(
            "-d TEXT", ["-d", "a=1", "-d", "b=2"],
            wire: ["POST /", "\r\nContent-Type: application/x-www-form-urlencoded\r\n", "\r\n\r\na=1&b=2"],
            httpbin: ["method": "POST", "form.a": "1", "form.b": "2"]),
        echo(
            "-d @FILE", ["-d", "@FOLDER/note.txt"],
            wire: ["POST /", "\r\nContent-Type: text/plain\r\n", "\r\n\r\n\(note)"], httpbin: ["data": JSON(note)]),
        echo(
            "-d @-", ["-d", "@-"], input: "from input",
            wire: ["POST /", "\r\nContent-Type: application/octet-stream\r\n", "\r\n\r\nfrom input"],
            httpbin: ["data": "from input"]),
        echo(
            "--json TEXT", ["--json", #"{"a": [1, "ü"]}"#],
            wire: ["POST /", "\r\nContent-Type: application/json\r\n", "\r\n\r\n{\"a\": [1, \"ü\"]}"],
            httpbin: ["json.a": [1, "ü"]]),
        echo(
            "--json @FILE", ["--json", "@FOLDER/note.json"],
            wire: ["\r\nContent-Type: application/json\r\n", "\r\n\r\n{ \"b\": 1e2 }"], httpbin: ["json.b": 100.0]),
        echo(
            "--form", ["--form", "a=x y", "--form", "b=ü"], wire: ["\r\n\r\na=x+y&b=%C3%BC"],
            httpbin: ["form.a": "x y", "form.b": "ü"]),
        echo(
            "-F", ["-F", "a=1", "-F", "f=@FOLDER/note.txt;type=text/x-own;filename=own.txt"],
            wire: [
                "\r\nContent-Type: multipart/form-data; boundary=", "name=\"a\"\r\n\r\n1\r\n",
                "name=\"f\"; filename=\"own.txt\"\r\n", "\r\nContent-Type: text/x-own\r\n", "\r\n\r\n\(note)\r\n",
            ],
            httpbin: ["form.a": "1", "files.f": JSON(note)]),
        echo(
            "-T FILE", ["-T", "FOLDER/note.txt"], wire: ["PUT /", "\r\nContent-Length: 11\r\n", "\r\n\r\n\(note)"],
            httpbin: ["method": "PUT", "data": JSON(note)]),
        echo(
            "-T -", ["-T", "-"], input: "from input", wire: ["PUT /", "\r\n\r\nfrom input"],
            httpbin: ["method": "PUT", "data": "from input"]),
        echo(
            "-u", ["-u", "ada:s3cret"], path: "/basic-auth/ada/s3cret",
            wire: ["\r\nAuthorization: Basic YWRhOnMzY3JldA==\r\n"],
            httpbin: ["authenticated": true, "user": "ada"]),
        echo(
            "--bearer", ["--bearer", "t0ken"], path: "/bearer", wire: ["\r\nAuthorization: Bearer t0ken\r\n"],
            httpbin: ["authenticated": true, "token": "t0ken"]),
        echo(
            "-u @-", ["-u", "@-"], input: "ada:s3cret\n", path: "/basic-auth/ada/s3cret",
            wire: ["\r\nAuthorization: Basic YWRhOnMzY3JldA==\r\n"],
            httpbin: ["authenticated": true, "user": "ada"]),
        echo(
            "--bearer @-", ["--bearer", "@-"], input: "t0ken\r\n", path: "/bearer",
            wire: ["\r\nAuthorization: Bearer t0ken\r\n"], httpbin: ["authenticated": true, "token": "t0ken"]),
        echo(
            "--bearer @FILE", ["--bearer", "@FOLDER/note.txt"], path: "/bearer",
            wire: ["\r\nAuthorization: Bearer \(note)\r\n"], httpbin: ["authenticated": true, "token": JSON(note)]),
        echo(
            "--json @-", ["--json", "@-"], input: #"{ "b": 1e2 }"#,
            wire: ["\r\nContent-Type: application/json\r\n", "\r\nContent-Length: 12\r\n", "\r\n\r\n{ \"b\": 1e2 }"],
            httpbin: ["json.b": 100.0]),
        echo(
            "--form-string", ["--form-string", "a=@x;type=y", "-F", "b=1", "--form-string", "c=\"3\""],
            wire: [
                "\r\nContent-Type: multipart/form-data; boundary=", "name=\"a\"\r\n\r\n@x;type=y\r\n",
                "name=\"b\"\r\n\r\n1\r\n", "name=\"c\"\r\n\r\n\"3\"\r\n",
            ],
            httpbin: ["form.a": "@x;type=y", "form.b": "1", "form.c": "\"3\""]),
    ].flatMap(\.self)

    static let answers: [OptionRow] = [
        OptionRow("-H") { folder in
            let server = try RawServer(
                always: .response(
                    status: 206, ["Content-Type": "text/plain", "Content-Range": "bytes 0-3/9"], body: "text"))
            for words in [[], ["-o", "out"], ["-N"], ["--stream"], ["-o", "-"]] {
                let run = try await get(then: ["-v", "-H", "Range: bytes=0-3", server.target()] + words, in: folder)
                #expect(run.errors.contains("> Accept-Encoding: identity\n"), "\(words) \(run.errors)")
                #expect(server.requests.last?.fields.values(for: "Accept-Encoding") == ["identity"], "\(words)")
            }
            let words = ["-v", "-H", "Range: bytes=0-3", "-H", "Accept-Encoding: gzip", server.target()]
            let run = try await get(then: words, in: folder)
            #expect(run.errors.contains("> Accept-Encoding: gzip\n"), "\(run.errors)")
            #expect(server.requests.last?.fields.values(for: "Accept-Encoding") == ["gzip"])
        },
        OptionRow("-I") { folder in
            let server = try RawServer(always: .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\nX-Own: 1\r\n\r\n"))
            let run = try await get("-I", server.target(), in: folder)
            #expect(server.requests.map(\.method) == ["HEAD"])
            #expect(run.output == "HTTP/1.1 200 OK\nContent-Length: 9\nX-Own: 1\n")
        },
        OptionRow("-I", needs: .httpbin) { folder in
            let run = try await get("-I", httpbin("/response-headers?X-Own=1"), in: folder)
            #expect(run.output.hasPrefix("HTTP/1.1 200 OK\n"))
            #expect(run.output.contains("\nX-Own: 1\n") && !run.output.contains("{"), "\(run.output)")
        },
        OptionRow("--cookie-jar") { folder in
            let server = try RawServer {
                .response($0.target == "/set" ? ["Set-Cookie": "flavour=oat; Path=/"] : [:], body: "")
            }
            try await cookies(set: server.target("/set"), then: server.target(), in: folder)
            #expect(server.requests.map { $0.fields["Cookie"] } == [nil, "flavour=oat"])
        },
        OptionRow("--cookie-jar --timeout") { folder in
            let server = try RawServer(always: .response(body: ""))
            // Reading so many takes longer than the call may, and saving them would change the first line.
            let line = "h.example.com\tFALSE\t/\tFALSE\t0\ta\t\(String(repeating: "v", count: 300))\n"
            let text = "# kept\n" + String(repeating: line, count: 40_000)
            try folder.write(text, to: "jar")
            let words = ["--cookie-jar", "FOLDER/jar", "--timeout", "0.001"]
            let run = try await get(server.target(), then: words, in: folder, code: 4)
            #expect(run.errors.contains("was not over after 0.001 s"), "\(run.errors)")
            #expect(server.requests.isEmpty)
            #expect(try String(contentsOfFile: folder.path + "/jar", encoding: .utf8) == text)
        },
        OptionRow("--cookie-jar", needs: .httpbin) { folder in
            let run = try await cookies(
                set: httpbin("/cookies/set?flavour=oat"), then: httpbin("/cookies"), in: folder)
            #expect(try JSON(parsing: run.output) == ["cookies": ["flavour": "oat"]])
        },
        OptionRow("--cache") { folder in
            let server = try RawServer { request in
                let fields: HeaderFields = [
                    "Content-Type": "text/plain", "ETag": "\"1\"",
                    "Cache-Control": request.target == "/fresh"
                        ? "max-age=600" : request.target == "/none" ? "no-store" : "max-age=0",
                ]
                return request.fields["If-None-Match"] == nil
                    ? .response(fields, body: "kept") : .response(status: 304, fields, body: "")
            }
            let begins: [(target: String, lines: [String], conditions: [String?])] = [
                ("/fresh", ["fwd=miss; stored", "hit; ttl="], [nil]),
                ("/stale", ["fwd=miss; stored", "fwd=stale; fwd-status=304; stored"], [nil, "\"1\""]),
                ("/none", ["fwd=miss", "fwd=miss"], [nil, nil]),
            ]
            for (target, lines, conditions) in begins {
                for line in lines {
                    let run = try await get("-v", "--cache", "FOLDER/kept", server.target(target), in: folder)
                    #expect(run.output == "kept")
                    let cache = run.errors.split(separator: "\n").filter { $0.hasPrefix("* cache: ") }
                    #expect(cache.count == 1 && cache[0].hasPrefix("* cache: " + line), "\(target) \(run.errors)")
                    #expect(line.hasSuffix("stored") || !run.errors.contains("stored"), "\(target) \(run.errors)")
                    #expect(!run.errors.contains("* \n"), "\(run.errors)")
                    #expect(run.errors.contains("> GET") == !line.hasPrefix("hit"), "\(run.errors)")
                }
                let sent = server.requests.filter { $0.target == target }
                #expect(sent.map { $0.fields["If-None-Match"] } == conditions, "\(target)")
            }
            let (count, status) = (
                server.requests.count, try FileManager.default.attributesOfItem(atPath: folder.path + "/kept")
            )
            #expect(status[.posixPermissions] as? Int == 0o700)
            // The document, the bytes and the rest of the output are those of an answer from the server.
            let document = try await get("--format", "json", "--cache", "kept", server.target("/fresh"), in: folder)
            #expect(try JSON(parsing: document.output)["value"] == "kept")
            let head = try await get("-i", "--cache", "kept", server.target("/fresh"), in: folder)
            #expect(head.output.hasPrefix("HTTP 200 OK\n") && head.output.hasSuffix("\n\nkept"), "\(head.output)")
            #expect(server.requests.count == count)
            // For the bytes of a file, the Accept is another one, and so is the stored response.
            for _ in 0..<2 {
                try await get("-o", "out", "--cache", "kept", server.target("/fresh"), in: folder)
                #expect(FileManager.default.contents(atPath: folder.path + "/out") == Data("kept".utf8))
            }
            #expect(server.requests.count == count + 1)
        },
        OptionRow("--cache") { folder in
            let server = try RawServer(always: .response(["Content-Type": "text/plain"], body: "text"))
            let words = ["--cache", "FOLDER/kept", "-H", "Cache-Control: only-if-cached", server.target()]
            let run = try await get(then: words, in: folder, code: 4)
            #expect(server.requests.isEmpty && run.output.isEmpty)
            try folder.write(
                #"{ "manifestVersion": 1, "hosts": { "127.0.0.1": { "policy": { "cache": "off" } } } }"#, to: "off.json"
            )
            for _ in 0..<2 {
                let run = try await get(
                    "-v", "--cache", "FOLDER/kept", "--manifest", "FOLDER/off.json", server.target(), in: folder)
                #expect(run.errors.contains("* cache: fwd=bypass\n"), "\(run.errors)")
            }
            #expect(server.requests.count == 2)
        },
        OptionRow("--cache", needs: .httpbin) { folder in
            for line in ["fwd=miss; stored", "hit; ttl="] {
                let run = try await get("-v", "--cache", "FOLDER/kept", httpbin("/cache/60"), in: folder)
                #expect(run.errors.contains("* cache: " + line), "\(run.errors)")
                #expect(try JSON(parsing: run.output)["url"]?.string?.hasSuffix("/cache/60") == true)
            }
            for line in ["fwd=miss; stored", "fwd=stale; fwd-status=304; stored"] {
                let run = try await get("-v", "--cache", "FOLDER/kept", httpbin("/cache"), in: folder)
                #expect(run.errors.contains("* cache: " + line), "\(run.errors)")
            }
        },
        // Redirects are followed by default, so that only the later of the two options shows.
        OptionRow("-L") { folder in
            let server = try redirecting()
            let run = try await get("--no-redirects", "-L", server.target("/start"), in: folder)
            #expect(run.output == "end")
        },
        OptionRow("-L", needs: .httpbin) { folder in
            let run = try await get("--no-redirects", "-L", httpbin("/redirect/3"), in: folder)
            #expect(try JSON(parsing: run.output)["url"]?.string?.hasSuffix("/get") == true)
        },
        OptionRow("--no-redirects") { folder in
            let server = try redirecting()
            let run = try await get("--no-redirects", server.target("/start"), in: folder, code: 5)
            #expect(run.errors.contains("the status is 302"), "\(run.errors)")
        },
        OptionRow("--no-redirects", needs: .httpbin) { folder in
            let run = try await get("--no-redirects", "-i", httpbin("/redirect/3"), in: folder, code: 5)
            #expect(run.output.contains("\nLocation: /relative-redirect/2\n"), "\(run.output)")
        },
        OptionRow("--retry") { folder in
            let count = Guarded(0)
            let server = try RawServer { _ in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return .response(status: number < 3 ? 503 : 200, ["Content-Type": "text/plain"], body: "\(number)")
            }
            let run = try await get("--retry", "2", server.target(), in: folder)
            #expect(run.output == "3")
        },
        OptionRow("--timeout") { folder in
            let server = try RawServer(always: RawReply([.hang]))
            let run = try await get("--timeout", "0.4", server.target(), in: folder, code: 4)
            #expect(run.errors.contains("was not over after 0.4 s"), "\(run.errors)")
        },
        OptionRow("--timeout", needs: .httpbin) { folder in
            let run = try await get("--timeout", "0.4", httpbin("/delay/9"), in: folder, code: 4)
            #expect(run.errors.contains("was not over after 0.4 s"), "\(run.errors)")
        },
        OptionRow("--max-size") { folder in
            let server = try RawServer(
                always: .response(["Content-Type": "text/plain"], body: String(repeating: "a", count: 2_000)))
            #expect(try await get("--max-size", "2k", server.target(), in: folder).output.count == 2_000)
            let run = try await get("--max-size", "1k", server.target(), in: folder, code: 6)
            #expect(run.errors.contains("1024 bytes") || run.errors.contains("1,024 bytes"), "\(run.errors)")
            #expect(run.output.isEmpty)
            let pieces = try await get("--max-size", "1k", "-N", "--raw", server.target(), in: folder, code: 6)
            #expect(pieces.errors.contains("the body is larger than 1,024 bytes, the limit of --max-size"))
            #expect(pieces.output.count <= 1_024)
            #expect(try await get("--max-size", "2k", "-N", "--raw", server.target(), in: folder).output.count == 2_000)
        },
        OptionRow("--max-size") { folder in
            let lines = #"{"a":1}"# + "\n" + #"{"a":[1,2,3,4,5,6]}"# + "\n"
            let server = try RawServer(always: .response(["Content-Type": "application/x-ndjson"], body: lines))
            let words = ["--stream", "--format", "json", "--max-size", "10", server.target()]
            let run = try await Binary.run(["get"] + words, in: folder.path)
            #expect(run.code == 6)
            // No document follows the elements.
            #expect(run.output == #"{"a":1}"# + "\n")
            #expect(run.errors.contains("an element is longer than 10 bytes"), "\(run.errors)")
        },
    ]

    private static func redirecting() throws -> RawServer {
        try RawServer {
            $0.target == "/end"
                ? .response(["Content-Type": "text/plain"], body: "end") : .response(status: 302, ["Location": "/end"])
        }
    }

    @discardableResult private static func cookies(
        set: String, then url: String, in folder: TemporaryFolder
    ) async throws -> Binary.Run {
        try await get(set, "--cookie-jar", "FOLDER/jar", in: folder)
        #expect(folder.names.contains("jar"))
        return try await get(url, "--cookie-jar", "FOLDER/jar", in: folder)
    }
}
