import Foundation
import Patchbay
import PatchbayPlatform
import TestSupport
import Testing

/// `get -C` after runs that ended in odd ways: it never writes another file, and never keeps failing without a way out.
@Suite(.timeLimit(.minutes(5))) struct ResumeTests {
    private static let file = RangedFile(bytes: 300_000)

    /// A server that cuts the whole file, and answers a range in its own way.
    private static func server(
        to range: @escaping @Sendable (RawServer.Request) -> RawReply? = { _ in nil }
    ) throws -> RawServer {
        try RawServer { request in
            if request.fields["Range"] != nil, let reply = range(request) { return reply }
            let (status, fields, body) = file.answer(to: request.fields)
            let whole = RawReply.response(status: status, fields, body: body)
            guard request.fields["Range"] == nil, case .send(let bytes) = whole.steps[0] else { return whole }
            return RawReply([.send(Array(bytes.prefix(200_000))), .close])
        }
    }

    @discardableResult private static func get(
        _ server: RawServer, in folder: TemporaryFolder, code: Int32
    ) async throws -> Binary.Run {
        let run = try await Binary.run(["get", "-C", "-o", "out", server.target()], in: folder.path)
        #expect(run.code == code, "\(run.errors)")
        return run
    }

    @Test func `a note that was copied to another folder leaves the first folder alone`() async throws {
        let (first, second) = (try TemporaryFolder(), try TemporaryFolder())
        let server = try Self.server()
        try await Self.get(server, in: first, code: 4)
        for name in try first.names {
            try FileManager.default.copyItem(atPath: first.path + "/" + name, toPath: second.path + "/" + name)
        }
        try first.write("precious", to: "out")
        let run = try await Self.get(server, in: second, code: 4)
        #expect(run.errors.hasPrefix("out.resume names no part of this file, so the download starts anew\n"))
        #expect(FileManager.default.contents(atPath: first.path + "/out") == Data("precious".utf8))
    }

    @Test func `without room for the note no part stays`() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/out.resume", withIntermediateDirectories: false)
        let run = try await Self.get(try Self.server(), in: folder, code: 4)
        #expect(run.errors.contains("; the incomplete file is removed\n"), "\(run.errors)")
        #expect(try folder.names == ["out.resume"])
    }

    /// Answers to a range that are refused, and the exit code.
    static let refusals: [(RawReply, Int32)] = [
        (.response(status: 416, ["Content-Range": "bytes */300000"]), 5),
        (.response(status: 206, ["Content-Range": "bytes 1-2/3", "ETag": "\"v1\""], body: "ab"), 6),
        (.response(status: 206, ["ETag": "\"v1\""], body: "ab"), 6),
    ]

    @Test(arguments: refusals)
    func `a refused continuation keeps its bytes and says how to begin again`(
        _ reply: RawReply, _ code: Int32
    ) async throws {
        let folder = try TemporaryFolder()
        let server = try Self.server { _ in reply }
        let first = try await Self.get(server, in: folder, code: 4)
        #expect(first.errors.contains("are kept; the same command goes on from there\n"))
        let names = try folder.names
        for _ in 0..<2 {
            let run = try await Self.get(server, in: folder, code: code)
            #expect(run.errors.contains("remove out.resume to begin again\n"), "\(run.errors)")
            #expect(!run.errors.contains("goes on from there"))
            #expect(try folder.names == names)
        }
    }

    #if os(Linux)
        @Test func `a note that is a pipe is no note`() async throws {
            let folder = try TemporaryFolder()
            #expect(mkfifo(folder.path + "/out.resume", 0o600) == 0)
            let server = try RawServer(always: .response(["Content-Type": "text/plain"], body: "x"))
            let run = try await Self.get(server, in: folder, code: 0)
            #expect(run.errors.hasPrefix("out.resume names no part of this file"))
        }
    #endif
}
