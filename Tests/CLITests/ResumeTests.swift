import Foundation
import Patchbay
import PatchbayPlatform
import TestSupport
import Testing

/// `get -C` after runs that ended in odd ways: it never writes another file, and never keeps failing without a way out.
@Suite(.timeLimit(.minutes(5))) struct ResumeTests {
    private static let file = RangedFile(bytes: 300_000)

    /// A server that cuts the whole file, and answers a range in its own way.
    /// - Parameter cuts: how often the whole file is cut.
    private static func server(
        cuts: Int = .max, to range: @escaping @Sendable (RawServer.Request) -> RawReply? = { _ in nil }
    ) throws -> RawServer {
        let wholes = Guarded(0)
        return try RawServer { request in
            if request.fields["Range"] != nil, let reply = range(request) { return reply }
            let (status, fields, body) = file.answer(to: request.fields)
            let whole = RawReply.response(status: status, fields, body: body)
            guard request.fields["Range"] == nil, case .send(let bytes) = whole.steps[0] else { return whole }
            let count = wholes.withLock { count in
                count += 1
                return count
            }
            guard count <= cuts else { return whole }
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
        let (first, second) = (TemporaryFolder(), TemporaryFolder())
        let server = try Self.server()
        try await Self.get(server, in: first, code: 4)
        for name in first.names {
            try FileManager.default.copyItem(atPath: first.path + "/" + name, toPath: second.path + "/" + name)
        }
        try first.write("precious", to: "out")
        let run = try await Self.get(server, in: second, code: 4)
        #expect(run.errors.hasPrefix("out.resume names no part of this file, so the download starts anew\n"))
        #expect(FileManager.default.contents(atPath: first.path + "/out") == Data("precious".utf8))
    }

    @Test func `without room for the note no part stays`() async throws {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/out.resume", withIntermediateDirectories: false)
        let run = try await Self.get(try Self.server(), in: folder, code: 4)
        #expect(run.errors.contains("; the incomplete file is removed\n"), "\(run.errors)")
        #expect(folder.names == ["out.resume"])
    }

    /// Answers to a range that are not the rest.
    static let refusals: [RawReply] = [
        .response(status: 416, ["Content-Range": "bytes */300000"]),
        .response(status: 206, ["Content-Range": "bytes 1-2/3", "ETag": "\"v1\""], body: "ab"),
        .response(status: 206, ["ETag": "\"v1\""], body: "ab"),
    ]

    @Test(arguments: refusals)
    func `after a refused rest the same command fetches the whole file`(_ reply: RawReply) async throws {
        let folder = TemporaryFolder()
        let server = try Self.server(cuts: 1) { _ in reply }
        let first = try await Self.get(server, in: folder, code: 4)
        #expect(first.errors.contains("are kept; the same command goes on from there\n"))
        try await Self.get(server, in: folder, code: 0)
        #expect(folder.names == ["out"])
        #expect(FileManager.default.contents(atPath: folder.path + "/out") == Data(Self.file.body))
    }

    @Test(arguments: [404, 500])
    func `after an error status the note stays, and the same command goes on`(_ status: Int) async throws {
        let folder = TemporaryFolder()
        let server = try Self.server { _ in .response(status: status, [:]) }
        try await Self.get(server, in: folder, code: 4)
        let names = folder.names
        let run = try await Self.get(server, in: folder, code: 5)
        #expect(run.errors.contains("are kept; the same command goes on from there\n"), "\(run.errors)")
        #expect(folder.names == names)
    }

    @Test func `the note of another URL is named, and stays`() async throws {
        let folder = TemporaryFolder()
        let server = try Self.server { _ in .response(status: 500, [:]) }
        try await Self.get(server, in: folder, code: 4)
        let names = folder.names
        let words = ["get", "-C", "-o", "out", server.target() + "?v=2"]
        let run = try await Binary.run(words, in: folder.path)
        #expect(run.code == 6)
        let part = try #require(names.first { $0.hasSuffix(".part") })
        #expect(run.errors.hasPrefix("remove out.resume and /"), "\(run.errors)")
        #expect(run.errors.contains("/\(part) to begin again\n"), "\(run.errors)")
        #expect(folder.names == names)
    }

    @Test(arguments: ["my curriculum", #"{"file": "a"}"#])
    func `a file of the user with the name of the note stays as it is`(_ text: String) async throws {
        let folder = TemporaryFolder()
        try folder.write(text, to: "out.resume")
        let server = try Self.server(cuts: 1)
        // Without the note, nothing could continue the part.
        let run = try await Self.get(server, in: folder, code: 4)
        #expect(
            run.errors.contains("out.resume is there already, and is not written over; the incomplete file is removed"),
            "\(run.errors)")
        #expect(folder.names == ["out.resume"])
        try await Self.get(try RawServer(always: .response(status: 404)), in: folder, code: 5)
        try await Self.get(server, in: folder, code: 0)
        #expect(folder.names == ["out", "out.resume"])
        #expect(FileManager.default.contents(atPath: folder.path + "/out.resume") == Data(text.utf8))
    }

    /// A change of what an interrupted run has left, which another user could make in a folder of his.
    struct Planted: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var needsRoot = false
        /// Gets the paths of the note and of the part.
        let change: @Sendable (_ note: String, _ part: String) throws -> Void

        init(_ name: String, needsRoot: Bool = false, _ change: @escaping @Sendable (String, String) throws -> Void) {
            (testDescription, self.needsRoot, self.change) = (name, needsRoot, change)
        }

        fileprivate static func link(_ path: String) throws {
            try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path + ".moved")
        }
    }

    static let planted: [Planted] = [
        Planted("another user's note", needsRoot: true) { note, _ in try #require(chown(note, 12_345, 12_345) == 0) },
        Planted("another user's part", needsRoot: true) { _, part in try #require(chown(part, 12_345, 12_345) == 0) },
        Planted("both", needsRoot: true) { note, part in
            try #require(chown(note, 12_345, 12_345) == 0 && chown(part, 12_345, 12_345) == 0)
        },
        Planted("a note that is a link") { note, _ in try Planted.link(note) },
        Planted("a part that is a link") { _, part in try Planted.link(part) },
        Planted("a note that is a link to nothing") { note, _ in
            try Planted.link(note)
            try FileManager.default.removeItem(atPath: note + ".moved")
        },
    ]

    @Test(arguments: planted.filter { !$0.needsRoot || geteuid() == 0 })
    func `a note or a part that is not the user's own is not believed`(_ planted: Planted) async throws {
        let folder = TemporaryFolder()
        let server = try Self.server(cuts: 1)
        try await Self.get(server, in: folder, code: 4)
        let part = try #require(folder.names.first { $0.hasSuffix(".part") })
        try planted.change(folder.path + "/out.resume", folder.path + "/" + part)
        try await Self.get(server, in: folder, code: 0)
        #expect(server.requests.map { $0.fields["Range"] } == [nil, nil])
        #expect(FileManager.default.contents(atPath: folder.path + "/out") == Data(Self.file.body))
        var status = stat()
        #expect(lstat(folder.path + "/out", &status) == 0)
        #expect(status.st_uid == geteuid() && status.st_mode & S_IFMT == S_IFREG)
        // What is another's stays as it is.
        if planted.testDescription.contains("part") { #expect(folder.names.contains(part)) }
    }

    @Test(arguments: ["another user's note", "a part that is a link"])
    func `the sentence says that a note or part is not the user's own`(_ name: String) async throws {
        let planted = try #require(Self.planted.first { $0.testDescription == name })
        guard !planted.needsRoot || geteuid() == 0 else { return }
        let folder = TemporaryFolder()
        let server = try Self.server(cuts: 1)
        try await Self.get(server, in: folder, code: 4)
        let part = try #require(folder.names.first { $0.hasSuffix(".part") })
        try planted.change(folder.path + "/out.resume", folder.path + "/" + part)
        let run = try await Self.get(server, in: folder, code: 0)
        #expect(
            run.errors.hasPrefix("out.resume or its part is not a file of yours, so the download starts anew\n"),
            "\(run.errors)")
    }

    @Test(arguments: [("file", #""file:///etc/passwd""#), ("replacesFile", "false"), ("isTemporary", "true")])
    func `an edited note chooses neither the file nor its options`(_ key: String, _ value: String) async throws {
        let folder = TemporaryFolder()
        let server = try Self.server(cuts: 1)
        try await Self.get(server, in: folder, code: 4)
        let note = folder.path + "/out.resume"
        let text = try String(contentsOfFile: note, encoding: .utf8)
        var members = try #require(try JSON(parsing: text).object)
        let index = try #require(members.firstIndex { $0.key == key })
        members[index].value = try JSON(parsing: value)
        try Data(JSON.object(members.map { ($0.key, $0.value) }).serialized().utf8).write(to: URL(filePath: note))
        let run = try await Self.get(server, in: folder, code: 0)
        #expect(run.errors.hasPrefix("out.resume names no part of this file, so the download starts anew\n"))
        #expect(server.requests.map { $0.fields["Range"] } == [nil, nil])
        #expect(FileManager.default.contents(atPath: folder.path + "/out") == Data(Self.file.body))
    }

    #if os(Linux)
        @Test func `a note that is a pipe is no note`() async throws {
            let folder = TemporaryFolder()
            #expect(mkfifo(folder.path + "/out.resume", 0o600) == 0)
            let server = try RawServer(always: .response(["Content-Type": "text/plain"], body: "x"))
            let run = try await Self.get(server, in: folder, code: 0)
            #expect(run.errors.hasPrefix("out.resume names no part of this file"))
        }
    #endif
}
