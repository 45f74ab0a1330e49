import Foundation
import TestSupport
import Testing

/// Bad input, the exact sentences on standard error and the exit code.
///
/// `FOLDER` stands for a folder that has the manifests below, `PORT` for a port on which a server never answers, `CLOSED` for
/// one on which nobody listens.
@Suite(.timeLimit(.minutes(5))) struct BadInputTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let words: [String]
        let sentence: String
        let code: Int32
        /// What is on standard output.
        let output: String
        var testDescription: String { name }

        init(_ name: String, _ words: String..., says sentence: String, code: Int32, prints output: String = "") {
            self.name = name
            self.words = words
            self.sentence = sentence
            self.code = code
            self.output = output
        }

        /// Runs the words, and holds both outputs and the exit code.
        func isSaid(in folder: TemporaryFolder, by server: RawServer, _ closed: RawServer) async throws {
            func filled(_ text: String) -> String {
                text.replacingOccurrences(of: "FOLDER", with: folder.path)
                    .replacingOccurrences(of: "PORT", with: "\(server.port)")
                    .replacingOccurrences(of: "CLOSED", with: "\(closed.port)")
            }
            let run = try await Binary.run(words.map(filled))
            #expect(run.errors == filled(sentence) + "\n")
            #expect(run.code == code)
            #expect(run.output == output)
        }
    }

    static let manifests = [
        "broken.json": #"{ "manifestVersion": 1, "plugins": [1,] }"#,
        "unknown-factory.json": """
        { "manifestVersion": 1,
          "plugins": [ { "id": "a", "factory": "jsno", "match": { "types": ["@json"] } } ] }
        """,
        "two-faults.json": """
        { "manifestVersion": 1,
          "plugins": [ { "id": "A", "factory": "json", "match": { "types": ["json"] } } ] }
        """,
        "small.json": """
        { "manifestVersion": 1,
          "plugins": [ { "id": "small", "factory": "json", "match": { "types": ["@json"] }, "limits": { "maxBodyBytes": 4 } } ] }
        """,
        "capped.json":
            #"{ "manifestVersion": 1, "inherit": false, "policy": { "limits": { "maxBodyBytes": 4 } }, "plugins": [] }"#,
        "strict.json": #"{ "manifestVersion": 1, "inherit": false, "policy": { "noMatch": "error" }, "plugins": [] }"#,
        "five.bin": "[1,2]",
        "bad.json": "{\"a\":\n 1,}",
    ]

    static let rows = [
        Row(
            "no manifest", "routes", "--manifest", "FOLDER/none.json",
            says: "FOLDER/none.json: the file cannot be read: No such file or directory", code: 3),
        Row(
            "pipe as a manifest", "routes", "--manifest", "FOLDER/pipe",
            says: "FOLDER/pipe: the file cannot be read: it is not a regular file", code: 3),
        Row(
            "folder as a manifest", "check", "FOLDER",
            says: "FOLDER: the file cannot be read: Is a directory", code: 3),
        Row(
            "broken manifest", "routes", "--manifest", "FOLDER/broken.json",
            says: "FOLDER/broken.json:1: column 38: JSON has no trailing commas; remove this one before \"]\"", code: 3),
        Row(
            "unknown factory", "get", "http://h/", "--manifest", "FOLDER/unknown-factory.json",
            says:
                #"FOLDER/unknown-factory.json:2: /plugins/0/factory: the factory "jsno" of the entry "a" is not registered; did you mean "json"?"#,
            code: 3),
        Row(
            "two faults at once", "check", "FOLDER/two-faults.json",
            says: #"""
                FOLDER/two-faults.json:2: /plugins/0/id: the id "A" is not made of a-z, 0-9, dot, underscore and hyphen, a letter or \#
                digit first; did you mean "a"?
                FOLDER/two-faults.json:2: /plugins/0/match/types/0: "json" has no slash; did you mean "@json"?
                """#, code: 3),
        Row(
            "URL without a host", "get", "http:///path",
            says: "patchbay: the request was not sent: the URL \"http:///path\" has no host", code: 2),
        Row(
            "port that is none", "get", "localhost:99999/x?k=hush",
            says:
                #"patchbay: the request was not sent: the URL "http://localhost:99999/x" has no host or port that can be asked"#,
            code: 2),
        Row(
            "host that IDNA refuses", "get", "http://\u{FF05}\u{FF14}\u{FF11}.com/",
            says:
                "patchbay: the request was not sent: the host of the URL \"http://\u{FF05}\u{FF14}\u{FF11}.com/\" has U+FF05, which no host has",
            code: 2),
        Row(
            "URL of another scheme", "get", "file:///etc/passwd",
            says:
                #"patchbay: the request was not sent: the scheme of the URL "file:///etc/passwd" is file, not http or https"#,
            code: 2),
        Row(
            "URL that is none", "get", "http://[::1",
            says: #"patchbay: the request was not sent: the URL "http://[::1" cannot be parsed"#, code: 2),
        Row(
            "CR in a header value", "get", "http://127.0.0.1:PORT/", "-H", "X: a\rb",
            says: "patchbay: the request was not sent: the value of header field X has a carriage return in it", code: 2
        ),
        Row(
            "LF in a header value", "get", "http://127.0.0.1:PORT/", "-H", "X: a\nInjected: b",
            says: "patchbay: the request was not sent: the value of header field X has a line feed in it", code: 2),
        Row(
            "space in a header name", "get", "http://127.0.0.1:PORT/", "-H", "X Y: a",
            says: "patchbay: the request was not sent: a header field name is not a token", code: 2),
        Row(
            "LF in the method", "get", "http://127.0.0.1:PORT/", "-X", "GET /\n",
            says: "patchbay: the request was not sent: the method is not a token", code: 2),
        Row(
            "--json that is not JSON", "get", "http://h/", "--json", "{a}",
            says: "patchbay: --json is not JSON: line 1, column 2: expected a key in double quotes", code: 2),
        Row(
            "refused connection", "get", "http://127.0.0.1:CLOSED/",
            says: "patchbay: GET 127.0.0.1:CLOSED: the connection to port CLOSED of the host was refused", code: 4),
        Row(
            "total clock", "get", "http://127.0.0.1:PORT/", "--timeout", "1",
            says: "patchbay: GET 127.0.0.1:PORT: the call was not over after 1 s: the request was sent, "
                + "and no answer had come",
            code: 4),
        Row(
            "missing file of a body", "get", "http://h/", "-d", "@FOLDER/none",
            says: "patchbay: FOLDER/none cannot be read: No such file or directory", code: 7),
        Row(
            "missing file to decode", "decode", "FOLDER/none",
            says: "patchbay: FOLDER/none cannot be read: No such file or directory", code: 7),
        Row("folder to decode", "decode", "FOLDER", says: "patchbay: FOLDER cannot be read: Is a directory", code: 7),
        Row(
            "malformed body", "decode", "FOLDER/bad.json", "--content-type", "application/json",
            says:
                "patchbay: the entry json could not serialize application/json with status 200: line 2, column 4: expected a key in double quotes; asked: json (failed), and 1 that does not cover application/json",
            code: 6, prints: "{\"a\":\n 1,}"),
        Row(
            "body over a limit", "decode", "FOLDER/five.bin", "--content-type", "application/json", "--manifest",
            "FOLDER/small.json",
            says:
                "patchbay: the entry small cannot take application/json with status 200: the body has more than the 4 bytes that are allowed; asked: small (failed)",
            code: 6),
        Row(
            "raw bytes over the policy's limit", "decode", "FOLDER/five.bin", "--manifest", "FOLDER/capped.json",
            says: """
                patchbay: the registry cannot take a response without Content-Type with status 200: the body has more than the \
                4 bytes that are allowed; there are no entries
                """, code: 6),
        Row(
            "no entry", "decode", "FOLDER/five.bin", "--content-type", "application/json", "--manifest",
            "FOLDER/strict.json",
            says: "patchbay: no entry serializes application/json with status 200; there are no entries", code: 6,
            prints: "[1,2]"),
    ]

    @Test(arguments: rows) func `bad input has its sentence and exit code`(_ row: Row) async throws {
        let folder = TemporaryFolder()
        for (name, text) in Self.manifests { try folder.write(text, to: name) }
        try #require(mkfifo(folder.path + "/pipe", 0o600) == 0)
        let silent = try RawServer(always: RawReply([.hang]))
        let closed = try RawServer(always: RawReply([.close]))
        closed.stop()
        try await row.isSaid(in: folder, by: silent, closed)
        #expect(silent.requests.isEmpty || row.code == 4, "what is refused is not sent")
    }
}
