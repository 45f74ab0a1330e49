import Foundation
import Patchbay
import TestSupport
import Testing

/// A `~` at the start of a name is part of the name: the user's shell has expanded what was to be expanded.
@Suite(.timeLimit(.minutes(5))) struct TildeTests {
    private static let json: RawReply = .response(["Content-Type": "application/json"], body: #"{"a":1}"#)

    private static func get(_ words: [String], in folder: TemporaryFolder) async throws -> Binary.Run {
        let run = try await Binary.run(["get"] + words, in: folder.path)
        #expect(run.code == 0, "\(words): \(run.errors)")
        return run
    }

    private static func text(_ name: String, in folder: TemporaryFolder) -> String? {
        FileManager.default.contents(atPath: folder.path + "/" + name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Each name begins with the name of a user that exists on most systems, or with none.
    @Test(arguments: ["~list", "~nobody", "~", "~root", "~no such user", "~~"])
    func `-O writes a name of the server's into the folder`(_ name: String) async throws {
        let folder = TemporaryFolder()
        let disposition = "attachment; filename=\"\(name)\""
        let server = try RawServer(always: .response(["Content-Disposition": disposition], body: "bytes"))
        _ = try await Self.get(["-O", server.target("/other")], in: folder)
        #expect(folder.names == [name])
        #expect(Self.text(name, in: folder) == "bytes")
        let path = TemporaryFolder()
        let unnamed = try RawServer(always: .response(body: "path"))
        _ = try await Self.get(["-O", unnamed.target("/" + name.replacingOccurrences(of: " ", with: "%20"))], in: path)
        #expect(path.names == [name])
    }

    @Test(arguments: ["~list", "~nobody", "~", "~root", "./~list", "deep/~list", "~list/x"])
    func `-o writes the file that was typed`(_ name: String) async throws {
        let folder = TemporaryFolder()
        for deep in ["deep", "~list"] where name.hasPrefix(deep + "/") {
            try FileManager.default.createDirectory(
                atPath: folder.path + "/" + deep, withIntermediateDirectories: false)
        }
        let server = try RawServer(always: Self.json)
        _ = try await Self.get(["-o", name, server.target()], in: folder)
        #expect(Self.text(name, in: folder) == #"{"a":1}"#)
    }

    @Test func `-C keeps and continues the file that was typed`() async throws {
        let folder = TemporaryFolder()
        let file = RangedFile(bytes: 300_000)
        let server = try RawServer { request in
            let (status, fields, body) = file.answer(to: request.fields)
            let whole = RawReply.response(status: status, fields, body: body)
            guard request.fields["Range"] == nil, case .send(let bytes) = whole.steps[0] else { return whole }
            return RawReply([.send(Array(bytes.prefix(200_000))), .close])
        }
        let words = ["get", "-C", "-o", "~list", server.target()]
        #expect(try await Binary.run(words, in: folder.path).code == 4)
        #expect(folder.names.contains("~list.resume"))
        #expect(try await Binary.run(words, in: folder.path).code == 0)
        #expect(folder.names == ["~list"])
        #expect(FileManager.default.contents(atPath: folder.path + "/~list") == Data(file.body))
    }

    /// Words that name a file to send, and what stands before its name.
    @Test(arguments: [["-T"], ["-d"], ["--json"], ["-F"]])
    func `the file that was typed is sent`(_ option: [String]) async throws {
        let folder = TemporaryFolder()
        try folder.write(#"["sent"]"#, to: "~list")
        let server = try RawServer(always: Self.json)
        let word = ["-T": "~list", "-d": "@~list", "--json": "@~list", "-F": "f=@~list"][option[0]] ?? ""
        _ = try await Self.get([option[0], word, server.target()], in: folder)
        let request = try #require(server.requests.first)
        #expect(String(decoding: request.body, as: UTF8.self).contains(#"["sent"]"#))
        if option == ["-F"] { #expect(String(decoding: request.body, as: UTF8.self).contains(#"filename="~list""#)) }
    }

    @Test func `the cookies are in the file that was typed`() async throws {
        let folder = TemporaryFolder()
        let server = try RawServer(always: .response(["Set-Cookie": "a=b; Path=/"], body: ""))
        for _ in 0..<2 { _ = try await Self.get(["--cookie-jar", "~list", server.target()], in: folder) }
        #expect(folder.names == ["~list"])
        #expect(server.requests.map { $0.fields["Cookie"] } == [nil, "a=b"])
    }

    @Test func `the stored responses are in the folder that was typed`() async throws {
        let folder = TemporaryFolder()
        let fields: HeaderFields = ["Content-Type": "text/plain", "Cache-Control": "max-age=600"]
        let server = try RawServer(always: .response(fields, body: "kept"))
        for _ in 0..<2 { _ = try await Self.get(["--cache", "~list", server.target()], in: folder) }
        #expect(folder.names == ["~list"] && server.requests.count == 1)
    }

    @Test func `the manifest is the file that was typed`() async throws {
        let folder = TemporaryFolder()
        try folder.write(
            #"{ "manifestVersion": 1, "plugins": [{ "id": "own", "factory": "text", "match": { "types": ["a/own"] } }] }"#,
            to: "~list")
        let server = try RawServer(always: .response(["Content-Type": "a/own"], body: "own"))
        let run = try await Self.get(["--manifest", "~list", "-v", server.target()], in: folder)
        #expect(run.output == "own", "\(run.errors)")
        let routes = try await Binary.run(["routes", "--manifest", "~list"], in: folder.path)
        #expect(routes.code == 0 && routes.output.contains("own"), "\(routes.errors)")
        let check = try await Binary.run(["check", "~list"], in: folder.path)
        #expect(check.code == 0, "\(check.errors)")
    }
}
