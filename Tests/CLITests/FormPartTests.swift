import Foundation
import Patchbay
import TestSupport
import Testing

@testable import PatchbayCLI

/// One word after `-F`: a text, or a file with a type and a name.
@Suite(.timeLimit(.minutes(5))) struct FormPartTests {
    /// Words whose meaning must not change.
    @Test(arguments: [
        ("a=", ""), ("a=1", "1"), ("a=b=c", "b=c"), ("a=\"x\"", "\"x\""), ("a=x;type=text/plain", "x;type=text/plain"),
        ("a= @x", " @x"), (#"a=\@x"#, #"\@x"#),
    ])
    func `a text is sent as it is`(_ word: String, _ text: String) throws {
        let part = try FormPart(word, number: 1)
        #expect(part.name == "a" && part.text == text && part.file == nil)
        #expect(try FormPart(word, number: 1, isText: true) == part)
    }

    /// After the name and `=@`: the file, its name and its type.
    @Test(
        arguments: [
            ("f", "f", nil, nil), ("a b=c.txt", "a b=c.txt", nil, nil), (#"a"b".txt"#, #"a"b".txt"#, nil, nil),
            (#"a\"#, #"a\"#, nil, nil), ("f;type=a/b;filename=n", "f", "n", "a/b"), ("f;filename=", "f", "", nil),
            (#""a;b.txt""#, "a;b.txt", nil, nil), (#""a;type=a/b";type=c/d"#, "a;type=a/b", nil, "c/d"),
            (#""a\"b\\c\d""#, #"a"b\c\d"#, nil, nil), (#"./"x""#, #"./"x""#, nil, nil),
            (#"f;filename="a;\"b""#, "f", #"a;"b"#, nil), (#"f;type="a/b;c=d""#, "f", nil, "a/b;c=d"),
            (#"f;filename=a"b"#, "f", #"a"b"#, nil), (#""f"#, #""f"#, nil, nil), (#""f"x"#, #""f"x"#, nil, nil),
            ("\"ü\u{301};\"", "ü\u{301};", nil, nil),
        ] as [(String, String, String?, String?)])
    func `a file, a type and a name may be in double quotes`(
        _ word: String, _ file: String, _ name: String?, _ type: String?
    ) throws {
        let part = try FormPart("p=@" + word, number: 1)
        #expect(part.file == file && part.fileName == name)
        #expect(part.type == type.flatMap { MediaType(parsing: $0) })
        #expect(try FormPart("p=@" + word, number: 1, isText: true).text == "@" + word)
    }

    @Test(arguments: [("@x\npatchbay: forged", #"x\npatchbay: forged"#), ("@", "''")])
    func `the name of a file in an error is one line`(_ words: String, _ name: String) async throws {
        let run = try await Binary.run(["get", "-F", "p=" + words, "http://127.0.0.1:1/"])
        #expect(run.errors == "patchbay: \(name) cannot be read: No such file or directory\n")
        #expect(run.code == 7)
    }

    @Test(arguments: [("@-", "-"), ("@-;filename=a.txt", "a.txt"), ("@/dev/stdin", "stdin")])
    func `a part comes out of a pipe`(_ words: String, _ name: String) async throws {
        let server = try RawServer(always: .response(body: ""))
        let run = try await Binary.run(["get", "-F", "p=" + words, server.target()], input: Array("sent".utf8))
        #expect(run.code == 0, "\(run.errors)")
        let body = String(decoding: try #require(server.requests.first).body, as: UTF8.self)
        let head = "name=\"p\"; filename=\"\(name)\"\r\nContent-Type: application/octet-stream\r\n"
        #expect(body.contains(head + "\r\nsent\r\n"), "\(body)")
    }

    @Test(arguments: ["a;b.txt", "a\"b.txt", "a b=c.txt", "a;type=x", "@", #"a\b"#, "a;filename=b;", "\"a\""])
    func `a file of any name is sent`(_ name: String) async throws {
        let folder = TemporaryFolder()
        try folder.write("sent", to: name)
        let server = try RawServer(always: .response(body: ""))
        let quoted = name.replacing(#"\"#, with: #"\\"#).replacing("\"", with: #"\""#)
        let run = try await Binary.run(["get", "-F", "p=@\"\(quoted)\"", server.target()], in: folder.path)
        #expect(run.code == 0, "\(run.errors)")
        let body = String(decoding: try #require(server.requests.first).body, as: UTF8.self)
        let written = name.replacing("\"", with: "%22")
        #expect(
            body.contains("name=\"p\"; filename=\"\(written)\"\r\n") && body.contains("\r\n\r\nsent\r\n"), "\(body)")
    }
}
